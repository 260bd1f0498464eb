//! What the driver makes of what workers answer.

use std::collections::HashMap;
use std::time::Instant;

use async_nats::jetstream::Message;

use super::checks::{Checks, Recheck, digest, repeatable};
use super::connection::{results_of, word_to};
use super::dispatch::{Dispatch, Receipt};
use super::driving::{Driving, State};
use super::message::{PartOutcome, ResultMessage, decode, is_name, refuse_build, shown_name};
use super::replay::Replay;
use super::worker::{Share, play_units, share};
use tictune_core::agent::AgentSpec;
use tictune_core::arena::{ExecutorError, GameResult, OnGames};
use tictune_core::input::InputError;

/// So many workers with wrong answers are remembered: names cost nothing.
const MOST_LIARS: usize = 1000;

/// Workers that gave this many answers that do not fit are told to stop.
const MOST_WRONG: u32 = 3;

/// Answers that did not fit, by worker.
pub(super) type Wrong = HashMap<String, u32>;

impl Driving<'_> {
    /// Takes a result from the stream.
    ///
    /// # Errors
    /// The part cannot be played; workers contradict each other.
    pub(super) async fn receive(
        &self,
        message: &Message,
        dispatch: &mut Dispatch<'_>,
        on_games: &OnGames<'_>,
        state: &mut State,
        replay: &mut Replay,
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
        let (worker, part) = (result.worker.clone(), result.part);
        // Whoever has no key may use anybody's name.
        if let Err(reason) = self.post.check(&results_of(self.name), message) {
            self.note_once(&worker, reason, &mut state.wrong);
            return Ok(());
        }
        if result.session != self.name {
            return Ok(());
        }
        if result.work != self.number {
            return self.receive_late(result, state).await;
        }
        let receipt = match self.accept(&result) {
            Err(reason) => {
                dispatch.refuse(part);
                Receipt::Refused(reason)
            }
            Ok(()) => match result.outcome {
                // The worker has given it back.
                PartOutcome::Declined(reason) => {
                    let text =
                        format!("worker {} does not play; it says: {reason}", shown_name(&worker));
                    self.say_once(&worker, &text, &mut state.wrong);
                    return Ok(());
                }
                PartOutcome::Played(results) => {
                    let (seconds, checks) = (result.seconds, &mut state.checks);
                    let (receipt, recheck) =
                        self.count(&worker, part, seconds, results, dispatch, checks)?;
                    recheck.into_iter().for_each(|recheck| replay.ask(recheck));
                    receipt
                }
                outcome => {
                    let error = outcome.into_error(&worker, self.work.agents.len());
                    let (receipt, reason) = self.doubt(error, part, dispatch)?;
                    if let Some(reason) = reason {
                        self.refuse(&worker, &reason, &mut state.wrong).await;
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
            Receipt::Refused(reason) => self.refuse(&worker, &reason, &mut state.wrong).await,
        }
        Ok(())
    }

    /// Whether a result is one of this work, by this version and build of the program.
    fn accept(&self, result: &ResultMessage) -> Result<(), String> {
        result.version.refuse("it")?;
        if result.work_hash != self.work_hash {
            return Err("it has played another work".into());
        }
        match &result.outcome {
            PartOutcome::Played(_) if result.play_hash != self.play_hash => {
                refuse_build("it", result.play_hash, self.play_hash, &self.work.game)?;
                Err("it does not say as this program what its build plays".into())
            }
            _ => Ok(()),
        }
    }

    /// Counts the results of a part, which may then have to be played again. If it was counted before, the results have to be
    /// the same.
    fn count(
        &self,
        worker: &str,
        part: u64,
        seconds: f64,
        results: Vec<Vec<GameResult>>,
        dispatch: &mut Dispatch<'_>,
        checks: &mut Checks,
    ) -> Result<(Receipt, Option<Recheck>), ExecutorError> {
        let (place, worker) = ((self.number, part), shown_name(worker));
        let Ok(pieces) = dispatch.pieces(part) else {
            let receipt = match checks.compare_late(place, &worker, &results)? {
                Ok(()) => dispatch.receive(part, seconds, results, Instant::now()),
                Err(reason) => Receipt::Refused(reason),
            };
            return Ok((receipt, None));
        };
        let detail = repeatable(self.work, pieces);
        let digest = detail.map(|detail| (detail, digest(&results, detail)));
        let receipt = dispatch.receive(part, seconds, results, Instant::now());
        let recheck = match (&receipt, digest) {
            (Receipt::Counted(pieces), Some((detail, digest))) => {
                checks.count(place, &worker, pieces.clone(), detail, digest)
            }
            _ => None,
        };
        Ok((receipt, recheck))
    }

    /// Takes an answer to a part of an earlier work.
    async fn receive_late(
        &self,
        result: ResultMessage,
        state: &mut State,
    ) -> Result<(), ExecutorError> {
        let ResultMessage { version, work, part, worker, play_hash, outcome, .. } = result;
        let PartOutcome::Played(results) = outcome else { return Ok(()) };
        if version.refuse("it").is_err() || play_hash != self.play_hash {
            return Ok(());
        }
        let worker = shown_name(&worker);
        if let Err(reason) = state.checks.compare_late((work, part), &worker, &results)? {
            self.refuse(&worker, &reason, &mut state.wrong).await;
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
        let is_program = |agent: &AgentSpec| agent.program().is_some();
        if work.agents.iter().any(is_program) {
            return Err(error);
        }
        let results = play_units(self.own, &work, &|_, _| (), self.stop)?;
        let reason = format!("it says that there is an error, and here there is none: {error}");
        Ok((dispatch.count(part, results), Some(reason)))
    }

    /// Reports an answer that does not fit, and tells a worker that gives such answers to stop.
    async fn refuse(&self, worker: &str, reason: &str, wrong: &mut Wrong) {
        let reason: String = reason.chars().take(300).collect();
        if self.note_once(worker, &reason, wrong) >= MOST_WRONG {
            let word = format!("its results do not fit: {reason}");
            self.post.tell(word_to(worker), word.into_bytes()).await;
        }
    }

    /// Reports an answer that does not fit: how many of the worker there were.
    fn note_once(&self, worker: &str, reason: &str, wrong: &mut Wrong) -> u32 {
        let text = format!("a result of worker {} was refused: {reason}", shown_name(worker));
        self.say_once(worker, &text, wrong)
    }

    /// Says something of a worker once. Gives how often there was something to say; 0 if it has no name or there are too many.
    fn say_once(&self, worker: &str, text: &str, wrong: &mut Wrong) -> u32 {
        let text: String = text.chars().take(500).collect();
        tracing::warn!("{text}");
        if !is_name(worker) || wrong.len() >= MOST_LIARS && !wrong.contains_key(worker) {
            return 0;
        }
        let count = wrong.entry(worker.into()).or_default();
        *count += 1;
        if *count == 1 {
            (self.notes)(&text);
        }
        *count
    }
}
