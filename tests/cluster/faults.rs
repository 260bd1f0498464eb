//! What the network and the people on it may do.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::jetstream::{self, AckKind};
use futures_util::StreamExt;
use serde_json::{Value, json};

use crate::clock::Clock;
use crate::common::{assert_fails, assert_has};
use crate::network::{
    MATCH, answer_to, parts, publish, results, same_match, take_parts, with_client,
};
use crate::server::{Process, Server};

#[test]
fn answers_that_do_not_fit_are_refused_and_played_by_others() {
    let Some(server) = Server::start() else { return };
    // A worker makes the streams, and leaves.
    drop(server.worker());
    let mut honest = None;
    let said = same_match(server.drive(MATCH), |driver| {
        driver.wait_for("no workers are connected");
        with_client(&server, async |client| {
            for part in take_parts(&client, AckKind::Ack).await {
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
                    publish(&client, results(&part), text).await;
                }
            }
        });
        driver.wait_for("a result of worker liar was refused");
        honest = Some(server.worker());
    });
    assert!(honest.is_some() && !said.contains('\u{1b}'), "{said}");
}

#[test]
fn errors_that_are_made_up_end_no_run() {
    let Some(server) = Server::start() else { return };
    drop(server.worker());
    // There is nobody but the liar: the driver plays every part that he says he cannot.
    let said = same_match(server.drive(MATCH), |driver| {
        driver.wait_for("no workers are connected");
        with_client(&server, async |client| {
            let consumer = parts(&client).await;
            let made_up =
                [json!({ "input": "no \u{1b}[31m file" }), json!({ "failed": "exit status 9" })];
            for lie in 0.. {
                if driver.has_ended() {
                    break;
                }
                let batch = consumer.fetch().max_messages(1).expires(Duration::from_millis(500));
                let Ok(mut messages) = batch.messages().await else { break };
                let Some(Ok(message)) = messages.next().await else { continue };
                let part: Value = serde_json::from_slice(&message.payload).unwrap();
                for number in [part["part"].clone(), 99_999.into()] {
                    let (name, outcome) = (format!("liar-{}", lie % 7), &made_up[lie % 2]);
                    let mut answer = answer_to(&part, &name, outcome.clone());
                    answer["part"] = number;
                    publish(&client, results(&part), answer).await;
                }
                message.ack().await.unwrap();
            }
        });
    });
    assert_has(&said, &["it reports an error that does not occur here", "exit status 9"]);
    assert!(!said.contains('\u{1b}'), "{said}");
}

#[test]
fn parts_that_make_no_sense_are_refused_by_workers() {
    let Some(server) = Server::start() else { return };
    let worker = server.worker();
    let part = |session: &str, version: &str| {
        let games = json!({ "start": 0, "end": u64::MAX });
        json!({ "version": { "format": 3, "tictune": version }, "session": session, "work": 0, "part": 0, "attempt": 0,
                "work_hash": "", "play_hash": null, "pieces": [{ "unit": 0, "games": games }] })
        .to_string()
    };
    let own = env!("CARGO_PKG_VERSION");
    with_client(&server, async |client| {
        let long = "x".repeat(100_000);
        for text in [&part("gone", own), &part("bad name.*", own), "[]", "\0\0", &long] {
            publish(&client, "tictune.parts.gone", text).await;
        }
        publish(&client, "tictune.ended", "nonsense").await;
        publish(&client, "tictune.status", "nonsense").await;
    });
    same_match(server.drive(MATCH), |_| {});
    // A driver of another version is none that a worker can work for.
    with_client(&server, async |client| {
        publish(&client, "tictune.parts.other", part("other", "99.0.0")).await;
    });
    let (status, _, said) = worker.end();
    assert_eq!(status, 2, "{said}");
    let expected =
        ["the driver has version 99.0.0 of tictune", "install the same version on all machines"];
    assert_has(&said, &expected);
}

#[test]
fn messages_that_come_twice_or_late_count_once() {
    let Some(server) = Server::start() else { return };
    let _worker = server.worker();
    same_match(server.drive(MATCH), |_| {
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
    let clock = |name: &str| {
        server.folder.file(&format!("{name}/remark"), "");
        Clock::new(&server.folder.path(name))
    };
    let (Some(ahead), Some(behind)) = (clock("ahead"), clock("behind")) else { return };
    ahead.jump(4000);
    behind.jump(-4000);
    let on_ahead =
        |line: &str| ahead.shows(server.folder.command(&format!("{line} {}", server.url())));
    let worker = Process::of(on_ahead("worker --threads 1"));
    worker.wait_for("is ready");
    same_match(behind.shows(server.drive(MATCH)), |driver| {
        for days in [9000, -9000].into_iter().cycle() {
            if driver.has_ended() {
                break;
            }
            ahead.jump(days);
            behind.jump(-days);
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    let output = on_ahead("workers").output().unwrap();
    assert_has(&String::from_utf8_lossy(&output.stdout), &["1 worker"]);
}

#[test]
fn messages_that_the_server_forgets_are_sent_again() {
    let Some(server) = Server::start() else { return };
    let _worker = server.worker();
    same_match(server.drive(MATCH), |_| {
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
    let folder = &server.folder;
    folder.file("bot.sh", "touch started\nwhile read -r line; do echo 0 0; done\n");
    let play = |more: &str| {
        let agent = format!("'external:cmd=\"sh bot.sh\",protocol=codingame{more}'");
        let line = format!("match {agent} random --openings none --games 2");
        server.drive(&line).output().unwrap()
    };
    let worker = server.worker();
    let output = play("");
    for expected in ["it may not start", "--allow-program", "worker "] {
        assert_fails(&output, 2, expected);
    }
    assert!(!folder.path("started").exists());
    drop(worker);
    let _worker = server.worker_with("--allow-program 'sh bot.sh'");
    let output = play("");
    assert!(folder.path("started").exists(), "{output:?}");
    // Variables need a leave of their own.
    let output = play(",env={LD_PRELOAD=\"x\"}");
    assert_fails(&output, 2, "it may not set the variable \"LD_PRELOAD\"");
}

/// A way to a server: its port, and whether it is cut.
fn proxy(to: u16) -> (u16, Arc<AtomicBool>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let cut = Arc::new(AtomicBool::new(false));
    let is_cut = Arc::clone(&cut);
    std::thread::spawn(move || {
        for from in listener.incoming().flatten() {
            let Ok(to) = TcpStream::connect(("127.0.0.1", to)) else { continue };
            for (from, to) in [(from.try_clone().unwrap(), to.try_clone().unwrap()), (to, from)] {
                let is_cut = Arc::clone(&is_cut);
                std::thread::spawn(move || pass_on(from, to, &is_cut));
            }
        }
    });
    (port, cut)
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
    let (port, cut) = proxy(server.port);
    let line = format!("worker nats://127.0.0.1:{port} --threads 1");
    let worker = Process::of(server.folder.command(&line));
    worker.wait_for("is ready");
    same_match(server.drive(MATCH), |_| {
        std::thread::sleep(Duration::from_millis(100));
        cut.store(true, Ordering::Relaxed);
        std::thread::sleep(Duration::from_secs(seconds));
        cut.store(false, Ordering::Relaxed);
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
    let line = format!("worker {} --threads 1", server.url());
    let workers = [(); 50].map(|()| Process::of(server.folder.command(&line)));
    workers.iter().for_each(|worker| worker.wait_for("is ready"));
    let list = server.folder.said(&format!("workers {}", server.url()));
    assert_has(&list, &["50 workers, 50 threads"]);
    same_match(server.drive(MATCH), |_| {});
}
