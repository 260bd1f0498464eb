//! The connection to the server, and the subjects of what is said there.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::connection::State;
use async_nats::jetstream::Context;
use async_nats::jetstream::context::ContextBuilder;
use async_nats::jetstream::message::PublishMessage;
use async_nats::{Client, ClientError, ConnectErrorKind, Event, Message, ServerError};
use bytes::Bytes;

use super::key::{Key, check_seal, sealed};
use super::server::{Server, refusal};
use tictune_core::input::InputError;

/// How long to wait before something that failed is tried again.
pub(super) const PAUSE: Duration = Duration::from_millis(500);

/// The subjects of the parts of all sessions, and of the results.
pub(super) const PARTS: &str = "tictune.parts";
pub(super) const RESULTS: &str = "tictune.results";

/// Where answers go, so that a server can keep workers from hearing those to drivers.
pub(super) const DRIVER_INBOX: &str = "tictune.inbox.driver";
pub(super) const WORKER_INBOX: &str = "tictune.inbox.worker";

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
pub type Notes = Arc<dyn Fn(&str) + Send + Sync>;

impl Server {
    /// Connects. If the server cannot be reached, a note says so once, and the connection is made when it can.
    pub(super) async fn connect(
        &self,
        name: &str,
        inbox: &str,
        notes: &Notes,
    ) -> Result<Client, InputError> {
        let failed =
            |error: String| InputError::new(format!("NATS server {}: {error}", self.name()));
        let options = self
            .options
            .clone()
            .name(name)
            .custom_inbox_prefix(inbox)
            .max_reconnects(None)
            .reconnect_delay_callback(|attempts| {
                PAUSE * (attempts as u32).saturating_sub(1).min(6)
            });
        let absent = Absent::new(self.name(), notes);
        let events = Arc::clone(&absent);
        let options = options.event_callback(move |event| {
            events.hear(&event);
            std::future::ready(())
        });
        loop {
            match options.clone().connect(self.address.clone()).await {
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
    /// Whether the server has kept something from this program.
    forbidden: AtomicBool,
}

impl Absent {
    fn new(server: String, notes: &Notes) -> Arc<Self> {
        let [away, refused, forbidden] = [false; 3].map(AtomicBool::new);
        Arc::new(Self { server, notes: Arc::clone(notes), away, refused, forbidden })
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
            Event::ServerError(ServerError::Other(text)) if is_forbidden(text) => {
                if !self.forbidden.swap(true, Ordering::Relaxed) {
                    let text: String = text.chars().take(200).collect();
                    (self.notes)(&format!("NATS server {}: {}", self.server, text.escape_debug()));
                }
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

/// Whether a server says that a user may not do something.
fn is_forbidden(text: &str) -> bool {
    text.to_lowercase().contains("permissions violation")
}

/// The connection of a driver or a worker, and the key with which it signs.
#[derive(Clone)]
pub(super) struct Post {
    pub(super) client: Client,
    pub(super) context: Context,
    pub(super) key: Option<Key>,
}

impl Post {
    pub(super) fn new(client: Client, key: Option<Key>) -> Self {
        // With a publisher's patience.
        let context = ContextBuilder::new().timeout(Duration::from_secs(5)).build(client.clone());
        Self { client, context, key }
    }

    /// Sends a message that nobody keeps.
    pub(super) async fn tell(&self, subject: String, payload: Vec<u8>) {
        let headers = sealed(self.key.as_ref(), &subject, &payload);
        let sent = self.client.publish_with_headers(subject, headers, payload.into()).await;
        if let Err(error) = sent {
            tracing::debug!(%error, "a message");
        }
    }

    /// Puts a message into a stream, however long it takes. The server drops it if it has one of the same name.
    pub(super) async fn store(
        &self,
        what: &str,
        notes: &Notes,
        subject: &str,
        id: &str,
        payload: Vec<u8>,
    ) {
        let headers = sealed(self.key.as_ref(), subject, &payload);
        let payload = Bytes::from(payload);
        until_done(what, notes, || async {
            let message = PublishMessage::build().payload(payload.clone());
            let message = message.headers(headers.clone()).message_id(id);
            let sent = self.context.send_publish(subject.to_owned(), message).await;
            sent.map_err(|error| error.to_string())?.await.map_err(|error| error.to_string())
        })
        .await;
    }

    /// Checks that a message comes from somebody who has the same key, or none.
    ///
    /// # Errors
    /// Why the message does not count.
    pub(super) fn check(&self, subject: &str, message: &Message) -> Result<(), &'static str> {
        check_seal(self.key.as_ref(), subject, message)
    }

    /// Waits until the server is there.
    pub(super) async fn connected(&self) {
        while self.client.connection_state() != State::Connected {
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Waits until the connection was lost and made again.
    pub(super) async fn connected_again(&self) {
        let before = self.connections();
        while self.connections() == before {
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// How often the connection was made.
    pub(super) fn connections(&self) -> u64 {
        self.client.statistics().connects.load(Ordering::Relaxed)
    }
}

/// Tries something until it succeeds: whatever fails on the way to a server may go well later. If it goes on failing, a note
/// says so once.
pub(super) async fn until_done<T, F: Future<Output = Result<T, String>>>(
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
                    notes(&format!("{what}: {error}; still trying"));
                }
                tracing::debug!(error, what, "tried again");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}
