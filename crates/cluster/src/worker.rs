//! A worker: takes parts, plays them, and answers.

mod state;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{AckKind, Message};
use futures_util::future::join_all;
use futures_util::{StreamExt, TryStreamExt};
use tokio::sync::{mpsc, oneshot};

pub use self::state::{Allowed, read_work, share};
use self::state::{Job, Refusal, WorkerState};
use super::connection::{
    ENDED, HELLO, Notes, PARTS, PAUSE, Post, RESULTS, STATUS, WORKER_INBOX, of_session,
    random_name, stopped, until_done,
};
use super::key::Key;
use super::message::{
    EndMessage, PartMessage, PartOutcome, ResultMessage, Version, WorkerStatus, decode, encode,
    is_name,
};
use super::server::Server;
use super::streams::{ACK_WAIT, Streams, parts_consumer};
use tictune_core::agent::Known;
use tictune_core::arena::{Calls, Executor, ExecutorError, GameResult, OnGames, Work, lock};
use tictune_core::input::{InputError, Result};

pub struct Games<'g> {
    pub known: &'g Known,
    /// Makes what plays a game, by its name, on the threads of the current rayon pool.
    pub executor: &'g MakeExecutor<'g>,
}

type MakeExecutor<'g> = dyn Fn(&str) -> Result<Box<dyn Executor>> + Sync + 'g;

pub struct WorkerSettings {
    pub threads: usize,
    pub allowed: Allowed,
    pub key: Option<Key>,
}

/// Parts that a worker deals with for each thread: one is played, the next one waits, and of one the result is on its way.
const PARTS_A_THREAD: usize = 3;

/// A part that is none of this worker's goes back to the server so often, for others to take it.
const MOST_DELIVERIES: i64 = 20;

/// How long a request for a part stays with the server.
const REQUEST: Duration = Duration::from_secs(5);

/// How long a worker that gets no parts waits before it looks whether the streams are still there.
const LOOK_AGAIN: Duration = Duration::from_secs(30);

/// Works until it is stopped.
///
/// # Errors
/// A server that lets nobody in; a driver of another version or build, or with a key where this worker has none.
pub fn work(
    server: &Server,
    games: &Games<'_>,
    settings: &WorkerSettings,
    notes: &Notes,
    stop: &AtomicBool,
) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| InputError::new(error.to_string()))?;
    let name = format!("{}-{}-{}", host(), std::process::id(), &random_name()[..6]);
    let state = WorkerState::new(name, games, settings);
    let threads = settings.threads.max(1);
    let (send, receive) = mpsc::channel(threads);
    let receive = Mutex::new(receive);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (receive, state) = (&receive, &state);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
            let pool = pool.map_err(|error| InputError::new(error.to_string()))?;
            scope.spawn(move || play_jobs(receive, state, &pool));
        }
        let worked = runtime.block_on(async {
            let name = format!("tictune worker {}", state.name);
            let post = tokio::select! {
                post = server.connect(&name, WORKER_INBOX, settings.key.clone(), notes) => post?,
                () = stopped(stop) => return Ok(()),
            };
            let worker = Worker {
                post,
                state: &state,
                notes,
                jobs: send,
                strangers: AtomicBool::new(false),
                known: tokio::sync::Mutex::default(),
            };
            worker.run(threads, stop).await
        });
        // The players end when nobody can send them jobs.
        state.stop(|_| true);
        worked
    })
}

/// A job, and who gets the outcome and the seconds that it took; no outcome if the job was stopped.
type Assignment = (Job, oneshot::Sender<(Option<PartOutcome>, f64)>);

/// Plays jobs one after the other, on a thread of its own.
fn play_jobs(
    jobs: &Mutex<mpsc::Receiver<Assignment>>,
    state: &WorkerState<'_>,
    pool: &rayon::ThreadPool,
) {
    loop {
        let asked = lock(jobs).blocking_recv();
        let Some((Job { work, stop, .. }, done)) = asked else { return };
        let started = Instant::now();
        let count = |_, games| _ = state.played.fetch_add(games, Ordering::Relaxed);
        let played =
            pool.install(|| play_units(&*state.executor(&work.game)?, &work, &count, &stop));
        let outcome = match played {
            Ok(results) => Some(PartOutcome::Played(results)),
            Err(ExecutorError::Stopped) => None,
            Err(ExecutorError::Input(error)) => Some(PartOutcome::Input(error.to_string())),
            Err(ExecutorError::Start { agent, failure }) => {
                Some(PartOutcome::Failed(format!("agent \"{}\": {failure}", work.agents[agent])))
            }
            Err(error) => Some(PartOutcome::Failed(error.to_string())),
        };
        let _ = done.send((outcome, started.elapsed().as_secs_f64()));
    }
}

/// Plays a work on threads of this process: the games of each unit.
pub(crate) fn play_units(
    executor: &dyn Executor,
    work: &Work,
    on_games: &OnGames<'_>,
    stop: &AtomicBool,
) -> Result<Vec<Vec<GameResult>>, ExecutorError> {
    let mut results = vec![Vec::new(); work.units.len()];
    let mut sink = |unit: usize, result| {
        results[unit] = result;
        std::ops::ControlFlow::Continue(())
    };
    executor.play(work, Calls { sink: &mut sink, on_games, stop })?;
    Ok(results)
}

struct Worker<'w> {
    post: Post,
    state: &'w WorkerState<'w>,
    notes: &'w Notes,
    jobs: mpsc::Sender<Assignment>,
    /// Whether a note was made of parts of other drivers.
    strangers: AtomicBool,
    known: tokio::sync::Mutex<Option<Consumers>>,
}

/// The streams and the parts, as they were when they were last looked for.
struct Consumers {
    streams: Streams,
    parts: PullConsumer,
    when: Instant,
}

impl Worker<'_> {
    async fn run(&self, threads: usize, stop: &AtomicBool) -> Result<()> {
        let failed = |error: async_nats::client::SubscribeError| InputError::new(error.to_string());
        let (state, notes, client) = (self.state, self.notes, &self.post.client);
        let mut ended = client.subscribe(ENDED).await.map_err(failed)?;
        let mut hellos = client.subscribe(HELLO).await.map_err(failed)?;
        let status = async {
            let mut second = tokio::time::interval(Duration::from_secs(1));
            loop {
                tokio::select! {
                    _ = second.tick() => state.tick(),
                    Some(_) = hellos.next() => {}
                    Some(message) = ended.next() => {
                        if self.post.check(ENDED, &message).is_ok()
                            && let Ok(EndMessage { session, work }) = decode(&message.payload)
                        {
                            state.end(&session, work);
                        }
                        continue;
                    }
                    () = stopped(stop) => state.leave(String::new()),
                }
                self.post.tell(STATUS.into(), encode(&state.status(threads as u32))).await;
                if state.is_leaving() {
                    return;
                }
            }
        };
        let slots = async {
            tokio::select! {
                _ = self.consumer(LOOK_AGAIN) => {}
                () = state.left() => return,
            }
            notes(&format!("worker {} is ready; threads: {threads}", state.name));
            let slots = (0..threads * PARTS_A_THREAD).map(|_| self.take_parts());
            join_all(slots).await;
        };
        tokio::join!(status, slots);
        let left = WorkerStatus { threads: 0, ..state.status(0) };
        self.post.tell(STATUS.into(), encode(&left)).await;
        let _ = tokio::time::timeout(PAUSE, client.flush()).await;
        match state.why() {
            Some(reason) if !reason.is_empty() => Err(InputError::new(reason)),
            _ => Ok(()),
        }
    }

    /// The parts. Where the streams are not there, they are made: the first to come makes them, also after the server has
    /// lost them. A server does not say that they are gone, so they are looked for again after some time.
    async fn consumer(&self, fresh: Duration) -> PullConsumer {
        let (context, notes) = (&self.post.context, self.notes);
        // One at a time asks: a worker takes many parts at once.
        let mut known = self.known.lock().await;
        if let Some(found) = &*known
            && found.streams.connections == self.post.connections()
            && found.when.elapsed() < fresh
        {
            return found.parts.clone();
        }
        let before = known.as_ref().map(|found| &found.streams);
        let (streams, _) = Streams::find(&self.post, before, notes).await;
        let consumer = async || parts_consumer(context).await;
        let parts = until_done("the parts", notes, consumer).await;
        *known = Some(Consumers { streams, parts: parts.clone(), when: Instant::now() });
        parts
    }

    async fn take_parts(&self) {
        let mut fresh = LOOK_AGAIN;
        while !self.state.is_leaving() {
            let next = async {
                let consumer = self.consumer(fresh).await;
                tokio::select! {
                    message = next_part(&consumer) => message,
                    () = self.post.connected_again() => Err("a new connection".into()),
                }
            };
            let message = tokio::select! {
                message = next => message,
                () = self.state.left() => return,
            };
            fresh = if message.is_ok() { LOOK_AGAIN } else { PAUSE };
            match message {
                Ok(Some(message)) => {
                    self.state.held.fetch_add(1, Ordering::Relaxed);
                    let kind = while_holding(&message, self.answer(&message)).await;
                    acknowledge(&message, kind).await;
                    self.state.held.fetch_sub(1, Ordering::Relaxed);
                }
                Ok(None) => {}
                Err(error) => {
                    tracing::debug!(error, "no part");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }

    /// Plays the part in a message and publishes the result. How the message is to be acknowledged then.
    async fn answer(&self, message: &Message) -> AckKind {
        const GIVEN_BACK: AckKind = AckKind::Nak(Some(PAUSE));
        let part = match decode::<PartMessage>(&message.payload) {
            Ok(part) if is_name(&part.id.session) => part,
            other => {
                let reason = other.err().unwrap_or_else(|| "the name of its session".into());
                tracing::warn!(reason, "a part was refused");
                return AckKind::Term;
            }
        };
        if let Err(reason) = self.post.check(&of_session(PARTS, &part.id.session), message) {
            // It was signed with another key than this worker's, or was not signed: a worker of that driver may take it.
            let reason = format!("a part of a driver was refused: {reason}");
            if self.post.key.is_none() {
                self.state.leave(reason);
            } else if !self.strangers.swap(true, Ordering::Relaxed) {
                (self.notes)(&reason);
            }
            return match message.info() {
                Ok(info) if info.delivered < MOST_DELIVERIES => GIVEN_BACK,
                _ => AckKind::Term,
            };
        }
        if let Err(reason) = part.version.refuse("the driver") {
            self.state.leave(reason);
            return GIVEN_BACK;
        }
        let job = match self.state.prepare(&self.post, &part).await {
            Ok(Some(job)) => job,
            Ok(None) => {
                tracing::debug!(session = part.id.session, "a part that nobody waits for");
                return AckKind::Term;
            }
            Err(Refusal::Work(reason)) => {
                tracing::warn!(reason, "a part was given back");
                return GIVEN_BACK;
            }
            Err(Refusal::Worker(reason)) => {
                self.publish(&part, None, PartOutcome::Declined(reason.clone()), 0.0).await;
                self.state.leave(reason);
                return GIVEN_BACK;
            }
            Err(Refusal::Part(reason)) => {
                self.publish(&part, None, PartOutcome::Input(reason), 0.0).await;
                return AckKind::Ack;
            }
        };
        let (play_hash, (done, outcome)) = (job.play_hash, oneshot::channel());
        let _ = self.jobs.send((job, done)).await;
        let (outcome, seconds) = outcome.await.unwrap_or((None, 0.0));
        lock(&self.state.running).remove(&part.id);
        match outcome {
            Some(outcome) => {
                self.publish(&part, play_hash, outcome, seconds).await;
                AckKind::Ack
            }
            // Somebody else is to play it, unless nobody waits for it.
            None if self.state.is_leaving() => AckKind::Nak(None),
            None => AckKind::Term,
        }
    }

    async fn publish(
        &self,
        part: &PartMessage,
        play_hash: Option<u64>,
        outcome: PartOutcome,
        seconds: f64,
    ) {
        let PartMessage { id, work_hash, .. } = part.clone();
        let (version, worker) = (Version::of_this_program(), self.state.name.clone());
        let (subject, name) = (of_session(RESULTS, &id.session), format!("{id}/{worker}"));
        let result = ResultMessage { version, id, worker, work_hash, play_hash, seconds, outcome };
        let publishing = self.post.store("a result", self.notes, &subject, &name, encode(&result));
        tokio::select! {
            () = publishing => {}
            () = async {
                self.state.left().await;
                tokio::time::sleep(PAUSE * 4).await;
            } => {}
        }
    }
}

async fn next_part(consumer: &PullConsumer) -> Result<Option<Message>, String> {
    let batch = consumer.batch().max_messages(1).expires(REQUEST).messages().await;
    let mut batch = batch.map_err(|error| error.to_string())?;
    let limit = tokio::time::timeout(REQUEST * 2, batch.try_next()).await;
    limit.map_err(|_| "no answer".to_owned())?.map_err(|error| error.to_string())
}

/// Does something, and tells the server meanwhile that the message is being worked on.
async fn while_holding<T>(message: &Message, work: impl Future<Output = T>) -> T {
    let mut work = std::pin::pin!(work);
    loop {
        tokio::select! {
            done = &mut work => return done,
            () = tokio::time::sleep(ACK_WAIT / 4) => acknowledge(message, AckKind::Progress).await,
        }
    }
}

pub(crate) async fn acknowledge(message: &Message, kind: AckKind) {
    if let Err(error) = message.ack_with(kind).await {
        tracing::debug!(%error, "acknowledgement");
    }
}

/// The name of this machine, as far as it can be part of a worker's name.
fn host() -> String {
    #[cfg(unix)]
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    #[cfg(not(unix))]
    let name = std::env::var("COMPUTERNAME").unwrap_or_default();
    let name: String =
        name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(40).collect();
    if name.is_empty() { "worker".into() } else { name }
}
