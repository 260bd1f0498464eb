//! Sequential tests of a match: they end it as soon as they are decided.

use super::Schedule;
use crate::input::InputError;

/// Checks that a sequential test goes with a schedule.
///
/// # Errors
/// A schedule under which the first games are not like the last.
pub(super) fn check_schedule(schedule: Schedule) -> Result<(), InputError> {
    match schedule {
        Schedule::HalfAndHalf => Err(InputError::new(
            "a sequential test may end in the first half of the games, in which B moves first: \
             it goes with schedule paired, first or coin, not with half-and-half",
        )),
        Schedule::Paired | Schedule::First | Schedule::Coin => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::arena::matches::tests::{factory, play, settings, without_times};
    use crate::arena::{Contest, MatchResult, MatchSettings, Openings, play_match_traced};
    use crate::stats::sprt::{Hypothesis, Sprt};
    use crate::testing::toy::{Rules, Toy};

    fn play_sprt(a: &str, b: &str, test: Sprt, settings: &MatchSettings) -> MatchResult {
        let (a, b) = (factory(a), factory(b));
        let openings = Openings::parse::<Toy>("random:4", Rules::default(), Path::new("")).unwrap();
        let contest = Contest { a: &a, b: &b, rules: Rules::default(), openings: &openings };
        play_match_traced(&contest, settings, Some(&test), &|| true).unwrap().unwrap().result
    }

    #[test]
    fn a_sequential_test_ends_at_the_same_pair_on_any_threads() {
        let test = Sprt::new(0.0, 50.0, 0.05, 0.05).unwrap();
        for schedule in [Schedule::Paired, Schedule::Coin] {
            let run = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let play = || play_sprt("greedy", "random", test, &settings(5000, schedule));
                without_times(pool.install(play))
            };
            let result = run(1);
            assert_eq!(result, run(3));
            let sprt = result.sprt.unwrap();
            assert_eq!(sprt.decision, Some(Hypothesis::H1));
            let games = result.summary.tally.games();
            assert!((2..2000).contains(&games), "{games}");
            // What was counted is a beginning of the match without a test.
            let whole = play("greedy", "random", "random:4", &settings(games, schedule));
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
