//! The executor that lets a runner's programs play.

use std::ops::{ControlFlow, Range};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use super::RunnerSettings;
use super::process::{Failed, Process};
use super::request::Request;
use tictune_core::arena::{
    Calls, Detail, Executor, ExecutorError, GameResult, OnGames, Openings, Schedule, UnitSink,
    Work, lock,
};
use tictune_core::game::GameInfo;
use tictune_core::input::InputError;

/// The programs of a runner, as many as the current rayon pool has threads. They stay until this is dropped.
#[derive(Debug, Default)]
pub struct Runners {
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
        let requests = requests(work, &agents)?;
        let mut units: Vec<Parts> =
            work.units.iter().map(|_| Parts { left: 0, results: Vec::new() }).collect();
        requests.iter().for_each(|request| units[request.unit].left += 1);
        let playing = Playing {
            work,
            agents: &agents,
            requests: &requests,
            next: AtomicUsize::new(0),
            restarts: &self.restarts,
            ended: AtomicBool::new(false),
            error: Mutex::new(None),
            finished: Mutex::new(Finished { units, sink }),
            on_games,
            stop,
        };
        let threads = rayon::current_num_threads().min(requests.len());
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| playing.work_on(&self.idle));
            }
        });
        let Playing { ended, error, .. } = playing;
        match lock(&error).take() {
            Some(error) => Err(error),
            None if ended.into_inner() || !stop.load(Ordering::Relaxed) => Ok(()),
            None => Err(ExecutorError::Stopped),
        }
    }

    fn restarts(&self) -> u64 {
        self.restarts.load(Ordering::Relaxed)
    }
}

/// The agents of a work, which have to be a runner's.
fn agents(work: &Work) -> Result<Vec<&RunnerSettings>, InputError> {
    work.agents.iter().map(|agent| match agent.settings::<RunnerSettings>() {
        Some(settings) => Ok(settings),
        None => Err(InputError::new(format!(
            "agent \"{agent}\": tictune does not know the game of a runner; only agents runner:cmd=\"...\" play it"
        ))),
    }).collect()
}

/// Pairs of a unit that are played by one request.
struct Share {
    unit: usize,
    games: Range<u64>,
}

fn requests(work: &Work, agents: &[&RunnerSettings]) -> Result<Vec<Share>, InputError> {
    let mut requests = Vec::new();
    for (number, unit) in work.units.iter().enumerate() {
        let [a, b] = unit.agents.map(|agent| agents[agent]);
        let settings = &unit.settings;
        let refusals = [
            (
                !a.is_same_program(b),
                "both agents have to be of the same runner: one program plays both sides",
            ),
            (
                settings.schedule != Schedule::Paired || settings.replay_ties,
                "a runner plays pairs of games, with sides swapped: schedule paired, without replays of ties",
            ),
            (
                work.openings[unit.openings] != Openings::None,
                "a runner has openings of its own, which the seeds decide: openings none",
            ),
            (unit.detail == Detail::Moves, "a runner tells no moves"),
            (
                unit.range.start % 2 != 0 || unit.range.end % 2 != 0,
                "a runner plays whole pairs of games",
            ),
        ];
        if let Some((_, message)) = refusals.iter().find(|(refused, _)| *refused) {
            return Err(InputError::new(*message));
        }
        let shares = unit.split(2 * u64::from(a.pairs));
        requests.extend(shares.map(|share| Share { unit: number, games: share.range }));
    }
    Ok(requests)
}

struct Parts {
    left: usize,
    /// Results by the number of the first game.
    results: Vec<(u64, Vec<GameResult>)>,
}

struct Finished<'p, 's> {
    units: Vec<Parts>,
    sink: &'p mut UnitSink<'s>,
}

struct Playing<'p, 's> {
    work: &'p Work,
    agents: &'p [&'p RunnerSettings],
    requests: &'p [Share],
    next: AtomicUsize,
    restarts: &'p AtomicU64,
    /// Set when nothing more is to be played: after an error, or when the sink ends the work.
    ended: AtomicBool,
    error: Mutex<Option<ExecutorError>>,
    finished: Mutex<Finished<'p, 's>>,
    on_games: &'p OnGames<'p>,
    stop: &'p AtomicBool,
}

impl Playing<'_, '_> {
    fn work_on(&self, idle: &Mutex<Vec<Process>>) {
        let mut process: Option<Process> = None;
        while !self.stop.load(Ordering::Relaxed) && !self.ended.load(Ordering::Relaxed) {
            let Some(share) = self.requests.get(self.next.fetch_add(1, Ordering::Relaxed)) else {
                break;
            };
            match self.play(share, &mut process, idle) {
                Ok(results) => self.finish(share, results),
                Err(error) => {
                    self.ended.store(true, Ordering::Relaxed);
                    lock(&self.error).get_or_insert(error);
                }
            }
        }
        lock(idle).extend(process);
    }

    /// Plays a request; one that a program does not answer is tried once more on a new one.
    fn play(
        &self,
        share: &Share,
        process: &mut Option<Process>,
        idle: &Mutex<Vec<Process>>,
    ) -> Result<Vec<GameResult>, ExecutorError> {
        let unit = &self.work.units[share.unit];
        let agents = unit.agents.map(|agent| self.agents[agent]);
        let settings = &unit.settings;
        let task =
            |game| settings.schedule.task(settings.seed, unit.first_number, game, settings.games);
        let seeds: Vec<u64> = share.games.clone().step_by(2).map(|game| task(game).seed).collect();
        let request = Request { agents, seeds: &seeds };
        let command = &agents[0].command;
        let mut ask = |on_new: bool| {
            let is_it = |process: &Process| process.is_of(agents[0]);
            let mut running = match process.take().filter(is_it) {
                Some(running) => running,
                None => {
                    let waiting = |idle: &mut Vec<Process>| {
                        let place = idle.iter().position(is_it)?;
                        Some(idle.swap_remove(place))
                    };
                    let waiting = if on_new { None } else { waiting(&mut lock(idle)) };
                    waiting.map_or_else(|| Process::start(agents[0]), Ok)?
                }
            };
            // One that fails is dropped: it may still answer this request, when another one is asked.
            let results = running.ask(&request, self.stop)?;
            *process = Some(running);
            Ok(results)
        };
        let failed = |what: String| {
            let command = command.escape_debug();
            ExecutorError::Program(format!("the runner \"{command}\": {what}"))
        };
        let mut answer = ask(false);
        if let Err(Failed::Lost(what)) = &answer
            && !self.stop.load(Ordering::Relaxed)
        {
            tracing::warn!(runner = command, what, "asked again on a new program");
            self.restarts.fetch_add(1, Ordering::Relaxed);
            answer = ask(true);
        }
        answer.map_err(|error| match error {
            // A signal ends programs with the work: what they fail with then is nobody's fault.
            _ if self.stop.load(Ordering::Relaxed) => ExecutorError::Stopped,
            Failed::Stopped => ExecutorError::Stopped,
            Failed::Wrong(what) => failed(what),
            Failed::Lost(what) => {
                failed(format!("{what} (asked twice, each time of a new program)"))
            }
        })
    }

    /// Puts results to their unit, which goes to the sink when it is whole.
    fn finish(&self, share: &Share, results: Vec<GameResult>) {
        (self.on_games)(share.unit, results.len() as u64);
        let mut finished = lock(&self.finished);
        let parts = &mut finished.units[share.unit];
        parts.results.push((share.games.start, results));
        parts.left -= 1;
        if parts.left > 0 || self.ended.load(Ordering::Relaxed) {
            return;
        }
        let mut results = std::mem::take(&mut parts.results);
        results.sort_unstable_by_key(|(first, _)| *first);
        let games = results.into_iter().flat_map(|(_, results)| results).collect();
        if let ControlFlow::Break(()) = (finished.sink)(share.unit, games) {
            self.ended.store(true, Ordering::Relaxed);
        }
    }
}
