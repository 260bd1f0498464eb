//! Matches with programs that end early: interrupted, killed, or forfeited for the most part.
#![cfg(unix)]

use std::time::{Duration, Instant};

use crate::common::{
    Folder, Signal, assert_fails, assert_has, parsed, piped, quoted, runs, send, stdout, wait_until,
};

/// A program that is asked for a move and says nothing for minutes, with a child that has left its group, or with a daemon, in
/// a session of its own and without its parent, ends with the process for which it was started, however that ends.
#[test]
fn no_program_outlives_its_match() {
    let child = "echo $$ >> $DIR/pids; setsid sh -c 'echo $$ >> PIDS; exec sleep 60' & sleep 60";
    let daemon = "echo $$ >> $DIR/pids; setsid -f sh -c 'echo $$ >> PIDS; exec sleep 60'; sleep 60";
    for script in [child, daemon] {
        for signals in [&[Signal::KILL][..], &[Signal::INT], &[Signal::TERM], &[Signal::TERM; 2]] {
            let folder = Folder::new();
            let script = script.replace("PIDS", &folder.text("pids"));
            let silent = folder.agent("silent", &script, "protocol=theaigames,time=10m");
            let line = format!("match {} random --games 100 --threads 1", quoted(&silent));
            let child = folder.start(&line);
            wait_until("the programs run", || folder.lines("pids").len() == 2);
            let asked = Instant::now();
            signals.iter().for_each(|signal| send(*signal, &child));
            let output = child.wait_with_output().unwrap();
            let taken = asked.elapsed();
            assert!(taken < Duration::from_secs(2), "{signals:?} took {taken:?}");
            if script.contains("setsid sh") && matches!(signals, [Signal::INT] | [Signal::TERM]) {
                assert_fails(&output, 130, "interrupted");
            }
            wait_until("the programs end", || !folder.lines("pids").iter().any(|pid| runs(pid)));
        }
    }
}

/// A program that plays as `reflex`, but does something else in some of its games.
fn reflex_but(condition: &str, then: &str) -> String {
    let binary = crate::common::TICTUNE;
    format!(
        "echo x >> $DIR/games; n=$(wc -l < $DIR/games); [ $n {condition} ] && {then}\n\
         exec '{binary}' bot --protocol theaigames --agent reflex\n"
    )
}

#[test]
fn an_interrupted_match_prints_and_writes_what_was_played() {
    let folder = Folder::new();
    let script = reflex_but("-gt 4", "exec sleep 60");
    let agent = quoted(&folder.agent("tired", &script, "protocol=theaigames,time=10m"));
    let more = "--games 100 --threads 1 --json --games-csv games.csv";
    let child = piped(&mut folder.command(&format!("match {agent} random {more}")));
    wait_until("the fifth game begins", || folder.lines("games").len() == 5);
    send(Signal::INT, &child);
    let output = child.wait_with_output().unwrap();
    assert_fails(&output, 130, "the result of the first 4 of 100 games");
    let report: serde_json::Value = parsed(&output);
    assert_eq!((&report["games"], &report["errors"]), (&4.into(), &0.into()));
    assert_eq!(folder.lines("games.csv").len(), 5, "a row a game");
}

#[test]
fn a_match_of_forfeits_has_no_result() {
    let folder = Folder::new();
    // What a program says at its end is shown with the path in it.
    let words =
        "/usr/lib/a/folder/of/some/interpreter/bin/python3: can't open file '/a/folder/bot.py'";
    let script = format!("echo \"{words}\" >&2; exit 1");
    let keys = "protocol=theaigames,time=10s";
    let missing = quoted(&folder.agent("missing", &script, keys));
    let output = folder.run(&format!("match random {missing} --games 4"));
    assert_fails(&output, 1, "no result: agent B forfeited 4 of 4 games");
    let text = stdout(&output);
    let expected = "no result: agent B forfeited 4 of 4 games: the program ended";
    assert!(text.starts_with(expected) && !text.contains("p ="), "{text}");
    assert_has(&text, &[words]);
    let output = folder.run(&format!("tournament random reflex {missing} --games 4"));
    assert_fails(&output, 1, "no result of random against external:");
    let text = stdout(&output);
    assert_eq!(text.matches("forfeited 4 of 4 games").count(), 2, "{text}");
    // A program that fails in less than half of its games has a result.
    let moody = quoted(&folder.agent("moody", &reflex_but("-eq 2", "exit 1"), keys));
    let text = folder.said(&format!("match {moody} random --games 4 --threads 1"));
    assert!(text.starts_with("A ") && text.contains("p ="), "{text}");
}

#[test]
fn a_move_within_the_grace_counts_and_is_counted() {
    let folder = Folder::new();
    // Each answer takes a little more than the second that it may take. The second one is not legal.
    let script = "while read line; do case $line in \
                  action*) sleep 1.03; echo place_move 4 4 and a message;; esac; done";
    let slow = quoted(&folder.agent("slow", script, "protocol=theaigames,time=1s"));
    let more = "--games 1 --schedule first --openings none --json";
    let output = folder.run(&format!("match {slow} random {more}"));
    let report: serde_json::Value = parsed(&output);
    let side = &report["by_agent"][0];
    assert_eq!((&side["moves"], &side["moves_in_grace"]), (&1.into(), &1.into()), "{side}");
    // The request that was forfeited is not among the times.
    assert!(side["search_seconds"].as_f64().unwrap() < 1.5, "{side}");
}
