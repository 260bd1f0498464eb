//! `tictune evolve`

mod folder;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use anyhow::bail;
use clap::Args;

use super::check::{Programs, check, missing};
use super::executor::ExecutorArgs;
use super::learn::regression;
use super::progress::RunProgress;
use super::runs::RunState;
use super::{Session, memory, overlap, platform, print, print_json, quoted};
use crate::arena::{CountForfeits, Executor, KeptForfeits, NeverPlayed};
use crate::config::{self, Overrides};
use crate::evolve::{
    Plan, RunDir, RunError, RunResult, agent_file, learn_dir, learned_start, play_hash_in_words,
    run as run_plan,
};
use crate::files::{FileError, create_folder, own_folder};
use crate::input::{InputError, TomlFile};
use crate::programs::ExternalSettings;
use crate::programs::runner::doctor::one_sided;
use crate::registry::AnyGame;
use crate::report::{
    Width, comparison_table, finalists_table, noisy_stages, page, regression_table,
    trained_openings, validation_table,
};

#[derive(Debug, Args)]
pub(super) struct EvolveArgs {
    /// The config file of the run
    config: PathBuf,
    /// The folder for the run [default: runs/NAME, by the name in the config]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Continue a run that was stopped; a finished one prints its verdict again, with or without it
    #[arg(long)]
    resume: bool,
    /// Print the plan and estimate its games and time; run nothing
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    players: ExecutorArgs,
    /// The seed of the run, in place of the config's
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Print one JSON object instead of the tables
    #[arg(long, conflicts_with = "check")]
    json: bool,
    /// At most this many generations in every stage
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_generations: Option<u64>,
}

pub(super) fn run(args: &EvolveArgs, session: &Session) -> anyhow::Result<()> {
    if args.config.is_dir() {
        return Err(no_config(&args.config, session).into());
    }
    let overrides = Overrides { seed: args.seed, max_generations: args.max_generations };
    let (plan, text) = config::load(&args.config, overrides, session.known())?;
    let game = session.find(Some(&plan.game))?;
    if let Some(openings) = plan.trains_on_held_out() {
        session.note(&format!(
            "warning: training games from {openings} may start where the held-out games of the comparison and the \
             validation start; {openings}:train keeps them apart",
            openings = openings.to_string().replace(":held-out", "")
        ));
    }
    if !TomlFile::parse(&text, None)?.root().has("rules") {
        platform::warn(session, game, &plan.rules, plan.agents(), "a table [rules]");
    }
    check_memory(args, &plan)?;
    if args.check {
        check(session, game, &plan, &args.players.threads, Programs::Left)?;
        return if args.players.is_here() { programs_are_there(args, &plan) } else { Ok(()) };
    }
    let dir = RunDir::new(
        args.out.clone().unwrap_or_else(|| Path::new("runs").join(&plan.name)),
        session.known(),
    );
    if !has_generations(&plan, &dir) && args.players.is_here() {
        // Before there is a folder, so that a corrected config finds none in its way.
        programs_are_there(args, &plan)?;
        programs_play(session, args, &plan)?;
    }
    game.check_ranges(&plan)?;
    let Some((plan, _log)) = folder::open(session, args.resume, &dir, &plan, &text, overrides)?
    else {
        return show_read_only(session, &plan, &dir, &*game.threads(), args.json);
    };
    warn_of_another_build(session, game, &plan, &dir)?;
    play(session, args, game, &plan, &dir)
}

/// Warns where games of the run were played by a build that plays otherwise.
fn warn_of_another_build(
    session: &Session,
    game: &dyn AnyGame,
    plan: &Plan,
    dir: &RunDir,
) -> anyhow::Result<()> {
    let Some(manifest) = dir.manifest()?.filter(|manifest| !manifest.finished) else {
        return Ok(());
    };
    let own = play_hash_in_words(&*game.threads(), &plan.rules);
    if own.is_none() || own == manifest.play_hash || !has_generations(plan, dir) {
        return Ok(());
    }
    // Earlier versions did not write what they play.
    let plays = if manifest.play_hash.is_some() { "plays" } else { "may play" };
    session.note(&format!(
        "warning: another build of tictune played this run last, and it {plays} otherwise: games that are logged are kept, and the \
         others are as this build plays them"
    ));
    Ok(())
}

fn has_generations(plan: &Plan, dir: &RunDir) -> bool {
    let first = plan.stages.first();
    first.is_some_and(|stage| dir.generations(0, stage).is_ok_and(|rows| !rows.is_empty()))
}

/// Refuses a plan with a program that cannot be started.
fn programs_are_there(args: &EvolveArgs, plan: &Plan) -> anyhow::Result<()> {
    let problem = plan.commands().iter().find_map(|one| Some((one.key, missing(one)?)));
    problem.map_or(Ok(()), |(key, problem)| {
        Err(InputError::in_file(&args.config, format!("{key}: {problem}")).into())
    })
}

/// Tries what each program does first: an engine is started, and a runner is asked once whether it gives one side all games
/// whatever the numbers are.
fn programs_play(session: &Session, args: &EvolveArgs, plan: &Plan) -> anyhow::Result<()> {
    for agent in plan.programs_at_the_start()? {
        let not_started = |program: &ExternalSettings| {
            let error = program.try_to_start().err()?;
            Some(format!("the program could not be started: {}", error.message))
        };
        let wrong = match (agent.settings(), agent.settings()) {
            (Some(program), _) => not_started(program),
            (_, Some(runner)) => one_sided(runner, session.stop_flag()?).map(String::from),
            _ => None,
        };
        if let Some(wrong) = wrong {
            session.note(&format!(
                "`{} doctor {}` tries the programs of the config",
                session.program(),
                quoted(&args.config)
            ));
            bail!("{}: {wrong}", agent.command().unwrap_or_default());
        }
    }
    Ok(())
}

/// A folder in place of a config: of a run that was stopped, the error has the command that continues it.
fn no_config(folder: &Path, session: &Session) -> InputError {
    let message = match RunState::of(folder, session) {
        Some(RunState { resume: Some(command), .. }) => {
            format!("is the folder of a run, not a config. To continue it: {command}")
        }
        Some(_) => format!(
            "is the folder of a run, not a config: `{} show {}` shows the run",
            session.program(),
            quoted(folder)
        ),
        None => "is a folder; name a config".into(),
    };
    InputError::in_file(folder, message)
}

fn check_memory(args: &EvolveArgs, plan: &Plan) -> Result<(), InputError> {
    let in_config = |error: InputError| InputError::in_file(&args.config, error.message);
    let wanted = memory::of_plan(plan, args.players.threads.count() as u64);
    memory::check("a generation of this run", wanted, "lower population or games")
        .map_err(in_config)?;
    let Some(learn) = &plan.learn else { return Ok(()) };
    let wanted = memory::of_regression(&learn.regression);
    memory::check("the regression of this run", wanted, "lower learn.games").map_err(in_config)
}

fn play(
    session: &Session,
    args: &EvolveArgs,
    game: &dyn AnyGame,
    plan: &Plan,
    dir: &RunDir,
) -> anyhow::Result<()> {
    let stop = session.stop_flag()?;
    let progress = RunProgress::of_run(session, plan);
    tracing::info!(run = plan.name, config_hash = plan.hash(), seed = plan.seed, "run started");
    let executor = args.players.open(session, game)?;
    let keep = |forfeits: &KeptForfeits| {
        if let Err(error) = dir.write_json(FORFEITS, forfeits) {
            tracing::warn!(%error, "forfeits are not kept");
        }
    };
    let mut executor = CountForfeits::new(&*executor).after(earlier_forfeits(dir)?, &keep);
    if !has_generations(plan, dir) {
        executor = executor.needing_games();
    }
    learn_start(session, args, game, plan, dir, stop)?;
    let result =
        args.players.install(session, || run_plan(plan, dir, &executor, &progress, stop))?;
    progress.finish();
    if let Some(forfeits) = executor.in_words() {
        session.note(&format!("{forfeits}; {} has each", dir.file("log.txt").display()));
    }
    let result = result.inspect_err(|error| match executor.never_played() {
        Some(program) if matches!(error, RunError::Program(_)) => {
            say_what_fails(session, plan, &program)
        }
        _ => say_how_to_continue(session, dir, error),
    })?;
    dir.write("report.html", page::run_report(dir)?.as_bytes())?;
    if args.json {
        print_json(&in_json(dir, &result))?;
    } else {
        print_verdict(session, plan, dir, &result)?;
    }
    overlap::of_run(game, plan)?.iter().for_each(|line| session.inform(line));
    match executor.mostly_forfeited() {
        Some(forfeited) => {
            let forfeited = forfeited.in_words("the candidates", "their opponents", "programs");
            bail!("no result: {forfeited}, which says nothing about any of them")
        }
        None => Ok(()),
    }
}

/// The file in a run's folder that has its forfeits.
const FORFEITS: &str = "forfeits.json";

fn earlier_forfeits(dir: &RunDir) -> anyhow::Result<KeptForfeits> {
    let kept: KeptForfeits = dir.read_json(FORFEITS)?.unwrap_or_default();
    if !kept.is_possible() {
        let message = "has more forfeits than games: it was edited; without it, they are counted from here on";
        return Err(InputError::in_file(&dir.file(FORFEITS), message).into());
    }
    Ok(kept)
}

/// Learns the start of a run, if its plan says so and it was not done before.
fn learn_start(
    session: &Session,
    args: &EvolveArgs,
    game: &dyn AnyGame,
    plan: &Plan,
    dir: &RunDir,
    stop: &AtomicBool,
) -> anyhow::Result<()> {
    let Some(learn) = &plan.learn else { return Ok(()) };
    if learned_start(plan, dir)?.is_some() {
        return Ok(());
    }
    let folder = learn_dir(dir);
    own_folder("--out", folder.path())?;
    create_folder(folder.path()).map_err(FileError::writing(folder.path()))?;
    let play = || regression::play(session, game, &learn.regression, &folder, stop);
    args.players.install(session, play)?.inspect_err(|error| {
        if matches!(error, RunError::Interrupted) {
            session.note("stopped; the start is learned anew by:");
            session.note(&format!("  {}", session.resume()));
        }
    })?;
    Ok(())
}

/// Prints the verdict of a finished run in a folder that cannot be written. A copy of its files is read back, as those of
/// any finished run are; nothing is left to play.
fn show_read_only(
    session: &Session,
    plan: &Plan,
    dir: &RunDir,
    executor: &dyn Executor,
    json: bool,
) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let copy = RunDir::new(folder.path(), dir.known());
    for from in dir.folders() {
        let to = folder.path().join(from.strip_prefix(dir.path()).unwrap_or(Path::new("")));
        create_folder(&to).map_err(FileError::writing(&to))?;
        for entry in std::fs::read_dir(&from).map_err(FileError::reading(&from))?.flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_file()) {
                let path = entry.path();
                std::fs::copy(&path, to.join(entry.file_name()))
                    .map_err(FileError::reading(&path))?;
            }
        }
    }
    let progress = RunProgress::of_run(session, plan);
    let result = run_plan(plan, &copy, executor, &progress, session.stop_flag()?)?;
    progress.finish();
    session.note("the folder cannot be written: its report is left as it is");
    if json {
        return print_json(&in_json(dir, &result));
    }
    print_verdict(session, plan, dir, &result)
}

fn print_verdict(
    session: &Session,
    plan: &Plan,
    dir: &RunDir,
    result: &RunResult,
) -> anyhow::Result<()> {
    session.print_report(&summary(session.width(), plan, dir, result)?)?;
    print(&format!("report: {}\n", dir.file("report.html").display()))
}

fn in_json(dir: &RunDir, result: &RunResult) -> serde_json::Value {
    let winner = result.winner();
    let file = |name: String| dir.file(&name).display().to_string();
    serde_json::json!({
        "run": dir.path().display().to_string(),
        "winner": winner.name,
        "weights": winner.weights.as_ref().map(|_| file(format!("{}.toml", winner.name))),
        "agent": file(agent_file(&winner.name)),
        "parameters": winner.pairs().collect::<Vec<_>>(),
        "finalists": result.finalists,
        "comparison": result.comparison,
        "validation": result.validation,
        "report": file("report.html".into()),
    })
}

fn summary(width: Width, plan: &Plan, dir: &RunDir, result: &RunResult) -> anyhow::Result<String> {
    let mut text = String::new();
    if let Some(learned) = learned_start(plan, dir)? {
        text += &format!("\nLearned start\n{}", regression_table(width, &learned));
    }
    for (index, starts) in &result.screenings {
        text += &format!("\nStarts of stage {}\n{}", index + 1, finalists_table(width, starts));
    }
    for (stage, finalists) in (1..).zip(&result.finalists) {
        text += &format!("\nFinalists of stage {stage}\n{}", finalists_table(width, finalists));
    }
    let noisy = noisy_stages(plan, dir)?;
    if !noisy.is_empty() {
        text += &format!("\nNoise\n{noisy}");
    }
    text += "\nBest against mean, in games against each other\n";
    text += &comparison_table(width, &result.comparison);
    if result.finalists.last().is_some_and(|finalists| finalists.winner == "start") {
        text += "\nthe winner is the start: nothing better was found\n";
    }
    let name = &result.winner().name;
    if !result.validation.is_empty() {
        text += &format!("\nValidation of the {name}\n");
        text += &validation_table(width, name, &result.validation);
        text += &trained_openings(plan, &result.validation);
    }
    let winner = result.winner();
    if winner.weights.is_some() {
        text += &format!("\nweights: {}\n", dir.file(&format!("{name}.toml")).display());
    }
    if !winner.parameters.is_empty() {
        let pairs: Vec<String> = winner.pairs().collect();
        let agent = dir.file(&agent_file(name));
        text += &format!("\nparameters: {}\nagent: @{}\n", pairs.join(","), agent.display());
    }
    Ok(text)
}

/// What a person can do about a program that forfeits every game.
fn say_what_fails(session: &Session, plan: &Plan, failing: &NeverPlayed) {
    let mut command = format!(
        "{} doctor {} --game {}",
        session.program(),
        quoted(Path::new(&failing.agent)),
        plan.game
    );
    if !plan.rules.is_empty() {
        command += &format!(" --rules {}", plan.rules);
    }
    session.note("to see a game with it step by step:");
    session.note(&format!("  {command}"));
    session.note("nothing of these games is kept. When it plays:");
    session.note(&format!("  {}", session.resume()));
}

/// What a person can do after a run that was stopped or failed.
fn say_how_to_continue(session: &Session, dir: &RunDir, error: &RunError) {
    if matches!(error, RunError::Interrupted) {
        session.note("stopped; everything measured is saved. To continue:");
        session.note(&format!("  {}", session.resume()));
        return;
    }
    tracing::error!(%error, "run failed");
    if let Some(remedy) = remedy_for_logs(error, dir) {
        session.note(&remedy);
    }
    session.note(&format!(
        "if the fix is in the config, remove {} or name another folder with --out; if not, continue with: {}",
        dir.path().display(),
        session.resume()
    ));
}

/// What to do about a log of the run that was refused. A stage is played the same way again, from its seeds.
fn remedy_for_logs(error: &RunError, dir: &RunDir) -> Option<String> {
    let RunError::Input(error) = error else { return None };
    let within = Path::new(error.file.as_ref()?).strip_prefix(dir.path()).ok()?;
    let first = within.components().next()?;
    let place = dir.path().join(first);
    (error.line.is_some()).then(|| {
        format!(
            "put the file back as it was; or move {} away, and what it held is played again, with the same results",
            place.display()
        )
    })
}
