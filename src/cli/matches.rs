//! `tictune match`

use std::path::Path;
use std::sync::atomic::Ordering;

use anyhow::bail;
use clap::Args;

use super::log::LogArgs;
use super::progress::bar;
use super::{GameArgs, ThreadArgs, note, print, print_json, stop_flag};
use crate::agent::AgentSpec;
use crate::arena::{Contest, MatchSettings, Openings, Schedule, play_match};
use crate::evolve::RunError;
use crate::position::{Position, Uttt};
use crate::report::{MatchReport, repeated_games};

#[derive(Debug, Args)]
pub(super) struct MatchArgs {
    /// Agent A, as KIND[:KEY=VALUE,...]: random, reflex, greedy, minimax, iterative, mcts, external
    a: String,
    /// Agent B
    b: String,
    #[command(flatten)]
    game: GameArgs,
    /// How many games
    #[arg(long, default_value_t = 100, value_name = "N")]
    games: u64,
    /// The seed of all games
    #[arg(long, default_value_t = 0, value_name = "S")]
    seed: u64,
    /// Where games start: none, centre, random:K, random:K:train, random:K:held-out, file:PATH
    #[arg(long, default_value = "random:4", value_name = "SPEC")]
    openings: String,
    /// Who moves first when: paired, half-and-half, first, coin
    #[arg(long, default_value = "paired")]
    schedule: Schedule,
    /// Play drawn games again, with new seeds, until they are decided
    #[arg(long)]
    replay_ties: bool,
    #[command(flatten)]
    threads: ThreadArgs,
    #[command(flatten)]
    log: LogArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &MatchArgs) -> anyhow::Result<()> {
    let rules = args.game.rules()?;
    let folder = Path::new("");
    let prepare = |text| AgentSpec::parse(text, Uttt::GAME, folder)?.prepare::<Uttt>();
    let (a, b) = (prepare(&args.a)?, prepare(&args.b)?);
    let openings = Openings::parse::<Uttt>(&args.openings, rules, folder)?;
    let contest = Contest { a: &a, b: &b, rules, openings: &openings };
    let settings = MatchSettings {
        games: args.games,
        seed: args.seed,
        schedule: args.schedule,
        replay_ties: args.replay_ties,
    };
    args.log.open()?;
    let bar = bar(args.games);
    // Programs that play outlive a process that is killed: an interrupted match ends them.
    let stop = stop_flag()?;
    let progress = || {
        bar.inc(1);
        !stop.load(Ordering::Relaxed)
    };
    let result = args.threads.install(|| play_match(&contest, &settings, &progress))??;
    bar.finish_and_clear();
    let result = result.ok_or(RunError::Interrupted)?;
    let warning = repeated_games(result.distinct_games, args.games);
    if !warning.is_empty() {
        note(warning.trim_end());
    }
    let report = MatchReport::new(&contest, &settings, &result);
    if args.json {
        print_json(&report)?
    } else {
        print(&report.to_string())?
    }
    match result.never_started() {
        Some((agent, failure)) => bail!("agent {agent}: {failure}"),
        None => Ok(()),
    }
}
