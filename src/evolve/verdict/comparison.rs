//! Best against mean, at the end of a run.

use super::pairs::MatchContext;
use crate::evolve::error::RunError;
use crate::evolve::journal::Comparison;
use crate::evolve::plan::{ComparisonPlan, SIGNIFICANCE, Vector};
use crate::stats::{Figures, p_value_either_side};

/// Plays the best candidate against the mean, in pairs.
///
/// # Errors
/// [`RunError::Interrupted`] if it was stopped; agents or openings that are wrong.
pub(crate) fn compare(
    context: &MatchContext<'_>,
    plan: &ComparisonPlan,
    seed: u64,
    [best, mean]: [&Vector; 2],
) -> Result<Comparison, RunError> {
    context.observer.match_started("best against mean", plan.games);
    let agents = [best.carried_by(&plan.agent)?, mean.carried_by(&plan.agent)?];
    let result = context.play_pairs(&agents, &plan.openings, plan.games, seed)?;
    let tally = result.summary.tally;
    let figures = Figures::of(&tally, result.pairs.as_ref());
    let forfeited = result.summary.mostly_forfeited();
    let figures = if forfeited.is_some() { figures.without_p_values() } else { figures };
    let p = p_value_either_side(&tally).unwrap_or(1.0);
    let shown = p < SIGNIFICANCE && forfeited.is_none();
    let winner = if tally.losses > tally.wins { "mean" } else { "best" };
    let verdict = if let Some(forfeited) = forfeited {
        format!("no result: {}", forfeited.in_words("best", "mean", "both"))
    } else if shown {
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
        no_result: forfeited.is_some(),
    };
    context.observer.comparison_finished(&comparison);
    Ok(comparison)
}
