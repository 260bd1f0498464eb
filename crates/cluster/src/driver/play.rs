//! A work on its way through the hands of the workers.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;

use super::DriverSession;
use crate::checks::{Recheck, digest, repeatable};
use crate::connection::{ENDED, PARTS, PAUSE, RESULTS, TICK, of_session, stopped, until_done};
use crate::dispatch::{Dispatch, Handout, Receipt};
use crate::message::{
    EndMessage, PartId, PartMessage, PartOutcome, ResultMessage, Version, decode, encode, is_name,
    refuse_build, said, shown_name,
};
use crate::replay::{Replay, Replayed};
use crate::streams::{Streams, results};
use crate::worker::{acknowledge, play_units, share};
use tictune_core::arena::{Executor, ExecutorError, GameResult, OnGames, UnitSink, Work, lock};
use tictune_core::input::InputError;

/// How long there may be no worker before a note says so.
const ALONE: Duration = Duration::from_secs(3);

/// The most workers of which something is said.
const MOST_NAMES: usize = 1000;

pub(super) struct Play<'s> {
    pub(super) session: &'s mut DriverSession,
    pub(super) number: u64,
    pub(super) work: &'s Work,
    pub(super) work_hash: String,
    /// What this program plays by the work's rules.
    pub(super) play_hash: Option<u64>,
    pub(super) own: &'s dyn Executor,
    pub(super) on_games: &'s OnGames<'s>,
    pub(super) stop: &'s AtomicBool,
    pub(super) dispatch: Dispatch<'s>,
    pub(super) replay: &'s mut Replay,
}

impl Play<'_> {
    pub(super) async fn run(&mut self, sink: &mut UnitSink<'_>) -> Result<(), ExecutorError> {
        self.let_play(sink).await?;
        while self.replay.waiting > 0 {
            tokio::select! {
                replayed = self.replay.next() => self.compare(replayed)?,
                () = stopped(self.stop) => return Err(ExecutorError::Stopped),
            }
        }
        Ok(())
    }

    /// Hands parts out and takes answers until the last unit is finished, or the sink wants no more.
    async fn let_play(&mut self, sink: &mut UnitSink<'_>) -> Result<(), ExecutorError> {
        let mut publishing = FuturesUnordered::new();
        let mut tick = tokio::time::interval(TICK);
        let (started, mut said_alone) = (Instant::now(), false);
        loop {
            while let Some((unit, result)) = self.dispatch.finished() {
                if sink(unit, result).is_break() {
                    return Ok(());
                }
            }
            self.session.speed = self.dispatch.speed;
            if self.dispatch.is_done() {
                return Ok(());
            }
            let threads = || self.session.roster.threads();
            while let Some(handout) = self.dispatch.hand_out(threads(), Instant::now()) {
                publishing.push(self.publish(handout));
            }
            tokio::select! {
                Some(()) = publishing.next() => {}
                message = self.session.results.next() => match message {
                    Some(Ok(message)) => self.receive(&message).await?,
                    broken => {
                        tracing::debug!(error = ?broken.and_then(Result::err), "results");
                        tokio::time::sleep(PAUSE).await;
                        self.look_for_streams(true).await?;
                    }
                },
                replayed = self.replay.next(), if self.replay.waiting > 0 => self.compare(replayed)?,
                _ = tick.tick() => {
                    if self.stop.load(Ordering::Relaxed) {
                        return Err(ExecutorError::Stopped);
                    }
                    if !said_alone && started.elapsed() > ALONE && threads() == 0 {
                        said_alone = true;
                        (self.session.notes)("no workers are connected; start some with `tictune worker` and the address of the server");
                    }
                    if self.session.post.connections() != self.session.streams.connections {
                        self.look_for_streams(false).await?;
                    }
                }
            }
        }
    }

    /// Looks for the streams after the connection was made again, or results no longer come. If the server has lost them, they
    /// are made again, and so are the parts in them.
    async fn look_for_streams(&mut self, listen: bool) -> Result<(), ExecutorError> {
        let Self { session, dispatch, stop, .. } = self;
        let look = async {
            let DriverSession { post, notes, name, .. } = &**session;
            let (streams, lost) = Streams::find(post, Some(&session.streams), notes).await;
            if lost {
                dispatch.lose_all();
            }
            if lost || listen {
                let again = async || results(&post.context, name).await;
                session.results = until_done("the results", notes, again).await;
            }
            session.streams = streams;
        };
        tokio::select! {
            () = look => Ok(()),
            () = stopped(stop) => Err(ExecutorError::Stopped),
        }
    }

    fn publish(
        &self,
        Handout { part, attempt, pieces }: Handout,
    ) -> impl Future<Output = ()> + use<> {
        let (post, notes) = (self.session.post.clone(), self.session.notes.clone());
        let subject = of_session(PARTS, &self.session.name);
        let message = PartMessage {
            version: Version::of_this_program(),
            id: PartId { session: self.session.name.clone(), work: self.number, part, attempt },
            pieces,
            work_hash: self.work_hash.clone(),
            play_hash: self.play_hash,
        };
        async move {
            let (id, bytes) = (message.id.to_string(), encode(&message));
            post.store("a part", &notes, &subject, &id, bytes).await;
        }
    }

    /// Ends the work: nobody needs its parts any more.
    pub(super) async fn end(&mut self) {
        let DriverSession { post, name, current, streams, .. } = &*self.session;
        *lock(current) = None;
        let ended = EndMessage { session: name.clone(), work: self.number };
        post.tell(ENDED.into(), encode(&ended)).await;
        if let Err(error) = streams.parts.purge().filter(of_session(PARTS, name)).await {
            tracing::debug!(%error, "parts that nobody needs stay in the stream");
        }
    }

    fn compare(&mut self, replayed: Option<Replayed>) -> Result<(), ExecutorError> {
        let Some((recheck, results)) = replayed else { return Ok(()) };
        self.session.checks.compare(&recheck, &results?)
    }

    /// Takes a result from the stream. An error is of a part that cannot be played.
    async fn receive(&mut self, message: &Message) -> Result<(), ExecutorError> {
        acknowledge(message, AckKind::Ack).await;
        let result = decode::<ResultMessage>(&message.payload)
            .inspect_err(|error| tracing::warn!(error, "a result was refused"));
        let Ok(result) = result else { return Ok(()) };
        let (worker, part) = (result.worker.clone(), result.id.part);
        // Those without a key may use anybody's name.
        if let Err(reason) =
            self.session.post.check(&of_session(RESULTS, &self.session.name), message)
        {
            self.refuse(&worker, reason);
            return Ok(());
        }
        if (&result.id.session, result.id.work) != (&self.session.name, self.number) {
            return Ok(());
        }
        let receipt = match self.accept(&result).map(|()| result.outcome) {
            Err(reason) => {
                self.dispatch.refuse(part);
                Receipt::Refused(reason)
            }
            // The worker has given it back.
            Ok(PartOutcome::Declined(reason)) => {
                let name = shown_name(&worker);
                let text = format!("worker {name} does not play; it says: {reason}");
                self.say_once(&worker, &text);
                return Ok(());
            }
            Ok(PartOutcome::Played(results)) => self.count(&worker, part, result.seconds, results),
            Ok(PartOutcome::Input(text)) => {
                let error = InputError::new(said(&worker, &text)).into();
                self.doubt(error, &worker, part)?
            }
            Ok(PartOutcome::Failed(text)) => {
                let error = ExecutorError::Program(said(&worker, &text));
                self.doubt(error, &worker, part)?
            }
        };
        match receipt {
            Receipt::Counted(pieces) => {
                for piece in pieces {
                    (self.on_games)(piece.unit, piece.count());
                }
            }
            Receipt::Superfluous => tracing::debug!(worker, part, "answered twice"),
            Receipt::Refused(reason) => self.refuse(&worker, &reason),
        }
        Ok(())
    }

    /// Whether a result is one of this work, by this version and build of the program.
    fn accept(&self, result: &ResultMessage) -> Result<(), String> {
        result.version.refuse("it")?;
        if result.work_hash != self.work_hash {
            return Err("it played another job".into());
        }
        match &result.outcome {
            PartOutcome::Played(_) if result.play_hash != self.play_hash => {
                refuse_build("it", result.play_hash, self.play_hash, &self.work.game)?;
                Err("either it or this program does not report how its build plays".into())
            }
            _ => Ok(()),
        }
    }

    /// Counts the results of a part, which may then have to be played again.
    fn count(
        &mut self,
        worker: &str,
        part: u64,
        seconds: f64,
        results: Vec<Vec<GameResult>>,
    ) -> Receipt {
        let pieces = self.dispatch.pieces(part);
        let detail = pieces.and_then(|pieces| repeatable(self.work, pieces));
        let digest = detail.map(|detail| (detail, digest(&results, detail)));
        let receipt = self.dispatch.receive(part, seconds, results, Instant::now());
        let worker = shown_name(worker);
        if let (Receipt::Counted(pieces), Some((detail, digest))) = (&receipt, digest)
            && self.session.checks.chooses(&worker)
        {
            let pieces = pieces.clone();
            self.replay.ask(Recheck { work: self.number, part, pieces, worker, detail, digest });
        }
        receipt
    }

    /// Plays a part of which a worker says that it cannot be played: anybody on the network may say so. Where outside programs
    /// play, the worker is believed, since it alone knows its programs.
    fn doubt(
        &mut self,
        error: ExecutorError,
        worker: &str,
        part: u64,
    ) -> Result<Receipt, ExecutorError> {
        let Some(pieces) = self.dispatch.pieces(part) else {
            return Ok(self.dispatch.unknown(part));
        };
        let work = share(self.work, pieces).map_err(InputError::new)?;
        if work.agents.iter().any(|agent| agent.program().is_some()) {
            return Err(error);
        }
        let results = play_units(self.own, &work, &|_, _| (), self.stop)?;
        let receipt = self.dispatch.count(part, results);
        let reason = format!("it reports an error that does not occur here: {error}");
        self.refuse(worker, &reason);
        Ok(receipt)
    }

    fn refuse(&mut self, worker: &str, reason: &str) {
        let name = shown_name(worker);
        self.say_once(worker, &format!("a result of worker {name} was refused: {reason}"));
    }

    fn say_once(&mut self, worker: &str, text: &str) {
        let text: String = text.chars().take(500).collect();
        tracing::warn!("{text}");
        let DriverSession { named, notes, .. } = &mut *self.session;
        if is_name(worker) && named.len() < MOST_NAMES && named.insert(worker.into()) {
            notes(&text);
        }
    }
}
