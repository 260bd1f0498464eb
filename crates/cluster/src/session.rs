//! How a session begins, and how workers get the works of a session.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_nats::jetstream::consumer::pull::Stream as Messages;
use async_nats::{Client, Subscriber};
use futures_util::StreamExt;

use super::connection::{DRIVER_INBOX, Notes, Post, until_done, works_of};
use super::key::Key;
use super::message::{WorkRequest, decode};
use super::roster::Roster;
use super::server::Server;
use super::streams::{Streams, results};
use tictune_core::arena::lock;
use tictune_core::input::InputError;

/// The most bytes of a work that one answer holds.
const CHUNK: usize = 256 << 10;

/// How often a flag is looked at.
const TICK: Duration = Duration::from_millis(50);

/// The number and the bytes of a work.
pub(super) type CurrentWork = Option<(u64, Arc<[u8]>)>;

/// What a session begins with.
pub(super) struct Opened {
    pub(super) post: Post,
    pub(super) streams: Streams,
    pub(super) results: Messages,
    pub(super) requests: Subscriber,
    pub(super) roster: Arc<Roster>,
}

/// Connects, and makes the streams where there are none. While the server is away, it waits.
///
/// # Errors
/// A server that lets nobody in.
pub(super) async fn open(
    server: &Server,
    key: Option<Key>,
    session: &str,
    notes: &Notes,
) -> Result<Opened, InputError> {
    let failed = |error: String| InputError::new(format!("NATS server {}: {error}", server.name()));
    let client = server.connect("tictune driver", DRIVER_INBOX, notes).await?;
    let post = Post::new(client, key);
    let streams = until_done("the streams", notes, || Streams::find(&post.context)).await;
    let results = until_done("the results", notes, || results(&post.context, session)).await;
    let requests = post.client.subscribe(works_of(session)).await;
    let requests = requests.map_err(|error| failed(error.to_string()))?;
    let roster = Roster::watch(&post, false, notes).await.map_err(failed)?;
    Ok(Opened { post, streams, results, requests, roster })
}

/// Gives workers the works that they ask for, piece by piece.
pub(super) async fn answer_requests(
    client: Client,
    mut requests: Subscriber,
    current: Arc<Mutex<CurrentWork>>,
) {
    while let Some(message) = requests.next().await {
        let Some(reply) = message.reply else { continue };
        let request: WorkRequest = match decode(&message.payload) {
            Ok(request) => request,
            Err(error) => {
                tracing::warn!(error, "a request was refused");
                continue;
            }
        };
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

/// Ends when a flag is set.
pub(super) async fn stopped(stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        tokio::time::sleep(TICK).await;
    }
}

/// 16 hexadecimal digits that no other process has.
pub(super) fn random_name() -> String {
    format!("{:016x}", RandomState::new().hash_one(std::process::id()))
}
