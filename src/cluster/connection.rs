//! The connection to the server, and its streams.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::context::{ContextBuilder, CreateStreamError};
use async_nats::jetstream::stream::{self, ConsumerError, RetentionPolicy, StorageType, Stream};
use async_nats::{Client, ClientError, ConnectErrorKind, Event, ServerError};

use super::server::{Server, refusal};
use crate::input::InputError;

/// How long a part may stay with a worker that says nothing.
pub(super) const ACK_WAIT: Duration = Duration::from_secs(20);

/// How long to wait before something that failed is tried again.
pub(super) const PAUSE: Duration = Duration::from_millis(500);

/// The subjects of the parts of all sessions, and of the results.
const PARTS: &str = "tictune.parts";
const RESULTS: &str = "tictune.results";
/// The streams that hold them.
const PARTS_STREAM: &str = "TICTUNE-PARTS";
const RESULTS_STREAM: &str = "TICTUNE-RESULTS";

/// The subject to which a worker tells its status.
pub(super) const STATUS: &str = "tictune.status";

/// The subject where a driver asks all workers for their status.
pub(super) const HELLO: &str = "tictune.hello";

/// The subject that tells of works that have ended.
pub(super) const ENDED: &str = "tictune.ended";

/// The subject of the parts of a session.
pub(super) fn parts_of(session: &str) -> String {
    format!("{PARTS}.{session}")
}

/// The subject of the results of a session.
pub(super) fn results_of(session: &str) -> String {
    format!("{RESULTS}.{session}")
}

/// The subject where workers ask a session's driver for works.
pub(super) fn works_of(session: &str) -> String {
    format!("tictune.works.{session}")
}

/// The subject where a worker is told something.
pub(super) fn word_to(worker: &str) -> String {
    format!("tictune.word.{worker}")
}

/// Says something to the person at the terminal.
pub(crate) type Notes = Arc<dyn Fn(&str) + Send + Sync>;

impl Server {
    /// Connects. If the server cannot be reached, a note says so once, and the connection is made when it can.
    pub(super) async fn connect(&self, name: &str, notes: &Notes) -> Result<Client, InputError> {
        let failed =
            |error: String| InputError::new(format!("NATS server {}: {error}", self.name()));
        let options =
            self.options().name(name).max_reconnects(None).reconnect_delay_callback(|attempts| {
                PAUSE * (attempts as u32).saturating_sub(1).min(6)
            });
        let absent = Absent::new(self.name(), notes);
        let events = Arc::clone(&absent);
        let options = options.event_callback(move |event| {
            events.hear(&event);
            std::future::ready(())
        });
        loop {
            match options.clone().connect(self.address()).await {
                Ok(client) => return Ok(client),
                Err(error) => match refusal(&error) {
                    Some(reason) => return Err(failed(reason)),
                    None => {
                        tracing::debug!(%error, "NATS server");
                        absent.is_away();
                        tokio::time::sleep(PAUSE).await;
                    }
                },
            }
        }
    }
}

/// Says once that the server is away, and once that it is back.
struct Absent {
    server: String,
    notes: Notes,
    away: AtomicBool,
    refused: AtomicBool,
}

impl Absent {
    fn new(server: String, notes: &Notes) -> Arc<Self> {
        let (away, refused) = (AtomicBool::new(false), AtomicBool::new(false));
        Arc::new(Self { server, notes: Arc::clone(notes), away, refused })
    }

    fn is_away(&self) {
        if !self.away.swap(true, Ordering::Relaxed) {
            (self.notes)(&format!("NATS server {} is away; waiting for it", self.server));
        }
    }

    /// The client library connects again by itself.
    fn hear(&self, event: &Event) {
        match event {
            Event::Disconnected => self.is_away(),
            Event::Connected => {
                self.refused.store(false, Ordering::Relaxed);
                if self.away.swap(false, Ordering::Relaxed) {
                    (self.notes)(&format!("NATS server {} is back", self.server));
                }
            }
            Event::ServerError(ServerError::AuthorizationViolation) => self.is_refused(),
            Event::ClientError(ClientError::Other(text))
                if *text == ConnectErrorKind::AuthorizationViolation.to_string() =>
            {
                self.is_refused();
            }
            other => tracing::debug!(event = %other, "NATS server"),
        }
    }

    /// The server has let this program in before, and may do so again.
    fn is_refused(&self) {
        if !self.refused.swap(true, Ordering::Relaxed) {
            let Self { server, notes, .. } = self;
            notes(&format!(
                "NATS server {server} does not let this program in any more: authorization violation; still trying"
            ));
        }
    }
}

/// JetStream, with a publisher's patience.
pub(super) fn jetstream(client: &Client) -> Context {
    ContextBuilder::new().timeout(Duration::from_secs(5)).build(client.clone())
}

/// The stream of parts: each is removed when a worker has answered it.
pub(super) async fn parts_stream(context: &Context) -> Result<Stream, CreateStreamError> {
    let config = stream::Config {
        name: PARTS_STREAM.into(),
        subjects: vec![format!("{PARTS}.*")],
        retention: RetentionPolicy::WorkQueue,
        max_age: Duration::from_secs(24 * 3600),
        max_bytes: 1 << 30,
        duplicate_window: Duration::from_secs(120),
        storage: StorageType::File,
        ..Default::default()
    };
    context.get_or_create_stream(config).await
}

/// The stream of results. They stay for an hour, for a driver that lost its connection.
pub(super) async fn results_stream(context: &Context) -> Result<Stream, CreateStreamError> {
    let config = stream::Config {
        name: RESULTS_STREAM.into(),
        subjects: vec![format!("{RESULTS}.*")],
        max_age: Duration::from_secs(3600),
        max_bytes: 1 << 30,
        duplicate_window: Duration::from_secs(120),
        storage: StorageType::File,
        ..Default::default()
    };
    context.get_or_create_stream(config).await
}

/// The consumer that all workers share.
pub(super) async fn parts_consumer(context: &Context) -> Result<PullConsumer, ConsumerError> {
    let config = pull::Config {
        durable_name: Some("workers".into()),
        ack_policy: AckPolicy::Explicit,
        ack_wait: ACK_WAIT,
        max_ack_pending: 100_000,
        max_waiting: 20_000,
        ..Default::default()
    };
    context.create_consumer_on_stream(config, PARTS_STREAM).await
}

/// The consumer of the results of a session. The server forgets it an hour after its driver has gone.
pub(super) async fn results_consumer(
    context: &Context,
    session: &str,
) -> Result<PullConsumer, ConsumerError> {
    let config = pull::Config {
        durable_name: Some(session.into()),
        filter_subject: results_of(session),
        ack_policy: AckPolicy::Explicit,
        ack_wait: ACK_WAIT,
        max_ack_pending: 100_000,
        inactive_threshold: Duration::from_secs(3600),
        ..Default::default()
    };
    context.create_consumer_on_stream(config, RESULTS_STREAM).await
}

/// Tries something until it succeeds: whatever fails on the way to a server may go well later. If it goes on failing, a note
/// says so once.
pub(super) async fn until_done<T, E: Display, F: Future<Output = Result<T, E>>>(
    what: &str,
    notes: &Notes,
    mut attempt: impl FnMut() -> F,
) -> T {
    const BEFORE_A_NOTE: u32 = 8;
    let mut failures = 0;
    loop {
        match attempt().await {
            Ok(done) => return done,
            Err(error) => {
                failures += 1;
                if failures == BEFORE_A_NOTE {
                    notes(&format!(
                        "{what}: {error}; still trying (the server has to run with -js)"
                    ));
                }
                tracing::debug!(%error, what, "tried again");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}
