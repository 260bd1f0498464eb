//! Tournaments on the real binary: the tables are the same on any number of threads, after any
//! kill, and with games that were played under an earlier config.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tictune::built_in;

#[cfg(unix)]
use crate::common::{Signal, send};
use crate::common::{assert_fails, run, stderr, stdout_of, tictune};

const AGENTS: &str = r#"[[agents]]
agent = "minimax:depth=3,weights=liang-default"
name = "default"
[[agents]]
agent = "minimax:depth=3,weights=liang-comprehensive"
[[agents]]
agent = "greedy:eval=simple"
[[agents]]
agent = "mcts:iterations=20"
"#;

struct Case {
    _folder: tempfile::TempDir,
    root: PathBuf,
}

impl Case {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_path_buf();
        Self { _folder: folder, root }
    }

    fn path(&self, name: &str) -> String {
        self.root.join(name).display().to_string()
    }

    /// Writes a config and gives its path.
    fn config(&self, name: &str, text: &str) -> String {
        std::fs::write(self.root.join(name), text).unwrap();
        self.path(name)
    }

    fn play(&self, config: &str, out: &str, threads: &str) -> (Value, String) {
        let out = self.path(out);
        let args = ["tournament", config, "--out", &out, "--threads", threads, "--json"];
        let output = run(&args);
        assert!(output.status.success(), "{}", stderr(&output));
        (serde_json::from_slice(&output.stdout).unwrap(), stderr(&output))
    }

    fn files(&self, out: &str) -> BTreeMap<String, String> {
        let files = std::fs::read_dir(self.root.join(out)).unwrap().map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).unwrap();
            let text = match path.extension().and_then(|ending| ending.to_str()) {
                Some("csv") => csv_without_times(&text),
                Some("json") => {
                    let mut report: Value = serde_json::from_str(&text).unwrap();
                    remove_times(&mut report);
                    report.to_string()
                }
                _ => String::new(),
            };
            (name, text)
        });
        files.collect()
    }
}

fn csv_without_times(text: &str) -> String {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let timed = |head: &str| {
        head.starts_with("seconds") || head.starts_with("slowest") || head == "ms_per_move"
    };
    let heads = reader.headers().unwrap().clone();
    let rows = reader.records().map(|row| {
        let row = row.unwrap();
        let kept = heads.iter().zip(&row).filter(|(head, _)| !timed(head));
        kept.map(|(_, field)| field).collect::<Vec<_>>().join(";") + "\n"
    });
    heads.iter().collect::<Vec<_>>().join(";") + "\n" + &rows.collect::<String>()
}

fn remove_times(report: &mut Value) {
    for agent in report["agents"].as_array_mut().unwrap() {
        agent.as_object_mut().unwrap().remove("ms_per_move").unwrap();
    }
}

#[test]
fn any_number_of_threads_gives_the_same_tables() {
    let case = Case::new();
    let config = case.config("small.toml", &format!("games = 20\n{AGENTS}"));
    case.play(&config, "one", "1");
    case.play(&config, "three", "3");
    let (one, three) = (case.files("one"), case.files("three"));
    let names: Vec<&str> = one.keys().map(String::as_str).collect();
    assert_eq!(names, ["cross.csv", "games.csv", "log.txt", "table.csv", "tournament.json"]);
    assert_eq!(one, three);
    // The distinct games of an agent are those of its pairings.
    let report: serde_json::Value = serde_json::from_str(&one["tournament.json"]).unwrap();
    for agent in report["agents"].as_array().unwrap() {
        let pairings = report["pairings"].as_array().unwrap().iter();
        let theirs = pairings.filter(|row| [&row["a"], &row["b"]].contains(&&agent["name"]));
        let sum: u64 = theirs.map(|row| row["distinct_games"].as_u64().unwrap()).sum();
        assert_eq!(agent["distinct_games"].as_u64(), Some(sum));
        assert!(sum > 0 && sum <= agent["games"].as_u64().unwrap());
    }
    // A header, and the games of six pairings.
    assert_eq!(one["games.csv"].lines().count(), 1 + 6 * 20);
}

/// Waits until a log has this many lines. Returns `false` if the process ended before that.
fn wait_for_lines(log: &Path, lines: usize, child: &mut Child) -> bool {
    let since = Instant::now();
    while std::fs::read_to_string(log).map_or(0, |text| text.lines().count()) < lines {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        assert!(since.elapsed() < Duration::from_secs(60), "no games were logged");
        std::thread::sleep(Duration::from_millis(1));
    }
    true
}

#[test]
fn kill_9_at_any_moment_changes_nothing() {
    let case = Case::new();
    let agents = AGENTS.replace("depth=3", "depth=5");
    let config = case.config("slow.toml", &format!("games = 60\n{agents}"));
    case.play(&config, "whole", "2");
    let log = case.root.join("killed/games.csv");
    let out = case.path("killed");
    let mut kills = 0;
    for lines in [2, 40, 110, 200] {
        let mut child = tictune(&["tournament", &config, "--out", &out, "--threads", "2"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let alive = wait_for_lines(&log, lines, &mut child);
        child.kill().unwrap();
        kills += usize::from(alive && !child.wait().unwrap().success());
        // A torn line, and a temporary file left between its creation and its renaming.
        let text = std::fs::read_to_string(&log).unwrap();
        std::fs::write(&log, format!("{text}0123456789ab,defau")).unwrap();
        std::fs::write(case.root.join("killed/.tictune-Ab12"), "torn").unwrap();
    }
    assert!(kills >= 2, "only {kills} kills before the tournament was over");
    let rows = |text: &str| -> HashSet<String> { text.lines().map(String::from).collect() };
    let before = std::fs::read_to_string(&log).unwrap();
    case.play(&config, "killed", "2");
    assert_eq!(case.files("whole"), case.files("killed"));
    // Games played before the kills, with their times, were not played again.
    let after = rows(&std::fs::read_to_string(&log).unwrap());
    let whole_lines = before.rfind('\n').map_or("", |end| &before[..=end]);
    assert!(rows(whole_lines).is_subset(&after));
}

#[cfg(unix)]
#[test]
fn ctrl_c_saves_says_how_to_go_on_and_ends_with_130() {
    let case = Case::new();
    let agents = AGENTS.replace("depth=3", "depth=5");
    let config = case.config("slow.toml", &format!("games = 60\n{agents}"));
    let out = case.path("stopped");
    let mut child = tictune(&["tournament", &config, "--out", &out, "--threads", "1"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    assert!(wait_for_lines(&case.root.join("stopped/games.csv"), 5, &mut child));
    send(Signal::INT, &child);
    let output = child.wait_with_output().unwrap();
    assert_fails(&output, 130, "every finished game is saved");
    let text = stderr(&output);
    assert!(text.contains(&format!("tictune tournament {config} --out {out}")), "{text}");
    let (_, notes) = case.play(&config, "stopped", "2");
    assert!(notes.contains("of 360 games are played already"), "{notes}");
}

#[test]
fn games_are_reused_by_what_they_are() {
    let case = Case::new();
    let text = format!("games = 20\n{AGENTS}");
    let config = case.config("t.toml", &text);
    let (before, _) = case.play(&config, "out", "2");
    // Another agent and more games: the games that exist are not played again.
    let more = "[[agents]]\nagent = \"random\"\nname = \"dice\"\n";
    let larger = text.replace("games = 20", "games = 30") + more;
    case.config("t.toml", &larger);
    let (after, notes) = case.play(&config, "out", "2");
    assert!(notes.contains("120 of 300 games are played already"), "{notes}");
    assert_eq!(after["agents"].as_array().unwrap().len(), 5);
    case.play(&config, "fresh", "2");
    assert_eq!(case.files("out"), case.files("fresh"));
    // Back to the smaller config: the other games stay in the log and do not count.
    case.config("t.toml", &text);
    let (again, notes) = case.play(&config, "out", "2");
    assert!(notes.contains("120 of 120 games are played already"), "{notes}");
    assert!(notes.contains("180 logged games belong to other tournaments"), "{notes}");
    let tables = |mut report: Value| {
        remove_times(&mut report);
        report
    };
    assert_eq!(tables(again), tables(before));
    case.config("t.toml", &larger);
    let (_, notes) = case.play(&config, "out", "2");
    assert!(notes.contains("300 of 300 games"), "{notes}");
    assert_eq!(case.files("out"), case.files("fresh"));
}

#[test]
fn json_holds_table_cross_table_and_pairings() {
    let args = ["tournament", "minimax:depth=2", "greedy", "random", "--games", "20", "--json"];
    let report: Value = serde_json::from_str(&stdout_of(&args)).unwrap();
    for key in [
        "name", "game", "rules", "format", "schedule", "openings", "seed", "games", "agents",
        "cross", "pairings",
    ] {
        assert!(report.get(key).is_some(), "{key} is missing");
    }
    let agents = report["agents"].as_array().unwrap();
    for (agent, rank) in agents.iter().zip(1..) {
        for key in [
            "rank",
            "name",
            "agent",
            "games",
            "wins",
            "draws",
            "losses",
            "score",
            "elo",
            "elo_low",
            "elo_high",
            "standing",
            "moves",
            "ms_per_move",
            "nodes_per_move",
            "iterations_per_move",
            "timeouts",
            "errors",
        ] {
            assert!(agent.get(key).is_some(), "{key} is missing");
        }
        assert_eq!((&agent["rank"], &agent["games"]), (&Value::from(rank), &Value::from(40)));
    }
    assert_eq!(agents[2]["name"], "random");
    let cross = &report["cross"];
    assert_eq!(cross[0][0], Value::Null);
    let (one, other) = (cross[0][2].as_f64().unwrap(), cross[2][0].as_f64().unwrap());
    assert!((one + other - 1.0).abs() < 1e-12 && one > 0.8);
    // A pairing equals the match between its agents.
    let pairing = &report["pairings"][0];
    let args = ["match", "minimax:depth=2", "greedy", "--games", "20", "--json"];
    let alone: Value = serde_json::from_str(&stdout_of(&args)).unwrap();
    for key in ["wins", "draws", "losses", "pairs", "elo", "elo_low", "distinct_games", "plies"] {
        assert_eq!(pairing[key], alone[key], "{key}");
    }
}

#[test]
fn one_direction_at_a_time_plays_every_ordered_pair() {
    // Amar's table: every ordered pair, with drawn games played again.
    let args = [
        "tournament",
        "greedy",
        "random",
        "reflex",
        "--schedule",
        "first",
        "--replay-ties",
        "--games",
        "5",
        "--json",
    ];
    let report: Value = serde_json::from_str(&stdout_of(&args)).unwrap();
    assert_eq!((&report["games"], report["pairings"].as_array().unwrap().len()), (&30.into(), 6));
    let text = stdout_of(&args[..args.len() - 1]);
    assert!(text.contains("score in % of the row, moving first, against the column"), "{text}");
    let gauntlet = [
        "tournament",
        "greedy",
        "random",
        "reflex",
        "--format",
        "gauntlet",
        "--games",
        "4",
        "--json",
    ];
    let report: Value = serde_json::from_str(&stdout_of(&gauntlet)).unwrap();
    assert_eq!(report["pairings"].as_array().unwrap().len(), 2);
}

#[test]
fn repeated_games_of_a_pairing_are_warned_of() {
    let output = run(&["tournament", "reflex", "reflex:seed=1", "random", "--openings", "none"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stderr(&output);
    assert!(text.contains("reflex against reflex:seed=1: warning: only 1 of 100"), "{text}");
    assert!(!text.contains("random: warning"), "{text}");
}

#[test]
fn what_is_wrong_is_named() {
    let case = Case::new();
    let config = |text: &str| case.config("bad.toml", text);
    let out = case.path("out");
    for (text, expected) in [
        (AGENTS.replace("depth=3", "dept=3"), "bad.toml:2: agents[1].agent: agent"),
        (format!("games = 3\n{AGENTS}"), "bad.toml:1: games: a paired match needs an even"),
        (format!("game = \"go\"\n{AGENTS}"), "bad.toml:1: game: unknown game"),
        (format!("formt = \"x\"\n{AGENTS}"), "did you mean \"format\"?"),
        ("seed = 1".into(), "agents: expected at least two"),
        ("seed = = 1".into(), "bad.toml:1:"),
    ] {
        assert_fails(&run(&["tournament", &config(&text), "--out", &out]), 2, expected);
    }
    assert!(!Path::new(&out).exists());
    for (args, expected) in [
        (&["tournament", "random"][..], "a tournament needs two agents, not 1"),
        (&["tournament", "no-such.toml"], "no-such.toml: cannot be read"),
        (&["tournament", "random", "minmax"], "did you mean \"minimax\"?"),
        (&["tournament", "random", "reflex", "--games", "3"], "an even number of games"),
        (&["tournament", "random", "reflex", "--openings", "x"], "unknown openings"),
        (&["tournament", "random", "reflex", "--format", "x"], "unknown format"),
        (&["tournament", "random", "reflex", "--rules", "x=1"], "--rules"),
        (&["tournament"], "required"),
    ] {
        assert_fails(&run(args), 2, expected);
    }
    // Folders with other content, and logs with other content.
    std::fs::create_dir(&out).unwrap();
    std::fs::write(case.root.join("out/manifest.json"), "{}").unwrap();
    let args = ["tournament", "random", "reflex", "--games", "2", "--out", &out];
    assert_fails(&run(&args), 2, "is not empty and holds no games.csv");
    std::fs::write(case.root.join("out/games.csv"), "a,b\n").unwrap();
    assert_fails(&run(&args), 2, "games.csv:1: the columns are not those");
    std::fs::remove_dir_all(&out).unwrap();
    stdout_of(&args);
    let log = case.root.join("out/games.csv");
    let text = std::fs::read_to_string(&log).unwrap();
    std::fs::write(
        &log,
        text.replace(",draw,", ",c,").replace(",a,,", ",c,,").replace(",b,,", ",c,,"),
    )
    .unwrap();
    assert_fails(&run(&args), 2, "games.csv:2: is no game");
}

#[test]
fn a_program_that_does_not_start_ends_the_tournament_without_a_game() {
    let case = Case::new();
    let out = case.path("out");
    let program = "external:cmd=/no/such/program,protocol=theaigames";
    let args = ["tournament", "random", "reflex", program, "--games", "4", "--out", &out];
    let output = run(&args);
    assert_fails(&output, 1, "the program could not be started");
    assert!(stderr(&output).contains("fix this, then run: tictune tournament"));
    // Games played before the failure are kept.
    let log = std::fs::read_to_string(case.root.join("out/games.csv")).unwrap();
    assert!(!log.contains("could not be started"), "{log}");
}

#[test]
fn every_committed_tournament_is_a_plan() {
    let configs = std::fs::read_dir("experiments/tournaments").unwrap().map(|e| e.unwrap().path());
    let configs: Vec<PathBuf> = configs.filter(|path| path.is_file()).collect();
    assert!(!configs.is_empty());
    for path in configs {
        let plan = tictune::config::tournament::load(&path, &Default::default(), &built_in());
        assert!(plan.unwrap_or_else(|error| panic!("{error}")).entrants.len() > 2);
    }
}
