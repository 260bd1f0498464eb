//! What tests say over the network themselves: a match that workers play, and messages to and from its driver.

use std::process::Command;

use async_nats::jetstream;
use async_nats::jetstream::consumer::{PullConsumer, pull};
use serde_json::{Value, json};

use crate::common::{json_without_times, tictune};
use crate::server::{Process, Server};

pub const MATCH: [&str; 6] = [
    "match",
    "minimax:depth=3,weights=liang-comprehensive",
    "minimax:depth=2,weights=liang-default",
    "--games",
    "300",
    "--json",
];

/// A match on workers, and the same on threads.
pub fn same_match(server: &Server, url: &str, meanwhile: impl FnOnce(&Process)) -> String {
    let driver = tictune(&[&MATCH[..], &["--executor", url]].concat());
    same_match_of(driver, server, meanwhile)
}

pub fn same_match_of(driver: Command, server: &Server, meanwhile: impl FnOnce(&Process)) -> String {
    let driver = Process::of(driver);
    meanwhile(&driver);
    let (status, stdout, said) = driver.end();
    assert_eq!(status, 0, "{said}");
    let out = server.path("match.json");
    std::fs::write(&out, &stdout).unwrap();
    let remote: Value = serde_json::from_str(&stdout).unwrap();
    let local = json_without_times(&MATCH);
    for key in ["wins", "draws", "losses", "pairs", "distinct_games", "plies"] {
        assert_eq!(remote[key], local[key], "{key}");
    }
    said
}

/// Runs something with a connection to the server.
pub fn with_client<T>(server: &Server, work: impl AsyncFnOnce(async_nats::Client) -> T) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { work(async_nats::connect(server.url()).await.unwrap()).await })
}

/// The consumer that workers share.
pub async fn parts(client: &async_nats::Client) -> PullConsumer {
    let context = jetstream::new(client.clone());
    let stream = context.get_stream("TICTUNE-PARTS").await.unwrap();
    stream.get_consumer::<pull::Config>("workers").await.unwrap()
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
