//! Best against mean, at the end of a run.

use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use super::plan::ComparisonPlan;
use super::space::Vector;
use super::{Observer, RunError};
use crate::agent::{AgentSpec, Playable};
use crate::arena::{Contest, MatchResult, MatchSettings, Openings, Schedule, play_match};
use crate::stats::{Figures, Tally, p_value_either_side};

/// A difference is shown if chance alone gives as large a one less often than this.
pub const SIGNIFICANCE: f64 = 0.05;

/// Best against mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Who carried both, without the weights that were evolved.
    pub agent: String,
    /// Where games started.
    pub openings: String,
    /// Games.
    pub games: u64,
    /// Results from the best candidate's view.
    #[serde(flatten)]
    pub tally: Tally,
    /// Pairs in which it scored 0, 1/2, 1, 3/2 and 2 points.
    pub pairs: [u64; 5],
    /// Different games.
    pub distinct_games: u64,
    /// What follows from the counts.
    #[serde(flatten)]
    pub figures: Figures,
    /// `best` or `mean`: which scored more, the best where both scored the same.
    pub winner: String,
    /// Whether the difference is shown: the two-sided p-value, [alike for both](p_value_either_side), is below
    /// [`SIGNIFICANCE`].
    pub shown: bool,
    /// The outcome in words.
    pub verdict: String,
}

/// Plays the best candidate against the mean, in pairs.
///
/// # Errors
/// [`RunError::Interrupted`] if `stop` was set; agents or openings that cannot be had.
pub fn compare<P: Playable>(
    plan: &ComparisonPlan,
    rules: P::Rules,
    seed: u64,
    [best, mean]: [&Vector; 2],
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Comparison, RunError> {
    observer.match_started("best against mean", plan.games);
    let agents = [best.carried_by(&plan.agent)?, mean.carried_by(&plan.agent)?];
    let result = play::<P>(&agents, rules, &plan.openings, plan.games, seed, observer, stop)?;
    let tally = result.summary.tally;
    let figures = Figures::of(&tally, result.pairs.as_ref());
    let p = p_value_either_side(&tally).unwrap_or(1.0);
    let shown = p < SIGNIFICANCE;
    let winner = if tally.losses > tally.wins { "mean" } else { "best" };
    let verdict = if shown {
        let (name, other) = if winner == "best" { ("best", "mean") } else { ("mean", "best") };
        let p = if p < 0.001 { format!("{p:.1e}") } else { format!("{p:.3}") };
        format!("{name} is stronger than {other}: p = {p}, n = {}", plan.games)
    } else {
        format!("no difference shown: p = {p:.2}, n = {}", plan.games)
    };
    let weights = plan.agent.weights().filter(|_| best.weights.is_none());
    let agent = match weights {
        Some(weights) => plan.agent.with_weights(weights.clone()),
        None => plan.agent.without_weights(),
    };
    let comparison = Comparison {
        agent: agent.to_string(),
        openings: plan.openings.to_string(),
        games: plan.games,
        tally,
        pairs: result.pairs.unwrap_or_default(),
        distinct_games: result.distinct_games,
        figures,
        winner: winner.into(),
        shown,
        verdict,
    };
    observer.comparison_finished(&comparison);
    Ok(comparison)
}

/// A paired match.
pub(super) fn play<P: Playable>(
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
