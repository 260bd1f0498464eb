//! Helpers for the tests of the real binary.
#![allow(dead_code, unreachable_pub, reason = "each test crate uses a part")]

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

#[cfg(unix)]
pub use rustix::process::Signal;

/// The binary.
pub const TICTUNE: &str = env!("CARGO_BIN_EXE_tictune");

/// What tests set `TERM` to: it may be `dumb`, or missing, where they are run.
pub const TERM: &str = "xterm-256color";

/// A folder in which commands are typed as in a shell: words with quotes.
pub struct Folder {
    folder: TempDir,
    /// The program that is run; `tictune` as a rule.
    pub program: PathBuf,
}

impl Folder {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), program: TICTUNE.into() }
    }

    /// A folder with one file.
    pub fn with(name: &str, text: &str) -> Self {
        let folder = Self::new();
        folder.file(name, text);
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A path as text.
    pub fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    /// Writes a file, and the folder that it is in; gives its path.
    pub fn file(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self.text(name)
    }

    pub fn read(&self, name: &str) -> String {
        read(&self.path(name))
    }

    /// The lines of a file; none if there is no such file.
    pub fn lines(&self, name: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.path(name)).unwrap_or_default();
        text.lines().map(String::from).collect()
    }

    /// Replaces a text in a file.
    pub fn edit(&self, name: &str, old: &str, new: &str) {
        self.file(name, &edited(&self.read(name), &[(old, new)]));
    }

    /// A shell script as an external agent; `$DIR` stands for this folder.
    pub fn agent(&self, name: &str, script: &str, keys: &str) -> String {
        let head = format!("DIR='{}'\n", self.text(""));
        format!("external:cmd=\"sh '{}'\",{keys}", self.file(name, &(head + script)))
    }

    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.args(shlex::split(line).unwrap()).env("TERM", TERM).current_dir(self.path(""));
        command
    }

    /// Runs a command to its end.
    pub fn run(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    /// The standard output of a command that must succeed.
    pub fn said(&self, line: &str) -> String {
        let output = self.run(line);
        assert!(output.status.success(), "tictune {line}: {}", stderr(&output));
        stdout(&output)
    }

    pub fn json(&self, line: &str) -> Value {
        serde_json::from_str(&self.said(line)).unwrap()
    }

    /// The JSON of a command without times, which do not depend on the seed alone.
    pub fn json_without_times(&self, line: &str) -> Value {
        without_times_in(self.json(line))
    }

    /// Asserts that a command ends with a status and these words on standard error, which it gives.
    pub fn fails(&self, line: &str, status: i32, expected: &str) -> String {
        let output = self.run(line);
        assert_fails(&output, status, expected);
        stderr(&output)
    }

    /// Starts a command whose standard error can be read.
    pub fn start(&self, line: &str) -> Child {
        let mut command = self.command(line);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Runs a command with something on its standard input.
    pub fn told(&self, line: &str, input: &[u8]) -> Output {
        let mut child = piped(&mut self.command(line));
        let (mut stdin, input) = (child.stdin.take().unwrap(), input.to_vec());
        // Whoever reads nothing more closes the pipe.
        let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        output
    }
}

/// Starts a command with a pipe for all that it reads and says.
pub fn piped(command: &mut Command) -> Child {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// A process that is killed with this value.
pub struct Killed(pub Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A text as one word of a command line.
pub fn quoted(text: &str) -> String {
    shlex::try_quote(text).unwrap().into_owned()
}

/// Our own binary as an external agent.
pub fn own_bot(protocol: &str, agent: &str, keys: &str) -> String {
    let bot = format!("'{TICTUNE}' bot --protocol {protocol} --agent {agent}");
    format!("external:cmd=\"{bot}\",protocol={protocol}{keys}")
}

/// A text with others in place of some that it has.
pub fn edited(text: &str, edits: &[(&str, &str)]) -> String {
    edits.iter().fold(text.to_owned(), |text, (old, new)| {
        assert!(text.contains(old), "{old} is not in {text}");
        text.replace(old, new)
    })
}

pub fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub fn read_json(path: &Path) -> Value {
    serde_json::from_str(&read(path)).unwrap()
}

/// The rows of a CSV file, each by column name.
pub fn rows(path: &Path) -> Vec<BTreeMap<String, String>> {
    csv::Reader::from_path(path).unwrap().deserialize().map(Result::unwrap).collect()
}

/// Waits until something is so, or fails after two minutes.
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(120), "{what}: not in time");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Sends a signal to a process.
#[cfg(unix)]
pub fn send(signal: Signal, child: &Child) {
    rustix::process::kill_process(rustix::process::Pid::from_child(child), signal).unwrap();
}

/// Whether a process runs. A process that has ended and waits for another parent does not run.
pub fn runs(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

/// JSON without times.
pub fn without_times_in(mut value: Value) -> Value {
    match &mut value {
        Value::Object(object) => {
            object.retain(|key, _| !key.contains("seconds") && key != "ms_per_move");
            object.values_mut().for_each(|value| *value = without_times_in(value.take()));
        }
        Value::Array(array) => {
            array.iter_mut().for_each(|value| *value = without_times_in(value.take()));
        }
        _ => {}
    }
    value
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn parsed(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", stderr(output)))
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Asserts that a text has parts.
pub fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part} is missing: {text}");
    }
}

/// Asserts that a command ends with a status, mentions the expected text and did not panic.
pub fn assert_fails(output: &Output, status: i32, expected: &str) {
    let text = stderr(output);
    assert_eq!(output.status.code(), Some(status), "{text}");
    assert!(text.contains(expected), "expected \"{expected}\" in: {text}");
    assert!(!text.contains("panicked"), "{text}");
}

/// Every file of a run by name, without its log and its forfeits and without elapsed times.
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
        let text = read(&path);
        let text = match name.rsplit('/').next().unwrap() {
            "generations.csv" | "games.csv" | "table.csv" => csv_without_times(&text),
            "tournament.json" => without_times_in(serde_json::from_str(&text).unwrap()).to_string(),
            _ => text,
        };
        files.insert(name, text);
    }
}

fn csv_without_times(text: &str) -> String {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let timed = |head: &str| {
        head.contains("second") || head.starts_with("slowest") || head == "ms_per_move"
    };
    let cut = |row: &csv::StringRecord| {
        let kept = rows[0].iter().zip(row).filter(|(head, _)| !timed(head));
        kept.map(|(_, field)| field).collect::<Vec<_>>().join(";") + "\n"
    };
    rows.iter().map(cut).collect()
}

/// Asserts that two runs left the same bytes.
pub fn assert_same(a: &Path, b: &Path) {
    let (a, b) = (contents(a), contents(b));
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
    for (name, text) in &a {
        assert_eq!(text, &b[name], "{name} differs");
    }
}
