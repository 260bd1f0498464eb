//! Runs with every setting against noise. Each of their logs can be torn anywhere, and the number
//! of threads does not change a byte.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use crate::common::{assert_fails, assert_same, contents, run, stderr, tictune};

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
model = true
[comparison]
games = 20
[validation]
games = 20
depths = [1]
opponents = ["initial"]
openings = ["random:4:held-out"]
"#;

/// All settings in one stage.
const ALL: &str = r#"name = "noise"
evaluation = "connecting"
seed = 6
[cmaes]
population = 6
sigma = 0.5
initial = 0.1
cm = 0.8
restarts = "bipop"
restart_start = "mean"
[fitness]
games = 12
[[opponents]]
agent = "minimax:weights=liang-default"
[[opponents]]
agent = "random"
[[stages]]
depth = 1
stagnation = 2
max_generations = 16
[reevaluation]
games = 8
rounds = 2
[held_out]
every = 2
games = 8
patience = 2
[finalists]
games = 40
rounds = 2
best = 2
[comparison]
games = 2
[validation]
depths = []
"#;

const STAGE: &str = "stage-1-depth-1";

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

/// Copies a run as it was at an earlier moment. Of files whose names have a given end, only a share
/// is kept, and results are not yet written.
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
    // A finished run plays nothing and prints the same.
    let before = contents(&whole);
    assert!(case.evolve(&whole, &["--resume"]).status.success());
    assert_eq!(before, contents(&whole));
}

/// The rows of a log of the stage, split at commas, with the header first.
fn rows(run: &Path, name: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(run.join(STAGE).join(name)).unwrap();
    text.lines().map(|line| line.split(',').map(String::from).collect()).collect()
}

#[test]
fn a_check_counts_the_games_of_every_setting() {
    let case = Case::new(ALL);
    let text = String::from_utf8(case.evolve(&case.root, &["--check"]).stdout).unwrap();
    // 10,000 candidates, the most of a stage, since all 16 generations may be as large as the last restart, and the mean
    // vector 16 times, 12 games each; 5000 + 16 and 2500 + 16 further fitnesses of 8 games; 8 checks of 8 games.
    let expected = "at most 16 generations, 180512 games (with those of the mean vector, of further rounds and of the checks of \
                    the mean)";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn every_log_can_end_anywhere() {
    let case = Case::new(ALL);
    let whole = case.whole("1");
    assert_same(&whole, &case.whole("3"));
    let generations = rows(&whole, "generations.csv");
    let column = |name: &str| generations[0].iter().position(|head| head == name).unwrap();
    let restarts = |row: &Vec<String>| row[column("restart")].parse::<u64>().unwrap();
    assert!(generations[1..].iter().map(restarts).max() > Some(0), "it never restarted");
    assert!(rows(&whole, "held-out.csv").len() > 3 && rows(&whole, "rounds.csv").len() > 20);
    // How far generation 4 has got: its last candidates have played but not its rounds; or some
    // rounds; or all rounds; its row is written but not its check; its check is written; the next
    // generation has begun.
    for (step, [evaluated, in_rounds, finished, checked]) in
        [[4, 3, 3, 2], [4, 4, 3, 2], [4, 5, 3, 2], [4, 5, 4, 2], [4, 5, 4, 4], [5, 5, 4, 4]]
            .into_iter()
            .enumerate()
    {
        let torn = case.root.join(format!("torn-{step}"));
        std::fs::create_dir_all(torn.join(STAGE)).unwrap();
        for name in ["manifest.json", "config.toml"] {
            std::fs::copy(whole.join(name), torn.join(name)).unwrap();
        }
        for (name, last, torn_row) in [
            ("evaluations.csv", evaluated, evaluated == 5),
            ("rounds.csv", if in_rounds == 5 { 4 } else { in_rounds }, in_rounds == 4),
            ("generations.csv", finished, false),
            ("held-out.csv", checked, false),
        ] {
            let rows = rows(&whole, name);
            let mut kept: Vec<String> = rows
                .iter()
                .filter(|row| row[0].parse::<u64>().map_or(true, |generation| generation <= last))
                .map(|row| row.join(",") + "\n")
                .collect();
            if torn_row {
                let line = kept.pop().unwrap();
                kept.push(line[..line.len() / 2].into());
            }
            std::fs::write(torn.join(STAGE).join(name), kept.concat()).unwrap();
        }
        let output = case.evolve(&torn, &["--resume"]);
        assert!(output.status.success(), "step {step}: {}", stderr(&output));
        assert_same(&whole, &torn);
    }
}

#[test]
fn kill_9_at_any_moment_changes_nothing() {
    let case = Case::new(ALL);
    let whole = case.whole("2");
    let killed = case.root.join("killed");
    let mut kills = 0;
    for attempt in 0..40 {
        let out = killed.display().to_string();
        let args = ["evolve", &case.config, "--out", &out, "--resume", "--threads", "2"];
        let mut child = tictune(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(10 + 17 * attempt));
        child.kill().unwrap();
        if child.wait().unwrap().success() {
            break;
        }
        kills += 1;
    }
    assert!(kills >= 3, "only {kills} kills before the run was over");
    assert!(case.evolve(&killed, &["--resume"]).status.success());
    assert_same(&whole, &killed);
}

#[test]
fn logs_that_do_not_fit_are_refused_with_the_reason() {
    let case = Case::new(ALL);
    let whole = case.whole("2");
    let rounds = std::fs::read_to_string(whole.join(STAGE).join("rounds.csv")).unwrap();
    let held_out = std::fs::read_to_string(whole.join(STAGE).join("held-out.csv")).unwrap();
    let edited = |text: &str, line: usize, column: usize, value: &str| {
        let lines: Vec<&str> = text.lines().collect();
        let mut fields: Vec<&str> = lines[line].split(',').collect();
        fields[column] = value;
        text.replacen(lines[line], &fields.join(","), 1)
    };
    for (name, log, text, expected) in [
        ("rounds.csv", &rounds, edited(&rounds, 2, 2, "77"), "rounds.csv:3: expected 8 games of"),
        ("rounds.csv", &rounds, edited(&rounds, 2, 3, "0.125"), "the fitness does not follow"),
        ("rounds.csv", &rounds, edited(&rounds, 2, 8, "1-1-1"), "rounds.csv:3: expected 8 games"),
        ("rounds.csv", &rounds, format!("{rounds}{}\n", rounds.lines().nth(1).unwrap()), "ended"),
        ("held-out.csv", &held_out, edited(&held_out, 1, 0, "1"), "held-out.csv:2: expected the"),
        ("held-out.csv", &held_out, edited(&held_out, 1, 6, "0.5001"), "score and better do not"),
        ("held-out.csv", &held_out, edited(&held_out, 1, 7, "no"), "score and better do not"),
        ("held-out.csv", &held_out, format!("{held_out}16,8,0,0,8,4-0-0 4-0-0,1,true\n"), "ended"),
    ] {
        let path = whole.join(STAGE).join(name);
        assert_ne!(&text, log);
        std::fs::write(&path, &text).unwrap();
        assert_fails(&case.evolve(&whole, &["--resume"]), 2, expected);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "a refused log is left alone");
        std::fs::write(&path, log).unwrap();
    }
}

/// A hall of fame that admits nearly every mean.
const HALL: &str = "[hall_of_fame]\nevery = 2\ngames = 20\nsize = 2\nconfidence = 0.5\n";

#[test]
fn it_goes_with_a_hall_of_fame() {
    let case = Case::new(&format!("{ALL}{HALL}"));
    let whole = case.whole("1");
    assert_same(&whole, &case.whole("3"));
    let entered = rows(&whole, "hall.csv").iter().filter(|row| row[10] == "true").count();
    assert!(entered > 1, "{entered} members");
    for share in [0.2, 0.5, 0.9] {
        let torn = case.root.join(format!("torn-{share}"));
        torn_copy(&whole, &torn, &|name| match name {
            "manifest.json" | "config.toml" => Some(1.0),
            // The finalists come after the stage.
            _ if name.ends_with("finalist-games.csv") => Some(share),
            _ if name.ends_with(".csv") && name.starts_with(STAGE) => Some(1.0),
            _ => None,
        });
        let output = case.evolve(&torn, &["--resume"]);
        assert!(output.status.success(), "{share}: {}", stderr(&output));
        assert_same(&whole, &torn);
    }
}

#[test]
fn candidates_that_play_each_other_need_opponents_to_be_measured_against() {
    let alone = ALL
        .replace("[[opponents]]\nagent = \"minimax:weights=liang-default\"\n", "")
        .replace("[[opponents]]\nagent = \"random\"\n", "");
    let (before, after) = alone.split_once("[reevaluation]").unwrap();
    let without_rounds = format!("{before}[held_out]{}", after.split_once("[held_out]").unwrap().1);
    for (text, expected) in [
        (format!("{ALL}[coevolution]\nopponents = 1\nshare = 0.5\n"), "reevaluation: there are no"),
        (
            format!("{without_rounds}[coevolution]\nopponents = 3\n"),
            "held_out: it needs [[opponents]]",
        ),
    ] {
        let case = Case::new(&text);
        assert_fails(&case.evolve(&case.root.join("out"), &["--check"]), 2, expected);
    }
    // With opponents in the pool as well, restarts keep the population even.
    let (before, after) = ALL.split_once("[reevaluation]").unwrap();
    let text = format!("{before}[held_out]{}", after.split_once("[held_out]").unwrap().1);
    let case = Case::new(&format!("{text}[coevolution]\nopponents = 1\nshare = 0.5\n"));
    assert_same(&case.whole("1"), &case.whole("3"));
}

#[test]
fn a_stage_ends_when_its_mean_no_longer_improves() {
    // Without restarts and with a check in every generation, it ends after two checks without
    // improvement.
    let text = ALL
        .replace("restarts = \"bipop\"\nrestart_start = \"mean\"\n", "")
        .replace("stagnation = 2\nmax_generations = 16", "max_generations = 300")
        .replace("every = 2", "every = 1");
    let case = Case::new(&text);
    let whole = case.whole("2");
    let checks = rows(&whole, "held-out.csv");
    let better: Vec<&str> = checks[1..].iter().map(|row| row[7].as_str()).collect();
    let (earlier, last) = better.split_at(better.len() - 2);
    assert_eq!((earlier.first(), last), (Some(&"true"), &["false", "false"][..]));
    assert!(earlier.windows(2).all(|pair| pair != ["false", "false"]), "{better:?}");
    let manifest = std::fs::read_to_string(whole.join("manifest.json")).unwrap();
    assert!(manifest.contains("did not improve on held-out openings in 2 checks"), "{manifest}");
    let finalists = std::fs::read_to_string(whole.join(STAGE).join("finalists.json")).unwrap();
    let last_better = better.iter().rposition(|better| *better == "true").unwrap() + 1;
    assert!(
        finalists.contains("\"held-out\"")
            || finalists.contains(&format!("mean-after-{last_better}\"")),
        "{finalists}"
    );
}

#[test]
fn the_winner_is_what_is_reported_and_validated() {
    let case = Case::new(CONFIG);
    let out = case.root.join("run");
    let output = case.evolve(&out, &[]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        text.contains("Finalists of stage 1")
            && text.contains("best against mean, in 80 games of each"),
        "{text}"
    );
    assert!(text.contains("Validation of the winner") && text.contains("winner.toml"), "{text}");
    let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    let winner = read("winner.toml");
    assert!(winner.contains("score = ") && !winner.contains("\nfitness = "), "{winner}");
    assert_eq!(winner, read("stage-2-depths-1-2/winner.toml"));
    let finalists: serde_json::Value =
        serde_json::from_str(&read("stage-1-depth-1/finalists.json")).unwrap();
    let rows = finalists["rows"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
    for name in [
        "best",
        "best-2",
        "mean",
        "mean-of-last-2",
        "mean-after-3",
        "mean-after-1",
        "model",
        "start",
    ] {
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
    for (old, new, expected) in [
        ("cm = 0.8", "cm = 1.5", "cmaes.cm: expected a number above 0 and at most 1, found 1.5"),
        ("\"bipop\"", "\"bpop\"", "cmaes.restarts: unknown kind \"bpop\"; did you mean \"bipop\"?"),
        ("restarts = \"bipop\"\n", "", "cmaes.restart_start: there are no restarts"),
        ("restart_start = \"mean\"", "restart_start = \"zero\"", "cmaes.restart_start: unknown"),
        ("games = 8\nrounds", "games = 7\nrounds", "reevaluation.games: expected an even number"),
        ("games = 8\nrounds", "games = 2\nrounds", "2 are too few for every opponent of stage 1"),
        ("games = 8\npatience", "games = 2\npatience", "held_out.games: 2 are too few"),
        ("patience = 2", "patience = 0", "held_out.patience: expected a whole number of at least"),
    ] {
        let text = ALL.replacen(old, new, 1);
        assert_ne!(text, ALL);
        let case = Case::new(&text);
        assert_fails(&case.evolve(&case.root.join("out"), &["--check"]), 2, expected);
    }
    let text = ALL.replace("stagnation = 2\n", "");
    let (before, after) = text.split_once("[held_out]").unwrap();
    let without = format!("{before}[finalists]{}", after.split_once("[finalists]").unwrap().1);
    let case = Case::new(&without);
    let output = case.evolve(&case.root.join("out"), &["--check"]);
    assert_fails(&output, 2, "cmaes.restarts: stage 1 does not say when it stalls");
    let output = Case::new(CONFIG).evolve(&case.root.join("out"), &["--check"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("; the opponent with the worst results counts for half\n"), "{text}");
    let (before, after) = CONFIG.split_once("[finalists]").unwrap();
    let without = format!("{before}[comparison]{}", after.split_once("[comparison]").unwrap().1);
    let case = Case::new(&without);
    let output = case.evolve(&case.root.join("out"), &["--check"]);
    assert_fails(&output, 2, "stages[2].start: there is a winner only where there are finalists");
}
