//! Helpers for the tests of the real binary.
#![allow(dead_code, unreachable_pub, reason = "each test crate uses a part")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Output};

#[cfg(unix)]
pub use rustix::process::Signal;

/// A command of the binary whose standard output and standard error are captured.
pub fn tictune(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tictune"));
    command.args(args).env("TERM", TERM);
    command
}

/// What tests set `TERM` to: it may be `dumb`, or missing, where they are run.
pub const TERM: &str = "xterm-256color";

/// Sends a signal to a process.
#[cfg(unix)]
pub fn send(signal: Signal, child: &Child) {
    rustix::process::kill_process(rustix::process::Pid::from_child(child), signal).unwrap();
}

/// Runs the binary to its end.
pub fn run(args: &[&str]) -> Output {
    tictune(args).output().unwrap()
}

/// The standard output of a run that must succeed.
pub fn stdout_of(args: &[&str]) -> String {
    let output = run(args);
    assert!(output.status.success(), "tictune {args:?}: {}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// The JSON output of a run without times, which do not depend on the seed alone.
pub fn json_without_times(args: &[&str]) -> serde_json::Value {
    without_times_in(serde_json::from_str(&stdout_of(args)).unwrap())
}

/// JSON without times.
pub fn without_times_in(mut value: serde_json::Value) -> serde_json::Value {
    match &mut value {
        serde_json::Value::Object(object) => {
            object.retain(|key, _| !key.contains("seconds") && key != "ms_per_move");
            object.values_mut().for_each(|value| *value = without_times_in(value.take()));
        }
        serde_json::Value::Array(array) => {
            array.iter_mut().for_each(|value| *value = without_times_in(value.take()));
        }
        _ => {}
    }
    value
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Asserts that a command ends with a status, mentions the expected text and did not panic.
pub fn assert_fails(output: &Output, status: i32, expected: &str) {
    let text = stderr(output);
    assert_eq!(output.status.code(), Some(status), "{text}");
    assert!(text.contains(expected), "expected \"{expected}\" in: {text}");
    assert!(!text.contains("panicked"), "{text}");
}

/// Every file of a run by name, without its log and its forfeits and without columns of elapsed time.
pub fn contents(folder: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    collect(folder, folder, &mut files);
    files
}

fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, files);
            continue;
        }
        let name = path.strip_prefix(root).unwrap().display().to_string();
        // What happened, not what came out.
        if ["log.txt", "forfeits.json"].contains(&name.as_str()) {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let text = if name.ends_with("generations.csv") { without_times(&text) } else { text };
        files.insert(name, text);
    }
}

fn without_times(csv: &str) -> String {
    let heads: Vec<&str> = csv.lines().next().unwrap_or_default().split(',').collect();
    let kept = |index: usize| !["seconds", "games_per_second"].contains(&heads[index]);
    let cut = |line: &str| {
        let fields = line.split(',').enumerate().filter(|(index, _)| kept(*index));
        fields.map(|(_, field)| field).collect::<Vec<_>>().join(",")
    };
    csv.lines().map(|line| cut(line) + "\n").collect()
}

/// Asserts that two runs left the same bytes.
pub fn assert_same(a: &Path, b: &Path) {
    let (a, b) = (contents(a), contents(b));
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
    for (name, text) in &a {
        assert_eq!(text, &b[name], "{name} differs");
    }
}
