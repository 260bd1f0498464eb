//! Matches played by an executor. Games are counted in their order, whatever the order in which they end.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::executor::{Detail, Executor, ExecutorError, Unit, UnitResult, Work, play_in_order};
use super::result::{Fingerprint, GameResult, Side};
use super::schedule::Schedule;
use super::sequential::SequentialTest;
use super::settings::MatchSettings;
use super::summary::{ForfeitedGame, MOST_FORFEITS, MatchResult, Summary};
use super::trace::GameTrace;
use crate::input::InputError;
use crate::stats::Tally;
use crate::stats::sprt::Sprt;

/// A match that was played.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedMatch {
    /// Its result.
    pub result: MatchResult,
    /// Its games move by move, in order, if they were asked for. Where ties are replayed, only the last, decided game is
    /// kept.
    pub games: Vec<GameTrace>,
    /// Whether it was stopped before its last game. What is here are the games up to one that was not finished.
    pub stopped: bool,
}

/// The most games in a unit of a match. Memory holds the results of a few units at a time.
const UNIT: u64 = 1024;

/// A match has at least so many units, if it has so many pairs: a match that is stopped has the result of those that
/// are finished.
const UNITS: u64 = 64;

/// The most games in a unit of a match that a sequential test may end early.
const UNIT_OF_TEST: u64 = 64;

/// Counts the games of a match in their order.
pub(super) struct MatchCounts {
    settings: MatchSettings,
    test: Option<SequentialTest>,
    counts: Counts,
    games: u64,
    different: HashSet<Fingerprint>,
    /// Whether some game is told from others by more than what it was played with.
    any_named: bool,
    forfeits: Vec<ForfeitedGame>,
    traces: Vec<GameTrace>,
    started: Instant,
}

impl MatchCounts {
    pub(super) fn new(settings: MatchSettings, test: Option<Sprt>) -> Result<Self, InputError> {
        settings.check()?;
        Ok(Self {
            settings,
            test: test.map(|test| SequentialTest::new(test, settings.schedule)).transpose()?,
            counts: Counts::default(),
            games: 0,
            different: HashSet::new(),
            any_named: false,
            forfeits: Vec::new(),
            traces: Vec::new(),
            started: Instant::now(),
        })
    }

    /// Plays the match between the first two agents of a work that has no units yet. `on_score` is called with the
    /// results up to then, in the order of the games.
    ///
    /// # Errors
    /// As [`Executor::play`]; [`ExecutorError::Stopped`] only if no game was counted before.
    pub(super) fn play(
        mut self,
        executor: &dyn Executor,
        work: Work,
        detail: Detail,
        on_games: &(dyn Fn(u64) + Sync),
        on_score: &(dyn Fn(&Tally) + Sync),
        stop: &AtomicBool,
    ) -> Result<PlayedMatch, ExecutorError> {
        let settings = self.settings;
        let whole = Unit {
            agents: [0, 1],
            openings: 0,
            settings,
            first_number: 0,
            range: 0..settings.games,
            detail,
        };
        let games = if self.test.is_some() { UNIT_OF_TEST } else { UNIT };
        let games = (settings.games / UNITS).clamp(1, games);
        let work = Work { units: whole.split(games).collect(), ..work };
        let mut sink = |_, result: UnitResult| {
            let goes_on = result.games.into_iter().all(|game| self.add(game));
            on_score(&self.counts.summary.tally);
            Ok(if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        };
        let on_games = |_, games| on_games(games);
        let played = play_in_order::<ExecutorError>(executor, &work, &mut sink, &on_games, stop);
        match played {
            Err(ExecutorError::Stopped) if self.games > 0 => Ok(self.finish(true)),
            played => played.map(|()| self.finish(false)),
        }
    }

    /// Counts the next game; `false` if the test is decided.
    fn add(&mut self, game: GameResult) -> bool {
        self.counts.add(&Summary::of(&game));
        self.different.insert(game.fingerprint);
        self.any_named |= !game.fingerprint.is_unnamed();
        let forfeit = game.forfeit().filter(|_| self.forfeits.len() < MOST_FORFEITS);
        if let Some((side, failure)) = forfeit {
            let (by_a, failure) = (side == Side::A, failure.clone());
            self.forfeits.push(ForfeitedGame { game: self.games, by_a, failure });
        }
        let half_points = Summary::of(&game).half_points();
        self.traces.extend(GameTrace::new(&self.settings, self.games, game));
        self.games += 1;
        self.test.as_mut().is_none_or(|test| test.add(half_points).is_none())
    }

    fn finish(self, stopped: bool) -> PlayedMatch {
        let pairs = self.counts.pairs(self.settings.schedule);
        let result = MatchResult {
            summary: self.counts.summary,
            pairs,
            distinct_games: match pairs {
                Some(pairs) if !self.any_named && are_alike(&pairs) => 2,
                _ => self.different.len() as u64,
            },
            forfeits: self.forfeits,
            sprt: self.test.map(|test| test.result()),
            elapsed: self.started.elapsed(),
        };
        PlayedMatch { result, games: self.traces, stopped }
    }
}

/// Whether pairs all came out alike, more of them than chance often lets.
pub(crate) fn are_alike(pairs: &[u64; 5]) -> bool {
    const ENOUGH: u64 = 3;
    let all = pairs.iter().sum();
    all >= ENOUGH && pairs.contains(&all)
}

/// Sums over games that are counted in their order, and the counts of their pairs.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    pub(super) summary: Summary,
    pairs: [u64; 5],
    first_of_pair: Option<u64>,
}

impl Counts {
    pub(super) fn add(&mut self, game: &Summary) {
        self.summary = self.summary.plus(game);
        self.first_of_pair = match self.first_of_pair {
            None => Some(game.half_points()),
            Some(points) => {
                self.pairs[(points + game.half_points()) as usize] += 1;
                None
            }
        };
    }

    /// The counts of the five pair results, where games are paired.
    pub(super) fn pairs(&self, schedule: Schedule) -> Option<[u64; 5]> {
        (schedule == Schedule::Paired).then_some(self.pairs)
    }
}
