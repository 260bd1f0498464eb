//! Sequential tests of a match: they end it as soon as they are decided.

use super::Schedule;
use crate::input::InputError;
use crate::stats::sprt::{Hypothesis, Sprt, SprtResult};

/// A test that looks at the games of a match in their order.
pub(super) struct SequentialTest {
    test: Sprt,
    counts: Counts,
    result: SprtResult,
}

/// The independent units of a match: pairs of games, or games.
enum Counts {
    /// Pairs in which A scored 0, 1/2, 1, 3/2 and 2 points, and A's half points in the first game of an open pair.
    Pairs([u64; 5], Option<u64>),
    /// Games that A lost, drew and won.
    Games([u64; 3]),
}

impl SequentialTest {
    /// A test of a match under a schedule.
    ///
    /// # Errors
    /// A schedule under which the first games are not like the last.
    pub(super) fn new(test: Sprt, schedule: Schedule) -> Result<Self, InputError> {
        let counts = match schedule {
            Schedule::HalfAndHalf => {
                return Err(InputError::new(
                    "a sequential test may end in the first half of the games, in which B moves first: \
                     it goes with schedule paired, first or coin, not with half-and-half",
                ));
            }
            Schedule::Paired => Counts::Pairs([0; 5], None),
            Schedule::First | Schedule::Coin => Counts::Games([0; 3]),
        };
        Ok(Self { test, result: counts.evaluate(&test), counts })
    }

    /// Counts A's half points in the next game; returns the decision, if there is one.
    pub(super) fn add(&mut self, half_points: u64) -> Option<Hypothesis> {
        match &mut self.counts {
            Counts::Games(counts) => counts[half_points as usize] += 1,
            Counts::Pairs(counts, open) => match open.take() {
                Some(first) => counts[(first + half_points) as usize] += 1,
                None => {
                    *open = Some(half_points);
                    return None;
                }
            },
        }
        self.result = self.counts.evaluate(&self.test);
        self.result.decision
    }

    /// The state of the test.
    pub(super) const fn result(&self) -> SprtResult {
        self.result
    }
}

impl Counts {
    fn evaluate(&self, test: &Sprt) -> SprtResult {
        match self {
            Self::Pairs(counts, _) => test.evaluate(counts),
            Self::Games(counts) => test.evaluate(counts),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::arena::matches::tests::{factory, play, settings, without_times};
    use crate::arena::{Contest, MatchResult, MatchSettings, Openings, play_match_traced};
    use crate::games::uttt::{Rules, Uttt};

    fn play_sprt(a: &str, b: &str, test: Sprt, settings: &MatchSettings) -> MatchResult {
        let (a, b) = (factory(a), factory(b));
        let openings =
            Openings::parse::<Uttt>("random:4", Rules::default(), Path::new("")).unwrap();
        let contest = Contest { a: &a, b: &b, rules: Rules::default(), openings: &openings };
        play_match_traced(&contest, settings, Some(&test), &|| true).unwrap().unwrap().result
    }

    #[test]
    fn a_sequential_test_ends_at_the_same_pair_on_any_threads() {
        let test = Sprt::new(0.0, 50.0, 0.05, 0.05).unwrap();
        for schedule in [Schedule::Paired, Schedule::Coin] {
            let run = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let play =
                    || play_sprt("greedy:eval=simple", "random", test, &settings(5000, schedule));
                without_times(pool.install(play))
            };
            let result = run(1);
            assert_eq!(result, run(3));
            let sprt = result.sprt.unwrap();
            assert_eq!(sprt.decision, Some(Hypothesis::H1));
            let games = result.summary.tally.games();
            assert!((2..2000).contains(&games), "{games}");
            // What was counted is a beginning of the match without a test.
            let whole =
                play("greedy:eval=simple", "random", "random:4", &settings(games, schedule));
            let whole = MatchResult { sprt: Some(sprt), ..without_times(whole) };
            assert_eq!(result, whole);
        }
    }

    #[test]
    fn an_open_test_ends_with_the_last_game() {
        let test = Sprt::new(-1.0, 1.0, 0.05, 0.05).unwrap();
        let result = play_sprt("random", "random", test, &settings(150, Schedule::Paired));
        assert_eq!(result.summary.tally.games(), 150);
        assert_eq!(result.sprt.unwrap().decision, None);
        let (a, b) = (factory("random"), factory("random"));
        let contest = Contest { a: &a, b: &b, rules: Rules::default(), openings: &Openings::None };
        let halves = settings(10, Schedule::HalfAndHalf);
        let error =
            play_match_traced(&contest, &halves, Some(&test), &|| true).unwrap_err().to_string();
        assert!(error.contains("not with half-and-half"), "{error}");
        let coin = settings(10, Schedule::Coin);
        assert_eq!(play_match_traced(&contest, &coin, Some(&test), &|| false), Ok(None));
    }
}
