//! The helper threads of leaf parallelism. They play out from the leaves of the thread that grows the tree.

use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::Scope;

use rand::SeedableRng;

use super::MctsParameters;
use super::playout::{Record, Rewards, Values, playout};
use crate::game::Searchable;
use crate::seed::{Generator, mix};

/// Waits for a message; `None` if the sender is gone. A playout takes much less than putting a thread to sleep and waking it,
/// so the thread polls for a while first. It yields now and then: the sender may be waiting for a core.
fn receive<T>(messages: &Receiver<T>) -> Option<T> {
    const LOOKS: u32 = 10_000;
    const LOOKS_BETWEEN_YIELDS: u32 = 256;
    for look in 1..=LOOKS {
        match messages.try_recv() {
            Ok(message) => return Some(message),
            Err(TryRecvError::Empty) if look % LOOKS_BETWEEN_YIELDS == 0 => {
                std::thread::yield_now();
            }
            Err(TryRecvError::Empty) => std::hint::spin_loop(),
            Err(TryRecvError::Disconnected) => return None,
        }
    }
    messages.recv().ok()
}

pub(super) struct Helpers<P> {
    threads: Vec<(Sender<P>, Receiver<PlayoutResult>)>,
}

type PlayoutResult = (Rewards, Record);

impl<P: Searchable> Helpers<P> {
    pub(super) fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        settings: &'scope MctsParameters,
        values: &'scope dyn Values<P>,
        seed: u64,
    ) -> Self {
        let start = |thread: u32| {
            let (work, tasks) = channel::<P>();
            let (sender, results) = channel();
            scope.spawn(move || {
                let mut generator = Generator::seed_from_u64(mix(seed, u64::from(thread)));
                while let Some(position) = receive(&tasks) {
                    let mut record = Record::default();
                    let rewards =
                        playout::<P, true>(settings, values, position, &mut generator, &mut record);
                    if sender.send((rewards, record)).is_err() {
                        return;
                    }
                }
            });
            (work, results)
        };
        Self { threads: (1..settings.threads).map(start).collect() }
    }

    pub(super) fn ask(&self, position: &P) {
        for (work, _) in &self.threads {
            // A helper that is gone has panicked, and the scope reports that.
            let _ = work.send(position.clone());
        }
    }

    pub(super) fn collect(&self, mut take: impl FnMut(Rewards, Record)) {
        for (_, results) in &self.threads {
            if let Some((rewards, record)) = receive(results) {
                take(rewards, record);
            }
        }
    }
}
