//! Matches played by an executor. Games are counted in their order, whatever the order in which they end.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::evidence::EvidenceCount;
use super::executor::{Detail, Executor, ExecutorError, Unit, UnitResult, Work, play_in_order};
use super::result::{GameResult, Side};
use super::sequential::check_schedule;
use super::settings::MatchSettings;
use super::summary::{ForfeitedGame, MOST_FORFEITS, MatchResult, Summary};
use super::trace::GameTrace;
use crate::input::InputError;
use crate::stats::Tally;
use crate::stats::sprt::{Sprt, SprtResult};

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
    /// The state of the sequential test, if there is one.
    test: Option<SprtResult>,
    summary: Summary,
    evidence: EvidenceCount,
    games: u64,
    forfeits: Vec<ForfeitedGame>,
    traces: Vec<GameTrace>,
    started: Instant,
}

impl MatchCounts {
    pub(super) fn new(settings: MatchSettings, test: Option<Sprt>) -> Result<Self, InputError> {
        settings.check()?;
        let evidence = EvidenceCount::new(settings.schedule);
        if test.is_some() {
            check_schedule(settings.schedule)?;
        }
        Ok(Self {
            settings,
            test: test.map(|test| test.evaluate(&evidence.evidence())),
            summary: Summary::default(),
            evidence,
            games: 0,
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
            on_score(&self.summary.tally);
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
        self.summary = self.summary.plus(&Summary::of(&game));
        let forfeit = game.forfeit().filter(|_| self.forfeits.len() < MOST_FORFEITS);
        if let Some((side, failure)) = forfeit {
            let (by_a, failure) = (side == Side::A, failure.clone());
            self.forfeits.push(ForfeitedGame { game: self.games, by_a, failure });
        }
        if self.evidence.add(&game)
            && let Some(state) = &mut self.test
        {
            *state = state.test.evaluate(&self.evidence.evidence());
        }
        self.traces.extend(GameTrace::new(&self.settings, self.games, game));
        self.games += 1;
        self.test.is_none_or(|state| state.decision.is_none())
    }

    fn finish(self, stopped: bool) -> PlayedMatch {
        let result = MatchResult {
            summary: self.summary,
            pairs: self.evidence.pairs(),
            evidence: self.evidence.evidence(),
            distinct_games: self.evidence.distinct_games(),
            forfeits: self.forfeits,
            sprt: self.test,
            elapsed: self.started.elapsed(),
        };
        PlayedMatch { result, games: self.traces, stopped }
    }
}
