//! The streams on the server, and those who take from them.

use std::time::Duration;

use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::pull::Stream as Messages;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::context::{CreateStreamError, CreateStreamErrorKind};
use async_nats::jetstream::stream::{self, RetentionPolicy, StorageType, Stream};

use super::connection::{PARTS, RESULTS, results_of};

/// How long a part may stay with a worker that says nothing.
pub(super) const ACK_WAIT: Duration = Duration::from_secs(20);

const PARTS_STREAM: &str = "TICTUNE-PARTS";
const RESULTS_STREAM: &str = "TICTUNE-RESULTS";

/// What a person is told when the streams are others than before.
pub(super) const NEW_STREAMS: &str =
    "the server had lost its streams, as if its store had been emptied; they were made again";

/// The streams of parts and of results.
#[derive(Clone)]
pub(super) struct Streams {
    pub(super) parts: Stream,
    results: Stream,
}

impl Streams {
    /// Looks for the streams, and makes those that are not there.
    pub(super) async fn find(context: &Context) -> Result<Self, String> {
        let hours = |hours: u64| Duration::from_secs(3600 * hours);
        // A part is removed when a worker has answered it. A result stays for a driver that lost its connection.
        let parts = stream(PARTS_STREAM, PARTS, RetentionPolicy::WorkQueue, hours(24));
        let results = stream(RESULTS_STREAM, RESULTS, RetentionPolicy::Limits, hours(1));
        let make = async |config| context.get_or_create_stream(config).await.map_err(in_words);
        Ok(Self { parts: make(parts).await?, results: make(results).await? })
    }

    /// Whether these are the streams that were there before: new ones hold nothing of what was sent.
    pub(super) fn are(&self, before: &Self) -> bool {
        let born = |streams: &Self| {
            [&streams.parts, &streams.results].map(|stream| stream.cached_info().created)
        };
        born(self) == born(before)
    }
}

fn in_words(error: CreateStreamError) -> String {
    match error.kind() {
        CreateStreamErrorKind::JetStreamUnavailable => {
            "the server has no JetStream; start it with -js".into()
        }
        CreateStreamErrorKind::TimedOut => {
            "no answer; is the server away, or may this user make no streams there?".into()
        }
        _ => error.to_string(),
    }
}

fn stream(
    name: &str,
    subject: &str,
    retention: RetentionPolicy,
    max_age: Duration,
) -> stream::Config {
    stream::Config {
        name: name.into(),
        subjects: vec![format!("{subject}.*")],
        retention,
        max_age,
        max_bytes: 1 << 30,
        duplicate_window: Duration::from_secs(120),
        storage: StorageType::File,
        ..Default::default()
    }
}

/// The consumer that all workers share.
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
        filter_subject: results_of(session),
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
