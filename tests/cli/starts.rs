//! Where runs start: regression by `tictune learn` and by `[learn]`, and `[screening]`.

use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;

use tictune::papers::reinforcement::config::{Learning, parse};

use crate::common::{assert_fails, assert_same, contents, run, stderr, stdout_of, tictune};

const LEARN: &str = r#"name = "lesson"
method = "regression"
evaluation = "connecting"
seed = 4
rounds = 2
games = 120
depth = 1
labels = { depth = [2, 3], mix_result = 0.5 }
opponent = "minimax:weights=liang-connecting"
match = { games = 40 }
"#;

/// A run that learns its start, screens starts, and evolves for a moment.
const EVOLVE: &str = r#"name = "starts"
evaluation = "connecting"
seed = 5
[cmaes]
population = 4
sigma = 0.4
sigma_unit = "start"
scale = "initial"
[learn]
rounds = 2
games = 60
depth = 1
labels = { depth = [2, 3] }
[screening]
games = 40
rounds = 3
weights = ["liang-connecting"]
perturbed = 2
random = 2
[fitness]
games = 12
[[opponents]]
agent = "minimax:weights=liang-default"
[[opponents]]
agent = "initial"
[[stages]]
depth = 1
max_generations = 3
[[stages]]
depth = 2
start = "mean"
max_generations = 2
[comparison]
games = 10
[validation]
games = 10
depths = [1]
opponents = ["initial"]
openings = ["random:4:held-out"]
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

    fn config(&self, text: &str) -> String {
        let path = self.root.join("config.toml");
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    fn play(&self, command: &str, text: &str, out: &str, more: &[&str]) -> Output {
        let (config, out) = (self.config(text), self.root.join(out).display().to_string());
        let fixed = [command, &config, "--out", &out];
        run(&fixed.iter().chain(more).copied().collect::<Vec<_>>())
    }

    fn done(&self, command: &str, text: &str, out: &str, more: &[&str]) -> PathBuf {
        let output = self.play(command, text, out, more);
        assert!(output.status.success(), "{}", stderr(&output));
        self.root.join(out)
    }
}

fn json(path: &Path) -> serde_json::Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn a_regression_is_the_same_on_all_threads_and_beats_no_weights() {
    let case = Case::new();
    let one = case.done("learn", LEARN, "one", &["--threads", "1"]);
    assert_same(&one, &case.done("learn", LEARN, "three", &["--threads", "3"]));
    let other = case.done("learn", LEARN, "other", &["--seed", "9"]);
    let bytes = |folder: &Path, file: &str| std::fs::read(folder.join(file)).unwrap();
    assert_ne!(bytes(&one, "learned.toml"), bytes(&other, "learned.toml"));
    assert_ne!(bytes(&one, "learned-2.toml"), bytes(&one, "learned-3.toml"));

    let summary = json(&one.join("summary.json"));
    let rounds = summary["rounds"].as_array().unwrap();
    let fits = |round: usize| rounds[round]["fits"].as_array().unwrap();
    assert_eq!((rounds.len(), fits(0).len(), fits(1).len()), (2, 1, 2));
    assert!(fits(0)[0]["depth"].is_null(), "nothing is searched with weights of 0");
    let fit = &fits(1)[1];
    assert_eq!(fit["depth"], 3);
    let number = |key: &str| fit[key].as_f64().unwrap();
    assert_eq!(number("positions") + number("held_out"), 960.0);
    assert!(number("log_loss_of_results") < number("log_loss_of_mean"), "{fit}");
    assert!(number("condition") >= 1.0 && fit["unseen"].as_array().unwrap().is_empty());
    let played = &summary["match"];
    let count = |key: &str| played[key].as_u64().unwrap();
    assert_eq!(count("wins") + count("draws") + count("losses"), 40);

    // What was learned plays, and knows more than nothing.
    let agent = format!("minimax:depth=1,weights={}", one.join("learned.toml").display());
    let report = stdout_of(&["match", &agent, "random", "--games", "60", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert!(report["score"].as_f64().unwrap() > 0.7, "{report}");
}

#[test]
fn a_finished_regression_is_shown_and_nothing_is_overwritten() {
    let case = Case::new();
    let out = case.done("learn", LEARN, "run", &[]);
    let before = contents(&out);
    assert_fails(&case.play("learn", LEARN, "run", &[]), 2, "is not empty; add --resume");
    let again = case.play("learn", LEARN, "run", &["--resume"]);
    assert!(again.status.success() && stderr(&again).contains("learned already"));
    let shown = String::from_utf8_lossy(&again.stdout).into_owned();
    assert!(shown.contains("depth 3") && shown.contains("with the learned weights"), "{shown}");
    let other = case.play("learn", LEARN, "run", &["--resume", "--seed", "7"]);
    assert_fails(&other, 2, "holds the results of another config or seed");
    assert_eq!(before, contents(&out));
    // Without its last file it is played again.
    std::fs::remove_file(out.join("summary.json")).unwrap();
    assert_same(
        &case.done("learn", LEARN, "run", &["--resume"]),
        &case.done("learn", LEARN, "new", &[]),
    );
}

#[test]
fn checks_say_what_learning_and_screening_cost() {
    let case = Case::new();
    let learn = case.play("learn", LEARN, "never", &["--check"]);
    let text = String::from_utf8_lossy(&learn.stdout).into_owned();
    assert!(text.contains("2 rounds of 120 games at depth 1"), "{text}");
    assert!(text.contains("searches of depth 2, 3") && text.contains("the whole run: about"));
    let q_learning = "games = 10\nalpha = 0.1\n";
    assert_fails(
        &case.play("learn", q_learning, "never", &["--check"]),
        2,
        "--check is for method",
    );
    let evolve = case.play("evolve", EVOLVE, "never", &["--check"]);
    let text = String::from_utf8_lossy(&evolve.stdout).into_owned();
    assert!(text.contains("learns the 3 weights of `connecting`"), "{text}");
    // 8 starts, 4 and 2 of them in rounds of 40, 80 and 160 games.
    assert!(
        text.contains(
            "2 perturbed, 2 random; 40 games in the first round, at most 3 rounds and 960 games"
        ),
        "{text}"
    );
    assert!(
        text.contains("learning the start: about") && text.contains("screening: about"),
        "{text}"
    );
    assert!(text.contains("sigma 0.4 times the size of its start"), "{text}");
    assert!(!case.root.join("never").exists());
}

#[test]
fn a_run_learns_screens_and_starts_from_the_best() {
    let case = Case::new();
    let whole = case.done("evolve", EVOLVE, "one", &["--threads", "1"]);
    assert_same(&whole, &case.done("evolve", EVOLVE, "three", &["--threads", "3"]));
    let stage = whole.join("stage-1-depth-1");
    let starts = json(&stage.join("screening.json"));
    let rows = starts["rows"].as_array().unwrap();
    let mut names: Vec<&str> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(starts["winner"], names[0]);
    names.sort_unstable();
    let expected = [
        "learned-2",
        "liang-connecting",
        "perturbed-1",
        "perturbed-2",
        "random-1",
        "random-2",
        "start",
    ];
    assert_eq!(names, expected);
    assert!(!whole.join("stage-2-depth-2/screening.json").exists(), "only the first stage");
    // The first mean is the winner.
    let generations = std::fs::read_to_string(stage.join("generations.csv")).unwrap();
    let row = |line: usize| generations.lines().nth(line).unwrap().split(',').collect::<Vec<_>>();
    let column = row(0).iter().position(|name| *name == "mean_micro_win").unwrap();
    let mean: Vec<f64> = row(1)[column..column + 3].iter().map(|x| x.parse().unwrap()).collect();
    let winner: Vec<f64> =
        rows[0]["weights"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    assert_eq!(mean, winner);
    // The start was learned.
    let learned = std::fs::read_to_string(whole.join("learn/learned.toml")).unwrap();
    let value = learned.lines().find(|line| line.starts_with("micro_win")).unwrap();
    let start = rows.iter().find(|row| row["name"] == "start").unwrap();
    assert_eq!(value, format!("micro_win = {}", start["weights"][0]));
    // It is the start that the winner meets.
    let learned = whole.join("learn/learned.toml");
    let [against_start, against_learned] = ["initial", learned.to_str().unwrap()].map(|opponent| {
        let quick =
            ["--games=40", "--depths=1", "--iterative=none", "--ept=none", "--json", "--opponents"];
        let args = [&["validate", whole.to_str().unwrap()][..], &quick, &[opponent]].concat();
        let output = run(&args);
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        report["rows"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["pairs"].clone())
            .collect::<Vec<_>>()
    });
    assert_eq!(against_start, against_learned);
    // Files name the config's plan, although the start was learned.
    let manifest = json(&whole.join("manifest.json"));
    let best = std::fs::read_to_string(whole.join("best.toml")).unwrap();
    assert!(best.contains(&format!("config_hash = {}", manifest["config_hash"])), "{best}");
    let report = std::fs::read_to_string(whole.join("report.html")).unwrap();
    assert!(report.contains("Learned start") && report.contains("<h3>Starts</h3>"));
    let again = case.play("evolve", EVOLVE, "one", &[]);
    let shown = String::from_utf8_lossy(&again.stdout).into_owned();
    assert!(shown.contains("Learned start") && shown.contains("Starts of stage 1"), "{shown}");
}

#[test]
fn kill_9_while_it_learns_or_screens_changes_nothing() {
    let case = Case::new();
    let long = EVOLVE.replace("games = 60", "games = 400").replace("games = 40", "games = 400");
    let whole = case.done("evolve", &long, "whole", &["--threads", "2"]);
    let killed = case.root.join("killed");
    let out = killed.display().to_string();
    let config = case.config(&long);
    let mut learning = 0;
    for attempt in 0..60 {
        let args = ["evolve", &config, "--out", &out, "--resume", "--threads", "2"];
        let mut child = tictune(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(20 + 30 * attempt));
        child.kill().unwrap();
        if child.wait().unwrap().success() {
            break;
        }
        learning += u32::from(!killed.join("learn/summary.json").exists());
    }
    assert!(learning > 0, "it was never killed while it learned");
    assert_same(&whole, &case.done("evolve", &long, "killed", &["--resume"]));
    // A log that ends anywhere.
    let torn = case.root.join("torn");
    for (name, _) in contents(&whole) {
        if name.starts_with("learn/") || ["config.toml", "manifest.json"].contains(&&*name) {
            std::fs::create_dir_all(torn.join(&name).parent().unwrap()).unwrap();
            std::fs::copy(whole.join(&name), torn.join(&name)).unwrap();
        }
    }
    let log = "stage-1-depth-1/screening-games.csv";
    let bytes = std::fs::read(whole.join(log)).unwrap();
    std::fs::create_dir_all(torn.join("stage-1-depth-1")).unwrap();
    std::fs::write(torn.join(log), &bytes[..bytes.len() * 3 / 5]).unwrap();
    assert_same(&whole, &case.done("evolve", &long, "torn", &["--resume"]));
    // Results of another regression are refused.
    let summary = torn.join("learn/summary.json");
    let text = std::fs::read_to_string(&summary).unwrap();
    let hash = json(&summary)["config_hash"].as_str().unwrap().to_string();
    std::fs::write(&summary, text.replace(&hash, "0123456789abcdef")).unwrap();
    let refused = case.play("evolve", &long, "torn", &["--resume"]);
    assert_fails(&refused, 2, "is of another config: delete the folder");
}

#[test]
fn the_example_of_a_regression_is_a_plan() {
    let path = Path::new("experiments/regression/learn-extended.toml");
    let text = std::fs::read_to_string(path).unwrap();
    let plan = parse(&text, path, None, &tictune::built_in()).unwrap();
    let Learning::Regression(plan) = plan else { panic!("{plan:?}") };
    assert_eq!(plan.initial.layout().name, "extended");
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let case = Case::new();
    for (old, new, expected) in [
        ("games = 40\nrounds", "games = 30\nrounds", "screening.games: expected a multiple of 20"),
        ("rounds = 3", "rounds = 0", "screening.rounds: expected a whole number from 1 to 16"),
        (
            "[\"liang-connecting\"]",
            "[\"liang-optimized\"]",
            "screening.weights: liang-optimized holds weights for",
        ),
        ("perturbed = 2", "spread = 2", "screening.spread: is of perturbed starts"),
        ("random = 2", "randm = 2", "unknown key \"screening.randm\"; did you mean \"random\"?"),
        ("rounds = 2", "rounds = 0", "learn.rounds: expected a whole number from 1 to 10000"),
        ("\"connecting\"", "\"cells-weight\"", "looks at the last move"),
    ] {
        let text = EVOLVE.replacen(old, new, 1);
        assert_ne!(text, EVOLVE, "{old} is not in the config");
        assert_fails(&case.play("evolve", &text, "never", &["--check"]), 2, expected);
    }
    let vast = EVOLVE.replace("games = 60", "games = 1000000000000");
    assert_fails(
        &case.play("evolve", &vast, "never", &[]),
        2,
        "learn.games: expected a whole number from 5 to",
    );
    let depths = format!("{:?}", (1..=32).collect::<Vec<_>>());
    let large = LEARN.replace("games = 120", "games = 10000000").replace("[2, 3]", &depths);
    let large = large.replace("\"connecting\"", "\"extended\"");
    let refused = case.play("learn", &large, "never", &[]);
    assert_fails(&refused, 2, "a round of this regression would want about");
    let fitness = run(&["fitness", &case.config(EVOLVE), "--describe"]);
    assert_fails(&fitness, 2, "its start is learned by tictune evolve");
    let (before, after) = EVOLVE.split_once("[learn]").unwrap();
    let without = format!("{before}{}", &after[after.find("[screening]").unwrap()..]);
    let scale = case.play("evolve", &without, "never", &["--check"]);
    assert_fails(&scale, 2, "cmaes.scale: the start vector is 0");
    let alone = without.replace("scale = \"initial\"\n", "");
    let alone = alone.replace("weights = [\"liang-connecting\"]\nperturbed = 2\nrandom = 2\n", "");
    let alone = case.play("evolve", &alone, "never", &["--check"]);
    assert_fails(&alone, 2, "screening: there is one start only");
}
