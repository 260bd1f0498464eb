//! The executor that lets a runner's programs play.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use rayon::ThreadPool;

use super::RunnerSettings;
use super::process::{Failed, Process};
use super::request::Request;
use tictune_core::arena::{
    Calls, Detail, Executor, ExecutorError, GameResult, Openings, PartResults, Schedule, Unit,
    Work, lock, on_all_threads,
};
use tictune_core::game::GameInfo;
use tictune_core::input::{InputError, Result};

/// The programs of a runner, as many as a rayon pool has threads, or else the current one. They stay until this is dropped.
#[derive(Debug, Default)]
pub struct Runners {
    pool: Option<Arc<ThreadPool>>,
    /// How often a program that did not answer was replaced.
    restarts: AtomicU64,
    idle: Mutex<Vec<Process>>,
}

impl Executor for Runners {
    fn play(&self, work: &Work, calls: Calls<'_>) -> Result<(), ExecutorError> {
        let Calls { sink, on_games, stop } = calls;
        if work.game != GameInfo::OUTSIDE.name {
            let message = format!("games of {} cannot be played by a runner", work.game);
            return Err(InputError::new(message).into());
        }
        work.check(work.agents.len())?;
        let agents = agents(work)?;
        // No sink once it has ended the work.
        let finished = Mutex::new((PartResults::default(), Some(sink)));
        let (left, error) = (Mutex::new(shares(work, &agents)?.into_iter()), Mutex::new(None));
        let play = |(unit, share): (usize, Unit)| {
            let results = self.play_share(&agents, &share, stop)?;
            on_games(unit, results.len() as u64);
            let (unfinished, sink) = &mut *lock(&finished);
            let Some(take) = sink else { return Ok(()) };
            let whole = unfinished.add(&work.units, unit, share.range.start, results);
            if whole.is_some_and(|results| take(unit, results).is_break()) {
                *sink = None;
            }
            Ok(())
        };
        on_all_threads(self.pool.as_deref(), || {
            while lock(&finished).1.is_some() {
                let Some(share) = lock(&left).next() else { break };
                if let Err(failure) = play(share) {
                    lock(&finished).1 = None;
                    lock(&error).get_or_insert(failure);
                }
            }
        });
        lock(&error).take().map_or(Ok(()), Err)
    }

    fn restarts(&self) -> u64 {
        self.restarts.load(Ordering::Relaxed)
    }
}

/// The agents of a work, which have to be a runner's.
fn agents(work: &Work) -> Result<Vec<&RunnerSettings>> {
    work.agents.iter().map(|agent| match agent.settings::<RunnerSettings>() {
        Some(settings) => Ok(settings),
        None => Err(InputError::new(format!(
            "agent \"{agent}\": tictune does not know the game of a runner; only agents runner:cmd=\"...\" play it"
        ))),
    }).collect()
}

/// The parts of units that are played by one request each, with the numbers of the units.
fn shares(work: &Work, agents: &[&RunnerSettings]) -> Result<Vec<(usize, Unit)>> {
    let mut shares = Vec::new();
    for (number, unit) in work.units.iter().enumerate() {
        let [a, b] = unit.agents.map(|agent| agents[agent]);
        let settings = &unit.settings;
        let refusals = [
            (
                (&a.command, a.once) != (&b.command, b.once),
                "both agents have to be of the same runner: one program plays both sides",
            ),
            (
                settings.schedule != Schedule::Paired || settings.replay_ties,
                "a runner plays pairs of games, with sides swapped: schedule paired, without replays of ties",
            ),
            (
                work.openings[unit.openings] != Openings::None,
                "a runner chooses its own openings by the seeds: use openings none",
            ),
            (unit.detail == Detail::Moves, "a runner does not report moves"),
            (unit.range.start % 2 != 0 || unit.range.end % 2 != 0, "a runner plays whole pairs"),
        ];
        if let Some((_, message)) = refusals.iter().find(|(refused, _)| *refused) {
            return Err(InputError::new(*message));
        }
        shares.extend(unit.split(2 * u64::from(a.pairs)).map(|share| (number, share)));
    }
    Ok(shares)
}

impl Runners {
    pub fn new(pool: Option<Arc<ThreadPool>>) -> Self {
        Self { pool, ..Self::default() }
    }

    /// Plays the games of a request; one that a program does not answer is tried once more on a new one.
    fn play_share(
        &self,
        agents: &[&RunnerSettings],
        share: &Unit,
        stop: &AtomicBool,
    ) -> Result<Vec<GameResult>, ExecutorError> {
        let is_stopped = || stop.load(Ordering::Relaxed);
        if is_stopped() {
            return Err(ExecutorError::Stopped);
        }
        let agents = share.agents.map(|agent| agents[agent]);
        let settings = &share.settings;
        let task =
            |game| settings.schedule.task(settings.seed, share.first_number, game, settings.games);
        let seeds: Vec<u64> = share.range.clone().step_by(2).map(|game| task(game).seed).collect();
        let request = Request { agents, seeds: &seeds };
        let waiting = || {
            let mut idle = lock(&self.idle);
            let place = idle.iter().position(|process| process.is_of(agents[0]))?;
            Some(idle.swap_remove(place))
        };
        let ask = |waiting: Option<Process>| {
            let mut process = waiting.map_or_else(|| Process::start(agents[0]), Ok)?;
            // One that fails is dropped: it may still answer this request, when another one is asked.
            let results = process.ask(&request, stop)?;
            lock(&self.idle).push(process);
            Ok(results)
        };
        let command = agents[0].command.escape_debug();
        let mut answer = ask(waiting());
        if let Err(Failed::Lost(what)) = &answer
            && !is_stopped()
        {
            tracing::warn!(runner = %command, what, "asked again on a new program");
            self.restarts.fetch_add(1, Ordering::Relaxed);
            answer = ask(None);
        }
        answer.map_err(|error| {
            let what = match error {
                // A signal ends programs with the work: what they fail with then is nobody's fault.
                _ if is_stopped() => return ExecutorError::Stopped,
                Failed::Stopped => return ExecutorError::Stopped,
                Failed::Wrong(what) => what,
                Failed::Lost(what) => format!("{what} (asked twice, each time in a new process)"),
            };
            ExecutorError::Program(format!("the runner \"{command}\": {what}"))
        })
    }
}
