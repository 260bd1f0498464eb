//! The executor that lets workers play.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_nats::Client;
use async_nats::jetstream::consumer::pull::Stream as Messages;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::Stream;
use async_nats::jetstream::{Context, Message};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::runtime::Runtime;

use super::connection::{ENDED, Notes, PAUSE, parts_of, until_done, word_to};
use super::dispatch::{Dispatch, Handout, Receipt, Speed};
use super::message::{
    EndMessage, PartMessage, ResultMessage, Version, WorkMessage, decode, encode, is_name,
};
use super::roster::Roster;
use super::server::Server;
use super::session::{CurrentWork, Opened, answer_requests, listen, open, random_name, stopped};
use super::worker::{Share, play_units, share};
use crate::agent::{AgentKind, AgentSpec};
use crate::arena::{Executor, ExecutorError, OnGames, UnitSink, Work, lock};
use crate::input::InputError;

/// How often the driver looks whether it has to stop, or to hand parts out again.
const TICK: Duration = Duration::from_millis(50);

/// How long there may be no worker before a note says so.
const ALONE: Duration = Duration::from_secs(3);

/// So many workers with wrong answers are remembered: names cost nothing.
const MOST_LIARS: usize = 1000;

/// Workers that gave this many answers that do not fit are told to stop.
const MOST_WRONG: u32 = 3;

/// An executor whose games are played by workers. It connects to the server when there is something to play.
pub(crate) struct Cluster<'g> {
    server: Server,
    notes: Notes,
    rules_hash: Box<RulesHash<'g>>,
    /// The threads of this process, which check what workers say.
    own: Box<dyn Executor + 'g>,
    session: Mutex<Option<Session>>,
}

/// Gives the hash of the rules, by their text.
pub(crate) type RulesHash<'g> = dyn Fn(&str) -> Result<u64, InputError> + Send + Sync + 'g;

impl<'g> Cluster<'g> {
    /// An executor that uses a server. `notes` says what a person should know of it. `own` plays on this process's
    /// threads.
    pub(crate) fn new(
        server: Server,
        notes: Notes,
        rules_hash: Box<RulesHash<'g>>,
        own: Box<dyn Executor + 'g>,
    ) -> Self {
        Self { server, notes, rules_hash, own, session: Mutex::new(None) }
    }
}

impl Executor for Cluster<'_> {
    fn play(
        &self,
        work: &Work,
        sink: &mut UnitSink<'_>,
        on_games: &OnGames<'_>,
        stop: &AtomicBool,
    ) -> Result<(), ExecutorError> {
        work.check(work.agents.len())?;
        if work.units.is_empty() {
            return Ok(());
        }
        let rules_hash = (self.rules_hash)(&work.rules)?;
        let mut session = lock(&self.session);
        let session = match &mut *session {
            Some(session) => session,
            none => none.insert(Session::open(&self.server, &self.notes, stop)?),
        };
        let bytes = encode(&WorkMessage { rules_hash, work: work.clone() })?;
        session.play(work, &*self.own, bytes, sink, on_games, stop)
    }

    fn play_hash(&self, rules: &str) -> Option<u64> {
        self.own.play_hash(rules)
    }
}

/// One driver, from its first game to its end.
struct Session {
    runtime: Runtime,
    client: Client,
    context: Context,
    parts: Stream,
    name: String,
    notes: Notes,
    roster: Arc<Roster>,
    /// The work that workers may ask for.
    current: Arc<Mutex<CurrentWork>>,
    next_work: u64,
    state: State,
}

/// What lasts from work to work.
struct State {
    results: Messages,
    speed: Speed,
    /// Answers that did not fit, by worker.
    wrong: HashMap<String, u32>,
}

impl Session {
    /// Connects to a server and begins a session. While the server is away, it waits.
    ///
    /// # Errors
    /// A server that lets nobody in; [`ExecutorError::Stopped`] if `stop` was set meanwhile.
    fn open(server: &Server, notes: &Notes, stop: &AtomicBool) -> Result<Self, ExecutorError> {
        let failed = |error: std::io::Error| InputError::new(error.to_string());
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .map_err(failed)?;
        let name = random_name();
        let opened = runtime.block_on(async {
            tokio::select! {
                opened = open(server, &name, notes) => Ok(opened?),
                () = stopped(stop) => Err(ExecutorError::Stopped),
            }
        });
        let Opened { client, context, parts, results, requests, roster } = opened?;
        let current = Arc::default();
        runtime.spawn(answer_requests(client.clone(), requests, Arc::clone(&current)));
        let state = State { results, speed: Speed::default(), wrong: HashMap::new() };
        let notes = Arc::clone(notes);
        Ok(Self {
            runtime,
            client,
            context,
            parts,
            name,
            notes,
            roster,
            current,
            next_work: 0,
            state,
        })
    }

    /// Lets workers play a work, which these bytes hold.
    fn play(
        &mut self,
        work: &Work,
        own: &dyn Executor,
        bytes: Vec<u8>,
        sink: &mut UnitSink<'_>,
        on_games: &OnGames<'_>,
        stop: &AtomicBool,
    ) -> Result<(), ExecutorError> {
        let number = self.next_work;
        self.next_work += 1;
        *lock(&self.current) = Some((number, bytes.into()));
        let Self { runtime, client, context, parts, name, notes, roster, current, state, .. } =
            self;
        let driving = Driving { client, context, name, notes, roster, number, work, own, stop };
        runtime.block_on(async {
            let played = driving.drive(sink, on_games, state).await;
            *lock(current) = None;
            let _ = tokio::time::timeout(PAUSE * 4, driving.end(parts)).await;
            played
        })
    }
}

/// A work that is being played.
struct Driving<'s> {
    client: &'s Client,
    context: &'s Context,
    name: &'s str,
    notes: &'s Notes,
    roster: &'s Roster,
    number: u64,
    work: &'s Work,
    own: &'s dyn Executor,
    stop: &'s AtomicBool,
}

impl Driving<'_> {
    async fn drive(
        &self,
        sink: &mut UnitSink<'_>,
        on_games: &OnGames<'_>,
        state: &mut State,
    ) -> Result<(), ExecutorError> {
        let mut dispatch = Dispatch::new(&self.work.units, state.speed);
        let mut publishing = FuturesUnordered::new();
        let mut tick = tokio::time::interval(TICK);
        let (started, mut said_alone) = (Instant::now(), false);
        loop {
            while let Some((unit, result)) = dispatch.finished() {
                if sink(unit, result).is_break() {
                    return Ok(());
                }
            }
            state.speed = dispatch.speed();
            if dispatch.is_done() {
                return Ok(());
            }
            while let Some(handout) = dispatch.hand_out(self.roster.threads(), Instant::now()) {
                publishing.push(self.publish(handout));
            }
            tokio::select! {
                Some(()) = publishing.next() => {}
                message = state.results.next() => match message {
                    Some(Ok(message)) => {
                        self.receive(&message, &mut dispatch, on_games, &mut state.wrong).await?;
                    }
                    Some(Err(error)) => {
                        tracing::debug!(%error, "results");
                        self.listen_again(state).await;
                    }
                    None => self.listen_again(state).await,
                },
                _ = tick.tick() => {
                    if self.stop.load(Ordering::Relaxed) {
                        return Err(ExecutorError::Stopped);
                    }
                    if !said_alone && started.elapsed() > ALONE && self.roster.threads() == 0 {
                        said_alone = true;
                        (self.notes)("no worker is there; start some with `tictune worker` and the address of the server");
                    }
                }
            }
        }
    }

    /// Puts a part into the stream. The server drops it if it has it already.
    async fn publish(&self, Handout { part, attempt, pieces }: Handout) {
        let (version, session, work) =
            (Version::of_this_program(), self.name.to_owned(), self.number);
        let message = PartMessage { version, session, work, part, attempt, pieces };
        let Ok(bytes) = encode(&message) else { return };
        let bytes = bytes::Bytes::from(bytes);
        until_done("a part", self.notes, || async {
            let message = PublishMessage::build().payload(bytes.clone()).message_id(message.id());
            self.context
                .send_publish(parts_of(self.name), message)
                .await
                .map_err(|error| error.to_string())?
                .await
                .map_err(|error| error.to_string())
        })
        .await;
    }

    /// Takes a result from the stream.
    async fn receive(
        &self,
        message: &Message,
        dispatch: &mut Dispatch<'_>,
        on_games: &OnGames<'_>,
        wrong: &mut HashMap<String, u32>,
    ) -> Result<(), ExecutorError> {
        if let Err(error) = message.ack().await {
            tracing::debug!(%error, "acknowledgement");
        }
        let result: ResultMessage = match decode(&message.payload) {
            Ok(result) => result,
            Err(error) => {
                tracing::warn!(error, "a result was refused");
                return Ok(());
            }
        };
        let ResultMessage { version, session, work, part, worker, seconds, outcome, .. } = result;
        if session != self.name || work != self.number {
            tracing::debug!(worker, "a result of an earlier work");
            return Ok(());
        }
        let receipt = match version.refuse("it") {
            Err(reason) => Receipt::Refused(reason),
            Ok(()) => match outcome.into_result(&worker, self.work.agents.len()) {
                Ok(results) => dispatch.receive(part, seconds, results, Instant::now()),
                Err(error) => {
                    let (receipt, reason) = self.doubt(error, part, dispatch)?;
                    if let Some(reason) = reason {
                        self.refuse(&worker, &reason, wrong).await;
                    }
                    receipt
                }
            },
        };
        match receipt {
            Receipt::Counted(pieces) => {
                for piece in pieces {
                    on_games(piece.unit, piece.count());
                }
            }
            Receipt::Superfluous => tracing::debug!(worker, part, "answered twice"),
            Receipt::Refused(reason) => self.refuse(&worker, &reason, wrong).await,
        }
        Ok(())
    }

    /// Plays a part of which a worker says that it cannot be played: anybody on the network may say so. Gives the results,
    /// and why the worker was wrong. Where outside programs play, the worker is believed, since it alone knows its programs.
    ///
    /// # Errors
    /// Why the part cannot be played.
    fn doubt(
        &self,
        error: ExecutorError,
        part: u64,
        dispatch: &mut Dispatch<'_>,
    ) -> Result<(Receipt, Option<String>), ExecutorError> {
        let pieces = match dispatch.pieces(part) {
            Ok(pieces) => pieces,
            Err(receipt) => return Ok((receipt, None)),
        };
        let Share { work, .. } = share(self.work, pieces).map_err(InputError::new)?;
        let is_program =
            |agent: &AgentSpec| matches!(agent.kind, AgentKind::External(_) | AgentKind::Runner(_));
        if work.agents.iter().any(is_program) {
            return Err(error);
        }
        let results = play_units(self.own, &work, &|_, _| (), self.stop)?;
        let reason = format!("it says that there is an error, and here there is none: {error}");
        Ok((dispatch.count(part, results), Some(reason)))
    }

    /// Reports an answer that does not fit, and tells a worker that gives such answers to stop.
    async fn refuse(&self, worker: &str, reason: &str, wrong: &mut HashMap<String, u32>) {
        let worker: String = worker.chars().take(80).collect();
        let reason: String = reason.chars().take(300).collect();
        tracing::warn!(worker = %worker.escape_debug(), reason, "a result was refused");
        if !is_name(&worker) || wrong.len() >= MOST_LIARS && !wrong.contains_key(&worker) {
            return;
        }
        let count = wrong.entry(worker.clone()).or_default();
        *count += 1;
        if *count == 1 {
            (self.notes)(&format!("a result of worker {worker} was refused: {reason}"));
        }
        if *count >= MOST_WRONG {
            let word = format!("its results do not fit: {reason}");
            let _ = self.client.publish(word_to(&worker), word.into()).await;
        }
    }

    /// Asks for results anew, after the connection was lost.
    async fn listen_again(&self, state: &mut State) {
        tokio::time::sleep(PAUSE).await;
        state.results = listen(self.context, self.name, self.notes).await;
    }

    /// Ends the work: nobody needs its parts any more.
    async fn end(&self, parts: &Stream) {
        let (session, subject) = (self.name.to_owned(), parts_of(self.name));
        if let Ok(bytes) = encode(&EndMessage { session, work: self.number }) {
            let _ = self.client.publish(ENDED, bytes.into()).await;
        }
        if let Err(error) = parts.purge().filter(subject).await {
            tracing::debug!(%error, "parts that nobody needs stay in the stream");
        }
    }
}
