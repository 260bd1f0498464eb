//! How a session begins, and how workers get the works of a session.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::pull::Stream as Messages;
use async_nats::jetstream::stream::Stream;
use async_nats::{Client, Subscriber};
use futures_util::StreamExt;

use super::connection::{
    Notes, jetstream, parts_stream, results_consumer, results_stream, until_done, works_of,
};
use super::message::{WorkRequest, decode};
use super::roster::Roster;
use super::server::Server;
use crate::arena::lock;
use crate::input::InputError;

/// The most bytes of a work that one answer holds.
const CHUNK: usize = 256 << 10;

/// How often a flag is looked at.
const TICK: Duration = Duration::from_millis(50);

/// The number and the bytes of a work.
pub(super) type CurrentWork = Option<(u64, Arc<[u8]>)>;

/// What a session begins with.
pub(super) struct Opened {
    pub(super) client: Client,
    pub(super) context: Context,
    pub(super) parts: Stream,
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
    session: &str,
    notes: &Notes,
) -> Result<Opened, InputError> {
    let failed = |error: String| InputError::new(format!("NATS server {}: {error}", server.name()));
    let client = server.connect("tictune driver", notes).await?;
    let context = jetstream(&client);
    let parts = until_done("the stream of parts", notes, || parts_stream(&context)).await;
    until_done("the stream of results", notes, || results_stream(&context)).await;
    let results = listen(&context, session, notes).await;
    let requests = client.subscribe(works_of(session)).await;
    let requests = requests.map_err(|error| failed(error.to_string()))?;
    let roster = Roster::watch(&client, notes).await.map_err(failed)?;
    Ok(Opened { client, context, parts, results, requests, roster })
}

/// The results of a session.
pub(super) async fn listen(context: &Context, session: &str, notes: &Notes) -> Messages {
    until_done("the results", notes, || async {
        let consumer = results_consumer(context, session).await.map_err(|e| e.to_string())?;
        let messages = consumer
            .stream()
            .max_messages_per_batch(500)
            .expires(Duration::from_secs(10))
            .heartbeat(Duration::from_secs(4));
        messages.messages().await.map_err(|error| error.to_string())
    })
    .await
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
