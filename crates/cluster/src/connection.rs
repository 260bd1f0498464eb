//! The connection to the server, and the subjects of what is said there.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_nats::connection::State;
use async_nats::jetstream::Context;
use async_nats::jetstream::context::ContextBuilder;
use async_nats::jetstream::message::PublishMessage;
use async_nats::{Client, ClientError, ConnectErrorKind, Event, HeaderMap, Message, ServerError};
use bytes::Bytes;

use super::key::Key;
use super::server::{Server, refusal};
use tictune_core::arena::lock;
use tictune_core::input::{InputError, Result};

/// How long to wait before something that failed is tried again.
pub(super) const PAUSE: Duration = Duration::from_millis(500);

/// How often a flag is looked at, or whether parts are to be handed out again.
pub(super) const TICK: Duration = Duration::from_millis(50);

const SEAL: &str = "Tictune-MAC";

/// The subjects of a session, each followed by its name: see [`of_session`]. Workers ask its driver for works.
pub(super) const PARTS: &str = "tictune.parts";
pub(super) const RESULTS: &str = "tictune.results";
pub(super) const WORKS: &str = "tictune.works";

/// Where answers go, so that a server can keep workers from hearing those to drivers.
pub(super) const DRIVER_INBOX: &str = "tictune.inbox.driver";
pub(super) const WORKER_INBOX: &str = "tictune.inbox.worker";

pub(super) const STATUS: &str = "tictune.status";
pub(super) const HELLO: &str = "tictune.hello";
pub(super) const ENDED: &str = "tictune.ended";

/// 16 hexadecimal digits that no other process has.
pub(super) fn random_name() -> String {
    format!("{:016x}", RandomState::new().hash_one(std::process::id()))
}

pub(super) async fn stopped(stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        tokio::time::sleep(TICK).await;
    }
}

pub(super) fn of_session(subject: &str, session: &str) -> String {
    format!("{subject}.{session}")
}

/// Says something to the person at the terminal.
pub type Notes = Arc<dyn Fn(&str) + Send + Sync>;

/// The connection of a driver or a worker, and the key with which it signs.
#[derive(Clone)]
pub(super) struct Post {
    pub(super) client: Client,
    pub(super) context: Context,
    pub(super) key: Option<Key>,
}

impl Server {
    /// Connects. If the server cannot be reached, a note says so once, and the connection is made when it can.
    pub(super) async fn connect(
        &self,
        name: &str,
        inbox: &str,
        key: Option<Key>,
        notes: &Notes,
    ) -> Result<Post> {
        let events = Arc::new(ServerEvents {
            server: self.name(),
            notes: Arc::clone(notes),
            said: Mutex::default(),
        });
        let noted = Arc::clone(&events);
        let delay = |attempts: usize| PAUSE * (attempts as u32).saturating_sub(1).min(6);
        let options = self.options.clone().name(name).custom_inbox_prefix(inbox);
        let options = options.max_reconnects(None).reconnect_delay_callback(delay);
        let options = options.event_callback(move |event| {
            noted.handle(&event);
            std::future::ready(())
        });
        let client = loop {
            match options.clone().connect(self.address.clone()).await {
                Ok(client) => break client,
                Err(error) => match refusal(&error) {
                    Some(reason) => {
                        let message = format!("NATS server {}: {reason}", self.name());
                        return Err(InputError::new(message));
                    }
                    None => {
                        tracing::debug!(%error, "NATS server");
                        events.say_once(AWAY, "");
                        tokio::time::sleep(PAUSE).await;
                    }
                },
            }
        };
        // With a publisher's patience.
        let context = ContextBuilder::new().timeout(Duration::from_secs(5)).build(client.clone());
        Ok(Post { client, context, key })
    }
}

/// Says what a person should know of the server, each thing once.
struct ServerEvents {
    server: String,
    notes: Notes,
    said: Mutex<HashSet<&'static str>>,
}

const AWAY: &str = " cannot be reached; waiting for it";

/// The server has let this program in before, and may do so again.
const REFUSED: &str = " no longer accepts this program: authorization violation; still trying";

/// Before what the server says of a subject that this program may not use.
const FORBIDDEN: &str = ": ";

impl ServerEvents {
    fn say_once(&self, what: &'static str, more: &str) {
        if lock(&self.said).insert(what) {
            (self.notes)(&format!("NATS server {}{what}{more}", self.server));
        }
    }

    /// The client library connects again by itself.
    fn handle(&self, event: &Event) {
        match event {
            Event::Disconnected => self.say_once(AWAY, ""),
            Event::Connected => {
                lock(&self.said).remove(REFUSED);
                if lock(&self.said).remove(AWAY) {
                    (self.notes)(&format!("NATS server {} is back", self.server));
                }
            }
            Event::ServerError(ServerError::AuthorizationViolation) => self.say_once(REFUSED, ""),
            Event::ClientError(ClientError::Other(text))
                if *text == ConnectErrorKind::AuthorizationViolation.to_string() =>
            {
                self.say_once(REFUSED, "");
            }
            Event::ServerError(ServerError::Other(text))
                if text.to_lowercase().contains("permissions violation") =>
            {
                let text: String = text.chars().take(200).collect();
                self.say_once(FORBIDDEN, &text.escape_debug().to_string());
            }
            other => tracing::debug!(event = %other, "NATS server"),
        }
    }
}

impl Post {
    fn sealed(&self, subject: &str, payload: &[u8]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if let Some(key) = &self.key {
            headers.insert(SEAL, key.code(subject, payload));
        }
        headers
    }

    /// Checks that the sender of a message has the same key, or none if there is none here. `subject` is where this program
    /// expects the message, whatever the message says.
    pub(super) fn check(&self, subject: &str, message: &Message) -> Result<(), &'static str> {
        let headers = message.headers.as_ref();
        let code = headers.and_then(|headers| headers.get(SEAL)).map(|code| code.as_str());
        match (&self.key, code) {
            (None, None) => Ok(()),
            (None, Some(_)) => {
                Err("it has a key, and this program has none: give both the same --key")
            }
            (Some(_), None) => Err("it has no key: give it the --key of this program"),
            (Some(key), Some(code)) if key.made(code, subject, &message.payload) => Ok(()),
            (Some(_), Some(_)) => Err("it has another key, or the message was changed in transit"),
        }
    }

    /// Sends a message that nobody keeps.
    pub(super) async fn tell(&self, subject: String, payload: Vec<u8>) {
        let headers = self.sealed(&subject, &payload);
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
        let headers = self.sealed(subject, &payload);
        let payload = Bytes::from(payload);
        until_done(what, notes, async || {
            let message = PublishMessage::build().payload(payload.clone());
            let message = message.headers(headers.clone()).message_id(id);
            let sent = self.context.send_publish(subject.to_owned(), message).await;
            sent.map_err(|error| error.to_string())?.await.map_err(|error| error.to_string())
        })
        .await;
    }

    pub(super) async fn connected(&self) {
        while self.client.connection_state() != State::Connected {
            tokio::time::sleep(PAUSE).await;
        }
    }

    pub(super) async fn connected_again(&self) {
        let before = self.connections();
        while self.connections() == before {
            tokio::time::sleep(PAUSE).await;
        }
    }

    pub(super) fn connections(&self) -> u64 {
        self.client.statistics().connects.load(Ordering::Relaxed)
    }
}

/// Tries something until it succeeds: whatever fails on the way to a server may go well later. If it keeps failing, a note
/// says so once.
pub(super) async fn until_done<T>(
    what: &str,
    notes: &Notes,
    mut attempt: impl AsyncFnMut() -> Result<T, String>,
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
