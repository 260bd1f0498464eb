//! Runs on workers: the same bytes as on threads, whoever dies when.

use serde_json::{Value, json};

#[cfg(unix)]
use crate::common::{Signal, send};
use crate::common::{assert_has, assert_same, wait_until, without_times_in};
use crate::server::{Process, Server};

/// A run of some seconds.
pub const CONFIG: &str = include_str!("configs/cluster.toml");

/// A run of a second.
pub const SMALL: &str = include_str!("configs/small.toml");

/// The number of lines of a log of a stage.
fn lines(server: &Server, log: &str) -> usize {
    server.folder.lines(log).len()
}

#[test]
fn a_run_survives_its_workers_its_driver_and_its_server() {
    let Some(mut server) = Server::start() else { return };
    server.folder.file("c.toml", CONFIG);
    server.folder.said("evolve c.toml --out local");
    let mut workers = [(); 3].map(|()| server.worker());
    let mut driver = Process::of(server.drive("evolve c.toml --out many"));

    // A worker dies with games in its hands, and another one comes.
    let evaluated = "many/stage-1-depth-3/evaluations.csv";
    wait_until("the first generation", || lines(&server, evaluated) > 8);
    workers[0].kill();
    let _late = server.worker();

    // The driver dies, and the run is resumed.
    wait_until("two more generations", || lines(&server, evaluated) > 24);
    driver.kill();
    let driver = Process::of(server.drive("evolve c.toml --out many --resume"));

    // The server dies, and starts again.
    let later = "many/stage-2-depth-5/evaluations.csv";
    wait_until("the second stage", || lines(&server, later) > 8);
    server.kill();
    driver.wait_for("cannot be reached; waiting for it");
    server.go();
    driver.wait_for("is back");
    driver.succeeds();
    assert_same(&server.folder.path("local"), &server.folder.path("many"));
}

#[test]
fn every_command_that_plays_many_games_uses_workers() {
    let Some(server) = Server::start() else { return };
    let worker = server.worker();
    let folder = &server.folder;
    folder.file("small.toml", SMALL);
    folder.said("evolve small.toml --out small");
    // Openings of a file and learned tables travel with the work.
    let learn = "games = 400\nalpha = 0.2\nrepresentation = \"binary-features\"\nevaluation = \"connecting\"\n";
    folder.file("learn.toml", learn);
    folder.said("learn learn.toml --out learned");
    let experiments = concat!(env!("CARGO_MANIFEST_DIR"), "/experiments");
    let openings = format!("file:{experiments}/chess/openings.epd:held-out");
    let a = "minimax:depth=3,weights=liang-comprehensive";
    let b = "mcts:playout=ept,iterations=60,weights=liang-comprehensive";
    for line in [
        format!("match {a} {b} --games 30"),
        format!("match {a} random --games 400 --sprt elo0=0,elo1=50"),
        "match minimax:depth=2 random --game qubic --games 6".into(),
        format!("tournament {a} {b} reflex random --games 6"),
        "compare small --games 40".into(),
        "validate small --games 4 --depths 1,2 --iterative nodes=200 --ept iterations=20".into(),
        "reproduce 4.5 --games 6 --iterations 20 --nodes 50 --rows 1,2".into(),
        "match learned:from=learned/values.csv random --games 40".into(),
        format!("match random random --game chess --openings {openings}"),
    ] {
        let line = format!("{line} --json");
        let remote = folder.json_without_times(&server.line(&line));
        assert_eq!(folder.json_without_times(&line), remote, "{line}");
    }
    // Candidates of other optimisers.
    let slots = ["two_in_a_row", "middle", "corner", "side"];
    let numbers = |first: f64| {
        let names = ["macro", "micro"].map(|board| slots.map(|slot| format!("{board}_{slot}")));
        let values = [first, 0.5, 1.0, 0.2, 3.0, 0.1, 2.0, 1.0];
        json!({ "numbers": names.concat().into_iter().zip(values).collect::<Value>() })
    };
    let input = format!("{}\n{}\n", numbers(1.5), json!([numbers(2.0), numbers(-3.0)]));
    let costs = |line: &str| -> Vec<Value> {
        let output = folder.told(line, input.as_bytes());
        let answers = serde_json::Deserializer::from_slice(&output.stdout).into_iter();
        answers.map(|answer| without_times_in(answer.unwrap())).collect()
    };
    let local = costs("fitness small.toml");
    assert!(local[0]["cost"].is_number() && local[1][1]["cost"].is_number(), "{local:?}");
    assert_eq!(costs(&server.line("fitness small.toml")), local);

    // Without workers, none of them plays: the games were theirs.
    drop(worker);
    let waits = Process::of(server.drive("compare small"));
    waits.wait_for("no workers are connected");
}

#[cfg(unix)]
#[test]
fn workers_are_listed_and_leave_when_they_are_asked_to() {
    let Some(server) = Server::start() else { return };
    let worker = server.worker();
    let list = format!("workers {}", server.url());
    assert_has(&server.folder.said(&list), &["1 worker, 1 thread,"]);
    assert_eq!(server.folder.json(&format!("{list} --json"))[0]["threads"], 1);
    send(Signal::TERM, &worker.child);
    assert_eq!(worker.end().0, 130);
    assert_eq!(server.folder.said(&list), "no workers\n");
    // A driver stops, too.
    let driver = Process::of(server.drive("match random random"));
    driver.wait_for("no workers are connected");
    send(Signal::INT, &driver.child);
    assert_eq!(driver.end().0, 130);
}
