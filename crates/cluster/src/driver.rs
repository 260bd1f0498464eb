//! The executor that lets workers play.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use tokio::runtime::Runtime;

use super::checks::Checks;
use super::connection::{Notes, PAUSE, Post};
use super::dispatch::Speed;
use super::driving::{Driving, State};
use super::key::{Key, hash_of};
use super::message::encode;
use super::replay::Replay;
use super::roster::Roster;
use super::server::Server;
use super::session::{CurrentWork, Opened, answer_requests, open, random_name, stopped};
use tictune_core::arena::{Executor, ExecutorError, OnGames, UnitSink, Work, lock};
use tictune_core::input::InputError;

/// How a driver makes sure that workers play what it asks them for.
#[derive(Clone, Debug)]
pub struct Trust {
    /// The key that it shares with its workers.
    pub key: Option<Key>,
    /// Which share of the parts it plays again, from 0 to 1. If it is not 0, at least one part of each worker.
    pub recheck: f64,
}

/// An executor whose games are played by workers. It connects to the server when there is something to play.
pub struct Cluster<'g> {
    server: Server,
    trust: Trust,
    notes: Notes,
    /// The threads of this process, which check what workers say.
    own: Box<dyn Executor + 'g>,
    session: Mutex<Option<Session>>,
}

impl<'g> Cluster<'g> {
    /// An executor that uses a server. `notes` says what a person should know of it. `own` plays on this process's
    /// threads.
    pub fn new(server: Server, trust: Trust, notes: Notes, own: Box<dyn Executor + 'g>) -> Self {
        Self { server, trust, notes, own, session: Mutex::new(None) }
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
        let mut session = lock(&self.session);
        let session = match &mut *session {
            Some(session) => session,
            none => none.insert(Session::open(&self.server, &self.trust, &self.notes, stop)?),
        };
        session.play(work, &*self.own, sink, on_games, stop)
    }

    fn play_hash(&self, rules: &str) -> Option<u64> {
        self.own.play_hash(rules)
    }
}

/// One driver, from its first game to its end.
struct Session {
    runtime: Runtime,
    post: Post,
    name: String,
    notes: Notes,
    roster: Arc<Roster>,
    /// The work that workers may ask for.
    current: Arc<Mutex<CurrentWork>>,
    next_work: u64,
    /// What this program plays, by rules.
    play_hashes: HashMap<String, Option<u64>>,
    said_unchecked: bool,
    state: State,
}

impl Session {
    /// Connects to a server and begins a session. While the server is away, it waits.
    ///
    /// # Errors
    /// A server that lets nobody in; [`ExecutorError::Stopped`] if `stop` was set meanwhile.
    fn open(
        server: &Server,
        trust: &Trust,
        notes: &Notes,
        stop: &AtomicBool,
    ) -> Result<Self, ExecutorError> {
        let failed = |error: std::io::Error| InputError::new(error.to_string());
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .map_err(failed)?;
        let name = random_name();
        let opened = runtime.block_on(async {
            tokio::select! {
                opened = open(server, trust.key.clone(), &name, notes) => Ok(opened?),
                () = stopped(stop) => Err(ExecutorError::Stopped),
            }
        });
        let Opened { post, streams, results, requests, roster } = opened?;
        if trust.key.is_none() {
            notes(&format!(
                "results are not authenticated: whoever gets into the NATS server {} can send some, unless this command and \
                 the workers share a --key",
                server.name()
            ));
        }
        let current = Arc::default();
        runtime.spawn(answer_requests(post.client.clone(), requests, Arc::clone(&current)));
        let state = State {
            results,
            streams,
            connections: post.connections(),
            speed: Speed::default(),
            wrong: HashMap::new(),
            checks: Checks::new(trust.recheck),
        };
        Ok(Self {
            runtime,
            post,
            name,
            notes: Arc::clone(notes),
            roster,
            current,
            next_work: 0,
            play_hashes: HashMap::new(),
            said_unchecked: false,
            state,
        })
    }

    /// Lets workers play a work.
    fn play(
        &mut self,
        work: &Work,
        own: &dyn Executor,
        sink: &mut UnitSink<'_>,
        on_games: &OnGames<'_>,
        stop: &AtomicBool,
    ) -> Result<(), ExecutorError> {
        self.say_unchecked(work);
        let bytes = encode(work)?;
        let (number, work_hash) = (self.next_work, hash_of(&bytes));
        self.next_work += 1;
        *lock(&self.current) = Some((number, bytes.into()));
        let play_hash = *self
            .play_hashes
            .entry(work.rules.clone())
            .or_insert_with(|| own.play_hash(&work.rules));
        let Self { runtime, post, name, notes, roster, current, state, .. } = self;
        let driving =
            Driving { post, name, notes, roster, number, work, work_hash, play_hash, own, stop };
        Replay::beside(work, own, |replay| {
            runtime.block_on(async {
                let played = driving.drive(sink, on_games, state, replay).await;
                *lock(current) = None;
                let _ = tokio::time::timeout(PAUSE * 4, driving.end(&state.streams)).await;
                played
            })
        })
    }

    /// Says once that there are games whose results cannot be checked by playing them again.
    fn say_unchecked(&mut self, work: &Work) {
        let unchecked = work.agents.iter().any(|agent| !agent.is_repeatable());
        if unchecked && !self.said_unchecked && self.state.checks.rechecks() {
            self.said_unchecked = true;
            (self.notes)(
                "games in which clocks, outside programs or several threads of a search decide are not played again to check \
                 the workers",
            );
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(text) = self.state.checks.in_words() {
            (self.notes)(&text);
        }
    }
}
