//! Whose results count: a forger, another build, a key, a server that has lost everything.

use std::path::Path;
use std::time::Duration;

use async_nats::Client;
use async_nats::jetstream::{self, AckKind};
use futures_util::StreamExt;
use serde_json::{Value, json};

use crate::common::{assert_same, run, stderr, tictune};
use crate::network::{MATCH, answer_to, made_up, parts, same_match, same_match_of, with_client};
use crate::runs::{CONFIG, SMALL};
use crate::server::{Process, Server, rows, wait_until};

/// The match of these tests on workers, with further arguments.
fn driver(server: &Server, more: &[&str]) -> Process {
    Process::start(&[&MATCH[..], &["--executor", &server.url()], more].concat())
}

/// Answers parts as they are published, before anybody else can: at most so many.
async fn forge(client: &Client, driver: &Process, most: usize) {
    let mut parts = client.subscribe("tictune.parts.*").await.unwrap();
    client.flush().await.unwrap();
    let mut forged = 0;
    while forged < most && !driver.has_ended() {
        let part = tokio::select! {
            Some(message) = parts.next() => message,
            () = tokio::time::sleep(Duration::from_millis(50)) => continue,
        };
        let part: Value = serde_json::from_slice(&part.payload).unwrap();
        answer(client, &part, "forger").await;
        forged += 1;
    }
}

/// Says that A has won all games of a part.
async fn answer(client: &Client, part: &Value, worker: &str) {
    let subject = format!("tictune.results.{}", part["session"].as_str().unwrap());
    let answer = answer_to(part, worker, made_up(part)).to_string();
    client.publish(subject, answer.into()).await.unwrap();
    client.flush().await.unwrap();
}

/// The parts that a driver has out while nobody plays. They go back to the server, for whoever comes.
async fn parts_out(client: &Client) -> Vec<Value> {
    let mut messages = parts(client).await.fetch().max_messages(2).messages().await.unwrap();
    let mut parts = Vec::new();
    while let Some(message) = messages.next().await {
        let message = message.unwrap();
        parts.push(serde_json::from_slice(&message.payload).unwrap());
        message.ack_with(AckKind::Nak(None)).await.unwrap();
    }
    parts
}

/// A file with a key.
fn key(server: &Server, name: &str) -> String {
    let path = server.path(name);
    std::fs::write(&path, format!("{}\n", name.repeat(8))).unwrap();
    path.display().to_string()
}

/// Asserts what a program says.
fn assert_contains(text: &str, expected: &[&str]) {
    for expected in expected {
        assert!(text.contains(expected), "no \"{expected}\" in {text}");
    }
}

#[test]
fn a_forger_that_answers_first_is_found_by_playing_again() {
    let Some(server) = Server::start() else { return };
    let driver = driver(&server, &[]);
    with_client(&server, async |client| forge(&client, &driver, usize::MAX).await);
    let (status, stdout, said) = driver.end();
    assert!(status != 0 && stdout.is_empty(), "{status} {stdout}");
    let expected = ["worker forger says that the games of part", "otherwise than they do here"];
    assert_contains(&said, &expected);
    assert_contains(
        &said,
        &["Nothing that this command measured", "results are not authenticated"],
    );
}

#[test]
fn answers_that_come_late_are_compared_with_those_that_were_counted() {
    let Some(server) = Server::start() else { return };
    // A worker makes the streams, and leaves.
    drop(server.worker());
    let driver = driver(&server, &["--recheck", "0"]);
    driver.wait_for("no worker is there");
    let _worker = with_client(&server, async |client| {
        for part in parts_out(&client).await {
            answer(&client, &part, "forger").await;
        }
        server.worker()
    });
    let (status, stdout, said) = driver.end();
    assert!(status != 0 && stdout.is_empty(), "{status} {stdout}");
    assert_contains(&said, &["the workers forger and ", "in two ways", "--key"]);
    assert!(!said.contains("played again here"), "{said}");
}

#[test]
fn parts_are_played_again_and_agree() {
    let Some(server) = Server::start() else { return };
    let _workers = [server.worker(), server.worker()];
    let said = same_match(&server, &server.url(), |_| {});
    assert_contains(&said, &["were played again here: "]);
    let driver = tictune(&[&MATCH[..], &["--executor", &server.url(), "--recheck", "1"]].concat());
    let said = same_match_of(driver, &server, |_| {});
    let line = said.lines().find(|line| line.contains("played again")).unwrap();
    let words: Vec<&str> = line.split_whitespace().collect();
    // "7 of 7 parts, of 2 of 2 workers, were played again here: 7 agreed"
    assert!(words[0] == words[2] && line.ends_with(&format!(": {} agreed", words[0])), "{line}");
}

#[test]
fn games_by_the_clock_are_not_played_again() {
    let Some(server) = Server::start() else { return };
    let _worker = server.worker();
    let a = "iterative:time=1ms,weights=liang-default";
    let output = run(&["match", a, "random", "--games", "4", "--executor", &server.url()]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_contains(&stderr(&output), &["are not played again to check the workers"]);
    assert!(!stderr(&output).contains("agreed"));
}

#[test]
fn a_forger_without_the_key_counts_for_nothing() {
    let Some(server) = Server::start() else { return };
    let (own, other) = (key(&server, "right-"), key(&server, "wrong-"));
    let _worker = server.worker_with(&["--key", &own]);
    // One that has another key, and one that has none, get no games.
    let stranger = server.worker_with(&["--key", &other]);
    let keyless = server.worker();
    let driver = tictune(&[&MATCH[..], &["--executor", &server.url(), "--key", &own]].concat());
    let said = same_match_of(driver, &server, |driver| {
        with_client(&server, async |client| forge(&client, driver, usize::MAX).await);
    });
    assert_contains(
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
    assert_contains(&keyless, &["a part of a driver was refused: it has a key, and this program"]);
    for said in [said, stranger.said(), keyless] {
        assert!(!said.contains("right-right-") && !said.contains("wrong-wrong-"), "{said}");
    }
}

#[test]
fn a_key_is_in_no_message_and_a_worker_that_has_one_plays_for_nobody_else() {
    let Some(server) = Server::start() else { return };
    let own = key(&server, "right-");
    let worker = server.worker_with(&["--key", &own]);
    let stranger = driver(&server, &[]);
    stranger.wait_for("cannot play here: it has a key, and this program has none");
    worker.wait_for("a part of a driver was refused: it has no key");
    drop(stranger);
    with_client(&server, async |client| {
        let mut all = client.subscribe(">").await.unwrap();
        client.flush().await.unwrap();
        let driver = driver(&server, &["--key", &own]);
        let (mut signed, mut said) = (Vec::new(), String::new());
        while !driver.has_ended() {
            let message = tokio::select! {
                Some(message) = all.next() => message,
                () = tokio::time::sleep(Duration::from_millis(50)) => continue,
            };
            said +=
                &format!("{:?} {}\n", message.headers, String::from_utf8_lossy(&message.payload));
            if message.subject.starts_with("tictune.results.") {
                signed.push(message);
            }
        }
        assert_eq!(driver.end().0, 0);
        assert!(!said.contains("right-right-") && said.contains("Tictune-MAC"));
        // What was signed for one run counts in no other.
        let driver = driver_that_hears(&server, &client, &own, signed).await;
        assert_contains(&driver, &["was refused: it has another key, or the message was changed"]);
    });
}

/// Sends results of an earlier run, as they are and with the name of the session changed, and gives what the driver says.
async fn driver_that_hears(
    server: &Server,
    client: &Client,
    key: &str,
    results: Vec<async_nats::Message>,
) -> String {
    let mut parts = client.subscribe("tictune.parts.*").await.unwrap();
    client.flush().await.unwrap();
    let driver = driver(server, &["--key", key]);
    let part = parts.next().await.unwrap();
    let subject = part.subject.replace("parts", "results");
    let part: Value = serde_json::from_slice(&part.payload).unwrap();
    for result in results {
        let headers = result.headers.unwrap();
        let mut payload: Value = serde_json::from_slice(&result.payload).unwrap();
        for _ in 0..2 {
            let text = payload.to_string();
            client
                .publish_with_headers(subject.clone(), without_id(&headers), text.into())
                .await
                .unwrap();
            payload["session"] = part["session"].clone();
        }
    }
    client.flush().await.unwrap();
    let (status, _, said) = driver.end();
    assert_eq!(status, 0, "{said}");
    said
}

/// The headers but the name by which the server drops what it has.
fn without_id(headers: &async_nats::HeaderMap) -> async_nats::HeaderMap {
    let mut only = async_nats::HeaderMap::new();
    only.insert("Tictune-MAC", headers.get("Tictune-MAC").unwrap().as_str());
    only
}

#[test]
fn a_build_that_plays_otherwise_is_refused_by_driver_and_worker() {
    let Some(server) = Server::start() else { return };
    // A worker makes the streams, and leaves.
    drop(server.worker());
    let mut honest = None;
    let said = same_match(&server, &server.url(), |driver| {
        driver.wait_for("no worker is there");
        with_client(&server, async |client| {
            let mut parts = parts_out(&client).await;
            for part in &mut parts {
                // Workers of other builds say what they play, or that they will not play.
                part["play_hash"] = 77.into();
                answer(&client, part, "changed").await;
            }
            let mut part = parts.swap_remove(0);
            let session = part["session"].as_str().unwrap().to_owned();
            let declined =
                answer_to(&part, "other", json!({ "declined": "the driver is another build" }));
            let results = format!("tictune.results.{session}");
            client.publish(results, declined.to_string().into()).await.unwrap();
            // To a worker of this build, a driver is the other one.
            let request = json!({ "work": part["work"], "from": 0 }).to_string();
            let work = client.request(format!("tictune.works.{session}"), request.into()).await;
            let work = work.unwrap().payload;
            let mut requests = client.subscribe("tictune.works.other").await.unwrap();
            part["session"] = "other".into();
            client.publish("tictune.parts.other", part.to_string().into()).await.unwrap();
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
            let expected = "the driver is another build of tictune, which plays uttt otherwise";
            assert_contains(&said, &[expected]);
            let stream = jetstream::new(client).get_stream("TICTUNE-PARTS").await.unwrap();
            stream.purge().filter("tictune.parts.other").await.unwrap();
        });
        honest = Some(server.worker());
    });
    assert!(honest.is_some());
    assert_contains(
        &said,
        &[
            "it is another build of tictune, which plays uttt otherwise (000000000000004d, this one ",
            "install the same build on all machines",
        ],
    );
}

#[test]
fn a_server_that_comes_back_empty_gets_its_streams_again() {
    let Some(mut server) = Server::start() else { return };
    let [config, local, out] = ["big.toml", "local", "many"].map(|name| server.path(name));
    std::fs::write(&config, CONFIG).unwrap();
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let evolve = ["evolve", &text(&config), "--out"].map(str::to_owned);
    let evolve: Vec<&str> = evolve.iter().map(String::as_str).collect();
    let output = run(&[&evolve[..], &[&text(&local)]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let worker = server.worker();
    let driver =
        Process::start(&[&evolve[..], &[&text(&out), "--executor", &server.url()]].concat());
    wait_until("a generation", || rows(&out.join("stage-1-depth-3/evaluations.csv")) >= 8);
    server.kill();
    std::fs::remove_dir_all(server.path("streams")).unwrap();
    server.go();
    driver.wait_for("the server had lost its streams");
    let (status, _, said) = driver.end();
    assert_eq!(status, 0, "{said}");
    assert!(!said.contains("-js") && !worker.said().contains("-js"), "{said}");
    assert_same(&local, &out);
}

#[test]
fn a_server_with_the_permissions_of_the_documentation() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/nats-server.conf");
    let config = std::fs::read_to_string(&path).unwrap();
    let page = std::fs::read_to_string(path.with_file_name("cluster.md")).unwrap();
    assert!(page.contains(&config), "docs/cluster.md does not show docs/nats-server.conf");
    let passwords = [("DRIVER_PASSWORD", "geheim77"), ("WORKER_PASSWORD", "geheim78")];
    let Some(mut server) = Server::start_with_passwords(&path, &passwords) else { return };
    let of = |user: &str, password: &str, args: &[&str]| {
        let mut command = tictune(args);
        command.env("TICTUNE_NATS_USER", user).env("TICTUNE_NATS_PASSWORD", password);
        command
    };
    let (url, key) = (server.url(), key(&server, "right-"));
    let worker = ["worker", &url, "--threads", "1", "--key", &key];
    let worker = Process::of(of("worker", "geheim78", &worker));
    worker.wait_for("is ready");
    let [config, local, out] = ["small.toml", "local", "out"].map(|name| server.path(name));
    std::fs::write(&config, SMALL).unwrap();
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    assert!(run(&["evolve", &text(&config), "--out", &text(&local)]).status.success());
    let args = ["evolve", &text(&config), "--out", &text(&out), "--executor", &url, "--key", &key];
    let evolve = of("driver", "geheim77", &args).output().unwrap();
    assert!(evolve.status.success(), "{}", stderr(&evolve));
    assert_same(&local, &out);
    let list = of("driver", "geheim77", &["workers", &url]).output().unwrap();
    assert_contains(&String::from_utf8_lossy(&list.stdout), &["1 worker"]);
    assert!(!worker.said().contains("iolation") && !stderr(&evolve).contains("iolation"));

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
        for subject in
            ["tictune.parts.x", "tictune.ended", "tictune.word.x", "tictune.inbox.driver.x"]
        {
            client.publish(subject, "x".into()).await.unwrap();
        }
        let mut subscriptions = Vec::new();
        for subject in
            ["tictune.results.*", "tictune.parts.*", "tictune.inbox.driver.>", "_INBOX.>"]
        {
            subscriptions.push(client.subscribe(subject).await.unwrap());
        }
        client.flush().await.unwrap();
        let mut violations = 0;
        while violations < 8
            && let Ok(Some(event)) =
                tokio::time::timeout(Duration::from_secs(5), heard.recv()).await
        {
            violations += usize::from(event.to_lowercase().contains("permissions violation"));
        }
        violations
    });
    assert_eq!(violations, 8);

    // It is healed with these permissions, too.
    server.kill();
    std::fs::remove_dir_all(server.path("streams")).unwrap();
    server.go();
    let more = ["match", "random", "random", "--games", "40", "--executor", &url, "--key", &key];
    let output = of("driver", "geheim77", &more).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_contains(&stderr(&output), &["agreed"]);
}
