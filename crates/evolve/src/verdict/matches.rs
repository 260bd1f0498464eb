//! The matches on which the verdicts of a run rest, and how those in pairs are played; best against mean, at the end.

use std::sync::atomic::AtomicBool;

use crate::error::Result;
use crate::journal::{Comparison, PairedResult};
use crate::plan::{ComparisonPlan, Part, Plan, Vector};
use crate::stage::Observer;
use tictune_core::agent::AgentSpec;
use tictune_core::arena::{
    Detail, Executor, MatchPlan, MatchResult, MatchSettings, MostlyForfeited, Openings, Schedule,
};
use tictune_core::input::InputError;
use tictune_core::stats::{DIFFERENT_SIDES, SIGNIFICANCE, p_equals};

/// The context that matches at the end of a run, or after it, share.
#[derive(Clone, Copy)]
pub struct MatchContext<'m> {
    pub executor: &'m dyn Executor,
    pub game: &'m str,
    pub rules: &'m str,
    pub observer: &'m dyn Observer,
    pub stop: &'m AtomicBool,
}

impl MatchContext<'_> {
    /// Plays a paired match from openings as they are [given](Starts::given).
    pub(super) fn play_pairs(
        &self,
        agents: [AgentSpec; 2],
        openings: Openings,
        games: u64,
        seed: u64,
    ) -> Result<MatchResult> {
        let plan = MatchPlan {
            game: self.game.into(),
            rules: self.rules.into(),
            agents,
            openings,
            settings: settings(games, seed),
            sprt: None,
            detail: Detail::Costs,
        };
        let on_games = |games| (0..games).for_each(|_| self.observer.game_played());
        Ok(plan.play(self.executor, &on_games, self.stop)?)
    }
}

const fn settings(games: u64, seed: u64) -> MatchSettings {
    MatchSettings { games, seed, schedule: Schedule::Paired, replay_ties: false }
}

/// Which positions of books matches start from.
#[derive(Clone, Copy)]
pub enum Starts<'p> {
    OfRun(&'p Plan, Part),
    /// Those of a number of seeds after a run, which neither the run nor other numbers have.
    AfterRun(&'p Plan, u64),
    OfSeed(u64),
}

impl Starts<'_> {
    /// Openings with the positions that so many games in pairs start from.
    pub fn given(self, openings: &Openings, games: u64) -> Result<Openings, InputError> {
        match self {
            Self::OfRun(plan, part) => plan.given(part, (0, games / 2), openings),
            Self::AfterRun(plan, seed) => {
                let first = seed.saturating_mul(games / 2);
                plan.given(Part::After, (first, games / 2), openings)
            }
            Self::OfSeed(seed) => openings.for_match(&settings(games, seed)),
        }
    }
}

pub fn compare(
    context: &MatchContext<'_>,
    plan: &ComparisonPlan,
    (seed, starts): (u64, Starts<'_>),
    [best, mean]: [&Vector; 2],
    of_start: bool,
) -> Result<Comparison> {
    context.observer.matches_started(plan.games);
    context.observer.match_started(&format!("{} against mean", Comparison::first_of(of_start)));
    let agents = [best.apply_to(&plan.agent)?, mean.apply_to(&plan.agent)?];
    let openings = starts.given(&plan.openings, plan.games)?;
    let result = context.play_pairs(agents, openings, plan.games, seed)?;
    let forfeited = result.summary.mostly_forfeited();
    let comparison = comparison(
        (plan, of_start, forfeited.is_some()),
        best,
        PairedResult::of(&result),
        forfeited,
    );
    context.observer.comparison_finished(&comparison);
    Ok(comparison)
}

/// Checks a comparison that was read back: everything in it has to follow from the plan and from its counts. It does not say
/// who forfeited.
pub(crate) fn check_comparison(
    read: &Comparison,
    plan: &ComparisonPlan,
    best: &Vector,
    of_start: bool,
) -> Result<(), String> {
    let result = read.result.recomputed(read.no_result).filter(|read| read.games == plan.games);
    let result = result.ok_or("games, results and pairs contradict each other")?;
    let mut expected = comparison((plan, of_start, read.no_result), best, result, None);
    if read.no_result {
        expected = Comparison { verdict: read.verdict.clone(), no_result: true, ..expected };
    }
    let wrong = || "it does not follow from its results and from the plan of the run".into();
    (*read == expected).then_some(()).ok_or_else(wrong)
}

fn comparison(
    (plan, of_start, no_result): (&ComparisonPlan, bool, bool),
    best: &Vector,
    result: PairedResult,
    forfeited: Option<MostlyForfeited>,
) -> Comparison {
    let PairedResult { tally, pairs, distinct_pairs, figures, .. } = result;
    let first = Comparison::first_of(of_start);
    let shown = figures.p.is_some_and(|p| p < SIGNIFICANCE);
    // Without a result nothing is shown, and those who forfeit less are taken.
    let is_mean = tally.losses > tally.wins || of_start && !no_result && !shown;
    let winner = if is_mean { "mean" } else { first };
    let [all, distinct] = [pairs, distinct_pairs].map(|pairs| pairs.iter().sum::<u64>());
    let games = match distinct < all {
        true => format!("n = {} ({distinct} of {all} pairs are distinct)", plan.games),
        false => format!("n = {}", plan.games),
    };
    let verdict = match (forfeited, figures.p) {
        (Some(forfeited), _) => {
            format!("no result: {}", forfeited.in_words(first, "mean", "both"))
        }
        (None, None) => format!("no verdict: {DIFFERENT_SIDES}, {games}"),
        (None, Some(p)) if p < SIGNIFICANCE => {
            let other = if is_mean { first } else { "mean" };
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
        of_start,
        shown,
        verdict,
        no_result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tictune_core::stats::{Evidence, MatchStatistics, Tally};

    #[test]
    fn the_start_of_pairs_wins_where_it_is_shown_to_be_stronger() {
        let plan = crate::known::connecting("").comparison;
        let best = Vector::default();
        let of = |pairs: [u64; 5], of_start| {
            let count = pairs.iter().sum::<u64>();
            let wins = pairs[3] + 2 * pairs[4];
            let losses = pairs[1] + 2 * pairs[0];
            let tally = Tally { wins, losses, draws: 2 * count - wins - losses };
            let figures = MatchStatistics::of(&tally, &Evidence::Pairs(pairs));
            let (games, distinct_pairs, distinct_games) = (2 * count, pairs, 2 * count);
            let result =
                PairedResult { games, tally, pairs, distinct_pairs, distinct_games, figures };
            // What has no result is read back as it was, with the side as winner that forfeited less.
            let none = result.recomputed(true).unwrap();
            let forfeits = comparison((&plan, of_start, true), &best, none, None);
            let is_mean = tally.losses > tally.wins;
            assert_eq!(forfeits.winner == "mean", is_mean);
            let of_plan = ComparisonPlan { games, ..plan.clone() };
            assert_eq!(check_comparison(&forfeits, &of_plan, &best, of_start), Ok(()));
            let found = comparison((&plan, of_start, false), &best, result, None);
            (found.winner, found.shown)
        };
        for (pairs, best_or_mean, start_or_mean, shown) in [
            ([0, 20, 10, 20, 0], "best", "mean", false),
            ([0, 15, 10, 20, 0], "best", "mean", false),
            ([0, 5, 10, 30, 0], "best", "start", true),
            ([0, 30, 10, 5, 0], "mean", "mean", true),
        ] {
            assert_eq!(of(pairs, false), (best_or_mean.into(), shown));
            assert_eq!(of(pairs, true), (start_or_mean.into(), shown));
        }
    }
}
