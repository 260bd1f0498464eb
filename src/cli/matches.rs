//! `tictune match`

use std::path::PathBuf;

use anyhow::{bail, ensure};
use clap::Args;
use strum::VariantNames;

use super::executor::ExecutorArgs;
use super::log::LogArgs;
use super::progress::GameBar;
use super::run_folder::not_of_a_run;
use super::{GameArgs, Session};
use crate::agent::{AgentSpec, Clock, Limit};
use crate::arena::{Detail, MatchPlan, MatchSettings, Openings, Schedule, restarts};
use crate::evolve::RunError;
use crate::files::NamedFile;
use crate::game::Pgn;
use crate::input::{InputError, Result, distinct, excerpt, key_values, unknown};
use crate::programs::{ExternalSettings, Protocol, RunnerSettings};
use crate::registry::AnyGame;
use crate::report::moves::{games_csv, moves_csv};
use crate::report::pgn::{no_pgn, pgn};
use crate::report::{MatchReport, repeated_games};
use crate::stats::Tally;
use crate::stats::sprt::{Model, Sprt};
use crate::weights::number_namesakes;

#[derive(Debug, Args)]
pub(super) struct MatchArgs {
    /// Agent A, as KIND[:KEY=VALUE,...], or @FILE for a file that holds one such line. The kinds: random, reflex,
    /// greedy, minimax, iterative, pvs, expectimax, mcts, external, runner, learned
    a: String,
    /// Agent B, in the same form
    b: String,
    #[command(flatten)]
    game: GameArgs,
    /// The number of games [default: 100; with --sprt the most games, 20000]
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// Stop as soon as a sequential test decides whether A is elo0 or elo1 stronger than B; its error
    /// rates are alpha and beta [default: 0.05]. The model normalized takes normalised Elo, as fishtest does [default: logistic]
    #[arg(long, value_name = "elo0=E,elo1=E[,alpha=P,beta=P,model=M]", value_parser = parse_sprt)]
    sprt: Option<Sprt>,
    /// The seed of all games
    #[arg(long, default_value_t = 0, value_name = "S")]
    seed: u64,
    /// Where games start: none, centre, random:K, random:K-L, random:K:train, random:K:held-out, file:PATH
    /// [default: random:4; none for a runner]
    #[arg(long, value_name = "SPEC")]
    openings: Option<String>,
    /// Who moves first: paired, half-and-half, first, coin
    #[arg(long, default_value = "paired")]
    schedule: Schedule,
    /// Play drawn games again, with new seeds, until they are decided
    #[arg(long)]
    replay_ties: bool,
    /// Write a CSV file with a row for each move: its time, positions, iterations and choice
    #[arg(long, value_name = "FILE")]
    moves: Option<PathBuf>,
    /// Write a CSV file with a row for each game: its result and all its moves
    #[arg(long, value_name = "FILE")]
    games_csv: Option<PathBuf>,
    /// Write the games as PGN (chess), with the value, depth and time of each move
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    #[command(flatten)]
    players: ExecutorArgs,
    #[command(flatten)]
    log: LogArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &MatchArgs, session: &Session) -> anyhow::Result<()> {
    let (game, rules) = args.game.find(session)?;
    let plan = plan(args, session, game, rules)?;
    // Files are checked before the games are played.
    let named = [("--moves", &args.moves), ("--games-csv", &args.games_csv), ("--pgn", &args.pgn)];
    let named = named.iter().filter_map(|(option, path)| Some((*option, path.as_deref()?)));
    named.clone().try_for_each(|(option, path)| not_of_a_run(option, path))?;
    let files = NamedFile::several(named.clone())?;
    let games = plan.settings.games;
    args.log.open(session, &files)?;
    let bar = GameBar::new(session, games);
    lonely_number(&plan.agents).iter().for_each(|warning| session.note(warning));
    // An interrupted match ends the programs that play in it; they would outlive a process that is killed.
    let stop = session.stop_flag()?;
    if args.players.is_here() {
        engines_start(game, &plan)?;
    }
    let executor = args.players.open(session, game)?;
    let on_games = |games| bar.inc(games);
    let on_score = |tally: &Tally| {
        let Tally { wins, draws, losses } = tally;
        let score = 100.0 * tally.score();
        bar.set_message(format!("A won {wins}, drew {draws}, lost {losses}: {score:.1} %"));
    };
    let play = || plan.play_or_stop(&*executor, &on_games, &on_score, stop);
    let result = session.interrupt.busy(play);
    bar.finish_and_clear();
    let result = result.map_err(RunError::from)?;
    let report = MatchReport { plan: &plan, result: &result };
    let doubts = restarts(&*executor).into_iter().chain(doubts(&report));
    doubts.for_each(|said| session.note(&said));
    session.print_result(args.json, &report.json(), |_| report.text())?;
    for ((option, _), file) in named.zip(&files) {
        file.write(&match option {
            "--moves" => moves_csv(&result.games)?,
            "--games-csv" => games_csv(&result.games)?,
            _ => {
                let own = plan.agents.each_ref().map(|agent| agent.program()?.name());
                let names = match own {
                    [Some(a), Some(b)] if a != b => vec![a.into(), b.into()],
                    _ => distinct(&plan.agents.each_ref().map(AgentSpec::short)),
                };
                pgn(game.info(), &plan.rules, [&names[0], &names[1]], &result.games)?
            }
        })?;
    }
    ensure!(!result.stopped, RunError::Interrupted);
    if let Some((agent, failure)) = result.never_started() {
        bail!("agent {agent:?}: {failure}");
    }
    match report.mostly_forfeited() {
        Some(forfeited) => bail!("no result: {forfeited}"),
        None => Ok(()),
    }
}

fn engines_start(game: &dyn AnyGame, plan: &MatchPlan) -> Result<()> {
    for (side, agent) in ["A", "B"].into_iter().zip(&plan.agents) {
        let Some(engine) = agent.settings::<ExternalSettings>() else { continue };
        game.check_agent(agent, &plan.rules)?;
        engine.try_to_start().map_err(|error| {
            let why = error.message;
            InputError::new(format!("agent {side}: the program could not be started: {why}"))
        })?;
    }
    Ok(())
}

/// What is played, as the arguments say it. Says where games of a platform would be played by another rule.
fn plan(
    args: &MatchArgs,
    session: &Session,
    any_game: &dyn AnyGame,
    rules: String,
) -> anyhow::Result<MatchPlan> {
    let game = any_game.info();
    let scope = session.scope(game);
    let agent = |text| AgentSpec::parse_in(text, scope)?.complete(game);
    let mut agents: [AgentSpec; 2] = [agent(&args.a)?, agent(&args.b)?];
    // Two files of one name, as every run has them.
    let weights = agents.iter_mut().flat_map(AgentSpec::all_weights_mut);
    number_namesakes(weights.map(|(_, weights)| weights));
    if args.game.rules.is_empty() {
        warn_of_platform(session, any_game, &rules, &agents, "--rules");
    }
    if args.pgn.is_some() && game.extension::<Pgn>().is_none() {
        bail!(no_pgn(game));
    }
    let openings =
        args.openings.as_deref().unwrap_or(if game.is_outside() { "none" } else { "random:4" });
    let default_games = if args.sprt.is_some() { 20_000 } else { 100 };
    let plan = MatchPlan {
        game: game.name.into(),
        agents,
        openings: Openings::parse_in(openings, &rules, scope)?,
        rules,
        settings: MatchSettings {
            games: args.games.unwrap_or(default_games),
            seed: args.seed,
            schedule: args.schedule,
            replay_ties: args.replay_ties,
        },
        sprt: args.sprt,
        detail: match (&args.moves, &args.games_csv, &args.pgn) {
            (None, None, None) => Detail::Costs,
            _ => Detail::Moves,
        },
    };
    plan.settings.check()?;
    Ok(plan)
}

/// Warns where some agent speaks CodinGame's protocol or keeps its clock, and the rules are not those of the platform. `how`
/// says how rules are given.
pub(super) fn warn_of_platform<'a>(
    session: &Session,
    game: &dyn AnyGame,
    rules: &str,
    agents: impl IntoIterator<Item = &'a AgentSpec>,
    how: &str,
) {
    // Nobody but its program knows the rules of a runner's game.
    let Ok(game) = game.known("", "") else { return };
    let of_platform = game.platform_rules(Protocol::CodinGame);
    if rules != of_platform && agents.into_iter().any(is_for_codingame) {
        session.note(&format!(
            "warning: CodinGame's rules are {of_platform}, and here they are {rules}; {how} changes them"
        ));
    }
}

fn is_for_codingame(agent: &AgentSpec) -> bool {
    let speaks = |of: &ExternalSettings| of.protocol == Protocol::CodinGame;
    let speaks = agent.settings().is_some_and(speaks);
    speaks || matches!(agent.kind.limit(), Some(Limit::Clock { clock: Clock::CodinGame, .. }))
}

/// Why a result says less than it seems to: it was interrupted, or its games repeat one another.
fn doubts(report: &MatchReport<'_>) -> Vec<String> {
    let MatchReport { plan, result } = report;
    let mut doubts = Vec::new();
    let played = result.summary.tally.games();
    let wanted = plan.settings.openings();
    if let Some(book) = plan.openings.book().filter(|book| book.positions < wanted) {
        doubts.push(format!(
            "note: openings {} have {} positions, and this match needs {wanted}: they repeat once all are used, and other seeds \
             have no others",
            plan.openings,
            book.positions
        ));
    }
    if result.stopped {
        let first = format!("the first {played} of {} games", plan.settings.games);
        doubts.push(format!("interrupted: the result of {first} follows"));
    }
    let is_open = result.sprt.is_some_and(|test| test.decision.is_none());
    if is_open && !result.stopped && played < plan.settings.games {
        doubts.push(format!(
            "the test ended undecided after {played} of {} games, since the last ones only repeated earlier games: give it a larger \
             book, or random openings",
            plan.settings.games
        ));
    }
    if let Some(warning) = repeated_games(result.distinct_games, played) {
        doubts.push(warning.trim_end().into());
        doubts.extend(result.pairs.and_then(|pairs| why_alike(&plan.agents, &pairs)));
    }
    doubts
}

/// A warning of a number that only one of two runner's agents has: its name may be mistyped.
fn lonely_number(agents: &[AgentSpec; 2]) -> Option<String> {
    let [a, b] = agents.each_ref().map(AgentSpec::settings::<RunnerSettings>);
    let (a, b) = (a?, b?);
    // An agent with a name has numbers that only its program knows.
    let is_bare = |one: &RunnerSettings| one.name.is_none() && !one.numbers.is_empty();
    let only = |one: &RunnerSettings, other: &RunnerSettings| {
        one.numbers.keys().find(|name| !other.numbers.contains_key(*name)).cloned()
    };
    let lonely = (is_bare(a) && is_bare(b)).then(|| only(a, b).or_else(|| only(b, a)))??;
    Some(format!("warning: only one side has a parameter {lonely}; is its name right?"))
}

/// What it may come from that the pairs of a runner all came out the same.
fn why_alike(agents: &[AgentSpec; 2], pairs: &[u64; 5]) -> Option<String> {
    let of_runner = agents.iter().any(|agent| agent.is::<RunnerSettings>());
    let all: u64 = pairs.iter().sum();
    let alike = pairs.iter().position(|count| *count == all).filter(|_| of_runner)?;
    let (what, why) = match alike {
        0 | 4 => ("were won by the same side with both games", ""),
        _ => (
            "gave both sides the same points",
            "the parameters of both sides may be the same, or have no effect; or ",
        ),
    };
    Some(format!(
        "all {all} pairs {what}: {why}the program may ignore \"seeds\". They count as one pair unless its answers name their \
         games (\"games\")"
    ))
}

/// Reads `elo0=0,elo1=10,alpha=0.05,beta=0.05,model=logistic`; error rates and model may be left out.
fn parse_sprt(text: &str) -> Result<Sprt, String> {
    let given = key_values(text, "key", &["elo0", "elo1", "alpha", "beta", "model"])?;
    let number = |key: &str, default: Option<f64>| {
        let missing = || format!("{key} is missing, as in elo0=0,elo1=10");
        let Some(value) = given.get(key) else { return default.ok_or_else(missing) };
        let number = value.parse().ok().filter(|number: &f64| number.is_finite());
        number.ok_or_else(|| format!("{key}: expected a number, found \"{}\"", excerpt(value)))
    };
    let model = |name: &str| name.parse().map_err(|_| unknown("model", name, Model::VARIANTS));
    let model = given.get("model").map_or(Ok(Model::default()), |name| model(name))?;
    let (alpha, beta) = (number("alpha", Some(0.05))?, number("beta", Some(0.05))?);
    Sprt::new([number("elo0", None)?, number("elo1", None)?], [alpha, beta], model)
}
