//! Plays parts again on the threads of the driver's process, while workers play others.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::checks::Recheck;
use super::worker::{play_units, share};
use tictune_core::arena::{Executor, ExecutorError, GameResult, Work};
use tictune_core::input::InputError;

/// A part, and what it was when it was played here.
pub(super) type Replayed = (Recheck, Result<Vec<Vec<GameResult>>, ExecutorError>);

/// The parts of a work that are to be played again.
pub(super) struct Replay {
    asks: mpsc::Sender<Recheck>,
    answers: UnboundedReceiver<Replayed>,
    /// How many were asked for and have not come back.
    pub(super) waiting: usize,
}

impl Replay {
    /// Does something, with a thread beside it that plays parts again. What is not played at the end is dropped.
    pub(super) fn beside<T>(work: &Work, own: &dyn Executor, f: impl FnOnce(&mut Self) -> T) -> T {
        let ended = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let (asks, asked) = mpsc::channel::<Recheck>();
            let (answer, answers) = unbounded_channel();
            let ended = &ended;
            scope.spawn(move || {
                while let Ok(recheck) = asked.recv() {
                    let played = share(work, &recheck.pieces)
                        .map_err(|error| InputError::new(error).into())
                        .and_then(|work| play_units(own, &work, &|_, _| (), ended));
                    let _ = answer.send((recheck, played));
                }
            });
            let mut replay = Self { asks, answers, waiting: 0 };
            let done = f(&mut replay);
            ended.store(true, Ordering::Relaxed);
            done
        })
    }

    pub(super) fn ask(&mut self, recheck: Recheck) {
        if self.asks.send(recheck).is_ok() {
            self.waiting += 1;
        }
    }

    pub(super) async fn next(&mut self) -> Option<Replayed> {
        let replayed = self.answers.recv().await;
        self.waiting -= 1;
        replayed
    }
}
