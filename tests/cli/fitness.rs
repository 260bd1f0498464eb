//! `tictune fitness`: candidates of other optimisers, as JSON lines.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

#[cfg(unix)]
use crate::common::{Signal, send};
use crate::common::{assert_fails, run, stderr, tictune};

/// Two opponents, fresh games in each generation, a stage of depth 2 with one held slot.
const CONFIG: &str = r#"evaluation = "connecting"
seed = 3
[cmaes]
population = 4
sigma = 0.3
initial = [1, 20, 0.5]
hold = ["macro_connecting"]
[fitness]
games = 12
[[opponents]]
agent = "minimax:weights=liang-default"
[[opponents]]
agent = "random"
[[stages]]
depth = 1
max_generations = 2
[[stages]]
depth = 2
max_generations = 1
[comparison]
games = 2
[validation]
games = 2
depths = [1]
opponents = ["initial"]
"#;

/// A program that answers.
struct Door {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    _folder: tempfile::TempDir,
}

impl Door {
    fn open(more: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("door.toml");
        std::fs::write(&config, CONFIG).unwrap();
        let mut command = tictune(&["fitness", config.to_str().unwrap()]);
        command.args(more).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { input: child.stdin.take(), output, child, _folder: folder }
    }

    /// Writes a line and reads one.
    fn ask(&mut self, line: &str) -> Value {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{line}").unwrap();
        input.flush().unwrap();
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{line} -> {answer}"))
    }

    /// Ends the input and waits for the program.
    fn close(mut self) -> std::process::ExitStatus {
        drop(self.input.take());
        self.child.wait().unwrap()
    }
}

fn candidate(micro_win: f64, micro_connecting: f64) -> Value {
    json!({ "numbers": { "micro_win": micro_win, "micro_connecting": micro_connecting } })
}

/// The candidate with another key.
fn with(mut candidate: Value, key: &str, value: impl Into<Value>) -> Value {
    candidate[key] = value.into();
    candidate
}

#[test]
fn costs_are_those_that_an_evolution_logs() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("door.toml");
    std::fs::write(&config, CONFIG).unwrap();
    let out = folder.path().join("run");
    let output = run(&["evolve", config.to_str().unwrap(), "--out", out.to_str().unwrap()]);
    assert!(output.status.success(), "{}", stderr(&output));
    for (stage, folder) in [("1", "stage-1-depth-1"), ("2", "stage-2-depth-2")] {
        let log = std::fs::read_to_string(out.join(folder).join("evaluations.csv")).unwrap();
        let mut rows = log.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let header = rows.next().unwrap();
        let mut door = Door::open(&["--stage", stage]);
        let mut asked = 0;
        for row in rows {
            let of = |name: &str| {
                let place = header.iter().position(|column| *column == name).unwrap();
                serde_json::from_str::<Value>(row[place]).unwrap()
            };
            let numbers =
                json!({ "micro_win": of("micro_win"), "micro_connecting": of("micro_connecting") });
            // With fresh games, the seed is the number of the generation.
            let request = json!({ "numbers": numbers, "seed": of("generation"), "id": asked });
            let answer = door.ask(&request.to_string());
            assert_eq!(answer["id"], asked);
            assert_eq!(answer["cost"].as_f64(), of("fitness").as_f64());
            for key in ["wins", "draws", "losses", "distinct_games"] {
                assert_eq!(answer[key], of(key), "{key} of {row:?}");
            }
            assert_eq!(answer["games"], 12);
            asked += 1;
        }
        assert_eq!(asked, if stage == "1" { 8 } else { 4 });
        assert_eq!(door.close().code(), Some(0));
    }
}

#[test]
fn vectors_that_another_optimiser_found_are_compared_as_those_of_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("door.toml");
    let carrier = "[agent]\nkind = \"minimax\"\njump = 5\n[[parameters]]\nkey = \"jump\"\nlow = 1\nhigh = 20\n";
    std::fs::write(
        &config,
        CONFIG.replacen("[[opponents]]", &format!("{carrier}[[opponents]]"), 1),
    )
    .unwrap();
    let (config, out) = (config.to_str().unwrap(), folder.path().join("run"));
    let out = out.to_str().unwrap();
    let output = run(&["evolve", config, "--out", out]);
    assert!(output.status.success(), "{}", stderr(&output));
    let [best, mean] = ["best", "mean"].map(|name| format!("@{out}/{name}-agent.txt"));
    for more in [&["--games", "20", "--json"][..], &["--games", "6", "--seed", "3"]] {
        let of_run = run(&[&["compare", out], more].concat());
        let of_agents = run(&[&["compare", config, &best, &mean], more].concat());
        assert!(of_run.status.success(), "{}", stderr(&of_run));
        assert_eq!(
            String::from_utf8_lossy(&of_agents.stdout),
            String::from_utf8_lossy(&of_run.stdout)
        );
    }
    for (args, expected) in [
        (&["compare", config][..], "for a config, name the best and the mean after it"),
        (&["compare", out, &best, &mean], "leave BEST and MEAN out"),
        (&["compare", config, &best], "compare needs the best and the mean"),
        (&["compare", config, &best, "minimax:jump=2"], "mean: agent \"minimax:jump=2\": it needs"),
        (
            &["compare", config, "minimax:jump=2,weights=liang-simple", &mean],
            "it needs weights of connecting, which the config evolves",
        ),
        (
            &["compare", config, "minimax:weights=liang-connecting", &mean],
            "has no jump, which is evolved",
        ),
        (&["compare", config, &best, "@/no/such/file"], "/no/such/file"),
    ] {
        assert_fails(&run(args), 2, expected);
    }
}

#[test]
fn batches_are_answered_in_their_order_on_any_number_of_threads() {
    let candidates = [
        with(candidate(1.0, 0.5), "id", "a"),
        with(candidate(2.0, -0.5), "seed", 7),
        with(candidate(3.0, 1.5), "games", 20),
        json!({ "numbers": { "micro_win": 1 } }),
        with(candidate(2.0, -0.5), "seed", 8),
        candidate(1.0, 0.5),
    ];
    let mut answers = Vec::new();
    for threads in ["1", "3"] {
        let mut door = Door::open(&["--threads", threads]);
        let batch = door.ask(&json!(candidates).to_string());
        let mut singly: Vec<Value> =
            candidates.iter().map(|candidate| door.ask(&candidate.to_string())).collect();
        // An error names the line.
        singly[3]["error"] =
            singly[3]["error"].as_str().unwrap().replace("line 5", "line 1").into();
        assert_eq!(batch, json!(singly));
        assert_eq!(door.ask("[]"), json!([]));
        answers.push(batch);
        assert_eq!(door.close().code(), Some(0));
    }
    assert_eq!(answers[0], answers[1]);
    let batch = &answers[0];
    assert_eq!(batch[0]["id"], "a");
    assert_eq!(batch[0]["cost"], batch[5]["cost"]);
    assert_eq!((&batch[2]["games"], &batch[5]["id"]), (&json!(20), &Value::Null));
    assert!(batch[0]["standard_error"].as_f64().unwrap() > 0.0);
    let agent = batch[0]["agent"].as_str().unwrap();
    let weights = format!("{agent},weights=liang-connecting");
    let played = run(&["match", &weights, "random", "--games", "2"]);
    assert!(played.status.success(), "{agent}: {}", stderr(&played));
    let results = |place: usize| ["wins", "draws", "losses"].map(|key| batch[place][key].clone());
    assert_ne!(results(1), results(4), "another seed is other games");
}

#[test]
fn wrong_lines_are_answered_and_the_program_goes_on() {
    let mut door = Door::open(&[]);
    for (line, expected) in [
        ("cost please".to_string(), "is no JSON: expected value at column 1; expected an object"),
        (r#"{"numbers": {"micro_win": 1"#.into(), "is no JSON"),
        ("3".into(), "expected an object such as"),
        ("{}".into(), "numbers: missing; expected an object with micro_win, micro_connecting"),
        (r#"{"numbers": [1, 2]}"#.into(), "numbers: expected an object, found [1,2]"),
        (r#"{"numbers": {"micro_win": "1"}}"#.into(), "micro_win: expected a number, found \"1\""),
        (json!({ "numbers": { "micro_wim": 1 } }).to_string(), "did you mean \"micro_win\"?"),
        (json!({ "numbers": { "micro_win": 1 } }).to_string(), "missing: micro_connecting"),
        (with(candidate(1.0, 1.0), "sed", 1).to_string(), "did you mean \"seed\"?"),
        (with(candidate(1.0, 1.0), "seed", -1).to_string(), "seed: expected a whole number"),
        (with(candidate(1.0, 1.0), "games", 3).to_string(), "games: expected an even number"),
        (with(candidate(1.0, 1.0), "games", 2).to_string(), "enough for all 2 opponents"),
        (
            json!({ "numbers": { "micro_win": 1, "micro_connecting": 1, "macro_connecting": 3 } })
                .to_string(),
            "macro_connecting: the config holds it at 20",
        ),
        (r#"{"numbers": {"micro_win": 1e999}}"#.into(), "is no JSON: number out of range"),
        (format!("[{}]", "1,".repeat(9 << 20)), "longer than 16 MiB"),
    ] {
        let answer = door.ask(&with_id(&line));
        let error = answer["error"].as_str().unwrap_or_else(|| panic!("{answer}"));
        assert!(error.contains(expected), "{error}");
        if line.starts_with("{\"n") && !expected.contains("no JSON") {
            assert_eq!(answer["id"], 7, "{answer}");
        }
    }
    assert_eq!(door.ask(&format!("\n  \n{}", candidate(1.0, 1.0)))["games"], 12);
    assert_eq!(door.close().code(), Some(0));
}

/// The object with an id.
fn with_id(line: &str) -> String {
    line.replacen("{\"n", "{\"id\": 7, \"n", 1)
}

#[test]
fn a_driver_is_told_what_is_evolved() {
    let description = |more: &[&str]| -> Value {
        let mut door = Door::open(&[&["--describe"], more].concat());
        let mut text = String::new();
        door.output.read_line(&mut text).unwrap();
        assert_eq!(door.close().code(), Some(0));
        serde_json::from_str(&text).unwrap()
    };
    let first = description(&[]);
    assert_eq!(first["evaluation"], "connecting");
    assert_eq!(first["numbers"][1]["name"], "micro_connecting");
    assert_eq!(first["numbers"][1]["initial"], 0.5);
    assert_eq!(first["held"], json!(["macro_connecting"]));
    assert_eq!((&first["population"], &first["sigma"]), (&json!(4), &json!(0.3)));
    assert_eq!((&first["games"], &first["seeds"]), (&json!(12), &json!("fresh")));
    assert_eq!(first["opponents"][1], json!({ "agent": "random", "games": 6 }));
    assert_eq!(description(&["--stage", "2"])["agent"], "minimax:depth=2");
}

#[test]
fn stages_that_cannot_be_measured_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("door.toml");
    std::fs::write(&config, CONFIG).unwrap();
    let path = config.to_str().unwrap();
    assert_fails(&run(&["fitness", path, "--stage", "3"]), 2, "expected a number from 1 to 2");
    std::fs::write(&config, format!("{CONFIG}[coevolution]\nopponents = 2\nshare = 0.5\n"))
        .unwrap();
    assert_fails(&run(&["fitness", path]), 2, "leave [coevolution] out");
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it_while_it_waits_or_plays() {
    for plays in [false, true] {
        let mut door = Door::open(&["--threads", "1"]);
        assert_eq!(door.ask(&candidate(1.0, 1.0).to_string())["games"], 12);
        if plays {
            let long = with(candidate(1.0, 1.0), "games", 1_000_000);
            writeln!(door.input.as_mut().unwrap(), "{long}").unwrap();
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
        send(Signal::TERM, &door.child);
        let mut rest = String::new();
        door.output.read_line(&mut rest).unwrap();
        assert_eq!(rest, "");
        assert_eq!(door.child.wait().unwrap().code(), Some(130));
    }
}
