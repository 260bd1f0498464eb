//! Matches that end as soon as a sequential test is decided.

use std::time::Instant;

use super::matches::{Kept, Whole, play_games};
use super::{Contest, MatchResult, MatchSettings, Schedule};
use crate::game::Game;
use crate::input::InputError;
use crate::stats::sprt::{Sprt, SprtResult};

/// The fewest games that [`play_until_decided`] plays at a time.
const SMALLEST_BATCH: u64 = 64;

/// Plays a match until a sequential test is decided, or to its last game. The test looks at the pairs
/// (at the games, where these are not paired) in their order; what was played beyond the deciding one
/// is dropped, so that the result does not depend on threads.
///
/// # Errors
/// As [`play_match`](super::play_match); a schedule under which the first games are not like the last.
pub fn play_until_decided<P: Game>(
    contest: &Contest<'_, P>,
    settings: &MatchSettings,
    test: &Sprt,
    progress: &(dyn Fn() -> bool + Sync),
) -> Result<Option<MatchResult>, InputError> {
    Ok(play_and_keep(contest, settings, test, false, progress)?.map(|(result, _)| result))
}

/// [`play_until_decided`] with what was kept of its games, `traced` or not.
pub(super) fn play_and_keep<P: Game>(
    contest: &Contest<'_, P>,
    settings: &MatchSettings,
    test: &Sprt,
    traced: bool,
    progress: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Whole<P>>, InputError> {
    settings.check()?;
    if settings.schedule == Schedule::HalfAndHalf {
        return Err(InputError::new(
            "a sequential test may end in the first half of the games, in which B moves first: \
             it goes with schedule paired, first or coin, not with half-and-half",
        ));
    }
    let started = Instant::now();
    let mut played: Vec<Kept<P::Move>> = Vec::new();
    let mut counts = UnitCounts::new(settings.schedule);
    let mut state = counts.evaluate(test);
    while state.decision.is_none() && (played.len() as u64) < settings.games {
        let begin = played.len() as u64;
        // Batches grow with the match: few games are dropped at its end, threads seldom wait.
        let size = (begin / 16 * 2).max(SMALLEST_BATCH);
        let batch = begin..settings.games.min(begin + size);
        let Some(batch) = play_games(contest, settings, batch, traced, progress)? else {
            return Ok(None);
        };
        for unit in batch.chunks(counts.games_a_unit()) {
            played.extend_from_slice(unit);
            counts.add(unit.iter().map(|played| played.summary.half_points()).sum());
            state = counts.evaluate(test);
            if state.decision.is_some() {
                break;
            }
        }
    }
    let result = MatchResult::new(settings, &played, Some(state), started.elapsed());
    Ok(Some((result, played)))
}

/// The units of a match that are independent of each other: pairs of games, or games.
enum UnitCounts {
    /// Pairs in which A scored 0, 1/2, 1, 3/2 and 2 points.
    Pairs([u64; 5]),
    /// Games that A lost, drew and won.
    Games([u64; 3]),
}

impl UnitCounts {
    fn new(schedule: Schedule) -> Self {
        if schedule == Schedule::Paired { Self::Pairs([0; 5]) } else { Self::Games([0; 3]) }
    }

    const fn games_a_unit(&self) -> usize {
        if matches!(self, Self::Pairs(_)) { 2 } else { 1 }
    }

    fn add(&mut self, half_points: u64) {
        match self {
            Self::Pairs(counts) => counts[half_points as usize] += 1,
            Self::Games(counts) => counts[half_points as usize] += 1,
        }
    }

    fn evaluate(&self, test: &Sprt) -> SprtResult {
        match self {
            Self::Pairs(counts) => test.evaluate(counts),
            Self::Games(counts) => test.evaluate(counts),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::arena::Openings;
    use crate::arena::matches::tests::{factory, play, settings, without_times};
    use crate::games::uttt::{Rules, Uttt};
    use crate::stats::sprt::Hypothesis;

    fn play_sprt(a: &str, b: &str, test: Sprt, settings: &MatchSettings) -> MatchResult {
        let (a, b) = (factory(a), factory(b));
        let openings =
            Openings::parse::<Uttt>("random:4", Rules::default(), Path::new("")).unwrap();
        let contest = Contest { a: &a, b: &b, rules: Rules::default(), openings: &openings };
        play_until_decided(&contest, settings, &test, &|| true).unwrap().unwrap()
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
        let error = play_until_decided(&contest, &halves, &test, &|| true).unwrap_err().to_string();
        assert!(error.contains("not with half-and-half"), "{error}");
        let coin = settings(10, Schedule::Coin);
        assert_eq!(play_until_decided(&contest, &coin, &test, &|| false), Ok(None));
    }
}
