//! The connection to the server, and its streams.

use std::fmt::Display;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::context::{ContextBuilder, CreateStreamError};
use async_nats::jetstream::stream::{self, ConsumerError, RetentionPolicy, StorageType, Stream};
use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event, ServerAddr};

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

/// What a program says to a server to be let in.
#[derive(Clone, Default)]
pub(crate) struct Secrets {
    /// User name and password.
    pub(crate) user: Option<(String, String)>,
    /// A token.
    pub(crate) token: Option<String>,
    /// A file of credentials, as `nsc` writes it.
    pub(crate) credentials: Option<PathBuf>,
    /// Certificates of authorities besides the system's.
    pub(crate) authority: Option<PathBuf>,
    /// A certificate and its key, by which the server knows this program.
    pub(crate) certificate: Option<(PathBuf, PathBuf)>,
}

/// A server and how to get in.
#[derive(Clone)]
pub(crate) struct Server {
    address: ServerAddr,
    secrets: Secrets,
}

impl Server {
    /// Reads an address, such as `nats://host:4222` or `tls://user@host`.
    ///
    /// # Errors
    /// Text that is no address; the message does not repeat it, since it may hold a password.
    pub(crate) fn new(address: &str, mut secrets: Secrets) -> Result<Self, InputError> {
        let wrong = || {
            InputError::new(
                "expected the address of a NATS server, as in nats://HOST:4222 or tls://HOST:4222",
            )
        };
        let scheme = address.split_once("://").map(|(scheme, _)| scheme);
        if !matches!(scheme, Some("nats" | "tls")) {
            return Err(wrong());
        }
        let address: ServerAddr = address.parse().map_err(|_| wrong())?;
        if address.host().is_empty() {
            return Err(wrong());
        }
        if let (None, Some(user)) = (&secrets.user, address.username()) {
            let password = address.password().unwrap_or_default();
            secrets.user = Some((user.into(), password.into()));
        }
        Ok(Self { address, secrets })
    }

    /// The address without secrets.
    pub(crate) fn name(&self) -> String {
        format!("{}:{}", self.address.host(), self.address.port())
    }

    /// Connects. If the server cannot be reached, a note says so once, and the connection is made when it can.
    pub(super) async fn connect(&self, name: &str, notes: &Notes) -> Result<Client, InputError> {
        let failed =
            |error: String| InputError::new(format!("NATS server {}: {error}", self.name()));
        let Secrets { user, token, credentials, authority, certificate } = self.secrets.clone();
        let mut options = ConnectOptions::new()
            .name(name)
            .require_tls(self.address.tls_required())
            .max_reconnects(None)
            .reconnect_delay_callback(|attempts| PAUSE * (attempts as u32).clamp(1, 6));
        if let Some((user, password)) = user {
            options = options.user_and_password(user, password);
        }
        if let Some(token) = token {
            options = options.token(token);
        }
        if let Some(path) = credentials {
            let of_file = |error| failed(format!("credentials {}: {error}", path.display()));
            options = options.credentials_file(&path).await.map_err(of_file)?;
        }
        if let Some(path) = authority {
            options = options.add_root_certificates(path);
        }
        if let Some((certificate, key)) = certificate {
            options = options.add_client_certificate(certificate, key);
        }
        let (server, said) = (self.name(), Arc::new(AtomicBool::new(false)));
        let is_away = {
            let (server, said, notes) = (server.clone(), Arc::clone(&said), Arc::clone(notes));
            move || {
                if !said.swap(true, Ordering::Relaxed) {
                    notes(&format!("NATS server {server} is away; waiting for it"));
                }
            }
        };
        let (lost, notes) = (is_away.clone(), Arc::clone(notes));
        let options = options.event_callback(move |event| {
            match event {
                Event::Disconnected => lost(),
                Event::Connected if said.swap(false, Ordering::Relaxed) => {
                    notes(&format!("NATS server {server} is back"));
                }
                other => tracing::debug!(event = %other, "NATS server"),
            }
            std::future::ready(())
        });
        loop {
            match options.clone().connect(self.address.clone()).await {
                Ok(client) => return Ok(client),
                Err(error) => match error.kind() {
                    ConnectErrorKind::Io | ConnectErrorKind::Dns | ConnectErrorKind::TimedOut => {
                        tracing::debug!(%error, "NATS server");
                        is_away();
                        tokio::time::sleep(PAUSE).await;
                    }
                    _ => return Err(failed(error.to_string())),
                },
            }
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
