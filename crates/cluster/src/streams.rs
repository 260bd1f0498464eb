//! The streams on the server, and those who take from them.

use std::time::Duration;

use async_nats::jetstream::consumer::pull::Stream as Messages;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::context::{CreateStreamError, CreateStreamErrorKind};
use async_nats::jetstream::stream::{self, RetentionPolicy, StorageType, Stream};
use async_nats::jetstream::{Context, ErrorCode};

use super::connection::{Notes, PARTS, Post, RESULTS, of_session, until_done};

/// How long a part may stay with a worker that says nothing, before the server delivers it again.
pub(super) const ACK_WAIT: Duration = Duration::from_secs(20);

/// The most that a stream may hold. The server sets this much aside.
const STREAM_BYTES: i64 = 1 << 30;

const PARTS_STREAM: &str = "TICTUNE-PARTS";
const RESULTS_STREAM: &str = "TICTUNE-RESULTS";

#[derive(Clone)]
pub(super) struct Streams {
    pub(super) parts: Stream,
    results: Stream,
    /// How often the connection had been made when they were looked for.
    pub(super) connections: u64,
}

impl Streams {
    /// Looks for the streams until they are there, and makes those that are not. Also says whether they are others than
    /// before: new ones hold nothing of what was sent.
    pub(super) async fn find(post: &Post, before: Option<&Self>, notes: &Notes) -> (Self, bool) {
        post.connected().await;
        let connections = post.connections();
        let make = async |name, subject, retention, hours: u64| {
            let config = stream::Config {
                name: String::from(name),
                subjects: vec![format!("{subject}.*")],
                retention,
                max_age: Duration::from_secs(3600 * hours),
                max_bytes: STREAM_BYTES,
                duplicate_window: Duration::from_secs(120),
                storage: StorageType::File,
                ..Default::default()
            };
            post.context.get_or_create_stream(config).await.map_err(in_words)
        };
        // A part is removed when a worker has answered it. A result stays for a driver that lost its connection.
        let make_both = async || {
            let parts = make(PARTS_STREAM, PARTS, RetentionPolicy::WorkQueue, 24).await?;
            Ok((parts, make(RESULTS_STREAM, RESULTS, RetentionPolicy::Limits, 1).await?))
        };
        let (parts, results) = until_done("the streams", notes, make_both).await;
        let streams = Self { parts, results, connections };
        let born = |streams: &Self| {
            [&streams.parts, &streams.results].map(|stream| stream.cached_info().created)
        };
        let lost = before.is_some_and(|before| born(before) != born(&streams));
        if lost {
            notes(
                "the server had lost its streams, as if its store had been emptied; they were created again",
            );
        }
        (streams, lost)
    }
}

fn in_words(error: CreateStreamError) -> String {
    match error.kind() {
        CreateStreamErrorKind::JetStreamUnavailable => {
            "the server has no JetStream; start it with -js".into()
        }
        CreateStreamErrorKind::JetStream(error)
            if error.error_code() == ErrorCode::STORAGE_RESOURCES_EXCEEDED =>
        {
            "the server has no room for two streams of 1 GiB; free space on its disk, or raise max_file_store in its config"
                .into()
        }
        CreateStreamErrorKind::TimedOut => {
            "no answer; is the server down, or may this user not create streams there?".into()
        }
        _ => error.to_string(),
    }
}

pub(super) async fn parts_consumer(context: &Context) -> Result<PullConsumer, String> {
    let config =
        pull::Config { durable_name: Some("workers".into()), max_waiting: 20_000, ..consumer() };
    let consumer = context.create_consumer_on_stream(config, PARTS_STREAM).await;
    consumer.map_err(|error| error.to_string())
}

fn consumer() -> pull::Config {
    pull::Config {
        ack_policy: AckPolicy::Explicit,
        ack_wait: ACK_WAIT,
        max_ack_pending: 100_000,
        ..Default::default()
    }
}

/// The results of a session. The server forgets their consumer an hour after its driver has gone.
pub(super) async fn results(context: &Context, session: &str) -> Result<Messages, String> {
    let config = pull::Config {
        durable_name: Some(session.into()),
        filter_subject: of_session(RESULTS, session),
        inactive_threshold: Duration::from_secs(3600),
        ..consumer()
    };
    let consumer = context.create_consumer_on_stream(config, RESULTS_STREAM).await;
    let consumer: PullConsumer = consumer.map_err(|error| error.to_string())?;
    let messages = consumer
        .stream()
        .max_messages_per_batch(500)
        .expires(Duration::from_secs(10))
        .heartbeat(Duration::from_secs(4));
    messages.messages().await.map_err(|error| error.to_string())
}
