//! What a worker holds: works, jobs, and what it knows of itself.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use tokio::sync::{OnceCell, watch};

use super::{Games, WorkerSettings};
use crate::connection::{PAUSE, Post, WORKS, of_session};
use crate::key::hash_of;
use crate::message::{
    PartId, PartMessage, Piece, Version, WorkRequest, WorkerStatus, encode, refuse_build,
};
use tictune_core::agent::{AgentSpec, Known};
use tictune_core::arena::{Executor, Unit, Work, lock};
use tictune_core::input::Result;

/// The most works that are kept for further parts.
const MOST_WORKS: usize = 8;

const MOST_BYTES: usize = 256 << 20;

/// The most games of a part, whose results a worker holds until it answers. Drivers ask for at most 1,501.
const MOST_GAMES: u64 = 10_000;

/// How many seconds the speed is measured over.
const SECONDS: usize = 10;

pub(crate) struct Job {
    pub work: Work,
    pub stop: Arc<AtomicBool>,
    /// What this program plays by the rules of the work.
    pub play_hash: Option<u64>,
}

/// Why a part is not played.
pub enum Refusal {
    /// Its work did not come as the driver has it.
    Work(String),
    /// The part is wrong, or asks for what this worker may not do.
    Part(String),
    /// The worker cannot work for this driver at all.
    Worker(String),
}

/// A driver's session, the number of a work in it, and the work's hash.
type WorkKey = (String, u64, String);

/// A work, once it has come; `None` if it has ended before.
type Fetched = Arc<OnceCell<Option<FetchedWork>>>;

struct FetchedWork {
    work: Work,
    play_hash: Option<u64>,
}

pub(crate) struct WorkerState<'s> {
    pub name: String,
    games: &'s Games<'s>,
    allowed: &'s Allowed,
    works: Mutex<VecDeque<(WorkKey, Fetched)>>,
    executors: Mutex<HashMap<String, Arc<dyn Executor>>>,
    /// What this program plays of the game and by the rules that were asked for last.
    play_hash: Mutex<Option<(String, String, Option<u64>)>>,
    /// Jobs that are waiting or being played, by session, work, part and attempt.
    pub running: Mutex<BTreeMap<PartId, Arc<AtomicBool>>>,
    /// Parts that it has and has not answered, and games since it started.
    pub held: AtomicU32,
    pub played: AtomicU64,
    /// The games played up to each of the last seconds.
    history: Mutex<VecDeque<u64>>,
    /// Why the worker leaves, once it does; empty if it was asked to.
    leaving: watch::Sender<Option<String>>,
}

impl<'s> WorkerState<'s> {
    pub(crate) fn new(name: String, games: &'s Games<'s>, settings: &'s WorkerSettings) -> Self {
        Self {
            name,
            games,
            allowed: &settings.allowed,
            works: Mutex::default(),
            executors: Mutex::default(),
            play_hash: Mutex::default(),
            running: Mutex::default(),
            held: AtomicU32::default(),
            played: AtomicU64::default(),
            history: Mutex::default(),
            leaving: watch::Sender::new(None),
        }
    }

    /// What plays a game. Programs that play stay from part to part.
    pub(crate) fn executor(&self, game: &str) -> Result<Arc<dyn Executor>> {
        Ok(Arc::clone(match lock(&self.executors).entry(game.into()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert((self.games.executor)(game)?.into()),
        }))
    }

    /// What this program plays of a game by some rules; `None` where nobody knows.
    fn play_hash(&self, game: &str, rules: &str) -> Result<Option<u64>> {
        let mut last = lock(&self.play_hash);
        match &*last {
            Some((of, by, hash)) if of == game && by == rules => Ok(*hash),
            _ => {
                let hash = self.executor(game)?.play_hash(rules);
                *last = Some((game.into(), rules.into(), hash));
                Ok(hash)
            }
        }
    }

    /// Makes a job of a part; `None` if nobody waits for it any more.
    pub(crate) async fn prepare(
        &self,
        post: &Post,
        part: &PartMessage,
    ) -> Result<Option<Job>, Refusal> {
        let fetched =
            self.place_for((part.id.session.clone(), part.id.work, part.work_hash.clone()));
        let known = fetched.get_or_try_init(|| self.fetch(post, part)).await?;
        let Some(FetchedWork { work, play_hash }) = known else { return Ok(None) };
        refuse_build("the driver", part.play_hash, *play_hash, &work.game)
            .map_err(Refusal::Worker)?;
        let work = share(work, &part.pieces).map_err(Refusal::Part)?;
        for agent in &work.agents {
            self.allowed.check(agent).map_err(Refusal::Part)?;
        }
        let stop = Arc::new(AtomicBool::new(self.is_leaving()));
        lock(&self.running).insert(part.id.clone(), Arc::clone(&stop));
        Ok(Some(Job { work, stop, play_hash: *play_hash }))
    }

    fn place_for(&self, key: WorkKey) -> Fetched {
        let mut works = lock(&self.works);
        if let Some((_, fetched)) = works.iter().find(|(known, _)| *known == key) {
            return Arc::clone(fetched);
        }
        if works.len() >= MOST_WORKS {
            works.pop_front();
        }
        let fetched = Fetched::default();
        works.push_back((key, Arc::clone(&fetched)));
        fetched
    }

    /// Asks the driver for a work; `None` if the driver is gone or the work has ended.
    async fn fetch(&self, post: &Post, part: &PartMessage) -> Result<Option<FetchedWork>, Refusal> {
        let mut bytes = Vec::new();
        loop {
            let request = WorkRequest { work: part.id.work, from: bytes.len() };
            let subject = of_session(WORKS, &part.id.session);
            let answer = post.client.request(subject, encode(&request).into()).await;
            let answer = match answer {
                Ok(answer) => answer.payload,
                Err(error) if error.kind() == async_nats::RequestErrorKind::NoResponders => {
                    return Ok(None);
                }
                Err(error) => {
                    tracing::debug!(%error, "asking for a work");
                    tokio::select! {
                        () = tokio::time::sleep(PAUSE) => continue,
                        () = self.left() => return Ok(None),
                    }
                }
            };
            let Some((length, chunk)) = answer.split_first_chunk::<8>() else { return Ok(None) };
            let length = usize::try_from(u64::from_be_bytes(*length)).unwrap_or(usize::MAX);
            bytes.extend_from_slice(chunk);
            if length > MOST_BYTES || bytes.len() > length || chunk.is_empty() {
                return Err(Refusal::Part("its work has a wrong length".into()));
            }
            if bytes.len() == length {
                if hash_of(&bytes) != part.work_hash {
                    let other = "the job that was received does not match the part: somebody else answers for the driver";
                    return Err(Refusal::Work(other.into()));
                }
                let work = read_work(&bytes, self.games.known)?;
                let play_hash = self.play_hash(&work.game, &work.rules);
                let play_hash = play_hash.map_err(|error| Refusal::Part(error.to_string()))?;
                return Ok(Some(FetchedWork { work, play_hash }));
            }
        }
    }

    pub(crate) fn end(&self, session: &str, work: u64) {
        lock(&self.works).retain(|((of, number, _), _)| (of.as_str(), *number) != (session, work));
        self.stop(|id| (id.session.as_str(), id.work) == (session, work));
    }

    pub(crate) fn stop(&self, is_meant: impl Fn(&PartId) -> bool) {
        for (_, stop) in lock(&self.running).iter().filter(|(name, _)| is_meant(name)) {
            stop.store(true, Ordering::Relaxed);
        }
    }

    /// Takes no more parts, and gives back those that it has.
    pub(crate) fn leave(&self, reason: String) {
        self.leaving.send_if_modified(|why| {
            let first = why.is_none();
            why.get_or_insert(reason);
            first
        });
        self.stop(|_| true);
    }

    pub(crate) fn is_leaving(&self) -> bool {
        self.why().is_some()
    }

    pub(crate) fn why(&self) -> Option<String> {
        self.leaving.borrow().clone()
    }

    pub(crate) async fn left(&self) {
        let _ = self.leaving.subscribe().wait_for(Option::is_some).await;
    }

    /// To be called every second.
    pub(crate) fn tick(&self) {
        let mut history = lock(&self.history);
        history.push_back(self.played.load(Ordering::Relaxed));
        if history.len() > SECONDS + 1 {
            history.pop_front();
        }
    }

    pub(crate) fn status(&self, threads: u32) -> WorkerStatus {
        let games = self.played.load(Ordering::Relaxed);
        let history = lock(&self.history);
        let first = history.front().copied().unwrap_or(games);
        let seconds = history.len().saturating_sub(1).max(1);
        WorkerStatus {
            version: Version::of_this_program(),
            worker: self.name.clone(),
            threads,
            games_per_second: history.back().map_or(0, |last| last - first) as f64 / seconds as f64,
            parts: self.held.load(Ordering::Relaxed),
            games,
        }
    }
}

/// The programs that a worker may start. Nobody on the network can make it start anything else.
#[derive(Clone, Debug, Default)]
pub struct Allowed {
    /// Commands, as in the agents: `external:cmd="..."`.
    pub programs: Vec<String>,
    /// Variables that may be set in the environment of these programs.
    pub variables: Vec<String>,
}

impl Allowed {
    pub fn check(&self, agent: &AgentSpec) -> Result<(), String> {
        let Some(program) = agent.program() else { return Ok(()) };
        let (command, variables) = (program.command(), program.env());
        if !self.programs.iter().any(|known| known == command) {
            return Err(format!(
                "it may not start {command:?}; start workers that have the program with --allow-program and this command"
            ));
        }
        match variables.keys().find(|name| !self.variables.contains(name)) {
            None => Ok(()),
            Some(name) => Err(format!(
                "it may not set the variable {name:?} for a program; start workers with --allow-env and this name"
            )),
        }
    }
}

/// Reads a work, which the network may have made up.
pub fn read_work(bytes: &[u8], known: &Known) -> Result<Work, Refusal> {
    let text = str::from_utf8(bytes).map_err(|error| Refusal::Part(error.to_string()))?;
    let work: Work = known.from_json(text).map_err(|error| {
        let text: String = error.to_string().chars().take(200).collect();
        Refusal::Part(format!("its job cannot be read: {}", text.escape_debug()))
    })?;
    work.check(work.agents.len()).map_err(|error| Refusal::Part(error.to_string()))?;
    Ok(work)
}

/// The games of a part as a work of their own, with their agents and openings only.
pub fn share(work: &Work, pieces: &[Piece]) -> Result<Work, String> {
    let games = pieces.iter().fold(0_u64, |sum, piece| sum.saturating_add(piece.count()));
    if games > MOST_GAMES {
        return Err(format!("it has {games} games, and no part has more than {MOST_GAMES}"));
    }
    let (mut agents, mut openings) = (Vec::new(), Vec::new());
    let mut units = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let unit = work.units.get(piece.unit);
        let fits = |unit: &&Unit| {
            unit.range.start <= piece.games.start
                && piece.games.start < piece.games.end
                && piece.games.end <= unit.range.end
        };
        let unit = unit.filter(fits).ok_or("it names games that its job does not have")?;
        let place = |known: &mut Vec<usize>, wanted: usize| {
            known.iter().position(|&number| number == wanted).unwrap_or_else(|| {
                known.push(wanted);
                known.len() - 1
            })
        };
        units.push(Unit {
            agents: unit.agents.map(|agent| place(&mut agents, agent)),
            openings: place(&mut openings, unit.openings),
            range: piece.games.clone(),
            ..unit.clone()
        });
    }
    Ok(Work {
        game: work.game.clone(),
        rules: work.rules.clone(),
        agents: agents.iter().map(|&agent| work.agents[agent].clone()).collect(),
        openings: openings.iter().map(|&number| work.openings[number].clone()).collect(),
        units,
        must_start: work.must_start,
    })
}
