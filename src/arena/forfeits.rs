//! Forfeited games: counted while they are played, and when they are too many for a result.

use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::executor::{Executor, ExecutorError, OnGames, UnitResult, UnitSink, Work};
use super::result::Side;
use super::summary::Summary;

/// Games of which more than half were forfeited: they say nothing about strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MostlyForfeited {
    /// Who forfeited more than half of the games; `None` if both did together.
    pub by: Option<Side>,
    /// How many games were forfeited so.
    pub forfeits: u64,
    /// All games.
    pub games: u64,
}

impl MostlyForfeited {
    /// In words, with what A, B and both of them are called.
    #[must_use]
    pub fn in_words(&self, a: &str, b: &str, both: &str) -> String {
        let who = match self.by {
            Some(Side::A) => a,
            Some(Side::B) => b,
            None => both,
        };
        format!("{who} forfeited {} of {} games", self.forfeits, self.games)
    }
}

impl Summary {
    /// Whether more than half of the games were forfeited, and by whom.
    #[must_use]
    pub fn mostly_forfeited(&self) -> Option<MostlyForfeited> {
        let games = self.tally.games();
        let [a, b] = [0, 1].map(|side| self.timeouts[side] + self.errors[side]);
        let all = [(Some(Side::A), a), (Some(Side::B), b), (None, a + b)];
        let (by, forfeits) = all.into_iter().find(|(_, forfeits)| 2 * forfeits > games)?;
        Some(MostlyForfeited { by, forfeits, games })
    }
}

/// An executor that counts the games which another one plays, and those that were forfeited.
pub(crate) struct CountForfeits<'e> {
    executor: &'e dyn Executor,
    counts: Mutex<Counts>,
}

#[derive(Default)]
struct Counts {
    sum: Summary,
    /// Who forfeited the first game, and how.
    first: Option<String>,
}

impl<'e> CountForfeits<'e> {
    /// Counts from here on.
    #[must_use]
    pub(crate) fn new(executor: &'e dyn Executor) -> Self {
        Self { executor, counts: Mutex::default() }
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All games so far, from the views of the agents A.
    #[must_use]
    pub(crate) fn sum(&self) -> Summary {
        self.counts().sum
    }

    /// What was counted in words, and how often a program was replaced; `None` if there is nothing to say.
    #[must_use]
    pub(crate) fn in_words(&self) -> Option<String> {
        let said: Vec<String> = self.forfeits().into_iter().chain(restarts(self)).collect();
        (!said.is_empty()).then(|| said.join("; "))
    }

    /// The forfeited games in words, if there are any.
    fn forfeits(&self) -> Option<String> {
        let Counts { sum, first } = &*self.counts();
        let [timeouts, errors] = [sum.timeouts, sum.errors].map(|sides| sides.iter().sum::<u64>());
        let forfeits = timeouts + errors;
        (forfeits > 0).then(|| {
            let games = sum.tally.games();
            let mut text = format!(
                "{forfeits} of {games} games were forfeited by programs: {timeouts} on time, {errors} for other reasons"
            );
            if let Some(first) = first {
                let _ = write!(text, "; the first by {first}");
            }
            text
        })
    }
}

/// How often a program that did not answer was replaced, in words; `None` if none was.
#[must_use]
pub(crate) fn restarts(executor: &dyn Executor) -> Option<String> {
    match executor.restarts() {
        0 => None,
        1 => Some("a program did not answer and was replaced once".into()),
        times => Some(format!("programs did not answer and were replaced {times} times")),
    }
}

impl Executor for CountForfeits<'_> {
    fn play(
        &self,
        work: &Work,
        sink: &mut UnitSink<'_>,
        on_games: &OnGames<'_>,
        stop: &AtomicBool,
    ) -> Result<(), ExecutorError> {
        let mut counting = |unit: usize, result: UnitResult| {
            let mut counts = self.counts();
            for game in &result.games {
                counts.sum = counts.sum.plus(&Summary::of(game));
            }
            if counts.first.is_none() {
                let forfeit = result.games.iter().find_map(|game| game.forfeit());
                counts.first = forfeit.map(|(side, failure)| {
                    let agent = work.units[unit].agents[side as usize];
                    let agent = work.agents.get(agent).map_or(String::new(), |agent| agent.short());
                    format!("{agent}: {failure}")
                });
            }
            drop(counts);
            sink(unit, result)
        };
        self.executor.play(work, &mut counting, on_games, stop)
    }

    fn restarts(&self) -> u64 {
        self.executor.restarts()
    }
}
