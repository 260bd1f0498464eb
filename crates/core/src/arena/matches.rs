//! Matches: as data for any executor, or between agents that are ready. Games are counted in their order.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::evidence::EvidenceCount;
use super::executor::{Detail, Executor, ExecutorError, Unit, Work, play_in_order};
use super::fingerprint::Fingerprint;
use super::game::Contest;
use super::openings::Openings;
use super::result::{ForfeitedGame, GameResult, GameTrace, MatchResult, Summary};
use super::schedule::MatchSettings;
use super::threads::Ready;
use crate::agent::AgentSpec;
use crate::game::Game;
use crate::stats::Tally;
use crate::stats::sprt::{Sprt, SprtResult};

/// A match between two agents, as plain data.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchPlan {
    /// The name of the game.
    pub game: String,
    /// The rules, in their text form.
    pub rules: String,
    /// Agents A and B.
    pub agents: [AgentSpec; 2],
    /// Where games start.
    pub openings: Openings,
    /// How many games, and from which seed.
    pub settings: MatchSettings,
    /// The sequential test that may end it early. It looks at the pairs (or unpaired games) in order. Games beyond the deciding
    /// one are dropped, so that the result does not depend on threads.
    pub sprt: Option<Sprt>,
    /// How much to record of each game.
    pub detail: Detail,
}

impl MatchPlan {
    /// Plays the match. `on_games` is called from any thread with how many games were just played.
    ///
    /// # Errors
    /// [`ExecutorError::Stopped`] if `stop` was set before the last game; and as [`play_or_stop`](Self::play_or_stop).
    pub fn play(
        &self,
        executor: &dyn Executor,
        on_games: &(dyn Fn(u64) + Sync),
        stop: &AtomicBool,
    ) -> Result<MatchResult, ExecutorError> {
        whole(self.play_or_stop(executor, on_games, &|_| (), stop)?)
    }

    /// Plays the match; if it is stopped, up to the last game that was finished. `on_score` is called with the results up to then.
    ///
    /// # Errors
    /// [`ExecutorError::Stopped`] if `stop` was set before any game was finished; no games, more than
    /// [`MAX_GAMES`](super::MAX_GAMES), or an odd number where they are paired or halved; a test under a schedule whose first
    /// games are not like its last; agents, openings or rules that are wrong.
    pub fn play_or_stop(
        &self,
        executor: &dyn Executor,
        on_games: &(dyn Fn(u64) + Sync),
        on_score: &(dyn Fn(&Tally) + Sync),
        stop: &AtomicBool,
    ) -> Result<MatchResult, ExecutorError> {
        let work = Work {
            game: self.game.clone(),
            rules: self.rules.clone(),
            agents: self.agents.to_vec(),
            openings: vec![self.openings.for_match(&self.settings)?],
            units: Vec::new(),
            must_start: false,
        };
        let Self { settings, sprt, detail, .. } = *self;
        play_units(executor, work, (settings, sprt, detail), on_games, on_score, stop)
    }
}

/// Plays a match between prepared agents on the threads of the current rayon pool; they need no spec. `progress` is called
/// after each game, from any thread; if it returns `false` the match ends.
///
/// # Errors
/// [`ExecutorError::Stopped`] if `progress` ended it; no games, more than [`MAX_GAMES`](super::MAX_GAMES), or an odd number
/// where they are paired or halved; openings that cannot be drawn.
pub fn play_match<P: Game>(
    contest: &Contest<'_, P>,
    settings: &MatchSettings,
    progress: &(dyn Fn() -> bool + Sync),
) -> Result<MatchResult, ExecutorError> {
    play_match_with(contest, settings, Detail::Costs, progress)
}

/// [`play_match`] with so much recorded of each game.
pub fn play_match_with<P: Game>(
    contest: &Contest<'_, P>,
    settings: &MatchSettings,
    detail: Detail,
    progress: &(dyn Fn() -> bool + Sync),
) -> Result<MatchResult, ExecutorError> {
    let stop = AtomicBool::new(false);
    let on_games = |games: u64| {
        if !(0..games).all(|_| progress()) {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let work = Work {
        game: P::INFO.name.into(),
        rules: contest.rules.to_string(),
        agents: Vec::new(),
        openings: vec![contest.openings.for_match(settings)?],
        units: Vec::new(),
        must_start: false,
    };
    whole(play_units(&Ready(contest), work, (*settings, None, detail), &on_games, &|_| (), &stop)?)
}

fn whole(result: MatchResult) -> Result<MatchResult, ExecutorError> {
    if result.stopped { Err(ExecutorError::Stopped) } else { Ok(result) }
}

/// The most games in a unit of a match. Memory holds the results of a few units at a time.
const GAMES_OF_UNIT: u64 = 1024;

/// A match has at least so many units, if it has so many pairs: if it is stopped, the finished ones count.
const UNITS: u64 = 64;

/// The most games in a unit of a match that a sequential test may end early.
const GAMES_OF_TEST_UNIT: u64 = 64;

/// Plays a match between the first two agents of a work without units. [`ExecutorError::Stopped`] if no game was counted.
fn play_units(
    executor: &dyn Executor,
    work: Work,
    (settings, sprt, detail): (MatchSettings, Option<Sprt>, Detail),
    on_games: &(dyn Fn(u64) + Sync),
    on_score: &(dyn Fn(&Tally) + Sync),
    stop: &AtomicBool,
) -> Result<MatchResult, ExecutorError> {
    if sprt.is_some() {
        settings.check_sequential()?
    } else {
        settings.check()?
    }
    let (agents, range) = ([0, 1], 0..settings.games);
    let whole = Unit { agents, openings: 0, settings, first_number: 0, range, detail };
    let most = if sprt.is_some() { GAMES_OF_TEST_UNIT } else { GAMES_OF_UNIT };
    let units = whole.split((settings.games / UNITS).clamp(1, most)).collect();
    let work = Work { units, ..work };
    let mut counts = MatchCounts::new(settings, sprt);
    let mut sink = |_, games: Vec<GameResult>| {
        let goes_on = games.into_iter().all(|game| counts.add(game));
        on_score(&counts.summary.tally);
        Ok(if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    };
    let on_games = |_, games| on_games(games);
    match play_in_order::<ExecutorError>(executor, &work, &mut sink, &on_games, stop) {
        Err(ExecutorError::Stopped) if counts.games > 0 => {
            Ok(MatchResult { stopped: true, ..counts.finish() })
        }
        played => played.map(|()| counts.finish()),
    }
}

pub(super) struct MatchCounts {
    settings: MatchSettings,
    test: Option<SprtResult>,
    summary: Summary,
    evidence: EvidenceCount,
    games: u64,
    forfeits: Vec<ForfeitedGame>,
    traces: Vec<GameTrace>,
    started: Instant,
    /// How many pairs (or games) in a row added nothing to the evidence of a test.
    repeated: u64,
}

/// A test without a decision ends after so many pairs in a row (or games, where they are not paired) that repeat earlier ones: from
/// a small book, two engines that always think alike play no others.
const MOST_REPEATED: u64 = 100;

impl MatchCounts {
    pub(super) fn new(settings: MatchSettings, sprt: Option<Sprt>) -> Self {
        let evidence = EvidenceCount::new(settings.schedule);
        Self {
            settings,
            test: sprt.map(|test| test.evaluate(&evidence.evidence())),
            summary: Summary::default(),
            evidence,
            games: 0,
            forfeits: Vec::new(),
            traces: Vec::new(),
            started: Instant::now(),
            repeated: 0,
        }
    }

    /// Counts the next game; `false` if the test is decided, or no longer can be.
    #[inline]
    fn add(&mut self, game: GameResult) -> bool {
        /// The most forfeited games that a result lists; all are counted.
        const MOST_FORFEITS: usize = 100;
        let forfeit = game.forfeit().filter(|_| self.forfeits.len() < MOST_FORFEITS);
        if let Some((by, failure)) = forfeit {
            self.forfeits.push(ForfeitedGame { game: self.games, by, failure: failure.clone() });
        }
        let known = self.test.map(|_| self.evidence.evidence());
        if self.count(&Summary::of(&game), game.fingerprint)
            && let Some(state) = &mut self.test
        {
            let evidence = self.evidence.evidence();
            *state = state.test.evaluate(&evidence);
            self.repeated = if known == Some(evidence) { self.repeated + 1 } else { 0 };
        }
        self.traces.extend(GameTrace::new(&self.settings, self.games - 1, game));
        self.repeated < MOST_REPEATED && self.test.is_none_or(|state| state.decision.is_none())
    }

    /// Counts the next game by its summary; `true` if it completes a unit of evidence.
    #[inline]
    pub(super) fn count(&mut self, game: &Summary, fingerprint: Fingerprint) -> bool {
        self.games += 1;
        self.summary = self.summary.plus(game);
        self.evidence.add(game.half_points(), fingerprint)
    }

    pub(super) fn finish(self) -> MatchResult {
        MatchResult {
            summary: self.summary,
            pairs: self.evidence.pairs(),
            evidence: self.evidence.evidence(),
            distinct_games: self.evidence.distinct_games(),
            forfeits: self.forfeits,
            games: self.traces,
            sprt: self.test,
            elapsed: self.started.elapsed(),
            stopped: false,
        }
    }
}

#[cfg(test)]
mod tests;
