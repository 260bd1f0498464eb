//! A wall clock that jumps by years while something runs: nothing depends on it.
#![cfg(unix)]

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::clock::Clock;
use crate::common::{Folder, assert_same, edited, parsed, piped, stderr, wait_until};

/// Lets the clock jump until a process ends. Gives how often it has.
fn jump_until_the_end(clock: &Clock, child: &mut Child) -> usize {
    let started = Instant::now();
    let days = [4000, -4000, 9000, -9000, 0];
    for (jumps, days) in days.into_iter().cycle().enumerate() {
        if child.try_wait().unwrap().is_some() {
            return jumps;
        }
        assert!(started.elapsed() < Duration::from_secs(120), "it does not end");
        clock.jump(days);
        std::thread::sleep(Duration::from_millis(20));
    }
    unreachable!("days go on for ever")
}

#[test]
fn a_run_whose_clock_jumps_leaves_the_same_bytes() {
    let config = edited(
        include_str!("../configs/rich.toml"),
        &[("games = 8\n", "games = 40\n"), ("max_generations = 3", "max_generations = 6")],
    );
    let folder = Folder::with("c.toml", &config);
    let Some(clock) = Clock::new(&folder.path("")) else { return };
    folder.said("evolve c.toml --out whole");
    let start = || {
        let mut command = clock.shows(folder.command("evolve c.toml --resume --out jumping"));
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    };
    // It is killed in one decade, and resumed in another.
    clock.jump(4000);
    let mut killed = start();
    wait_until("ten rows", || folder.lines("jumping/stage-1-depth-1/evaluations.csv").len() >= 10);
    killed.kill().unwrap();
    assert!(!killed.wait().unwrap().success(), "it has ended");
    clock.jump(-4000);
    let mut resumed = start();
    let jumps = jump_until_the_end(&clock, &mut resumed);
    let output = resumed.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_same(&folder.path("whole"), &folder.path("jumping"));
    // Lines of a log begin with the year.
    let years: std::collections::BTreeSet<String> =
        folder.lines("jumping/log.txt").iter().map(|line| line.chars().take(4).collect()).collect();
    assert!(jumps > 1 && years.len() > 1, "the clock did not jump");
}

#[test]
fn limits_of_time_are_kept_while_the_clock_jumps() {
    let folder = Folder::new();
    let Some(clock) = Clock::new(&folder.path("")) else { return };
    // A program that never answers forfeits, after the time that it has.
    let silent = "'external:cmd=\"sleep 60\",protocol=codingame,time=50ms'";
    for agent in ["iterative:time=5ms", silent] {
        let line = format!("match {agent} random --openings none --games 2 --json");
        let mut child = piped(&mut clock.shows(folder.command(&line)));
        let started = Instant::now();
        jump_until_the_end(&clock, &mut child);
        assert!(started.elapsed() < Duration::from_secs(60));
        let output = child.wait_with_output().unwrap();
        let report: serde_json::Value = parsed(&output);
        let seconds = report["seconds"].as_f64().unwrap();
        assert!((0.0..60.0).contains(&seconds), "{seconds}");
    }
}
