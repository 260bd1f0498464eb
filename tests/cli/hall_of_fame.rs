//! The hall of fame and co-evolution: whole runs, stopped and resumed.

use std::path::{Path, PathBuf};

use crate::common::{assert_fails, assert_same, run, stderr, stdout_of};

const CONFIG: &str = r#"name = "hall-of-fame"
evaluation = "connecting"
seed = 5
[cmaes]
population = 6
sigma = 0.5
initial = 0.1
[fitness]
games = 24
openings = "random:4-6:train"
combine = "mean-and-worst"
[[opponents]]
agent = "minimax:weights=liang-connecting"
[[opponents]]
agent = "random"
[hall_of_fame]
every = 2
games = 16
share = 0.3
size = 2
confidence = 0.5
carry = true
[coevolution]
opponents = 3
share = 0.3
[[stages]]
depth = 1
max_generations = 8
[[stages]]
depths = [1, 2]
games = 48
start = "mean"
max_generations = 5
[comparison]
games = 4
[validation]
depths = []
"#;

/// A folder with a config, and the commands that are run in it.
struct Case {
    folder: tempfile::TempDir,
    config: String,
}

impl Case {
    fn new(config: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hall-of-fame.toml");
        std::fs::write(&path, config).unwrap();
        Self { config: path.display().to_string(), folder }
    }

    fn evolve(&self, name: &str, more: &[&str]) -> std::process::Output {
        let out = self.folder.path().join(name).display().to_string();
        let args = ["evolve", &self.config, "--out", &out];
        run(&args.iter().chain(more).copied().collect::<Vec<_>>())
    }

    fn whole(&self, name: &str, threads: &str) -> PathBuf {
        let output = self.evolve(name, &["--threads", threads]);
        assert!(output.status.success(), "{}", stderr(&output));
        self.folder.path().join(name)
    }

    fn resume(&self, name: &str) -> PathBuf {
        let output = self.evolve(name, &["--resume", "--threads", "2"]);
        assert!(output.status.success(), "{}", stderr(&output));
        self.folder.path().join(name)
    }
}

const FIRST: &str = "stage-1-depth-1";
const SECOND: &str = "stage-2-depths-1-2";

/// The rows of a log, each by column name.
fn rows(path: &Path) -> Vec<std::collections::HashMap<String, String>> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

#[test]
fn any_number_of_threads_gives_the_same_bytes_and_the_hall_fills() {
    let case = Case::new(CONFIG);
    let one = case.whole("one", "1");
    assert_same(&one, &case.whole("three", "3"));
    for (stage, generations) in [(FIRST, vec!["2", "4", "6", "8"]), (SECOND, vec!["2", "4"])] {
        let hall = rows(&one.join(stage).join("hall.csv"));
        let of: Vec<&str> = hall.iter().map(|row| row["generation"].as_str()).collect();
        assert_eq!(of, generations);
        for row in &hall {
            let count = |column: &str| row[column].parse::<u64>().unwrap();
            assert_eq!(count("wins") + count("draws") + count("losses"), 16);
            assert!(count("distinct_games") <= 16 && count("distinct_games") > 0);
            let score: f64 = row["score"].parse().unwrap();
            assert_eq!(row["entered"], (score > 0.5).to_string());
        }
    }
    let entered = rows(&one.join(FIRST).join("hall.csv"));
    let entered = entered.iter().filter(|row| row["entered"] == "true").count();
    assert!(entered > 0, "a mean that learns to play beats random moves before long");
    let second = rows(&one.join(SECOND).join("hall.csv"));
    assert_eq!(second[0]["members"], entered.min(2).to_string(), "carried over");
    // A candidate has the same number of games, however many members the hall has.
    for (stage, games) in [(FIRST, 24), (SECOND, 48)] {
        for row in rows(&one.join(stage).join("evaluations.csv")) {
            let sum: u64 =
                ["wins", "draws", "losses"].iter().map(|c| row[*c].parse::<u64>().unwrap()).sum();
            assert_eq!(sum, games);
            let groups = row["by_opponent"].split(' ').count();
            assert!(groups == 3 || groups == 4, "pool, each other, and the hall once it is there");
        }
    }
    let report = std::fs::read_to_string(one.join("report.html")).unwrap();
    assert!(
        report.contains("Hall of fame") && report.contains("3 others of its generation"),
        "{report}"
    );
    let best = std::fs::read_to_string(one.join("best.toml")).unwrap();
    assert!(best.contains("hall_of_fame = ") && best.contains("coevolution = 3"), "{best}");
}

/// A copy of a run as it was when it was stopped with these logs in its first stage.
fn stopped(whole: &Path, copy: &Path, evaluations: &str, generations: &str, hall: &str) {
    std::fs::create_dir_all(copy.join(FIRST)).unwrap();
    std::fs::copy(whole.join("config.toml"), copy.join("config.toml")).unwrap();
    let manifest = std::fs::read_to_string(whole.join("manifest.json")).unwrap();
    let mut manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    manifest["finished"] = false.into();
    manifest["stages"] = serde_json::json!([]);
    std::fs::write(copy.join("manifest.json"), manifest.to_string()).unwrap();
    for (name, text) in
        [("evaluations.csv", evaluations), ("generations.csv", generations), ("hall.csv", hall)]
    {
        std::fs::write(copy.join(FIRST).join(name), text).unwrap();
    }
}

fn lines(text: &str, count: usize) -> String {
    text.lines().take(count).map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_run_stopped_anywhere_ends_with_the_same_bytes() {
    let case = Case::new(CONFIG);
    let whole = case.whole("whole", "2");
    let read = |name: &str| std::fs::read_to_string(whole.join(FIRST).join(name)).unwrap();
    let logs = [read("evaluations.csv"), read("generations.csv"), read("hall.csv")];
    // Generations finished, and candidates of the next one. A match was played after every second
    // generation.
    for (generations, candidates, matches) in [
        (0, 0, 0),
        (0, 4, 0),
        (1, 6, 0),
        (2, 0, 0),
        (2, 0, 1),
        (3, 2, 1),
        (4, 0, 1),
        (4, 1, 2),
        (8, 0, 3),
        (8, 0, 4),
    ] {
        let name = format!("stopped-{generations}-{candidates}-{matches}");
        let copy = case.folder.path().join(&name);
        let evaluations = lines(&logs[0], 1 + 6 * generations + candidates);
        let hall = lines(&logs[2], 1 + matches);
        stopped(&whole, &copy, &evaluations, &lines(&logs[1], 1 + generations), &hall);
        assert_same(&whole, &case.resume(&name));
        // The log may also be torn in the row of the last match.
        if candidates == 0 && matches > 0 && 2 * matches == generations {
            let copy = case.folder.path().join(format!("{name}-torn"));
            let torn = &hall[..hall.len() - 9];
            stopped(&whole, &copy, &evaluations, &lines(&logs[1], 1 + generations), torn);
            assert_same(&whole, &case.resume(&format!("{name}-torn")));
        }
    }
    // It may also be stopped in the second stage, which starts with members of the first.
    let name = "second";
    let copy = case.whole(name, "1");
    let log = copy.join(SECOND).join("evaluations.csv");
    let text = std::fs::read_to_string(&log).unwrap();
    std::fs::write(&log, lines(&text, 1 + 6 * 3 + 2)).unwrap();
    for (file, kept) in [("generations.csv", 4), ("hall.csv", 2)] {
        let log = copy.join(SECOND).join(file);
        let text = std::fs::read_to_string(&log).unwrap();
        std::fs::write(&log, lines(&text, kept)).unwrap();
    }
    assert_same(&whole, &case.resume(name));
}

#[test]
fn kill_9_at_any_moment_changes_nothing() {
    let slow =
        CONFIG.replace("games = 16", "games = 400").replace("depths = [1, 2]", "depths = [1, 3]");
    let case = Case::new(&slow.replace("games = 48", "games = 96"));
    let whole = case.whole("whole", "2");
    let out = case.folder.path().join("killed").display().to_string();
    let mut kills = 0;
    for attempt in 0..60 {
        let args = ["evolve", &case.config, "--out", &out, "--resume", "--threads", "2"];
        let mut child = crate::common::tictune(&args)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(5 + 9 * attempt));
        child.kill().unwrap();
        if child.wait().unwrap().success() {
            break;
        }
        kills += 1;
    }
    assert!(kills >= 3, "only {kills} kills before the run was over");
    assert_same(&whole, &case.resume("killed"));
}

#[test]
fn a_log_of_the_hall_that_does_not_fit_is_refused_with_the_reason() {
    let case = Case::new(CONFIG);
    let whole = case.whole("whole", "2");
    let path = whole.join(FIRST).join("hall.csv");
    let log = std::fs::read_to_string(&path).unwrap();
    let row: Vec<&str> = log.lines().nth(2).unwrap().split(',').collect();
    let edited = |column: usize, value: &str| {
        let mut fields = row.clone();
        fields[column] = value;
        log.replacen(&row.join(","), &fields.join(","), 1)
    };
    let other = if row[10] == "true" { "false" } else { "true" };
    for (text, expected) in [
        (edited(0, "5"), "hall.csv:3: is not the admission match of generation 4"),
        (edited(2, "18"), "hall.csv:3: is no admission match"),
        (edited(10, other), "hall.csv:3: is not the admission match"),
        (edited(7, "0-0-0-0-9"), "hall.csv:3: is not the admission match"),
        (edited(7, "1-2"), "hall.csv:3: is no admission match"),
        (edited(12, "0.25"), "hall.csv:3: is not the admission match"),
        (lines(&log, 2), "the admission match of generation 4 is missing"),
        (format!("{log}{}\n", row.join(",")), "hall.csv:6: the stage ended before this row"),
        (log.replacen("generation", "generations", 1), "the columns are not those"),
    ] {
        std::fs::write(&path, &text).unwrap();
        assert_fails(&case.evolve("whole", &["--resume"]), 2, expected);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "it is left as it was");
    }
}

#[test]
fn candidates_may_play_nobody_but_each_other() {
    let config = "name = \"alone\"\nevaluation = \"connecting\"\n[cmaes]\npopulation = 6\nsigma = 0.5\n\
                  [fitness]\ngames = 20\n[coevolution]\nopponents = 5\n[[stages]]\ndepth = 1\n\
                  max_generations = 3\n[comparison]\ngames = 4\n[validation]\ndepths = []\n";
    let case = Case::new(config);
    let check = stdout_of(&["evolve", "--check", &case.config]);
    assert!(
        check.contains("20 games against other candidates of the generation: 5 of them"),
        "{check}"
    );
    let whole = case.whole("whole", "1");
    assert_same(&whole, &case.whole("three", "3"));
    // One candidate's win is another's loss, so in a round robin the population as a whole scores
    // half the points.
    let rows = rows(&whole.join(FIRST).join("evaluations.csv"));
    for generation in ["1", "2", "3"] {
        let of: Vec<_> = rows.iter().filter(|row| row["generation"] == generation).collect();
        let sum = |column: &str| of.iter().map(|r| r[column].parse::<f64>().unwrap()).sum::<f64>();
        assert_eq!(sum("wins"), sum("losses"));
        assert_eq!(sum("fitness"), 60.0);
    }
}

#[test]
fn training_from_held_out_openings_is_warned_of() {
    let warned = |openings: &str| {
        let case = Case::new(&CONFIG.replace("random:4-6:train", openings));
        stderr(&run(&["evolve", "--check", &case.config]))
            .contains("random:4-6:train keeps them apart")
    };
    assert!(warned("random:4-6") && warned("random:4-6:held-out"));
    assert!(!warned("random:4-6:train") && !warned("centre"));
}

#[test]
fn the_documented_config_is_one() {
    let check = stdout_of(&["evolve", "--check", "experiments/documented.toml"]);
    assert!(check.contains("hall of fame: 8 of these games"), "{check}");
}

#[test]
fn a_hall_without_members_changes_nothing_and_its_config_does() {
    let never = CONFIG.replace("confidence = 0.5", "confidence = 0.999999");
    let never = never.replace("max_generations = 8", "max_generations = 2");
    let without = never
        .lines()
        .filter(|line| {
            !["every", "size", "confidence", "carry", "[hall"]
                .iter()
                .any(|key| line.starts_with(key))
        })
        .map(|line| format!("{line}\n"))
        .collect::<String>()
        .replace("games = 16\nshare = 0.3\n", "");
    let (a, b) = (Case::new(&never), Case::new(&without));
    let (a, b) = (a.whole("a", "2"), b.whole("b", "2"));
    let log = |root: &Path| std::fs::read(root.join(FIRST).join("evaluations.csv")).unwrap();
    assert_eq!(log(&a), log(&b));
    assert!(!b.join(FIRST).join("hall.csv").exists());
    let hash = |root: &Path| {
        let text = std::fs::read_to_string(root.join("manifest.json")).unwrap();
        serde_json::from_str::<serde_json::Value>(&text).unwrap()["config_hash"].clone()
    };
    assert_ne!(hash(&a), hash(&b));
}

#[test]
fn earlier_winners_by_path_and_agents_of_other_kinds_are_opponents() {
    let earlier = Case::new(CONFIG);
    let earlier = earlier.whole("earlier", "2");
    let config = |weights: &str| {
        format!(
            "name = \"later\"\nevaluation = \"connecting\"\n[cmaes]\npopulation = 4\nsigma = 0.5\n\
             [fitness]\ngames = 28\n[[opponents]]\nagent = \"minimax:weights={weights}\"\nshare = 2\n\
             [[opponents]]\nagent = \"minimax:weights=run/mean.toml\"\n[[opponents]]\n\
             agent = \"mcts:iterations=10\"\n[[opponents]]\n\
             agent = \"mcts:iterations=10,playout=ept,weights=run/best.toml\"\n[[opponents]]\n\
             agent = \"iterative:nodes=40,weights=amar-cells\"\n[hall_of_fame]\nevery = 1\n\
             games = 20\nconfidence = 0.5\n[[stages]]\ndepth = 1\nmax_generations = 3\n\
             [comparison]\ngames = 4\n[validation]\ndepths = []\n"
        )
    };
    let case = Case::new(&config("run/best.toml"));
    let folder = case.folder.path().join("run");
    std::fs::create_dir(&folder).unwrap();
    for name in ["best.toml", "mean.toml"] {
        std::fs::copy(earlier.join(name), folder.join(name)).unwrap();
    }
    let one = case.whole("one", "1");
    assert_same(&one, &case.whole("three", "3"));
    let manifest = std::fs::read_to_string(one.join("manifest.json")).unwrap();
    let path = case.folder.path().display().to_string();
    assert!(!manifest.contains(&path), "no path of a machine");
    // It also resumes from its first generation.
    let log = one.join(FIRST).join("evaluations.csv");
    let text = std::fs::read_to_string(&log).unwrap();
    std::fs::write(&log, lines(&text, 1 + 4)).unwrap();
    for (file, kept) in [("generations.csv", 2), ("hall.csv", 2)] {
        let log = one.join(FIRST).join(file);
        let text = std::fs::read_to_string(&log).unwrap();
        std::fs::write(&log, lines(&text, kept)).unwrap();
    }
    assert_same(&case.resume("one"), &case.folder.path().join("three"));
    let missing = Case::new(&config("run/none.toml"));
    assert_fails(&missing.evolve("x", &[]), 2, "opponents[1].agent");
}
