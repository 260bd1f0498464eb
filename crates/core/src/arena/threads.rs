//! The executor that plays on this process's threads.
//!
//! A thread takes a share of the games that are left, all of one unit: fewer and fewer, for all threads to finish together.

mod agents;

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use rayon::{Scope, ThreadPool};

use self::agents::{PrepareAgent, PreparedAgents};
use super::executor::{
    Calls, Executor, ExecutorError, OnGames, PartResults, Unit, UnitSink, Work, lock,
};
use super::game::Contest;
use super::play_hash::play_hash;
use super::result::GameResult;
use super::rules_of;
use crate::agent::{Agents, Failure};
use crate::game::Game;
use crate::input::{InputError, Result};
use crate::search::Stop;

/// The threads of a rayon pool; without one, of the pool in which it is called.
#[derive(Debug)]
pub struct Threads<P> {
    agents: Agents<P>,
    pool: Option<Arc<ThreadPool>>,
}

impl<P: Game> Threads<P> {
    /// An executor for a game, with the agents that can play it.
    pub const fn new(agents: Agents<P>) -> Self {
        Self { agents, pool: None }
    }

    /// The same on the threads of a pool. A run whose generations overlap calls it from threads of its own, which are in no pool.
    #[must_use]
    pub fn in_pool(self, pool: Option<Arc<ThreadPool>>) -> Self {
        Self { pool, ..self }
    }
}

/// Does work on each thread of a pool, or of the current one, and waits for all. A thread from outside takes no part.
pub fn on_all_threads(pool: Option<&ThreadPool>, work: impl Fn() + Sync) {
    fn begin<'s>(scope: &Scope<'s>, threads: usize, work: &'s (impl Fn() + Sync)) {
        (0..threads).for_each(|_| scope.spawn(|_| work()));
    }
    match pool {
        Some(pool) => {
            pool.in_place_scope(|scope| begin(scope, pool.current_num_threads(), &work));
        }
        None => rayon::in_place_scope(|scope| begin(scope, rayon::current_num_threads(), &work)),
    }
}

impl<P: Game> Default for Threads<P> {
    /// With the kinds of agents of this crate.
    fn default() -> Self {
        Self::new(Agents::default())
    }
}

impl<P: Game> Executor for Threads<P> {
    fn play(&self, work: &Work, calls: Calls<'_>) -> Result<(), ExecutorError> {
        if work.game != P::INFO.name {
            let message = format!("games of {} cannot be played as {}", work.game, P::INFO.name);
            return Err(InputError::new(message).into());
        }
        let rules = rules_of::<P>(&work.rules)?;
        work.check(work.agents.len())?;
        let prepare = |agent: usize| self.agents.prepare_for(&work.agents[agent], rules);
        play_all(work, rules, &prepare, self.pool.as_deref(), calls)
    }

    fn play_hash(&self, rules: &str) -> Option<u64> {
        play_hash::<P>(rules.parse().ok()?)
    }
}

/// The threads of the current rayon pool, for two prepared agents: they play as the agents of a work, whose specs are ignored.
pub(super) struct Ready<'c, P: Game>(pub(super) &'c Contest<'c, P>);

impl<P: Game> Executor for Ready<'_, P> {
    fn play(&self, work: &Work, calls: Calls<'_>) -> Result<(), ExecutorError> {
        let Contest { a, b, rules, .. } = *self.0;
        work.check(2)?;
        let prepare = |agent: usize| Ok([a, b][agent].clone());
        play_all(work, rules, &prepare, None, calls)
    }
}

fn play_all<P: Game>(
    work: &Work,
    rules: P::Rules,
    prepare: PrepareAgent<'_, P>,
    pool: Option<&ThreadPool>,
    Calls { sink, on_games, stop }: Calls<'_>,
) -> Result<(), ExecutorError> {
    let threads = pool.map_or_else(rayon::current_num_threads, ThreadPool::current_num_threads);
    let (sink, shares) = (Mutex::new(sink), Mutex::new(shares(&work.units, threads)));
    let playing = Playing {
        work,
        rules,
        agents: PreparedAgents::new(work, prepare),
        on_games,
        stop,
        ended: OnceLock::new(),
        unfinished: Mutex::default(),
        handed_over: AtomicUsize::new(0),
    };
    on_all_threads(pool, || {
        if let Err(error) = playing.take_and_play(&shares, &sink) {
            let _ = playing.ended.set(Err(error));
        }
    });
    let done = playing.handed_over.into_inner() == work.units.len();
    let ended = playing.ended.into_inner();
    ended.unwrap_or(if done { Ok(()) } else { Err(ExecutorError::Stopped) })
}

struct Playing<'w, P: Game> {
    work: &'w Work,
    rules: P::Rules,
    agents: PreparedAgents<'w, P>,
    on_games: &'w OnGames<'w>,
    stop: &'w AtomicBool,
    /// Set when no more games are to be played: after an error, or when the sink ends the work.
    ended: OnceLock<Result<(), ExecutorError>>,
    unfinished: Mutex<PartResults>,
    /// How many units the sink was given.
    handed_over: AtomicUsize,
}

/// Games that a thread has taken: some of a unit.
struct Taken {
    unit: usize,
    range: Range<u64>,
}

/// All games in the shares in which threads take them: a part of what is left, fewer and fewer.
fn shares(units: &[Unit], threads: usize) -> impl Iterator<Item = Taken> {
    let mut later: u64 = units.iter().map(Unit::games).sum();
    units.iter().enumerate().flat_map(move |(unit, whole)| {
        later -= whole.games();
        let (later, Range { mut start, end }) = (later, whole.range.clone());
        std::iter::from_fn(move || {
            let left = end - start;
            let share = (left + later) / (4 * threads as u64);
            let range = start..start + share.max(1).min(left);
            start = range.end;
            (left > 0).then_some(Taken { unit, range })
        })
    })
}

impl<P: Game> Playing<'_, P> {
    fn take_and_play(
        &self,
        shares: &Mutex<impl Iterator<Item = Taken>>,
        sink: &Mutex<&mut UnitSink<'_>>,
    ) -> Result<(), ExecutorError> {
        while self.goes_on() {
            let Some(taken) = lock(shares).next() else { break };
            let (units, first) = (&self.work.units, taken.range.start);
            if first == units[taken.unit].range.start {
                self.prepare_ahead_of(taken.unit)?;
            }
            let Some(results) = self.play(&taken)? else { break };
            let whole = lock(&self.unfinished).add(units, taken.unit, first, results);
            if let Some(result) = whole {
                self.agents.unit_finished(&units[taken.unit]);
                self.hand_over(taken.unit, result, sink);
            }
        }
        Ok(())
    }

    /// Prepares the agents of a later unit, so that no thread has to wait for them then.
    fn prepare_ahead_of(&self, unit: usize) -> Result<()> {
        let later = self.work.units.get(unit + rayon::current_num_threads());
        later
            .into_iter()
            .flat_map(|unit| unit.agents)
            .try_for_each(|agent| self.agents.get(agent).map(drop))
    }

    fn goes_on(&self) -> bool {
        self.ended.get().is_none() && !self.stop.load(Ordering::Relaxed)
    }

    /// Plays games; `None` if the work ended meanwhile.
    fn play(&self, taken: &Taken) -> Result<Option<Vec<GameResult>>, ExecutorError> {
        let unit = &self.work.units[taken.unit];
        let [a, b] = unit.agents.map(|agent| self.agents.get(agent));
        let (a, b, openings) = (a?, b?, &self.work.openings[unit.openings]);
        let contest = Contest { a: &a, b: &b, rules: self.rules, openings };
        let mut results = Vec::with_capacity((taken.range.end - taken.range.start) as usize);
        for index in taken.range.clone() {
            if !self.goes_on() {
                return Ok(None);
            }
            let (goes_on, stop) = (|| self.goes_on(), Stop::when(self.stop));
            let result = match unit.play(&contest, index, &goes_on, stop) {
                // A game in its middle is dropped.
                Err(ExecutorError::Stopped) => return Ok(None),
                played => played?,
            };
            if stop.is_set() || result.failure.is_some() && !self.goes_on() {
                // Programs and searches were ended with the work: nobody forfeited, and a search had less than its due.
                return Ok(None);
            }
            if let Some((side, failure @ Failure::Start(_))) = result.forfeit()
                && self.work.must_start
            {
                let (agent, failure) = (unit.agents[side as usize], failure.clone());
                return Err(ExecutorError::Start { agent, failure });
            }
            (self.on_games)(taken.unit, 1);
            results.push(result);
        }
        Ok(Some(results))
    }

    /// Gives a unit's result to the sink, unless the work has ended.
    fn hand_over(&self, unit: usize, result: Vec<GameResult>, sink: &Mutex<&mut UnitSink<'_>>) {
        let mut sink = lock(sink);
        if self.ended.get().is_some() {
            return;
        }
        match sink(unit, result) {
            ControlFlow::Continue(()) => _ = self.handed_over.fetch_add(1, Ordering::Relaxed),
            ControlFlow::Break(()) => _ = self.ended.set(Ok(())),
        }
    }
}

#[cfg(test)]
mod tests;
