//! Best against mean, at the end of a run.

use super::matches::{MatchContext, Starts};
use crate::error::RunError;
use crate::journal::{Comparison, PairedResult};
use crate::plan::{ComparisonPlan, Vector};
use tictune_core::arena::MostlyForfeited;
use tictune_core::stats::{DIFFERENT_SIDES, SIGNIFICANCE, p_equals};

pub fn compare(
    context: &MatchContext<'_>,
    plan: &ComparisonPlan,
    (seed, starts): (u64, Starts<'_>),
    [best, mean]: [&Vector; 2],
) -> Result<Comparison, RunError> {
    context.observer.match_started("best against mean", plan.games);
    let agents = [best.carried_by(&plan.agent)?, mean.carried_by(&plan.agent)?];
    let openings = starts.given(&plan.openings, plan.games)?;
    let result = context.play_pairs(agents, openings, plan.games, seed)?;
    let forfeited = result.summary.mostly_forfeited();
    let comparison = comparison(plan, best, PairedResult::of(&result), forfeited);
    context.observer.comparison_finished(&comparison);
    Ok(comparison)
}

/// Checks a comparison that was read back: everything in it has to follow from the plan and from its counts. It does not say
/// who forfeited.
pub(crate) fn check(read: &Comparison, plan: &ComparisonPlan, best: &Vector) -> Result<(), String> {
    let PairedResult { tally, pairs, distinct_pairs, distinct_games, .. } = read.result;
    let counts = (plan.games, tally, distinct_games);
    let result = PairedResult::of_counts(counts, [pairs, distinct_pairs], read.no_result)
        .ok_or("games, results and pairs contradict each other")?;
    let mut expected = comparison(plan, best, result, None);
    if read.no_result {
        expected = Comparison { verdict: read.verdict.clone(), no_result: true, ..expected };
    }
    if *read == expected {
        Ok(())
    } else {
        Err("it does not follow from its results and from the plan of the run".into())
    }
}

fn comparison(
    plan: &ComparisonPlan,
    best: &Vector,
    result: PairedResult,
    forfeited: Option<MostlyForfeited>,
) -> Comparison {
    let PairedResult { tally, pairs, distinct_pairs, figures, .. } = result;
    let winner = if tally.losses > tally.wins { "mean" } else { "best" };
    let [all, distinct] = [pairs, distinct_pairs].map(|pairs| pairs.iter().sum::<u64>());
    let games = match distinct < all {
        true => format!("n = {} ({distinct} of {all} pairs are distinct)", plan.games),
        false => format!("n = {}", plan.games),
    };
    let verdict = match (forfeited, figures.p) {
        (Some(forfeited), _) => {
            format!("no result: {}", forfeited.in_words("best", "mean", "both"))
        }
        (None, None) => format!("no verdict: {DIFFERENT_SIDES}, {games}"),
        (None, Some(p)) if p < SIGNIFICANCE => {
            let other = if winner == "best" { "mean" } else { "best" };
            format!("{winner} is stronger than {other}: {}, {games}", p_equals(p))
        }
        (None, Some(p)) => format!("no difference shown: p = {p:.2}, {games}"),
    };
    let weights = plan.agent.weights().filter(|_| best.weights.is_none());
    let agent = match weights {
        Some(weights) => plan.agent.with_weights(weights.clone()),
        None => plan.agent.without_weights(),
    };
    Comparison {
        agent: agent.to_string(),
        openings: plan.openings.to_string(),
        result,
        winner: winner.into(),
        shown: figures.p.is_some_and(|p| p < SIGNIFICANCE),
        verdict,
        no_result: forfeited.is_some(),
    }
}
