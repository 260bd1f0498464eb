//! The executor that lets workers play.

mod play;

use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use async_nats::jetstream::consumer::pull::Stream as Messages;
use async_nats::{Client, Subscriber};
use futures_util::StreamExt;
use tokio::runtime::{Builder, Runtime};

use self::play::Play;
use super::checks::Checks;
use super::connection::{
    DRIVER_INBOX, Notes, PAUSE, Post, WORKS, of_session, random_name, stopped, until_done,
};
use super::dispatch::{Dispatch, Speed};
use super::key::{Key, hash_of};
use super::message::{WorkRequest, decode, encode};
use super::replay::Replay;
use super::roster::Roster;
use super::server::Server;
use super::streams::{Streams, results};
use tictune_core::arena::{Calls, Executor, ExecutorError, Work, lock};
use tictune_core::input::{InputError, Result};

/// The most bytes of a work that one answer holds.
const CHUNK: usize = 256 << 10;

/// How a driver makes sure that workers play what it asks them for.
pub struct Trust {
    pub key: Option<Key>,
    /// Which share of the parts it plays again, from 0 to 1. If it is not 0, also the first part of each worker.
    pub recheck: f64,
}

/// An executor whose games are played by workers. It connects to the server when there is something to play.
pub struct Cluster<'g> {
    server: Server,
    trust: Trust,
    notes: Notes,
    /// The threads of this process, which check what workers say.
    own: Box<dyn Executor + 'g>,
    session: Mutex<Option<(Runtime, DriverSession)>>,
}

impl<'g> Cluster<'g> {
    /// `notes` says what a person should know of the server. `own` plays on this process's threads.
    pub fn new(server: Server, trust: Trust, notes: Notes, own: Box<dyn Executor + 'g>) -> Self {
        Self { server, trust, notes, own, session: Mutex::new(None) }
    }

    fn open(&self, stop: &AtomicBool) -> Result<(Runtime, DriverSession), ExecutorError> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|error| InputError::new(error.to_string()))?;
        let session = runtime.block_on(async {
            tokio::select! {
                session = DriverSession::open(&self.server, &self.trust, &self.notes) => Ok(session?),
                () = stopped(stop) => Err(ExecutorError::Stopped),
            }
        })?;
        Ok((runtime, session))
    }
}

impl Executor for Cluster<'_> {
    fn play(&self, work: &Work, calls: Calls<'_>) -> Result<(), ExecutorError> {
        let Calls { sink, on_games, stop } = calls;
        work.check(work.agents.len())?;
        if work.units.is_empty() {
            return Ok(());
        }
        let mut session = lock(&self.session);
        let (runtime, session) = match &mut *session {
            Some(open) => open,
            none => none.insert(self.open(stop)?),
        };
        let bytes = encode(work);
        let (number, work_hash) = (session.next_work, hash_of(&bytes));
        session.next_work += 1;
        *lock(&session.current) = Some((number, bytes.into()));
        let own = &*self.own;
        let hash = || own.play_hash(&work.rules);
        let play_hash = *session.play_hashes.entry(work.rules.clone()).or_insert_with(hash);
        let dispatch = Dispatch::new(&work.units, session.speed);
        Replay::beside(work, own, |replay| {
            let mut play = Play {
                session,
                number,
                work,
                work_hash,
                play_hash,
                own,
                on_games,
                stop,
                dispatch,
                replay,
            };
            runtime.block_on(async {
                let played = play.run(sink).await;
                let _ = tokio::time::timeout(PAUSE * 4, play.end()).await;
                played
            })
        })
    }

    fn play_hash(&self, rules: &str) -> Option<u64> {
        self.own.play_hash(rules)
    }
}

type CurrentWork = Option<(u64, Arc<[u8]>)>;

/// One driver, from its first game to its end: what lasts from work to work.
struct DriverSession {
    post: Post,
    name: String,
    notes: Notes,
    roster: Arc<Roster>,
    /// The work that workers may ask for.
    current: Arc<Mutex<CurrentWork>>,
    next_work: u64,
    /// What this program plays, by rules.
    play_hashes: HashMap<String, Option<u64>>,
    results: Messages,
    streams: Streams,
    speed: Speed,
    /// The workers of which something was said.
    named: HashSet<String>,
    checks: Checks,
}

impl DriverSession {
    async fn open(server: &Server, trust: &Trust, notes: &Notes) -> Result<Self> {
        let failed = |error: &dyn Display| {
            InputError::new(format!("NATS server {}: {error}", server.name()))
        };
        let name = random_name();
        let post = server.connect("tictune driver", DRIVER_INBOX, trust.key.clone(), notes).await?;
        let (streams, _) = Streams::find(&post, None, notes).await;
        let listen = async || results(&post.context, &name).await;
        let results = until_done("the results", notes, listen).await;
        let requests = post.client.subscribe(of_session(WORKS, &name)).await;
        let requests = requests.map_err(|error| failed(&error))?;
        let roster = Roster::watch(&post, false, notes).await.map_err(|error| failed(&error))?;
        if trust.key.is_none() {
            notes(&format!(
                "results are not authenticated: anyone who can use the NATS server {} can send results, unless this command \
                 and the workers share a --key",
                server.name()
            ));
        }
        let current = Arc::default();
        tokio::spawn(answer_requests(post.client.clone(), requests, Arc::clone(&current)));
        Ok(Self {
            post,
            name,
            notes: Arc::clone(notes),
            roster,
            current,
            next_work: 0,
            play_hashes: HashMap::new(),
            results,
            streams,
            speed: Speed::default(),
            named: HashSet::new(),
            checks: Checks::new(trust.recheck),
        })
    }
}

impl Drop for DriverSession {
    fn drop(&mut self) {
        if let Some(text) = self.checks.in_words() {
            (self.notes)(&text);
        }
    }
}

/// Gives workers the works that they ask for, piece by piece.
async fn answer_requests(
    client: Client,
    mut requests: Subscriber,
    current: Arc<Mutex<CurrentWork>>,
) {
    while let Some(message) = requests.next().await {
        let Some(reply) = message.reply else { continue };
        let request = decode::<WorkRequest>(&message.payload)
            .inspect_err(|error| tracing::warn!(error, "a request was refused"));
        let Ok(request) = request else { continue };
        let bytes = lock(&current).clone().filter(|(number, _)| *number == request.work);
        // Nothing at all tells that the work has ended.
        let chunk = bytes.map_or_else(Vec::new, |(_, bytes)| {
            let from = request.from.min(bytes.len());
            let to = (from + CHUNK).min(bytes.len());
            [&(bytes.len() as u64).to_be_bytes(), &bytes[from..to]].concat()
        });
        let _ = client.publish(reply, chunk.into()).await;
    }
}
