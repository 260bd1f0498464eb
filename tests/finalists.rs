//! Runs that fight the noise of their fitness: every log of theirs can be torn anywhere, and any number of threads
//! leaves the same bytes.

mod common;

use std::path::{Path, PathBuf};

use common::{assert_fails, assert_same, contents, run, stderr};

const CONFIG: &str = r#"name = "noise"
evaluation = "connecting"
seed = 5
[cmaes]
population = 6
sigma = 0.5
initial = 0.1
[fitness]
games = 12
combine = "mean-and-worst"
[[opponents]]
agent = "minimax:weights=liang-default"
[[opponents]]
agent = "random"
[[stages]]
depth = 1
max_generations = 5
[[stages]]
depths = [1, 2]
start = "winner"
max_generations = 3
[finalists]
games = 80
rounds = 3
best = 2
means = 3
average = 2
[comparison]
games = 20
[validation]
games = 20
depths = [1]
opponents = ["initial"]
openings = ["random:4:held-out"]
"#;

struct Case {
    _folder: tempfile::TempDir,
    root: PathBuf,
    config: String,
}

impl Case {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_path_buf();
        let config = root.join("noise.toml");
        std::fs::write(&config, text).unwrap();
        Self { _folder: folder, root, config: config.display().to_string() }
    }

    fn evolve(&self, out: &Path, more: &[&str]) -> std::process::Output {
        let out = out.display().to_string();
        let fixed = ["evolve", &self.config, "--out", &out];
        run(&fixed.iter().chain(more).copied().collect::<Vec<_>>())
    }

    fn whole(&self, threads: &str) -> PathBuf {
        let out = self.root.join(format!("whole-{threads}"));
        let output = self.evolve(&out, &["--threads", threads]);
        assert!(output.status.success(), "{}", stderr(&output));
        out
    }
}

/// Copies a run as it was before it wrote most of what it did: of all files that end in a name only
/// the share that is given is kept, and results are not yet written.
fn torn_copy(whole: &Path, torn: &Path, kept: &dyn Fn(&str) -> Option<f64>) {
    for (name, _) in contents(whole) {
        let path = torn.join(&name);
        let Some(share) = kept(&name) else { continue };
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let bytes = std::fs::read(whole.join(&name)).unwrap();
        std::fs::write(path, &bytes[..(bytes.len() as f64 * share) as usize]).unwrap();
    }
}

#[test]
fn threads_and_interruptions_leave_the_same_bytes() {
    let case = Case::new(CONFIG);
    let whole = case.whole("1");
    assert_same(&whole, &case.whole("3"));
    let (first, second) = ("stage-1-depth-1", "stage-2-depths-1-2");
    for (stage, log, share) in [
        (first, "finalist-games.csv", 0.0),
        (first, "finalist-games.csv", 0.4),
        (first, "finalist-games.csv", 1.0),
        (second, "evaluations.csv", 0.7),
        (second, "finalist-games.csv", 0.8),
    ] {
        let torn = case.root.join(format!("torn-{stage}-{log}-{share}"));
        torn_copy(&whole, &torn, &|name| match name {
            "manifest.json" | "config.toml" => Some(1.0),
            _ if name == format!("{stage}/{log}") => Some(share),
            _ if name.starts_with(first) && stage == second => Some(1.0),
            _ if name == format!("{stage}/evaluations.csv") => Some(1.0),
            _ if name == format!("{stage}/generations.csv") && log != "evaluations.csv" => {
                Some(1.0)
            }
            _ => None,
        });
        let output = case.evolve(&torn, &["--resume"]);
        assert!(output.status.success(), "{stage} {log}: {}", stderr(&output));
        assert_same(&whole, &torn);
    }
    // A finished run plays nothing and says the same.
    let before = contents(&whole);
    assert!(case.evolve(&whole, &["--resume"]).status.success());
    assert_eq!(before, contents(&whole));
}

#[test]
fn the_winner_is_what_is_reported_and_validated() {
    let case = Case::new(CONFIG);
    let out = case.root.join("run");
    let output = case.evolve(&out, &[]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("Finalists of stage 1") && text.contains("best against mean:"), "{text}");
    assert!(text.contains("Validation of the winner") && text.contains("winner.toml"), "{text}");
    let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    let winner = read("winner.toml");
    assert!(winner.contains("score = ") && !winner.contains("\nfitness = "), "{winner}");
    assert_eq!(winner, read("stage-2-depths-1-2/winner.toml"));
    let finalists: serde_json::Value =
        serde_json::from_str(&read("stage-1-depth-1/finalists.json")).unwrap();
    let rows = finalists["rows"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
    for name in
        ["best", "best-2", "mean", "mean-of-last-2", "mean-after-3", "mean-after-1", "start"]
    {
        assert!(names.contains(&name), "{name} is not in {names:?}");
    }
    assert_eq!(finalists["winner"], rows[0]["name"]);
    // The second stage starts at the winner of the first.
    let generations = read("stage-2-depths-1-2/generations.csv");
    let first: Vec<f64> = generations
        .lines()
        .nth(1)
        .unwrap()
        .split(',')
        .rev()
        .take(3)
        .map(|weight| weight.parse().unwrap())
        .collect();
    let expected: Vec<f64> = rows[0]["weights"]
        .as_array()
        .unwrap()
        .iter()
        .rev()
        .take(3)
        .map(|weight| weight.as_f64().unwrap())
        .collect();
    assert_eq!(first, expected);
    assert!(read("report.html").contains("Finalists"));
    let output = run(&["validate", out.to_str().unwrap(), "--depths", "1", "--games", "2"]);
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn settings_that_make_no_sense_are_refused_by_name() {
    for (old, new, expected) in [
        ("games = 80", "games = 30", "finalists.games: expected a multiple of 20"),
        ("games = 80", "games = 20", "stage 1 to be played in each of 10 blocks; 40 are enough"),
        ("games = 80", "games = 60", "stage 2 to be played in each of 10 blocks; 80 are enough"),
        ("games = 80", "games = 2000000", "finalists.games: doubled in each of 3 rounds"),
        ("rounds = 3", "rounds = 0", "finalists.rounds: expected a whole number from 1 to 16"),
        ("means = 3", "means = 0", "finalists.means: expected a whole number from 1"),
        ("means = 3", "mean = 3", "did you mean \"means\"?"),
        ("[finalists]", "[finalist]", "did you mean \"finalists\"?"),
        ("depth = 1\n", "depth = 1\nstart = \"winner\"\n", "the first stage has no stage before"),
    ] {
        let text = CONFIG.replacen(old, new, 1);
        assert_ne!(text, CONFIG);
        let case = Case::new(&text);
        assert_fails(&case.evolve(&case.root.join("out"), &["--check"]), 2, expected);
    }
    let (before, after) = CONFIG.split_once("[finalists]").unwrap();
    let without = format!("{before}[comparison]{}", after.split_once("[comparison]").unwrap().1);
    let case = Case::new(&without);
    let output = case.evolve(&case.root.join("out"), &["--check"]);
    assert_fails(&output, 2, "stages[2].start: there is a winner only where there are finalists");
}
