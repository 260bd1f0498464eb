//! Matches of two agents in pairs of games.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::agent::{AgentSpec, Playable};
use crate::arena::{Contest, MatchResult, MatchSettings, Openings, Schedule, play_match};
use crate::evolve::error::RunError;
use crate::evolve::stage::Observer;

/// A paired match.
pub(super) fn play_pairs<P: Playable>(
    agents: &[AgentSpec; 2],
    rules: P::Rules,
    openings: &Openings,
    games: u64,
    seed: u64,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<MatchResult, RunError> {
    let [a, b] = [agents[0].prepare::<P>()?, agents[1].prepare::<P>()?];
    let contest = Contest { a: &a, b: &b, rules, openings };
    let settings = MatchSettings { games, seed, schedule: Schedule::Paired, replay_ties: false };
    let progress = || {
        observer.game_played();
        !stop.load(Ordering::Relaxed)
    };
    play_match(&contest, &settings, &progress)?.ok_or(RunError::Interrupted)
}
