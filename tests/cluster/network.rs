//! What tests say over the network themselves: a match that workers play, and messages to and from its driver.

use std::process::Command;
use std::sync::LazyLock;

use async_nats::Client;
use async_nats::jetstream::consumer::{PullConsumer, pull};
use async_nats::jetstream::{self, AckKind};
use futures_util::StreamExt;
use serde_json::{Value, json};

use crate::common::Folder;
use crate::server::{Process, Server};

pub const MATCH: &str = "match minimax:depth=3,weights=liang-comprehensive \
                         minimax:depth=2,weights=liang-default --games 300 --json";

/// The match on threads.
static LOCAL: LazyLock<Value> = LazyLock::new(|| Folder::new().json(MATCH));

/// Asserts that the match is the same on workers, while something happens; gives what the driver said.
pub fn same_match(driver: Command, meanwhile: impl FnOnce(&Process)) -> String {
    let driver = Process::of(driver);
    meanwhile(&driver);
    let (status, stdout, said) = driver.end();
    assert_eq!(status, 0, "{said}");
    let remote: Value = serde_json::from_str(&stdout).unwrap();
    for key in ["wins", "draws", "losses", "pairs", "distinct_games", "plies"] {
        assert_eq!(remote[key], LOCAL[key], "{key}");
    }
    said
}

/// Runs something with a connection to the server.
pub fn with_client<T>(server: &Server, work: impl AsyncFnOnce(Client) -> T) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { work(async_nats::connect(server.url()).await.unwrap()).await })
}

/// Publishes a message, which the server then has.
pub async fn publish(client: &Client, subject: impl Into<String>, text: impl ToString) {
    client.publish(subject.into(), text.to_string().into()).await.unwrap();
    client.flush().await.unwrap();
}

/// The consumer that workers share.
pub async fn parts(client: &Client) -> PullConsumer {
    let context = jetstream::new(client.clone());
    let stream = context.get_stream("TICTUNE-PARTS").await.unwrap();
    stream.get_consumer::<pull::Config>("workers").await.unwrap()
}

/// Up to two parts that a driver has out while nobody plays. They are given back for whoever comes, or are gone.
pub async fn take_parts(client: &Client, kind: AckKind) -> Vec<Value> {
    let mut messages = parts(client).await.fetch().max_messages(2).messages().await.unwrap();
    let mut parts = Vec::new();
    while let Some(message) = messages.next().await {
        let message = message.unwrap();
        parts.push(serde_json::from_slice(&message.payload).unwrap());
        message.ack_with(kind).await.unwrap();
    }
    assert!(!parts.is_empty());
    parts
}

/// The subject of answers to a part.
pub fn results(part: &Value) -> String {
    format!("tictune.results.{}", part["session"].as_str().unwrap())
}

/// A worker's answer to a part.
pub fn answer_to(part: &Value, worker: &str, outcome: Value) -> Value {
    let mut answer = json!({ "worker": worker, "seconds": 0.1, "outcome": outcome });
    for key in ["version", "session", "work", "part", "attempt", "work_hash", "play_hash"] {
        answer[key] = part[key].clone();
    }
    answer
}

/// Results that fit a part, and that nobody played: A wins every game.
pub fn made_up(part: &Value) -> Value {
    let side = json!({ "moves": 20, "nodes": 9000, "iterations": 0, "timeouts": 0, "late": 0,
                       "search": { "secs": 0, "nanos": 500 }, "slowest": { "secs": 0, "nanos": 90 } });
    let game = |number: u64| {
        json!({ "winner": "a", "failure": null, "plies": 44, "sides": [side, side],
                "fingerprint": [number, part["part"]], "moves": null })
    };
    let games = |piece: &Value| -> Value {
        let [start, end] = ["start", "end"].map(|end| piece["games"][end].as_u64().unwrap());
        (start..end).map(game).collect()
    };
    let pieces: Value = part["pieces"].as_array().unwrap().iter().map(games).collect();
    json!({ "played": pieces })
}
