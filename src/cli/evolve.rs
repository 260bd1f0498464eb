//! `tictune evolve`

mod folder;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use anyhow::{bail, ensure};
use clap::Args;

use super::check::timed::in_time;
use super::check::{check, missing};
use super::executor::ExecutorArgs;
use super::learn::regression;
use super::matches::warn_of_platform;
use super::progress::RunProgress;
use super::runs::RunState;
use super::{Session, print, print_json, quoted};
use crate::arena::{CountForfeits, KeptForfeits, MAX_GAMES};
use crate::config::{self, Config, Overrides};
use crate::evolve::plan::place_in_range;
use crate::evolve::{
    Comparison, Parameter, Plan, RunDir, RunError, RunResult, Vector, agent_file, ended_by_games,
    learn_dir, learned_start, play_hash_in_words, run as run_plan,
};
use crate::files::{FileError, create_folder, own_folder};
use crate::input::InputError;
use crate::programs::ExternalSettings;
use crate::programs::runner::doctor::one_sided;
use crate::registry::AnyGame;
use crate::report::{
    Width, comparison_section, noise_section, page, regression_table, validation_section,
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
    /// More games for a run that has begun or is finished: its last stage continues for as many generations as they allow
    #[arg(long, value_name = "+N", requires = "resume", conflicts_with = "check", value_parser = games)]
    games: Option<u64>,
    /// End a run that was stopped with what it has found: its last stage gets no more generations
    #[arg(long, requires = "resume", conflicts_with_all = ["check", "games"])]
    finish: bool,
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
    ensure!(!args.config.is_dir(), no_config(&args.config, session));
    let overrides =
        Overrides { seed: args.seed, max_generations: args.max_generations, games_of_time: None };
    let text = config::read(&args.config)?;
    let config = Config::parse(&text, &args.config)?;
    let mut plan = config.plan(overrides, session.known())?;
    let game = session.find(Some(&plan.game))?;
    if let Some(openings) = plan.trains_on_held_out() {
        session.note(&format!(
            "warning: training games from {openings} may start where the held-out games of the comparison and the \
             validation start; {openings}:train keeps them apart",
            openings = openings.to_string().replace(":held-out", "")
        ));
    }
    if !config.has_rules() {
        warn_of_platform(session, game, &plan.rules, plan.agents(), "a table [rules]");
    }
    let folder = args.out.clone().unwrap_or_else(|| Path::new("runs").join(&plan.name));
    let dir = RunDir::new(folder, session.known());
    let known = dir.manifest().ok().flatten();
    let in_time = |plan: Plan| {
        let here = args.players.is_here().then_some(&args.players.threads);
        in_time(session, game, plan, (&config, overrides), known.as_ref(), here)
    };
    if args.check {
        // No program is started.
        plan = if plan.has_programs() { plan } else { in_time(plan)? };
        check(session, game, &plan, &args.players.threads, false)?;
        return if args.players.is_here() { programs_are_there(args, &plan) } else { Ok(()) };
    }
    let run = Evolution { session, args, game, plan: &plan, dir: &dir };
    if !run.has_generations() && args.players.is_here() {
        // Before there is a folder, so that a corrected config finds none in its way.
        programs_are_there(args, &plan)?;
        programs_play(session, args, &plan)?;
    }
    game.check_ranges(&plan).map_err(|error| match error.file {
        None => InputError::in_file(&args.config, error.message),
        Some(_) => error,
    })?;
    plan = in_time(plan)?;
    let run = Evolution { session, args, game, plan: &plan, dir: &dir };
    let (known, _log) = folder::open(run, &text)?;
    let run = Evolution { plan: &known, ..run };
    run.warn_of_another_build()?;
    run.play()
}

fn games(text: &str) -> Result<u64, String> {
    let digits = |number: &&str| number.starts_with(|first: char| first.is_ascii_digit());
    let number = text.strip_prefix('+').filter(digits);
    let number = number.and_then(|number| number.replace('_', "").parse().ok());
    number
        .filter(|number| (1..=MAX_GAMES).contains(number))
        .ok_or_else(|| "expected a number of games to be added, as in +20_000".into())
}

fn programs_are_there(args: &EvolveArgs, plan: &Plan) -> anyhow::Result<()> {
    let problem = plan.commands().iter().find_map(|one| Some((one.key, missing(one)?)));
    let Some((key, problem)) = problem else { return Ok(()) };
    bail!(InputError::in_file(&args.config, format!("{key}: {problem}")))
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
            let command = format!("{} doctor {}", session.program(), quoted(&args.config));
            session.note(&format!("`{command}` tries the programs of the config"));
            bail!("{}: {wrong}", agent.command().unwrap_or_default());
        }
    }
    Ok(())
}

fn no_config(folder: &Path, session: &Session) -> InputError {
    let message = match RunState::of(folder, session) {
        Some(RunState { resume: Some(command), .. }) => {
            format!("is the folder of a run, not a config. To continue it: {command}")
        }
        Some(_) => {
            let command = format!("{} show {}", session.program(), quoted(folder));
            format!("is the folder of a run, not a config: `{command}` shows the run")
        }
        None => "is a folder; name a config".into(),
    };
    InputError::in_file(folder, message)
}

const FORFEITS: &str = "forfeits.json";

fn earlier_forfeits(dir: &RunDir) -> anyhow::Result<KeptForfeits> {
    let kept: KeptForfeits = dir.read_json(FORFEITS)?.unwrap_or_default();
    if !kept.is_possible() {
        let message = "has more forfeits than games: it was edited; without it, they are counted from here on";
        bail!(InputError::in_file(&dir.file(FORFEITS), message));
    }
    Ok(kept)
}

#[derive(Clone, Copy)]
struct Evolution<'e> {
    session: &'e Session,
    args: &'e EvolveArgs,
    game: &'e dyn AnyGame,
    plan: &'e Plan,
    dir: &'e RunDir,
}

impl Evolution<'_> {
    fn has_generations(self) -> bool {
        let rows = self.plan.stages.first().map(|stage| self.dir.generations(0, stage));
        rows.is_some_and(|rows| rows.is_ok_and(|rows| !rows.is_empty()))
    }

    /// Warns where games of the run were played by a build that plays otherwise.
    fn warn_of_another_build(self) -> anyhow::Result<()> {
        let unfinished = self.dir.manifest()?.filter(|manifest| !manifest.finished);
        let Some(manifest) = unfinished.filter(|_| self.has_generations()) else { return Ok(()) };
        let own = play_hash_in_words(&*self.game.threads(None), &self.plan.rules);
        if own.is_none() || own == manifest.play_hash {
            return Ok(());
        }
        // Earlier versions did not write what they play.
        let plays = if manifest.play_hash.is_some() { "plays" } else { "may play" };
        self.session.note(&format!(
            "warning: another build of tictune played this run last, and it {plays} differently: logged games are kept, and this \
             build plays the others"
        ));
        Ok(())
    }

    fn play(self) -> anyhow::Result<()> {
        let Self { session, args, game, plan, dir } = self;
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
        if !self.has_generations() {
            executor = executor.needing_games();
        }
        self.learn_start(stop)?;
        let play = || run_plan(plan, dir, &executor, &progress, stop);
        let result = session.interrupt.busy(play);
        progress.finish();
        if let Some(forfeits) = executor.in_words() {
            session.note(&format!("{forfeits}; {} has each", dir.file("log.txt").display()));
        }
        let result = result.inspect_err(|error| match executor.never_played() {
            Some((agent, _)) if matches!(error, RunError::Program(_)) => {
                self.say_what_fails(&agent)
            }
            _ => self.say_how_to_continue(error),
        })?;
        dir.write("report.html", page::run_report(dir)?.as_bytes())?;
        if args.json {
            print_json(&in_json(dir, &result))?;
        } else {
            print(&summary(session.width(), plan, dir, &result)?)?;
        }
        let stages = plan.stages.last().zip(result.stages.last());
        if let (
            Comparison { of_start: true, shown: false, no_result: false, .. },
            Some((stage, ended)),
        ) = (&result.comparison, stages)
            && ended_by_games(&ended.stopped)
            && !args.finish
        {
            let games = stage.most_generations() * stage.games_of(stage.population);
            session.note("the mean is not shown to be stronger than the start; to continue with as many games again, or to play only these two:");
            session.note(&format!("  {} --games +{games}", session.resume()));
            let (program, run) = (session.program(), quoted(dir.path()));
            session.note(&format!("  {program} compare {run} --games 1000"));
        }
        let Some(forfeited) = executor.mostly_forfeited() else { return Ok(()) };
        let forfeited = forfeited.in_words("the candidates", "their opponents", "programs");
        bail!("no result: {forfeited}, which says nothing about their strength")
    }

    /// Learns the start of a run, if its plan says so and it was not done before.
    fn learn_start(self, stop: &AtomicBool) -> anyhow::Result<()> {
        let Self { session, plan, dir, .. } = self;
        let Some(learn) = &plan.learn else { return Ok(()) };
        if learned_start(plan, dir)?.is_some() {
            return Ok(());
        }
        let folder = learn_dir(dir);
        own_folder("--out", folder.path())?;
        create_folder(folder.path()).map_err(FileError::writing(folder.path()))?;
        let game = self.game.known("learn", "positions")?;
        let play = || regression::play(session, game, &learn.regression, &folder, stop);
        self.args.players.threads.install(session, play)?.inspect_err(|error| {
            if matches!(error, RunError::Interrupted) {
                session.note_stopped("stopped; to learn the start again:");
            }
        })?;
        Ok(())
    }

    /// What a person can do about a program that forfeits every game.
    fn say_what_fails(self, agent: &str) {
        let Self { session, plan: Plan { game, rules, .. }, .. } = self;
        let rules = if rules.is_empty() { String::new() } else { format!(" --rules {rules}") };
        let (program, agent) = (session.program(), quoted(agent));
        session.note("to see a game with it, move by move:");
        session.note(&format!("  {program} doctor {agent} --game {game}{rules}"));
        session.note_stopped("none of these games is kept. Once the program plays:");
    }

    fn say_how_to_continue(self, error: &RunError) {
        let (session, folder) = (self.session, self.dir.path());
        if matches!(error, RunError::Interrupted) {
            let how =
                "stopped; everything measured is saved. To continue, or with --finish to end here:";
            return session.note_stopped(how);
        }
        tracing::error!(%error, "run failed");
        if let Some(place) = refused_log(error, folder) {
            session.note(&format!(
                "restore the file; or move {} away, and its games are played again, with the same results",
                place.display()
            ));
        }
        session.note(&format!(
            "if the fix is in the config, remove {} or name another folder with --out; if not, continue with: {}",
            folder.display(),
            session.resume()
        ));
    }
}

/// What of a run's folder an error is about, if that is a line of a log. A stage is played the same way again, from its seeds.
fn refused_log(error: &RunError, folder: &Path) -> Option<PathBuf> {
    let RunError::Input(InputError { file, line: Some(_), .. }) = error else { return None };
    let within = Path::new(file.as_ref()?).strip_prefix(folder).ok()?;
    Some(folder.join(within.components().next()?))
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
        "comparison": result.comparison,
        "validation": result.validation,
        "report": file("report.html".into()),
    })
}

fn summary(width: Width, plan: &Plan, dir: &RunDir, result: &RunResult) -> anyhow::Result<String> {
    let mut text = String::new();
    let keeps_start = plan.learn.as_ref().is_some_and(|learn| learn.keeps_start);
    if let Some(learned) = learned_start(plan, dir)?.filter(|_| !keeps_start) {
        text += &format!("\nLearned start\n{}", regression_table(width, &learned));
    }
    text += &noise_section(plan, dir)?;
    text += &comparison_section(width, &result.comparison);
    if let ("start", Some(stage)) = (&*result.comparison.winner, plan.stages.last()) {
        text += &format!(
            "the start is the winner (best.toml): nothing that was evolved is stronger. Try smaller steps: [cmaes] sigma = {:.3}\n",
            stage.sigma / 4.0
        );
    }
    let winner = result.winner();
    let name = &winner.name;
    text += &validation_section(width, plan, name, &result.validation);
    if winner.weights.is_some() {
        text += &format!("\nweights: {}\n", dir.file(&format!("{name}.toml")).display());
    }
    if !winner.parameters.is_empty() {
        let pairs: Vec<String> = winner.pairs().collect();
        let agent = dir.file(&agent_file(name));
        text += &format!("\nparameters: {}\nagent: @{}\n", pairs.join(","), agent.display());
        text += &at_ends(plan, winner);
    }
    Ok(text + &format!("report: {}\n", dir.file("report.html").display()))
}

/// A line that names the parameters of a winner near an end of their range; nothing if there are none.
fn at_ends(plan: &Plan, winner: &Vector) -> String {
    let value = |key: &String| winner.parameters.iter().find(|(name, _)| name == key);
    let is_at_end = |&&Parameter { ref key, low, high, scale, whole, .. }: &&Parameter| {
        let place = value(key).map(|(_, value)| place_in_range(*value, [low, high], Some(scale)));
        let is_switch = whole && high - low <= 1.0;
        !is_switch && place.is_some_and(|place| !(0.05..=0.95).contains(&place))
    };
    let names = plan.space.parameters.iter().filter(is_at_end);
    let names: Vec<&str> = names.map(|parameter| parameter.key.as_str()).collect();
    let said = format!(
        "near an end of the range: {}. If values beyond it make sense, try a wider one; if only the ratios of parameters matter, leave one of them out\n",
        names.join(", ")
    );
    if names.is_empty() { String::new() } else { said }
}
