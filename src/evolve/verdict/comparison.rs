//! Best against mean, at the end of a run.

use super::pairs::MatchContext;
use crate::arena::{MostlyForfeited, is_repeated};
use crate::evolve::error::RunError;
use crate::evolve::journal::{Comparison, pairs_fit};
use crate::evolve::plan::{ComparisonPlan, SIGNIFICANCE, Vector};
use crate::stats::{Figures, Tally, p_equals, p_value_either_side, p_value_two_sided};

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
    let counts = Counts {
        tally: result.summary.tally,
        pairs: result.pairs.unwrap_or_default(),
        distinct_games: result.distinct_games,
    };
    let comparison = of_counts(plan, best, &counts, result.summary.mostly_forfeited());
    context.observer.comparison_finished(&comparison);
    Ok(comparison)
}

/// Checks a comparison that was read back: everything in it has to follow from the plan and from its counts. It does not say
/// who forfeited.
///
/// # Errors
/// What does not.
pub(crate) fn check(read: &Comparison, plan: &ComparisonPlan, best: &Vector) -> Result<(), String> {
    let Comparison { tally, pairs, distinct_games, .. } = *read;
    if !tally.has_games(plan.games) || !pairs_fit(&pairs, &tally) || distinct_games > plan.games {
        return Err("games, results and pairs contradict each other".into());
    }
    let of_distinct =
        |distinct_games| of_counts(plan, best, &Counts { tally, pairs, distinct_games }, None);
    // Earlier versions judged repeated games as if each were another.
    let earlier = Comparison { distinct_games, ..of_distinct(plan.games) };
    if !agrees(read, of_distinct(distinct_games)) && !agrees(read, earlier) {
        return Err("it does not follow from its results and from the plan of the run".into());
    }
    Ok(())
}

/// Whether a comparison that was read back is the one that follows from its counts, but for what it alone knows, and for what
/// earlier versions wrote in other ways.
fn agrees(read: &Comparison, mut expected: Comparison) -> bool {
    if read.no_result {
        expected = Comparison {
            figures: expected.figures.without_p_values(),
            shown: false,
            verdict: read.verdict.clone(),
            no_result: true,
            ..expected
        };
    }
    // Lifshitz's p-value differs where an odd number of draws leaves half a point.
    if read.figures.p_value_two_sided == p_value_two_sided(&read.tally) {
        expected.figures.p_value_two_sided = read.figures.p_value_two_sided;
    }
    // The p-value in the verdict was rounded in other ways.
    let said = |verdict: &str| verdict.split(": p ").next().map(str::to_string);
    if said(&read.verdict) == said(&expected.verdict) {
        expected.verdict.clone_from(&read.verdict);
    }
    *read == expected
}

/// What is counted of a comparison.
struct Counts {
    tally: Tally,
    pairs: [u64; 5],
    distinct_games: u64,
}

/// The comparison of a plan with these results.
fn of_counts(
    plan: &ComparisonPlan,
    best: &Vector,
    &Counts { tally, pairs, distinct_games }: &Counts,
    forfeited: Option<MostlyForfeited>,
) -> Comparison {
    let figures = Figures::of(&tally, Some(&pairs));
    let figures = if forfeited.is_some() { figures.without_p_values() } else { figures };
    let p = p_value_either_side(&tally).unwrap_or(1.0);
    let repeated = is_repeated(distinct_games, plan.games);
    let shown = p < SIGNIFICANCE && forfeited.is_none() && !repeated;
    let winner = if tally.losses > tally.wins { "mean" } else { "best" };
    let verdict = if let Some(forfeited) = forfeited {
        format!("no result: {}", forfeited.in_words("best", "mean", "both"))
    } else if repeated {
        format!("too few distinct games: {distinct_games} of {}", plan.games)
    } else if shown {
        let (name, other) = if winner == "best" { ("best", "mean") } else { ("mean", "best") };
        format!("{name} is stronger than {other}: {}, n = {}", p_equals(p), plan.games)
    } else {
        format!("no difference shown: p = {p:.2}, n = {}", plan.games)
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
        distinct_games,
        figures,
        winner: winner.into(),
        shown,
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
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(run).join("comparison.json");
            // A package has no results.
            let Ok(text) = std::fs::read_to_string(path) else { continue };
            let read: Comparison = serde_json::from_str(&text).unwrap();
            assert!(pairs_fit(&read.pairs, &read.tally), "{run}");
            assert_eq!(read.figures, Figures::of(&read.tally, Some(&read.pairs)), "{run}");
        }
    }
}
