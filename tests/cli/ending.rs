//! Matches with programs that end early: interrupted, killed, or forfeited for the most part.
#![cfg(unix)]

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::common::{Signal, assert_fails, run, send, stderr, tictune};
use crate::programs::{Scripts, runs};

/// Starts a match in which a program is asked for a move and says nothing for minutes. A child of the program has left
/// its group. Returns when both run.
fn match_with_a_silent_program(scripts: &Scripts) -> Child {
    let pids = scripts.path("pids");
    let script = format!(
        "echo $$ >> $DIR/pids; setsid sh -c 'echo $$ >> {}; exec sleep 60' & sleep 60",
        pids.display()
    );
    let silent = scripts.agent("silent", &script, "protocol=theaigames,time=10m");
    let args = ["match", &silent, "random", "--games", "100", "--threads", "1"];
    let child = tictune(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until("the program runs", || scripts.lines("pids").len() == 2);
    child
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(20), "{what}: not in time");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_signal_ends_a_match_at_once_although_a_program_is_silent() {
    for signal in [Signal::INT, Signal::TERM] {
        let scripts = Scripts::new();
        let child = match_with_a_silent_program(&scripts);
        let asked = Instant::now();
        send(signal, &child);
        assert_fails(&child.wait_with_output().unwrap(), 130, "interrupted");
        assert!(asked.elapsed() < Duration::from_secs(2), "{signal:?} took {:?}", asked.elapsed());
        wait_until("the programs end", || !scripts.lines("pids").iter().any(|pid| runs(pid)));
    }
}

/// A daemon, in a session of its own and without its parent, ends with the process for which it was started, however
/// that ends.
#[test]
fn no_daemon_outlives_its_match() {
    for signals in [&[Signal::KILL][..], &[Signal::TERM], &[Signal::TERM; 2]] {
        let scripts = Scripts::new();
        let pids = scripts.path("pids");
        let script =
            format!("setsid -f sh -c 'echo $$ >> {}; exec sleep 60'; sleep 60", pids.display());
        let agent = scripts.agent("daemon", &script, "protocol=theaigames,time=10m");
        let args = ["match", &agent, "random", "--games", "2", "--threads", "1"];
        let mut child = tictune(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait_until("the daemon runs", || scripts.lines("pids").iter().any(|pid| runs(pid)));
        signals.iter().for_each(|signal| send(*signal, &child));
        child.wait().unwrap();
        wait_until("the daemon ends", || !scripts.lines("pids").iter().any(|pid| runs(pid)));
    }
}

#[test]
fn no_program_outlives_a_killed_tictune() {
    let scripts = Scripts::new();
    let mut child = match_with_a_silent_program(&scripts);
    assert!(scripts.lines("pids").iter().all(|pid| runs(pid)));
    send(Signal::KILL, &child);
    child.wait().unwrap();
    wait_until("the programs end", || !scripts.lines("pids").iter().any(|pid| runs(pid)));
}

/// A program that plays as `reflex`, but does something else in some of its games.
fn reflex_but(condition: &str, then: &str) -> String {
    let binary = env!("CARGO_BIN_EXE_tictune");
    format!(
        "echo x >> $DIR/games; n=$(wc -l < $DIR/games); [ $n {condition} ] && {then}\n\
         exec '{binary}' bot --protocol theaigames --agent reflex\n"
    )
}

#[test]
fn an_interrupted_match_prints_and_writes_what_was_played() {
    let scripts = Scripts::new();
    let script = reflex_but("-gt 4", "exec sleep 60");
    let agent = scripts.agent("tired", &script, "protocol=theaigames,time=10m");
    let games = scripts.path("games.csv");
    let games = games.to_str().unwrap();
    let args = ["--games", "100", "--threads", "1", "--json", "--games-csv", games];
    let args = [&["match", &agent, "random"], &args[..]].concat();
    let child = tictune(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until("the fifth game begins", || scripts.lines("games").len() == 5);
    send(Signal::INT, &child);
    let output = child.wait_with_output().unwrap();
    assert_fails(&output, 130, "the result of the first 4 of 100 games");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["games"], &report["errors"]), (&4.into(), &0.into()));
    assert_eq!(scripts.lines("games.csv").len(), 5, "a row a game");
}

#[test]
fn a_match_of_forfeits_has_no_result() {
    let scripts = Scripts::new();
    // What a program says at its end is shown with the path in it.
    let words =
        "/usr/lib/a/folder/of/some/interpreter/bin/python3: can't open file '/a/folder/bot.py'";
    let script = format!("echo \"{words}\" >&2; exit 1");
    let missing = scripts.agent("missing", &script, "protocol=theaigames,time=10s");
    let output = run(&["match", "random", &missing, "--games", "4"]);
    assert_fails(&output, 1, "no result: agent B forfeited 4 of 4 games");
    let text = String::from_utf8(output.stdout).unwrap();
    let expected = "no result: agent B forfeited 4 of 4 games: the program ended";
    assert!(text.starts_with(expected) && !text.contains("p ="), "{text}");
    assert!(text.contains(words), "{text}");
    let output = run(&["tournament", "random", "reflex", &missing, "--games", "4"]);
    assert_fails(&output, 1, "no result of random against external:");
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.matches("forfeited 4 of 4 games").count(), 2, "{text}");
    // A program that fails in less than half of its games has a result.
    let moody =
        scripts.agent("moody", &reflex_but("-eq 2", "exit 1"), "protocol=theaigames,time=10s");
    let output = run(&["match", &moody, "random", "--games", "4", "--threads", "1"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("A ") && text.contains("p ="), "{text}");
}

#[test]
fn a_move_within_the_grace_counts_and_is_counted() {
    let scripts = Scripts::new();
    // Each answer takes a little more than the second that it may take. The second one is not legal.
    let script = "while read line; do case $line in \
                  action*) sleep 1.03; echo place_move 4 4 and a message;; esac; done";
    let slow = scripts.agent("slow", script, "protocol=theaigames,time=1s");
    let args = ["--games", "1", "--schedule", "first", "--openings", "none", "--json"];
    let output = run(&[&["match", &slow, "random"], &args[..]].concat());
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let side = &report["by_agent"][0];
    assert_eq!((&side["moves"], &side["moves_in_grace"]), (&1.into(), &1.into()), "{side}");
    // The request that was forfeited is not among the times.
    assert!(side["search_seconds"].as_f64().unwrap() < 1.5, "{side}");
}
