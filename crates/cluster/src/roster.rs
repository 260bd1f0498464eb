//! Who works: what workers say of themselves.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures_util::StreamExt;

use super::connection::{DRIVER_INBOX, HELLO, Notes, Post, STATUS};
use super::message::{WorkerStatus, decode, is_name};
use super::server::Server;
use tictune_core::arena::lock;
use tictune_core::input::{InputError, Result};

/// The threads of a worker that is silent for so long no longer count. Its parts: `ACK_WAIT`, `PATIENCE`.
const SILENT: Duration = Duration::from_secs(6);

/// The most workers that are remembered, whatever the network says.
const MOST_WORKERS: usize = 100_000;

#[derive(Default)]
pub(super) struct Roster(Mutex<BTreeMap<String, (WorkerStatus, Instant)>>);

impl Roster {
    /// Listens to workers from now on: to those that have the same key, or to `all`.
    pub(super) async fn watch(post: &Post, all: bool, notes: &Notes) -> Result<Arc<Self>, String> {
        let mut statuses =
            post.client.subscribe(STATUS).await.map_err(|error| error.to_string())?;
        let (roster, notes) = (Arc::<Self>::default(), Arc::clone(notes));
        let (client, post) = (post.client.clone(), post.clone());
        let listening = Arc::clone(&roster);
        tokio::spawn(async move {
            let mut refused = HashSet::new();
            while let Some(message) = statuses.next().await {
                let status = match decode::<WorkerStatus>(&message.payload) {
                    Ok(status) if is_name(&status.worker) => status,
                    other => {
                        let error = other.err().unwrap_or_else(|| "its name".into());
                        tracing::warn!(error, "a worker's status was refused");
                        continue;
                    }
                };
                let who = format!("worker {}", status.worker);
                let seal = match post.check(STATUS, &message) {
                    Err(reason) if !all => Err(format!("{who} cannot play here: {reason}")),
                    _ => Ok(()),
                };
                match seal.and_then(|()| status.version.refuse(&who)) {
                    Ok(()) => listening.receive(status),
                    Err(reason) if refused.len() < 100 && refused.insert(status.worker) => {
                        notes(&format!("{reason}; it gets no games"));
                    }
                    Err(_) => {}
                }
            }
        });
        let hello = client.publish(HELLO, "".into()).await;
        hello.map_err(|error| error.to_string())?;
        Ok(roster)
    }

    fn receive(&self, status: WorkerStatus) {
        let mut workers = lock(&self.0);
        if status.threads == 0 {
            workers.remove(&status.worker);
        } else if workers.len() < MOST_WORKERS || workers.contains_key(&status.worker) {
            workers.insert(status.worker.clone(), (status, Instant::now()));
        }
    }

    /// How many games can be played at a time.
    pub(super) fn threads(&self) -> usize {
        let mut workers = lock(&self.0);
        workers.retain(|_, (_, heard)| heard.elapsed() < SILENT);
        workers.values().map(|(status, _)| status.threads.min(4096) as usize).sum()
    }
}

/// The workers that say something within a time.
pub fn look_around(server: &Server, notes: &Notes, time: Duration) -> Result<Vec<WorkerStatus>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| InputError::new(error.to_string()))?;
    runtime.block_on(async {
        let post = server.connect("tictune workers", DRIVER_INBOX, None, notes).await?;
        let roster = Roster::watch(&post, true, notes).await.map_err(InputError::new)?;
        tokio::time::sleep(time).await;
        let heard = lock(&roster.0);
        Ok(heard.values().map(|(status, _)| status.clone()).collect())
    })
}
