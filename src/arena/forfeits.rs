//! Counts forfeited games while they are played.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::executor::{Executor, ExecutorError, OnGames, UnitResult, UnitSink, Work};
use crate::agent::Failure;

/// An executor that counts the games which another one plays, and those that were forfeited.
pub(crate) struct CountForfeits<'e> {
    executor: &'e dyn Executor,
    games: AtomicU64,
    timeouts: AtomicU64,
    errors: AtomicU64,
}

impl<'e> CountForfeits<'e> {
    /// Counts from here on.
    #[must_use]
    pub(crate) const fn new(executor: &'e dyn Executor) -> Self {
        let [games, timeouts, errors] = [const { AtomicU64::new(0) }; 3];
        Self { executor, games, timeouts, errors }
    }

    /// What was counted in words; `None` if no game was forfeited.
    #[must_use]
    pub(crate) fn in_words(&self) -> Option<String> {
        let [games, timeouts, errors] =
            [&self.games, &self.timeouts, &self.errors].map(|count| count.load(Ordering::Relaxed));
        let forfeits = timeouts + errors;
        (forfeits > 0).then(|| {
            format!(
                "{forfeits} of {games} games were forfeited by programs: {timeouts} on time, {errors} for other reasons"
            )
        })
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
            self.games.fetch_add(result.games.len() as u64, Ordering::Relaxed);
            for failure in result.games.iter().filter_map(|game| game.failure.as_ref()) {
                let count = match failure {
                    Failure::Timeout { .. } => &self.timeouts,
                    _ => &self.errors,
                };
                count.fetch_add(1, Ordering::Relaxed);
            }
            sink(unit, result)
        };
        self.executor.play(work, &mut counting, on_games, stop)
    }
}
