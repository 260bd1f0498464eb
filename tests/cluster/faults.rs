//! What the network and the people on it may do.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::jetstream;
use futures_util::StreamExt;
use serde_json::{Value, json};

use crate::clock::Clock;
use crate::common::{assert_fails, run, tictune};
use crate::network::{MATCH, answer_to, parts, same_match, same_match_of, with_client};
use crate::server::{Process, Server};

#[test]
fn answers_that_do_not_fit_are_refused_and_played_by_others() {
    let Some(server) = Server::start() else { return };
    // A worker makes the streams, and leaves.
    drop(server.worker());
    let mut honest = None;
    let said = same_match(&server, &server.url(), |driver| {
        driver.wait_for("no worker is there");
        with_client(&server, async |client| {
            let consumer = parts(&client).await;
            let mut messages = consumer.fetch().max_messages(2).messages().await.unwrap();
            let mut taken = 0;
            while let Some(message) = messages.next().await {
                let message = message.unwrap();
                let part: Value = serde_json::from_slice(&message.payload).unwrap();
                let session = part["session"].as_str().unwrap();
                let results = format!("tictune.results.{session}");
                let lie = |change: &dyn Fn(&mut Value)| {
                    let mut answer = answer_to(&part, "liar", json!({ "played": [[]] }));
                    change(&mut answer);
                    answer.to_string()
                };
                for text in [
                    lie(&|_| {}),
                    lie(&|answer| answer["part"] = 999.into()),
                    lie(&|answer| answer["work"] = 999.into()),
                    lie(&|answer| answer["session"] = "other".into()),
                    lie(&|answer| answer["version"]["format"] = 77.into()),
                    lie(&|answer| answer["work_hash"] = "0".into()),
                    lie(&|answer| answer["worker"] = "\u{1b}[31m".into()),
                    lie(&|answer| answer["seconds"] = (-1.0).into()),
                    "{\"half\": ".into(),
                    "\0".repeat(10_000),
                ] {
                    client.publish(results.clone(), text.into()).await.unwrap();
                }
                message.ack().await.unwrap();
                taken += 1;
            }
            assert!(taken > 0);
            client.flush().await.unwrap();
        });
        driver.wait_for("a result of worker liar was refused");
        honest = Some(server.worker());
    });
    assert!(honest.is_some() && !said.contains('\u{1b}'), "{said}");
}

#[test]
fn errors_that_are_made_up_end_no_run() {
    let Some(server) = Server::start() else { return };
    // A worker makes the streams, and leaves.
    drop(server.worker());
    // There is nobody but the liar: the driver plays every part that he says he cannot.
    let said = same_match(&server, &server.url(), |driver| {
        driver.wait_for("no worker is there");
        with_client(&server, async |client| {
            let consumer = parts(&client).await;
            let made_up = [
                json!({ "input": "no \u{1b}[31m file" }),
                json!({ "program": "exit status 9" }),
                json!({ "panicked": "index out of bounds" }),
                json!({ "start": [0, { "Start": "gone" }] }),
                json!({ "start": [77, { "Start": "gone" }] }),
            ];
            for lie in 0.. {
                if driver.has_ended() {
                    break;
                }
                let batch = consumer.fetch().max_messages(1).expires(Duration::from_millis(500));
                let Ok(mut messages) = batch.messages().await else { break };
                let Some(Ok(message)) = messages.next().await else { continue };
                let part: Value = serde_json::from_slice(&message.payload).unwrap();
                let session = part["session"].as_str().unwrap();
                for number in [part["part"].clone(), 99_999.into()] {
                    let (name, outcome) = (format!("liar-{}", lie % 7), &made_up[lie % 5]);
                    let mut answer = answer_to(&part, &name, outcome.clone());
                    answer["part"] = number;
                    let results = format!("tictune.results.{session}");
                    client.publish(results, answer.to_string().into()).await.unwrap();
                }
                message.ack().await.unwrap();
                client.flush().await.unwrap();
            }
        });
    });
    assert!(said.contains("it says that there is an error, and here there is none"), "{said}");
    assert!(said.contains("exit status 9") && !said.contains('\u{1b}'), "{said}");
}

#[test]
fn parts_that_make_no_sense_are_refused_by_workers() {
    let Some(server) = Server::start() else { return };
    let worker = server.worker();
    with_client(&server, async |client| {
        let version = json!({ "format": 2, "tictune": env!("CARGO_PKG_VERSION") });
        let part = |session: &str| {
            json!({ "version": version, "session": session, "work": 0, "part": 0, "attempt": 0,
                    "work_hash": "", "play_hash": null, "pieces": [{ "unit": 0, "games": { "start": 0, "end": u64::MAX } }] })
            .to_string()
        };
        for text in
            [part("gone"), part("bad name.*"), "[]".into(), "\0\0".into(), "x".repeat(100_000)]
        {
            client.publish("tictune.parts.gone", text.into()).await.unwrap();
        }
        client.publish("tictune.ended", "nonsense".into()).await.unwrap();
        client.publish("tictune.status", "nonsense".into()).await.unwrap();
        client.flush().await.unwrap();
    });
    same_match(&server, &server.url(), |_| {});
    drop(worker);
}

#[test]
fn a_worker_of_another_version_is_told_so_and_stops() {
    let Some(server) = Server::start() else { return };
    let worker = server.worker();
    with_client(&server, async |client| {
        let part = json!({ "version": { "format": 2, "tictune": "99.0.0" }, "session": "other",
                           "work": 0, "part": 0, "attempt": 0, "work_hash": "", "play_hash": null,
                           "pieces": [] });
        client.publish("tictune.parts.other", part.to_string().into()).await.unwrap();
        client.flush().await.unwrap();
    });
    let (status, _, said) = worker.end();
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("the driver has version 99.0.0 of tictune"), "{said}");
    assert!(said.contains("install the same version on all machines"), "{said}");
}

#[test]
fn messages_that_come_twice_or_late_count_once() {
    let Some(server) = Server::start() else { return };
    let _worker = server.worker();
    same_match(&server, &server.url(), |_| {
        with_client(&server, async |client| {
            // Everything that is said is said again, after a while.
            let mut results = client.subscribe("tictune.results.*").await.unwrap();
            let mut again = client.subscribe("tictune.parts.*").await.unwrap();
            let mut copies = 0;
            loop {
                let message = tokio::select! {
                    Some(message) = results.next() => message,
                    Some(message) = again.next() => message,
                    () = tokio::time::sleep(Duration::from_millis(700)) => break,
                };
                copies += 1;
                if copies < 40 {
                    tokio::time::sleep(Duration::from_millis(2)).await;
                    // Without its name, by which the server would drop it.
                    client.publish(message.subject, message.payload).await.unwrap();
                }
            }
        });
    });
}

#[test]
fn clocks_that_jump_on_other_machines_change_nothing() {
    let Some(server) = Server::start() else { return };
    let [ahead, behind] = ["ahead", "behind"].map(|name| server.path(name));
    for folder in [&ahead, &behind] {
        std::fs::create_dir(folder).unwrap();
    }
    let (Some(ahead), Some(behind)) = (Clock::new(&ahead), Clock::new(&behind)) else { return };
    let url = server.url();
    ahead.jump(4000);
    behind.jump(-4000);
    let worker = Process::of(ahead.shows(tictune(&["worker", &url, "--threads", "1"])));
    worker.wait_for("is ready");
    let driver = behind.shows(tictune(&[&MATCH[..], &["--executor", &url]].concat()));
    same_match_of(driver, &server, |driver| {
        for days in [9000, -9000].into_iter().cycle() {
            if driver.has_ended() {
                break;
            }
            ahead.jump(days);
            behind.jump(-days);
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    let output = ahead.shows(tictune(&["workers", &url])).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 worker"), "{output:?}");
}

#[test]
fn messages_that_the_server_forgets_are_sent_again() {
    let Some(server) = Server::start() else { return };
    let _worker = server.worker();
    same_match(&server, &server.url(), |_| {
        // As if its clock had jumped by more than it keeps messages for.
        with_client(&server, async |client| {
            let (context, mut forgotten) = (jetstream::new(client), 0);
            for _ in 0..100 {
                for stream in ["TICTUNE-PARTS", "TICTUNE-RESULTS"] {
                    let stream = context.get_stream(stream).await.unwrap();
                    forgotten += stream.purge().await.unwrap().purged;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            assert!(forgotten > 0);
        });
    });
}

#[test]
fn programs_are_started_only_if_the_worker_allows_them() {
    let Some(server) = Server::start() else { return };
    let script = server.path("bot.sh");
    std::fs::write(&script, "touch \"$0.started\"\nwhile read -r line; do echo 0 0; done\n")
        .unwrap();
    let command = format!("sh {}", script.display());
    let agent = format!("external:cmd=\"{command}\",protocol=codingame");
    let url = server.url();
    let play = |agent| {
        let on = ["--openings", "none", "--games", "2", "--executor", &url];
        run(&[&["match", agent, "random"], &on[..]].concat())
    };
    let worker = server.worker();
    let output = play(&agent);
    assert_fails(&output, 2, "it may not start");
    assert_fails(&output, 2, "--allow-program");
    assert_fails(&output, 2, "worker ");
    assert!(!script.with_extension("sh.started").exists());
    drop(worker);
    let _worker = server.worker_with(&["--allow-program", &command]);
    let output = play(&agent);
    assert!(script.with_extension("sh.started").exists(), "{output:?}");
    // Variables need a leave of their own.
    let agent = format!("external:cmd=\"{command}\",protocol=codingame,env={{LD_PRELOAD=\"x\"}}");
    let output = play(&agent);
    assert_fails(&output, 2, "it may not set the variable \"LD_PRELOAD\"");
}

/// A way to the server that can be cut.
struct Proxy {
    port: u16,
    cut: Arc<AtomicBool>,
}

impl Proxy {
    fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let own = listener.local_addr().unwrap().port();
        let cut = Arc::new(AtomicBool::new(false));
        let is_cut = Arc::clone(&cut);
        std::thread::spawn(move || {
            for from in listener.incoming().flatten() {
                let Ok(to) = TcpStream::connect(("127.0.0.1", port)) else { continue };
                for (from, to) in [(from.try_clone().unwrap(), to.try_clone().unwrap()), (to, from)]
                {
                    let is_cut = Arc::clone(&is_cut);
                    std::thread::spawn(move || pass_on(from, to, &is_cut));
                }
            }
        });
        Self { port: own, cut }
    }

    fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }
}

/// While the way is cut, nothing passes, and nobody is told so.
fn pass_on(mut from: TcpStream, mut to: TcpStream, cut: &AtomicBool) {
    let mut bytes = [0; 1 << 16];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        while cut.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(10));
        }
        if to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(std::net::Shutdown::Both);
}

fn match_with_a_cut(seconds: u64) {
    let Some(server) = Server::start() else { return };
    let proxy = Proxy::to(server.port());
    let worker = Process::start(&["worker", &proxy.url(), "--threads", "1"]);
    worker.wait_for("is ready");
    same_match(&server, &server.url(), |driver| {
        std::thread::sleep(Duration::from_millis(100));
        proxy.cut.store(true, Ordering::Relaxed);
        std::thread::sleep(Duration::from_secs(seconds));
        proxy.cut.store(false, Ordering::Relaxed);
        let _ = driver;
    });
}

#[test]
fn a_network_that_is_cut_for_seconds_costs_time_only() {
    match_with_a_cut(3);
}

#[test]
#[ignore = "takes 40 s: longer than the server waits for an acknowledgement"]
fn a_network_that_is_cut_for_longer_than_acknowledgements_costs_time_only() {
    match_with_a_cut(40);
}

#[test]
#[ignore = "takes a minute: fifty processes on one machine"]
fn fifty_workers_share_the_games_of_a_match() {
    let Some(server) = Server::start() else { return };
    let url = server.url();
    let workers: Vec<Process> =
        (0..50).map(|_| Process::start(&["worker", &url, "--threads", "1"])).collect();
    for worker in &workers {
        worker.wait_for("is ready");
    }
    let output = run(&["workers", &url]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("50 workers, 50 threads"));
    same_match(&server, &url, |_| {});
}
