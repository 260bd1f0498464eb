//! A wall clock that jumps by years while something runs: nothing depends on it.
#![cfg(unix)]

use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::clock::Clock;
use crate::common::{assert_same, run, stderr, tictune};

const CONFIG: &str = r#"name = "clock"
evaluation = "connecting"
seed = 3
[cmaes]
population = 4
sigma = 0.5
[fitness]
games = 40
[[opponents]]
agent = "random"
[finalists]
games = 20
[[stages]]
depth = 1
max_generations = 12
max_seconds = 3600
[comparison]
games = 10
[validation]
games = 10
depths = [1]
opponents = ["initial"]
"#;

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

/// The years in which the lines of a log were written.
fn years(log: &Path) -> Vec<String> {
    let log = std::fs::read_to_string(log).unwrap();
    let mut years: Vec<String> = log.lines().map(|line| line.chars().take(4).collect()).collect();
    years.sort();
    years.dedup();
    years
}

#[test]
fn a_run_whose_clock_jumps_leaves_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let Some(clock) = Clock::new(folder.path()) else { return };
    let path = |name: &str| folder.path().join(name);
    let config = path("clock.toml").display().to_string();
    std::fs::write(&config, CONFIG).unwrap();
    let whole = path("whole");
    let output = run(&["evolve", &config, "--out", whole.to_str().unwrap()]);
    assert!(output.status.success(), "{}", stderr(&output));

    let out = path("jumping");
    let start = || {
        let command = tictune(&["evolve", &config, "--resume", "--out", out.to_str().unwrap()]);
        let mut command = clock.shows(command);
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    };
    // It is killed in one decade, and resumed in another.
    clock.jump(4000);
    let mut killed = start();
    let log = out.join("stage-1-depth-1/evaluations.csv");
    while std::fs::read_to_string(&log).map_or(0, |text| text.lines().count()) < 10 {
        assert!(killed.try_wait().unwrap().is_none(), "it has ended");
        std::thread::sleep(Duration::from_millis(5));
    }
    killed.kill().unwrap();
    killed.wait().unwrap();
    clock.jump(-4000);
    let mut resumed = start();
    let jumps = jump_until_the_end(&clock, &mut resumed);
    let output = resumed.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_same(&whole, &out);
    assert!(jumps > 1 && years(&out.join("log.txt")).len() > 1, "the clock did not jump");
}

#[test]
fn limits_of_time_are_kept_while_the_clock_jumps() {
    let folder = tempfile::tempdir().unwrap();
    let Some(clock) = Clock::new(folder.path()) else { return };
    // A program that never answers forfeits, after the time that it has.
    let silent = "external:cmd=\"sleep 60\",protocol=codingame,time=50ms";
    for agents in [["iterative:time=5ms", "random"], [silent, "random"]] {
        let args = ["match", agents[0], agents[1], "--openings", "none", "--games", "2", "--json"];
        let mut command = clock.shows(tictune(&args));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let started = Instant::now();
        jump_until_the_end(&clock, &mut child);
        assert!(started.elapsed() < Duration::from_secs(60));
        let output = child.wait_with_output().unwrap();
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let seconds = report["seconds"].as_f64().unwrap();
        assert!((0.0..60.0).contains(&seconds), "{seconds}");
    }
}
