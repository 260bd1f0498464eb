//! A work on its way through the hands of the workers.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::pull::Stream as Messages;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;

use super::answers::Wrong;
use super::checks::Checks;
use super::connection::{ENDED, Notes, PAUSE, Post, parts_of, until_done};
use super::dispatch::{Dispatch, Handout, Speed};
use super::message::{EndMessage, PartMessage, Version, encode};
use super::replay::{Replay, Replayed};
use super::roster::Roster;
use super::session::stopped;
use super::streams::{NEW_STREAMS, Streams, results};
use tictune_core::arena::{Executor, ExecutorError, OnGames, UnitSink, Work};

/// How often the driver looks whether it has to stop, or to hand parts out again.
const TICK: Duration = Duration::from_millis(50);

/// How long there may be no worker before a note says so.
const ALONE: Duration = Duration::from_secs(3);

/// What lasts from work to work.
pub(super) struct State {
    pub(super) results: Messages,
    pub(super) streams: Streams,
    /// How often the connection had been made when the streams were last looked for.
    pub(super) connections: u64,
    pub(super) speed: Speed,
    pub(super) wrong: Wrong,
    pub(super) checks: Checks,
}

/// A work that is being played.
pub(super) struct Driving<'s> {
    pub(super) post: &'s Post,
    /// The name of the session.
    pub(super) name: &'s str,
    pub(super) notes: &'s Notes,
    pub(super) roster: &'s Roster,
    pub(super) number: u64,
    pub(super) work: &'s Work,
    /// The hash of the work's bytes.
    pub(super) work_hash: String,
    /// What this program plays by the work's rules.
    pub(super) play_hash: Option<u64>,
    pub(super) own: &'s dyn Executor,
    pub(super) stop: &'s AtomicBool,
}

impl Driving<'_> {
    pub(super) async fn drive(
        &self,
        sink: &mut UnitSink<'_>,
        on_games: &OnGames<'_>,
        state: &mut State,
        replay: &mut Replay,
    ) -> Result<(), ExecutorError> {
        self.let_play(sink, on_games, state, replay).await?;
        for recheck in state.checks.of_others(self.number) {
            replay.ask(recheck);
        }
        while replay.is_busy() {
            tokio::select! {
                replayed = replay.next() => compare(replayed, state)?,
                () = stopped(self.stop) => return Err(ExecutorError::Stopped),
            }
        }
        Ok(())
    }

    /// Hands parts out and takes answers until the last unit is finished, or the sink wants no more.
    async fn let_play(
        &self,
        sink: &mut UnitSink<'_>,
        on_games: &OnGames<'_>,
        state: &mut State,
        replay: &mut Replay,
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
                        self.receive(&message, &mut dispatch, on_games, state, replay).await?;
                    }
                    broken => {
                        tracing::debug!(error = ?broken.and_then(Result::err), "results");
                        tokio::time::sleep(PAUSE).await;
                        self.look_for_streams(&mut dispatch, state, true).await?;
                    }
                },
                replayed = replay.next(), if replay.is_busy() => compare(replayed, state)?,
                _ = tick.tick() => {
                    if self.stop.load(Ordering::Relaxed) {
                        return Err(ExecutorError::Stopped);
                    }
                    if !said_alone && started.elapsed() > ALONE && self.roster.threads() == 0 {
                        said_alone = true;
                        (self.notes)("no worker is there; start some with `tictune worker` and the address of the server");
                    }
                    if self.post.connections() != state.connections {
                        self.look_for_streams(&mut dispatch, state, false).await?;
                    }
                }
            }
        }
    }

    /// Looks for the streams after the connection was made again, or results no longer come. If the server has lost them, they
    /// are made again, and so are the parts in them.
    async fn look_for_streams(
        &self,
        dispatch: &mut Dispatch<'_>,
        state: &mut State,
        listen: bool,
    ) -> Result<(), ExecutorError> {
        let context = &self.post.context;
        let look = async {
            self.post.connected().await;
            let connections = self.post.connections();
            let streams = until_done("the streams", self.notes, || Streams::find(context)).await;
            let lost = !streams.are(&state.streams);
            if lost {
                (self.notes)(NEW_STREAMS);
                dispatch.lose_all();
            }
            if lost || listen {
                let again = || results(context, self.name);
                state.results = until_done("the results", self.notes, again).await;
            }
            (state.streams, state.connections) = (streams, connections);
        };
        tokio::select! {
            () = look => Ok(()),
            () = stopped(self.stop) => Err(ExecutorError::Stopped),
        }
    }

    /// Puts a part into the stream.
    async fn publish(&self, Handout { part, attempt, pieces }: Handout) {
        let message = PartMessage {
            version: Version::of_this_program(),
            session: self.name.to_owned(),
            work: self.number,
            part,
            attempt,
            pieces,
            work_hash: self.work_hash.clone(),
            play_hash: self.play_hash,
        };
        let Ok(bytes) = encode(&message) else { return };
        let subject = parts_of(self.name);
        self.post.store("a part", self.notes, &subject, &message.id(), bytes).await;
    }

    /// Ends the work: nobody needs its parts any more.
    pub(super) async fn end(&self, streams: &Streams) {
        let session = self.name.to_owned();
        if let Ok(bytes) = encode(&EndMessage { session, work: self.number }) {
            self.post.tell(ENDED.into(), bytes).await;
        }
        let purged = streams.parts.purge().filter(parts_of(self.name)).await;
        if let Err(error) = purged {
            tracing::debug!(%error, "parts that nobody needs stay in the stream");
        }
    }
}

/// Compares a part that was played again here with what a worker said.
fn compare(replayed: Option<Replayed>, state: &mut State) -> Result<(), ExecutorError> {
    let Some((recheck, results)) = replayed else { return Ok(()) };
    state.checks.compare(&recheck, &results?)
}
