//! Best against mean, at the end of a run.

use super::pairs::{MatchContext, Starts};
use crate::error::RunError;
use crate::journal::{Comparison, are_among, pairs_fit};
use crate::plan::{ComparisonPlan, Vector};
use tictune_core::arena::MostlyForfeited;
use tictune_core::stats::{
    DIFFERENT_SIDES, Evidence, MatchStatistics, SIGNIFICANCE, Tally, p_equals,
};

/// Plays the best candidate against the mean, in pairs.
///
/// # Errors
/// [`RunError::Interrupted`] if it was stopped; agents or openings that are wrong.
pub fn compare(
    context: &MatchContext<'_>,
    plan: &ComparisonPlan,
    (seed, starts): (u64, Starts<'_>),
    [best, mean]: [&Vector; 2],
) -> Result<Comparison, RunError> {
    context.observer.match_started("best against mean", plan.games);
    let agents = [best.carried_by(&plan.agent)?, mean.carried_by(&plan.agent)?];
    let openings = starts.given(&plan.openings, plan.games)?;
    let result = context.play_pairs(&agents, &openings, plan.games, seed)?;
    let counts = Counts {
        tally: result.summary.tally,
        pairs: result.pairs.unwrap_or_default(),
        distinct_pairs: result.evidence.pairs().unwrap_or_default(),
        distinct_games: result.distinct_games,
    };
    let comparison = of_counts(plan, best, counts, result.summary.mostly_forfeited());
    context.observer.comparison_finished(&comparison);
    Ok(comparison)
}

/// Checks a comparison that was read back: everything in it has to follow from the plan and from its counts. It does not say
/// who forfeited.
///
/// # Errors
/// What does not.
pub(crate) fn check(read: &Comparison, plan: &ComparisonPlan, best: &Vector) -> Result<(), String> {
    let Comparison { tally, pairs, distinct_pairs, distinct_games, .. } = *read;
    let fit = pairs_fit(&pairs, &tally) && are_among(&distinct_pairs, &pairs);
    if !tally.has_games(plan.games) || !fit || distinct_games > plan.games {
        return Err("games, results and pairs contradict each other".into());
    }
    let counts = Counts { tally, pairs, distinct_pairs, distinct_games };
    let mut expected = of_counts(plan, best, counts, None);
    if read.no_result {
        expected = Comparison {
            figures: expected.figures.without_p_values(),
            shown: false,
            verdict: read.verdict.clone(),
            no_result: true,
            ..expected
        };
    }
    if *read == expected {
        Ok(())
    } else {
        Err("it does not follow from its results and from the plan of the run".into())
    }
}

/// What is counted of a comparison.
struct Counts {
    tally: Tally,
    pairs: [u64; 5],
    distinct_pairs: [u64; 5],
    distinct_games: u64,
}

/// The comparison of a plan with these results.
fn of_counts(
    plan: &ComparisonPlan,
    best: &Vector,
    Counts { tally, pairs, distinct_pairs, distinct_games }: Counts,
    forfeited: Option<MostlyForfeited>,
) -> Comparison {
    let figures = MatchStatistics::of(&tally, &Evidence::Pairs(distinct_pairs));
    let figures = if forfeited.is_some() { figures.without_p_values() } else { figures };
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
        games: plan.games,
        tally,
        pairs,
        distinct_pairs,
        distinct_games,
        figures,
        winner: winner.into(),
        shown: figures.p.is_some_and(|p| p < SIGNIFICANCE),
        verdict,
        no_result: forfeited.is_some(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn figures_of_committed_runs_follow_from_their_counts() {
        for run in [
            "notebooks/sample-run",
            "experiments/papadam/results/lines-short",
            "experiments/chess/results/glaurung",
            "experiments/chess/results/toga",
        ] {
            let path = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../..")
                .join(run)
                .join("comparison.json");
            // A package has no results.
            let Ok(text) = std::fs::read_to_string(path) else { continue };
            let read: Comparison = serde_json::from_str(&text).unwrap();
            assert!(pairs_fit(&read.pairs, &read.tally), "{run}");
            let evidence = Evidence::Pairs(read.distinct_pairs);
            assert_eq!(read.figures, MatchStatistics::of(&read.tally, &evidence), "{run}");
        }
    }
}
