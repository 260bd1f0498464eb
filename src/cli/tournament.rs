//! `tictune tournament` and `tictune ladder`

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::bail;
use clap::Args;

use super::executor::ExecutorArgs;
use super::log::holds_only;
use super::matches::warn_of_platform;
use super::progress::GameBar;
use super::{GameArgs, Session};
use crate::agent::AgentSpec;
use crate::arena::{ExecutorError, GameLog, Openings, Schedule, TournamentFormat, TournamentPlan};
use crate::config::tournament::{load, of_agents};
use crate::evolve::{RunDir, RunError};
use crate::files::{FileError, own_folder, remove_temporary};
use crate::input::{InputError, did_you_mean, nearest_path};
use crate::report::tournament::TournamentReport;

#[derive(Debug, Args)]
pub(super) struct TournamentArgs {
    /// A config (FILE.toml); or two or more agents, each as KIND[:KEY=VALUE,...] or @FILE
    #[arg(required = true, value_name = "CONFIG|AGENT")]
    agents: Vec<String>,
    #[command(flatten)]
    options: Options,
}

#[derive(Debug, Args)]
pub(super) struct LadderArgs {
    /// Agents to rate, each as KIND[:KEY=VALUE,...] or @FILE; none for the ladder alone
    #[arg(value_name = "AGENT")]
    agents: Vec<String>,
    #[command(flatten)]
    options: Options,
}

#[derive(Debug, Args)]
struct Options {
    #[command(flatten)]
    game: GameArgs,
    /// Games of each pairing [default: the config's, or 100; 20 on a ladder]
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// The seed of all games [default: the config's, or 0]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Where games start: none, centre, random:K, random:K-L, random:K:train, random:K:held-out, file:PATH
    /// [default: the config's, or random:4]
    #[arg(long, value_name = "SPEC")]
    openings: Option<String>,
    /// Who moves first: paired, half-and-half, coin, or first, with which every pairing is played in
    /// both directions [default: the config's, or paired]
    #[arg(long)]
    schedule: Option<Schedule>,
    /// Who plays whom: round-robin (everyone plays everyone) or gauntlet (the first agent plays all
    /// others) [default: the config's, or round-robin]
    #[arg(long)]
    format: Option<TournamentFormat>,
    /// Play drawn games again, with new seeds, until they are decided
    #[arg(long)]
    replay_ties: bool,
    /// The folder for games and tables; games found there are not played again [default: runs/NAME for
    /// a config, none for a list of agents]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    players: ExecutorArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Options {
    /// Changes a plan. Paths are relative to the working directory.
    fn change(&self, plan: &mut TournamentPlan, session: &Session) -> anyhow::Result<()> {
        let settings = &mut plan.settings;
        settings.games = self.games.unwrap_or(settings.games);
        settings.seed = self.seed.unwrap_or(settings.seed);
        settings.schedule = self.schedule.unwrap_or(settings.schedule);
        settings.replay_ties |= self.replay_ties;
        plan.format = self.format.unwrap_or(plan.format);
        if let Some(text) = &self.openings {
            let game = session.find(Some(&plan.game))?.info();
            plan.openings = Openings::parse_in(text, &plan.rules, session.scope(game))?;
        }
        Ok(())
    }
}

pub(super) fn run(args: &TournamentArgs, session: &Session) -> anyhow::Result<()> {
    let options = &args.options;
    let config = match args.agents.as_slice() {
        [one] if Path::new(one).extension().is_some_and(|ending| ending == "toml") => Some(one),
        _ => None,
    };
    let mut plan = match config {
        Some(_) if !options.game.is_empty() => {
            let message = "--game and --rules are for a list of agents; a config names its own game and [rules]";
            bail!(InputError::new(message));
        }
        Some(path) => {
            let has_other_games = options.games.is_some() || options.schedule.is_some();
            load(Path::new(path), has_other_games, session.known())?
        }
        None => {
            // Two agents at least: one word is a config that was meant.
            if let [one] = args.agents.as_slice()
                && !one.contains(':')
                && session.known().kind(one).is_err()
            {
                let near = did_you_mean(nearest_path(Path::new(one)).as_deref());
                bail!(InputError::new(format!(
                    "\"{one}\" is neither a config, whose name ends in .toml, nor two or more agents{near}"
                )));
            }
            let (game, rules) = options.game.find(session)?;
            of_agents(&args.agents, rules, session.scope(game.info()))?
        }
    };
    options.change(&mut plan, session)?;
    let folder = config.map(|_| Path::new("runs").join(&plan.name));
    play(session, options, &plan, folder)
}

/// Rates agents among those of [`AgentSpec::ladder`].
pub(super) fn ladder(args: &LadderArgs, session: &Session) -> anyhow::Result<()> {
    let (game, rules) = args.options.game.find(session)?;
    let agents = [&*args.agents, &AgentSpec::ladder(game.info(), &rules)].concat();
    let mut plan = of_agents(&agents, rules, session.scope(game.info()))?;
    plan.settings.games = 20;
    args.options.change(&mut plan, session)?;
    // The weights that a game's agents have by default may be published ones.
    let agents: Vec<AgentSpec> = plan.entrants.iter().map(|one| one.agent.clone()).collect();
    let mut place = 0..;
    plan.entrants
        .retain(|one| !place.next().is_some_and(|place| agents[..place].contains(&one.agent)));
    play(session, &args.options, &plan, None)
}

fn play(
    session: &Session,
    args: &Options,
    plan: &TournamentPlan,
    default_folder: Option<PathBuf>,
) -> anyhow::Result<()> {
    let game = session.find(Some(&plan.game))?;
    if args.game.rules.is_empty() {
        let agents = plan.entrants.iter().map(|entrant| &entrant.agent);
        warn_of_platform(session, game, &plan.rules, agents, "--rules, or [rules] of a config,");
    }
    let folder = args.out.clone().or(default_folder);
    let folder = folder.as_deref();
    let tournament = game.known("tournament", "moves")?.tournament(plan)?;
    let (_lock, log) = folder.map(|folder| open_folder(session, folder)).transpose()?.unzip();
    log.as_ref().map_or(Ok(()), |log| tournament.check(log))?;
    let open = log.as_ref().map_or(tournament.games(), |log| tournament.open_games(log));
    if let Some(log) = log.as_ref().filter(|log| log.games() > 0) {
        let found = tournament.games() - open;
        session.inform(&format!("{found} of {} games are already played", tournament.games()));
        let others = log.games() as u64 - found;
        if others > 0 {
            session.note(&format!(
                "{others} logged games belong to other tournaments: they are kept, but not counted"
            ));
        }
    }
    let stop = session.stop_flag()?;
    let bar = GameBar::new(session, open);
    let progress = || bar.inc(1);
    let executor = args.players.open(session, game)?;
    let play = || tournament.play(&*executor, log.as_ref(), &progress, stop);
    let games = session.interrupt.busy(play);
    bar.finish_and_clear();
    let games = games.inspect_err(|error| match (error, folder) {
        (ExecutorError::Input(_), _) => {}
        (ExecutorError::Stopped, Some(_)) => session.note(&format!(
            "stopped; every finished game is saved. To continue:\n  {}",
            session.command()
        )),
        (ExecutorError::Stopped, None) => {
            session.note("stopped; nothing is saved. With --out DIR, finished games are saved");
        }
        (_, Some(_)) => session.note(&format!("fix this, then run: {}", session.command())),
        (_, None) => {}
    });
    let games = games.map_err(RunError::from)?;
    let results = tournament.results(&games);
    let ratings = tournament.ratings(&results);
    let report = TournamentReport::new(plan, &tournament.labels(), &results, &ratings, games.len());
    if let (Some(folder), Some(log)) = (folder, log) {
        log.arrange(&games)?;
        write_tables(&RunDir::new(folder, session.known()), &report)?;
        session.inform(&format!("games and tables: {}", folder.display()));
    }
    let warnings = report.warnings();
    if !warnings.is_empty() {
        session.note(warnings.trim_end());
    }
    session.print_result(args.json, &report.json(), |width| report.text(width))?;
    match report.no_results().as_slice() {
        [] => Ok(()),
        [first, ..] => bail!("{first}"),
    }
}

/// Opens the folder of a tournament and locks it against other processes.
fn open_folder(session: &Session, folder: &Path) -> anyhow::Result<(File, GameLog)> {
    own_folder("--out", folder)?;
    let path = folder.join("games.csv");
    if folder.exists() && !path.exists() && !holds_only(folder, |name| name == "log.txt")? {
        let message = "is not empty and contains no games.csv; name another folder with --out";
        bail!(InputError::in_file(folder, message));
    }
    // Nothing is touched, not even by the log, before games.csv is known to be a tournament's.
    GameLog::check(&path).map_err(RunError::from)?;
    let lock = session.open_log(folder)?;
    remove_temporary(folder, Duration::ZERO);
    Ok((lock, GameLog::open(&path).map_err(RunError::from)?))
}

fn write_tables(dir: &RunDir, report: &TournamentReport<'_>) -> anyhow::Result<()> {
    for (name, text) in [("table.csv", report.table_csv()), ("cross.csv", report.cross_csv())] {
        dir.write(name, &text.map_err(FileError::writing(&dir.file(name)))?)?;
    }
    Ok(dir.write_json("tournament.json", &report.json())?)
}
