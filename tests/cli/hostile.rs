//! Texts, results and sizes that a program must not trust, and signals.
#![cfg(unix)]

use std::fs::{read_to_string, write};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::common::{Signal, assert_fails, run, send, stderr, stdout_of, tictune};
use crate::programs::Scripts;

/// A folder whose files are named by their paths.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    /// A file with a text; gives its path.
    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        write(self.path(name), text).unwrap();
        self.text(name)
    }
}

/// A match of a moment with more arguments.
pub(crate) fn match_with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["match", "random", "random", "--games", "4"], more].concat()
}

pub(crate) const CONFIG: &str = "name = \"tiny\"\nevaluation = \"simple\"\n[cmaes]\npopulation = 4\nsigma = 0.5\n[fitness]\ngames = 8\n\
                      [[opponents]]\nagent = \"random\"\n[[stages]]\ndepth = 1\nmax_generations = 2\n\
                      [comparison]\ngames = 10\n[validation]\ngames = 10\ndepths = [1]\nopponents = [\"liang-simple\"]\n";

#[test]
fn devices_without_an_end_are_no_input() {
    let zero = "/dev/zero";
    for args in [
        &["match", "greedy:weights=/dev/zero", "random"][..],
        &["match", "@/dev/zero", "random"],
        &["match", "random", "random", "--openings", "file:/dev/zero"],
        &["evolve", zero],
        &["learn", zero],
        &["export", zero, "--format", "toml"],
    ] {
        assert_fails(&run(args), 2, "is longer than 64 MiB");
    }
}

#[test]
fn messages_repeat_little_of_their_input_and_nothing_that_terminals_obey() {
    let folder = Folder::new();
    let long = "x".repeat(20_000);
    let config = folder.file("long.toml", &format!("{long} = 1\n"));
    let value = folder.file("value.toml", &format!("name = {}\n", "9".repeat(20_000)));
    for args in [
        &["match", &long, "random"][..],
        &["match", &format!("greedy:weights={long}"), "random"],
        &["match", &format!("minimax:depth={long}"), "random"],
        &["match", &format!("minimax:{long}=3"), "random"],
        &["match", &format!("minimax:{long}"), "random"],
        &["match", &format!("external:cmd=\"{long}"), "random"],
        &match_with(&["--openings", &long]),
        &match_with(&["--rules", &long]),
        &match_with(&["--sprt", &format!("elo0={long}")]),
        &["reproduce", &long],
        &["export", &long, "--format", "toml"],
        &["evolve", &config, "--check"],
        &["evolve", &value, "--check"],
    ] {
        let output = run(args);
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.len() < 3000, "{} bytes: {}", text.len(), &text[..300]);
    }
    let clear = "\u{1b}[2J";
    for args in [
        &["match", &format!("{clear}random"), "random"][..],
        &["match", &format!("greedy:weights={clear}"), "random"],
        &["evolve", &format!("{clear}.toml")],
        &["export", clear, "--format", "toml"],
        &match_with(&["--moves", &format!("no-such-folder/{clear}")]),
    ] {
        let output = run(args);
        assert_fails(&output, 2, "\\u{1b}[2J");
        assert!(!stderr(&output).contains('\u{1b}'), "{}", stderr(&output));
    }
}

#[test]
fn names_are_harmless_to_terminals_and_spreadsheets() {
    let folder = Folder::new();
    let config = folder.file(
        "t.toml",
        "name = \"t\"\ngames = 2\n[[agents]]\nname = \"=HYPERLINK(\\\"http://x\\\")\"\nagent = \"random\"\n\
         [[agents]]\nname = \"\\u001b[31mred\"\nagent = \"reflex\"\n",
    );
    let out = folder.text("out");
    let text = stdout_of(&["tournament", &config, "--out", &out]);
    assert!(text.contains("=HYPERLINK") && text.contains("\\u{1b}[31mred"), "{text}");
    assert!(!text.contains('\u{1b}'), "{text}");
    for file in ["games.csv", "table.csv", "cross.csv"] {
        let text = read_to_string(folder.path("out").join(file)).unwrap();
        assert!(text.contains("'=HYPERLINK") && !text.contains('\u{1b}'), "{file}: {text}");
        let mut rows = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .from_path(folder.path("out").join(file))
            .unwrap();
        for row in rows.records() {
            assert!(!row.unwrap().iter().any(|cell| cell.starts_with('=')), "{file}");
        }
    }
    // The games are found again under their harmless names.
    let again = run(&["tournament", &config, "--out", &out]);
    assert!(stderr(&again).contains("2 of 2 games are played already"), "{}", stderr(&again));
}

#[test]
fn junk_for_a_bot_is_answered_with_few_words() {
    let junk = format!("{}\n", "junk \u{1b}[2J ".repeat(500)).repeat(2000);
    for protocol in ["codingame", "theaigames"] {
        let mut child = tictune(&["bot", "--protocol", protocol, "--agent", "random"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let junk = junk.clone();
        let writer = std::thread::spawn(move || {
            let _ = std::io::Write::write_all(&mut stdin, junk.as_bytes());
        });
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        let text = stderr(&output);
        assert!(text.len() < 500_000 && !text.contains('\u{1b}'), "{protocol}: {}", text.len());
    }
}

#[test]
fn check_runs_no_program_and_ends() {
    let scripts = Scripts::new();
    let agent = scripts.agent("bot", "touch $DIR/started; sleep 60", "protocol=theaigames,time=1s");
    let folder = Folder::new();
    let agent = agent.replace('"', "\\\"");
    let config = CONFIG.replace("agent = \"random\"", &format!("agent = \"{agent}\""));
    let config = folder.file("program.toml", &config);
    let text = stdout_of(&["evolve", &config, "--check"]);
    assert!(text.contains("no outside program is run"), "{text}");
    assert!(!scripts.path("started").exists());
    let deep = folder.file("deep.toml", &CONFIG.replace("depth = 1", "depth = 32"));
    let started = Instant::now();
    let text = stdout_of(&["evolve", &deep, "--check"]);
    assert!(text.contains("the whole run: longer than could be measured"), "{text}");
    assert!(started.elapsed() < Duration::from_secs(40), "{:?}", started.elapsed());
}

#[test]
fn edited_results_are_refused() {
    let folder = Folder::new();
    let config = folder.file("tiny.toml", CONFIG);
    let out = folder.text("run");
    stdout_of(&["evolve", &config, "--out", &out]);
    let path = folder.path("run/comparison.json");
    let whole = read_to_string(&path).unwrap();
    let comparison: serde_json::Value = serde_json::from_str(&whole).unwrap();
    for (key, value) in [
        ("verdict", "best is stronger than mean: p = 1e-9, n = 10".into()),
        ("wins", (comparison["wins"].as_u64().unwrap() + 1).into()),
        ("winner", if comparison["winner"] == "best" { "mean" } else { "best" }.into()),
        ("distinct_games", 11.into()),
        ("distinct_pairs", vec![0, 0, 0, 0, 6].into()),
        ("distinct_pairs", vec![0; 5].into()),
        ("openings", "centre".into()),
        ("score", 0.99.into()),
    ] {
        let mut edited = comparison.clone();
        edited[key] = value;
        write(&path, edited.to_string()).unwrap();
        let output = run(&["evolve", &config, "--out", &out, "--resume"]);
        assert_fails(&output, 2, "comparison.json: ");
        assert_fails(&output, 2, "delete it and the match is played again");
    }
    std::fs::remove_file(&path).unwrap();
    stdout_of(&["evolve", &config, "--out", &out, "--resume"]);
    assert_eq!(read_to_string(&path).unwrap(), whole);
    write(&path, whole.replacen("\"wins\": ", "\"wins\": 99999999999999999", 1)).unwrap();
    let output = run(&["evolve", &config, "--out", &out, "--resume"]);
    assert_fails(&output, 2, "games, results and pairs contradict each other");
    // A row of a table.
    let table =
        ["reproduce", "1.1", "--rows", "1", "--games", "20", "--out", &folder.text("tables")];
    stdout_of(&table);
    let path = folder.path("tables/1.1.json");
    let report: serde_json::Value = serde_json::from_str(&read_to_string(&path).unwrap()).unwrap();
    for key in ["/rows/0/measured/wins", "/rows/0/distinct_games", "/rows/0/timeouts/0"] {
        let mut edited = report.clone();
        *edited.pointer_mut(key).unwrap() = 21.into();
        write(&path, edited.to_string()).unwrap();
        assert_fails(&run(&table), 2, "the results of row 1 contradict each other");
    }
    // A game of a tournament with another result.
    let out = folder.text("t");
    let tournament = ["tournament", "random", "reflex", "--games", "4", "--out", &out];
    stdout_of(&tournament);
    let path = folder.path("t/games.csv");
    let text = read_to_string(&path).unwrap();
    let line = text.lines().nth(1).unwrap();
    let mut fields: Vec<&str> = line.split(',').collect();
    let result = text.lines().next().unwrap().split(',').position(|head| head == "result").unwrap();
    fields[result] = if fields[result] == "a" { "b" } else { "a" };
    write(&path, text.replacen(line, &fields.join(","), 1)).unwrap();
    assert_fails(&run(&tournament), 2, "games.csv:2: the result does not follow from the moves");
}

#[test]
fn what_cannot_fit_into_memory_is_refused_at_the_start() {
    let folder = Folder::new();
    let moves = folder.text("moves.csv");
    let args = ["match", "random", "random", "--games", "10000000", "--moves", &moves];
    let output = run(&args);
    assert_fails(&output, 2, "a match of 10000000 games would want about 12");
    assert_fails(&output, 2, "GiB of memory, and this machine has");
    let config = CONFIG
        .replace("population = 4", "population = 100000")
        .replace("games = 8", "games = 10000000")
        .replace("depth = 1\n", "depth = 1\nmax_evaluations = 1000000\n");
    let config = folder.file("large.toml", &config);
    let (threads, out) = (["--threads", "1024"], folder.text("out"));
    for more in [&["--check"][..], &[]] {
        let args = [&["evolve", &config, "--out", &out], &threads[..], more].concat();
        let output = run(&args);
        assert_fails(&output, 2, "large.toml: a generation of this run would want about");
    }
    assert!(!folder.path("out").exists());
}

#[test]
fn weights_that_overflow_end_a_stage_with_the_reason() {
    let folder = Folder::new();
    let text = CONFIG.replace("sigma = 0.5", "sigma = 1e308");
    let text = text.replace("max_generations = 2", "max_generations = 50");
    let config = folder.file("overflow.toml", &text);
    let out = folder.text("run");
    // Some seeds come that far; one whose first candidates are beyond all numbers is told so.
    let mut ended = 0;
    for seed in 0..12_u8 {
        let seed = seed.to_string();
        let output = run(&["evolve", &config, "--out", &out, "--seed", &seed]);
        let said = stderr(&output);
        if said.contains("grown beyond all finite numbers") {
            ended += 1;
            assert!(output.status.success(), "{said}");
            let again = run(&["evolve", &config, "--out", &out, "--seed", &seed, "--resume"]);
            assert_eq!(again.stdout, output.stdout);
        } else if !output.status.success() {
            assert_fails(&output, 2, "lower sigma or the start");
        }
        std::fs::remove_dir_all(&out).unwrap();
    }
    assert!(ended > 0);
}

#[test]
fn a_refused_log_says_what_to_do() {
    let folder = Folder::new();
    let config = folder.file("tiny.toml", CONFIG);
    let out = folder.text("run");
    stdout_of(&["evolve", &config, "--out", &out]);
    let path = folder.path("run/stage-1-depth-1/evaluations.csv");
    let whole = read_to_string(&path).unwrap();
    write(&path, whole.replacen("\n1,2,", "\n1,3,", 1)).unwrap();
    let output = run(&["evolve", &config, "--out", &out, "--resume"]);
    assert_fails(&output, 2, "expected generation 1, candidate 2");
    let stage = folder.path("run/stage-1-depth-1");
    assert_fails(&output, 2, &format!("move {} away", stage.display()));
    // That is what helps.
    std::fs::remove_dir_all(stage).unwrap();
    stdout_of(&["evolve", &config, "--out", &out, "--resume"]);
    assert_eq!(read_to_string(&path).unwrap(), whole);
}

/// Whether a process has a handler of its own for SIGTERM, as Linux says.
fn handles_sigterm(id: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    caught.is_none_or(|mask| mask >> (15 - 1) & 1 == 1)
}

#[test]
fn a_signal_ends_a_long_search() {
    let middle = "stopped in the middle of a long search";
    for (command, expected) in [
        (&["match", "minimax:depth=14", "minimax:depth=14", "--games", "2"][..], "interrupted"),
        (&["tournament", "minimax:depth=14", "minimax:depth=13", "--games", "2"], "interrupted"),
        (&["play", "--second", "--agent", "minimax:depth=14"], middle),
    ] {
        let mut child = tictune(command)
            .stdout(Stdio::null())
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A busy machine takes a while to start a program.
        let started = Instant::now();
        while !handles_sigterm(child.id()) && started.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(20));
        }
        std::thread::sleep(Duration::from_millis(700));
        let asked = Instant::now();
        send(Signal::TERM, &child);
        while child.try_wait().unwrap().is_none() {
            assert!(asked.elapsed() < Duration::from_secs(4), "{command:?} goes on");
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_fails(&child.wait_with_output().unwrap(), 130, expected);
    }
}

#[test]
fn a_signal_between_moves_ends_a_match_with_what_was_played() {
    let agent = "mcts:time=20ms";
    let args = ["match", agent, "random", "--games", "100", "--threads", "1", "--json"];
    let child = tictune(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(4000));
    let asked = Instant::now();
    send(Signal::TERM, &child);
    let output = child.wait_with_output().unwrap();
    assert!(asked.elapsed() < Duration::from_secs(1), "{:?}", asked.elapsed());
    assert_fails(&output, 130, "the result of the first");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(report["games"].as_u64().unwrap() < 100);
}
