//! Whose results count: a forger, another build, a key, a server that has lost everything.

use std::path::Path;
use std::time::Duration;

use async_nats::Client;
use async_nats::jetstream::{self, AckKind};
use futures_util::StreamExt;
use serde_json::{Value, json};

use crate::common::{Folder, assert_has, assert_same, read, stderr, stdout, wait_until};
use crate::network::{
    MATCH, answer_to, made_up, publish, results, same_match, take_parts, with_client,
};
use crate::runs::{CONFIG, SMALL};
use crate::server::{Process, Server};

/// The match of these tests on workers, with further arguments.
fn driver(server: &Server, more: &str) -> Process {
    Process::of(server.drive(&format!("{MATCH} {more}")))
}

/// Answers parts as they are published, before anybody else can.
async fn forge(client: &Client, driver: &Process) {
    let mut parts = client.subscribe("tictune.parts.*").await.unwrap();
    client.flush().await.unwrap();
    while !driver.has_ended() {
        tokio::select! {
            Some(part) = parts.next() => {
                answer(client, &serde_json::from_slice(&part.payload).unwrap(), "forger").await;
            }
            () = tokio::time::sleep(Duration::from_millis(50)) => {}
        }
    }
}

/// Says that A has won all games of a part.
async fn answer(client: &Client, part: &Value, worker: &str) {
    publish(client, results(part), answer_to(part, worker, made_up(part))).await;
}

/// Files with keys: `own` and `other`.
fn keys(folder: &Folder) {
    folder.file("own", &"right-".repeat(8));
    folder.file("other", &"wrong-".repeat(8));
}

#[test]
fn a_forger_that_answers_first_is_found_by_playing_again() {
    let Some(server) = Server::start() else { return };
    let driver = driver(&server, "");
    with_client(&server, async |client| forge(&client, &driver).await);
    let (status, stdout, said) = driver.end();
    assert!(status != 0 && stdout.is_empty(), "{status} {stdout}");
    assert_has(
        &said,
        &[
            "worker forger reports other results for part",
            "than this machine gets",
            "Do not trust anything that this command measured",
            "results are not authenticated",
        ],
    );
}

#[test]
fn parts_are_played_again_and_agree() {
    let Some(server) = Server::start() else { return };
    let _workers = [server.worker(), server.worker()];
    assert_has(&same_match(server.drive(MATCH), |_| {}), &["parts played again here: "]);
    let said = same_match(server.drive(&format!("{MATCH} --recheck 1")), |_| {});
    let line = said.lines().find(|line| line.contains("played again")).unwrap();
    let words: Vec<&str> = line.split_whitespace().collect();
    assert!(line.ends_with(&format!(": {0} of {0}, {0} agreed", words[4])), "{line}");
    // Games by the clock are not.
    let clock = server.line("match iterative:time=1ms,weights=liang-default random --games 4");
    let said = stderr(&server.folder.run(&clock));
    assert!(!said.contains("agreed"), "{said}");
}

#[test]
fn a_forger_without_the_key_counts_for_nothing() {
    let Some(server) = Server::start() else { return };
    keys(&server.folder);
    let _worker = server.worker_with("--key own");
    // One that has another key, and one that has none, get no games.
    let (stranger, keyless) = (server.worker_with("--key other"), server.worker());
    let said = same_match(server.drive(&format!("{MATCH} --key own")), |driver| {
        with_client(&server, async |client| forge(&client, driver).await);
    });
    assert_has(
        &said,
        &[
            "a result of worker forger was refused: it has no key",
            "cannot play here: it has another key",
            "cannot play here: it has no key: give it the --key",
            "other users of this machine",
            "agreed",
        ],
    );
    assert!(!said.contains("not authenticated"), "{said}");
    stranger.wait_for("a part of a driver was refused: it has another key");
    let (status, _, keyless) = keyless.end();
    assert_eq!(status, 2);
    assert_has(&keyless, &["a part of a driver was refused: it has a key, and this program"]);
    for said in [said, stranger.said(), keyless] {
        assert!(!said.contains("right-right-") && !said.contains("wrong-wrong-"), "{said}");
    }
}

#[test]
fn a_key_is_in_no_message_and_a_worker_that_has_one_plays_for_nobody_else() {
    let Some(server) = Server::start() else { return };
    keys(&server.folder);
    let worker = server.worker_with("--key own");
    let stranger = driver(&server, "");
    stranger.wait_for("cannot play here: it has a key, and this program has none");
    worker.wait_for("a part of a driver was refused: it has no key");
    drop(stranger);
    with_client(&server, async |client| {
        let mut all = client.subscribe(">").await.unwrap();
        client.flush().await.unwrap();
        let first = driver(&server, "--key own");
        let (mut signed, mut said) = (Vec::new(), String::new());
        while !first.has_ended() {
            tokio::select! {
                Some(message) = all.next() => {
                    let text = String::from_utf8_lossy(&message.payload);
                    said += &format!("{:?} {text}\n", message.headers);
                    if message.subject.starts_with("tictune.results.") {
                        signed.push(message);
                    }
                }
                () = tokio::time::sleep(Duration::from_millis(50)) => {}
            }
        }
        first.succeeds();
        assert!(!said.contains("right-right-") && said.contains("Tictune-MAC"));
        // What was signed for one run counts in no other: as it is, and with the name of the session changed.
        let mut parts = client.subscribe("tictune.parts.*").await.unwrap();
        client.flush().await.unwrap();
        let second = driver(&server, "--key own");
        let part: Value = serde_json::from_slice(&parts.next().await.unwrap().payload).unwrap();
        for result in signed {
            // Without the name by which the server drops what it has.
            let mut seal = async_nats::HeaderMap::new();
            let headers = result.headers.unwrap();
            seal.insert("Tictune-MAC", headers.get("Tictune-MAC").unwrap().as_str());
            let mut payload: Value = serde_json::from_slice(&result.payload).unwrap();
            for _ in 0..2 {
                let text = payload.to_string().into();
                client.publish_with_headers(results(&part), seal.clone(), text).await.unwrap();
                payload["session"] = part["session"].clone();
            }
        }
        client.flush().await.unwrap();
        let refused = "was refused: it has another key, or the message was changed";
        assert_has(&second.succeeds(), &[refused]);
    });
}

#[test]
fn a_build_that_plays_otherwise_is_refused_by_driver_and_worker() {
    let Some(server) = Server::start() else { return };
    drop(server.worker());
    let mut honest = None;
    let said = same_match(server.drive(MATCH), |driver| {
        driver.wait_for("no workers are connected");
        with_client(&server, async |client| {
            let mut parts = take_parts(&client, AckKind::Nak(None)).await;
            for part in &mut parts {
                // Workers of other builds say what they play, or that they will not play.
                part["play_hash"] = 77.into();
                answer(&client, part, "changed").await;
            }
            let mut part = parts.swap_remove(0);
            let declined = json!({ "declined": "the driver is another build" });
            publish(&client, results(&part), answer_to(&part, "other", declined)).await;
            // To a worker of this build, a driver is the other one.
            let request = json!({ "work": part["work"], "from": 0 }).to_string();
            let works = results(&part).replace("results", "works");
            let work = client.request(works, request.into()).await.unwrap().payload;
            let mut requests = client.subscribe("tictune.works.other").await.unwrap();
            part["session"] = "other".into();
            publish(&client, "tictune.parts.other", part).await;
            let worker = server.worker();
            while !worker.has_ended() {
                tokio::select! {
                    Some(request) = requests.next() => {
                        client.publish(request.reply.unwrap(), work.clone()).await.unwrap();
                    }
                    () = tokio::time::sleep(Duration::from_millis(50)) => {}
                }
            }
            let (status, _, said) = worker.end();
            assert_eq!(status, 2, "{said}");
            let expected = "the driver is another build of tictune, which plays uttt differently";
            assert_has(&said, &[expected]);
            let stream = jetstream::new(client).get_stream("TICTUNE-PARTS").await.unwrap();
            stream.purge().filter("tictune.parts.other").await.unwrap();
        });
        honest = Some(server.worker());
    });
    assert!(honest.is_some());
    assert_has(
        &said,
        &[
            "it is another build of tictune, which plays uttt differently (000000000000004d, this one ",
            "install the same build on all machines",
        ],
    );
}

#[test]
fn a_server_that_comes_back_empty_gets_its_streams_again() {
    let Some(mut server) = Server::start() else { return };
    server.folder.file("c.toml", CONFIG);
    server.folder.said("evolve c.toml --out local");
    let worker = server.worker();
    let driver = Process::of(server.drive("evolve c.toml --out many"));
    let log = "many/stage-1-depth-3/evaluations.csv";
    wait_until("a generation", || server.folder.lines(log).len() > 8);
    server.go_empty();
    driver.wait_for("the server had lost its streams");
    let said = driver.succeeds();
    assert!(!said.contains("-js") && !worker.said().contains("-js"), "{said}");
    assert_same(&server.folder.path("local"), &server.folder.path("many"));
}

#[test]
fn a_server_with_the_permissions_of_the_documentation() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let config = read(&docs.join("nats-server.conf"));
    assert_has(&read(&docs.join("cluster.md")), &[&config]);
    let config = config.replace("$DRIVER_PASSWORD", "geheim77");
    let config = config.replace("$WORKER_PASSWORD", "geheim78");
    let Some(mut server) = Server::start_with_config(&config) else { return };
    let url = server.url();
    let of = |server: &Server, user: &str, password: &str, line: &str| {
        let mut command = server.folder.command(&line.replace("URL", &url));
        command.env("TICTUNE_NATS_USER", user).env("TICTUNE_NATS_PASSWORD", password);
        command
    };
    keys(&server.folder);
    let worker = "worker URL --threads 1 --key own";
    let worker = Process::of(of(&server, "worker", "geheim78", worker));
    worker.wait_for("is ready");
    server.folder.file("c.toml", SMALL);
    server.folder.said("evolve c.toml --out local");
    let by_driver = |server: &Server, line: &str| {
        let output = of(server, "driver", "geheim77", line).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        output
    };
    let evolved = by_driver(&server, "evolve c.toml --out out --executor URL --key own");
    assert_same(&server.folder.path("local"), &server.folder.path("out"));
    assert_has(&stdout(&by_driver(&server, "workers URL")), &["1 worker"]);
    assert!(!worker.said().contains("iolation") && !stderr(&evolved).contains("iolation"));

    // A worker can neither hand parts out nor hear what others say.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let violations = runtime.block_on(async {
        let (send, mut heard) = tokio::sync::mpsc::unbounded_channel();
        let options = async_nats::ConnectOptions::new()
            .user_and_password("worker".into(), "geheim78".into())
            .event_callback(move |event| {
                let _ = send.send(event.to_string());
                std::future::ready(())
            });
        let client = options.connect(&url).await.unwrap();
        for subject in ["parts.x", "ended", "inbox.driver.x"] {
            client.publish(format!("tictune.{subject}"), "x".into()).await.unwrap();
        }
        let mut subscriptions = Vec::new();
        for subject in
            ["tictune.results.*", "tictune.parts.*", "tictune.inbox.driver.>", "_INBOX.>"]
        {
            subscriptions.push(client.subscribe(subject).await.unwrap());
        }
        client.flush().await.unwrap();
        let mut violations = 0;
        while violations < 7
            && let Ok(Some(event)) =
                tokio::time::timeout(Duration::from_secs(5), heard.recv()).await
        {
            violations += usize::from(event.to_lowercase().contains("permissions violation"));
        }
        violations
    });
    assert_eq!(violations, 7);

    // It is healed with these permissions, too.
    server.go_empty();
    let healed = by_driver(&server, "match random random --games 40 --executor URL --key own");
    assert_has(&stderr(&healed), &["agreed"]);
}
