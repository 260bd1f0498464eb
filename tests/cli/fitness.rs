//! `tictune fitness`: candidates of other optimisers, as JSON lines.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::common::{Folder, quoted, rows};

/// Two opponents, fresh games in each generation, a stage of depth 2 with one held slot.
const CONFIG: &str = include_str!("../configs/door.toml");

/// A program that answers.
struct Door {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    _folder: Folder,
}

impl Door {
    fn open(more: &str) -> Self {
        let folder = Folder::with("door.toml", CONFIG);
        let mut command = folder.command(&format!("fitness door.toml {more}"));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { input: child.stdin.take(), output, child, _folder: folder }
    }

    /// Writes a line and reads one.
    fn ask(&mut self, line: impl ToString) -> Value {
        let line = line.to_string();
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{line} -> {answer}"))
    }

    /// Ends the input and waits for the program.
    fn close(mut self) {
        drop(self.input.take());
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
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
fn a_candidate_plays_another_vector_in_place_of_the_opponents() {
    let mut door = Door::open("");
    let named = |one: Value| one["numbers"].clone();
    let [a, b] = [candidate(4.0, 0.5), candidate(-1.0, 2.0)];
    let of = |a: &Value, b: &Value| with(with(a.clone(), "against", named(b.clone())), "games", 40);
    let there = door.ask(of(&a, &b));
    let back = door.ask(of(&b, &a));
    assert_eq!((&there["games"], &there["draws"]), (&json!(40), &back["draws"]));
    // The same openings, and who is better is so from both sides.
    assert!(there["wins"].as_u64() > there["losses"].as_u64(), "{there}");
    assert!(back["wins"].as_u64() < back["losses"].as_u64(), "{back}");
    let both = door.ask(json!([of(&a, &b), of(&b, &a), a]));
    assert_eq!((&both[0], &both[1], &both[2]["games"]), (&there, &back, &json!(12)));
    door.close();
}

#[test]
fn without_opponents_a_candidate_plays_the_start() {
    let config = "evaluation = \"connecting\"\ncmaes = { initial = 1 }\nbudget = { games = 900 }\nstages = [{ depths = [1, 2] }]\n";
    let folder = Folder::with("door.toml", config);
    let described = folder.json("fitness door.toml --describe");
    let depths = described["opponents"].as_array().unwrap().iter();
    assert_eq!(depths.map(|plan| plan["games"].as_u64().unwrap()).collect::<Vec<_>>(), [2, 2]);
    let names = described["numbers"].as_array().unwrap().iter();
    let of = |sign: f64| {
        names
            .clone()
            .map(|number| (number["name"].as_str().unwrap(), sign))
            .collect::<std::collections::BTreeMap<_, _>>()
    };
    let lines = [1.0, -1.0].map(|sign| json!({ "numbers": of(sign), "games": 40 }).to_string());
    let told = folder.told("fitness door.toml", lines.join("\n").as_bytes()).stdout;
    let answers: Vec<Value> = String::from_utf8(told)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let [same, other] = &answers[..] else { panic!("two answers") };
    let ahead = |of: &Value| of["wins"].as_i64().unwrap() - of["losses"].as_i64().unwrap();
    assert!(ahead(same).abs() < 20 && ahead(other) < -20, "{same} {other}");
}

#[test]
fn costs_are_those_that_an_evolution_logs() {
    let folder = Folder::with("door.toml", CONFIG);
    folder.said("evolve door.toml --out run");
    for (stage, log, asked) in [("1", "stage-1-depth-1", 8), ("2", "stage-2-depth-2", 4)] {
        let rows = rows(&folder.path(&format!("run/{log}/evaluations.csv")));
        assert_eq!(rows.len(), asked);
        let mut door = Door::open(&format!("--stage {stage}"));
        for (id, row) in rows.iter().enumerate() {
            let of = |name: &str| serde_json::from_str::<Value>(&row[name]).unwrap();
            let numbers =
                json!({ "micro_win": of("micro_win"), "micro_connecting": of("micro_connecting") });
            // With fresh games, the seed is the number of the generation.
            let answer =
                door.ask(json!({ "numbers": numbers, "seed": of("generation"), "id": id }));
            assert_eq!((&answer["id"], &answer["games"]), (&json!(id), &json!(12)));
            assert_eq!(answer["cost"].as_f64(), of("fitness").as_f64());
            for key in ["wins", "draws", "losses", "distinct_games"] {
                assert_eq!(answer[key], of(key), "{key} of {row:?}");
            }
        }
        door.close();
    }
}

#[test]
fn vectors_that_another_optimiser_found_are_compared_as_those_of_a_run() {
    let evolved = "[agent]\nkind = \"minimax\"\njump = 5\n[[parameters]]\nkey = \"jump\"\nlow = 1\nhigh = 20\n";
    let config = CONFIG.replacen("[[opponents]]", &format!("{evolved}[[opponents]]"), 1);
    let folder = Folder::with("door.toml", &config);
    folder.said("evolve door.toml --out run");
    let (best, mean) = ("@run/best-agent.txt", "@run/mean-agent.txt");
    for more in ["--games 20 --json", "--games 6 --seed 3"] {
        assert_eq!(
            folder.said(&format!("compare door.toml {best} {mean} {more}")),
            folder.said(&format!("compare run {more}"))
        );
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
    let answers = ["1", "3"].map(|threads| {
        let mut door = Door::open(&format!("--threads {threads}"));
        let batch = door.ask(json!(candidates));
        let mut singly: Vec<Value> = candidates.iter().map(|one| door.ask(one)).collect();
        // An error names the line.
        singly[3]["error"] =
            singly[3]["error"].as_str().unwrap().replace("line 5", "line 1").into();
        assert_eq!(batch, json!(singly));
        assert_eq!(door.ask("[]"), json!([]));
        door.close();
        batch
    });
    assert_eq!(answers[0], answers[1]);
    let batch = &answers[0];
    assert_eq!((&batch[0]["id"], &batch[5]["id"]), (&json!("a"), &Value::Null));
    assert_eq!((&batch[0]["cost"], &batch[2]["games"]), (&batch[5]["cost"], &json!(20)));
    assert!(batch[0]["standard_error"].as_f64().unwrap() > 0.0);
    let agent = format!("{},weights=liang-connecting", batch[0]["agent"].as_str().unwrap());
    Folder::new().said(&format!("match {} random --games 2", quoted(&agent)));
    let results = |place: usize| ["wins", "draws", "losses"].map(|key| batch[place][key].clone());
    assert_ne!(results(1), results(4), "another seed is other games");
}

#[test]
fn a_line_that_is_too_long_is_answered_and_the_program_goes_on() {
    let mut door = Door::open("");
    let answer = door.ask(format!("[{}]", "1,".repeat(9 << 20)));
    assert!(answer["error"].as_str().unwrap().contains("longer than 16 MiB"), "{answer}");
    assert_eq!(door.ask(format!("\n  \n{}", candidate(1.0, 1.0)))["games"], 12);
    door.close();
}

#[test]
fn a_driver_is_told_what_is_evolved() {
    let folder = Folder::with("door.toml", CONFIG);
    let first = folder.json("fitness door.toml --describe");
    assert_eq!(first["evaluation"], "connecting");
    assert_eq!(first["numbers"][1]["name"], "micro_connecting");
    assert_eq!(first["numbers"][1]["initial"], 0.5);
    assert_eq!(first["held"], json!(["macro_connecting"]));
    assert_eq!((&first["population"], &first["sigma"]), (&json!(4), &json!(0.3)));
    assert_eq!((&first["games"], &first["seeds"]), (&json!(12), &json!("fresh")));
    assert_eq!(first["opponents"][1], json!({ "agent": "random", "games": 6 }));
    let second = folder.json("fitness door.toml --describe --stage 2");
    assert_eq!(second["agent"], "minimax:depth=2");
}
