//! Evolutions that move a part of an agent: weights held or in steps of their own. Their runs are the same bytes on any
//! number of threads and after any interruption, as those of `resume.rs`.

mod common;

use std::path::{Path, PathBuf};

use common::{assert_fails, assert_same, run, stderr};

/// Weights left out, held, and in steps of their own.
const HELD: &str = r#"name = "held"
evaluation = "comprehensive"
seed = 5
[cmaes]
population = 6
sigma = 0.3
initial = "liang-comprehensive"
leave_out = ["macro_middle", "micro_side*"]
hold = { micro_middle_middle = 2.5 }
scale = "initial"
[fitness]
games = 12
[[opponents]]
agent = "minimax:weights=liang-default"
[[stages]]
depth = 2
max_generations = 3
[[stages]]
depth = 3
start = "mean"
max_generations = 2
[comparison]
games = 20
[validation]
games = 10
depths = [1]
opponents = ["initial"]
"#;

struct Case {
    folder: tempfile::TempDir,
    config: String,
}

impl Case {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("config.toml");
        std::fs::write(&config, text).unwrap();
        Self { config: config.display().to_string(), folder }
    }

    fn evolve(&self, name: &str, more: &[&str]) -> PathBuf {
        let out = self.folder.path().join(name);
        let all = ["evolve", &self.config, "--out", out.to_str().unwrap()];
        let output = run(&[&all[..], more].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        out
    }

    /// Runs on one and on three threads, and after an interruption at several places, give the same bytes.
    fn is_repeatable(&self, stage: &str) -> PathBuf {
        let whole = self.evolve("whole", &["--threads", "1"]);
        assert_same(&whole, &self.evolve("threads", &["--threads", "3"]));
        let log = std::fs::read(whole.join(stage).join("evaluations.csv")).unwrap();
        for permille in [0, 300, 550, 1000] {
            let torn = self.evolve(&format!("torn-{permille}"), &["--threads", "2"]);
            tear(&torn, stage, &log[..log.len() * permille / 1000]);
            self.evolve(&format!("torn-{permille}"), &["--resume"]);
            assert_same(&whole, &torn);
        }
        whole
    }
}

/// Takes a finished run back to where its first stage had logged so much.
fn tear(run: &Path, stage: &str, log: &[u8]) {
    let path = run.join("manifest.json");
    let manifest = std::fs::read_to_string(&path).unwrap();
    let mut manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    manifest["finished"] = false.into();
    manifest["stages"] = serde_json::json!([]);
    std::fs::write(&path, manifest.to_string()).unwrap();
    for entry in std::fs::read_dir(run).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.starts_with("stage-") && name != stage {
            std::fs::remove_dir_all(path).unwrap();
        } else if path.is_file() && name != "config.toml" && name != "manifest.json" {
            std::fs::remove_file(path).unwrap();
        }
    }
    std::fs::write(run.join(stage).join("evaluations.csv"), log).unwrap();
    let header = std::fs::read_to_string(run.join(stage).join("generations.csv")).unwrap();
    let header = header.lines().next().unwrap();
    std::fs::write(run.join(stage).join("generations.csv"), format!("{header}\n")).unwrap();
}

/// A log by column.
fn column(path: &Path, name: &str) -> Vec<f64> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    let index = reader.headers().unwrap().iter().position(|head| head == name);
    let index = index.unwrap_or_else(|| panic!("no column {name}"));
    reader.records().map(|row| row.unwrap()[index].parse().unwrap()).collect()
}

#[test]
fn held_weights_stay_and_the_others_move_in_their_own_units() {
    let case = Case::new(HELD);
    let whole = case.is_repeatable("stage-1-depth-2");
    let log = whole.join("stage-1-depth-2/evaluations.csv");
    assert!(column(&log, "macro_middle").iter().all(|value| *value == 0.0));
    assert!(column(&log, "micro_side_corner").iter().all(|value| *value == 0.0));
    assert!(column(&log, "micro_middle_middle").iter().all(|value| *value == 2.5));
    let published = tictune::weights::builtin::find("liang-comprehensive").unwrap();
    for (slot, initial) in published.layout().slots.iter().zip(published.values()) {
        if ["macro_middle", "micro_middle_middle"].contains(&slot.name)
            || slot.name.starts_with("micro_side")
        {
            continue;
        }
        let values = column(&log, slot.name);
        let steps = column(&log, &format!("x_{}", slot.name));
        for (value, x) in values.iter().zip(&steps) {
            let step = (value - initial) / x;
            let expected = initial.abs();
            assert!((step - expected).abs() < 1e-6 * expected, "{}: {step}", slot.name);
        }
    }
    let best = tictune::weights::read_weights(&whole.join("best.toml")).unwrap();
    assert_eq!(best.values().len(), 14, "files hold every slot");
    let slot = |name| best.values()[best.layout().index_of(name).unwrap()];
    assert_eq!((slot("macro_middle"), slot("micro_middle_middle")), (0.0, 2.5));
}

#[test]
fn a_log_of_other_coordinates_is_refused() {
    let case = Case::new(HELD);
    let whole = case.evolve("whole", &[]);
    let path = whole.join("stage-1-depth-2/evaluations.csv");
    let log = std::fs::read_to_string(&path).unwrap();
    let row = log.lines().nth(3).unwrap();
    let (rest, last) = row.rsplit_once(',').unwrap();
    let nearly = f64::from_bits(last.parse::<f64>().unwrap().to_bits() + 1);
    std::fs::write(&path, log.replacen(row, &format!("{rest},{nearly:?}"), 1)).unwrap();
    let output = run(&["evolve", &case.config, "--out", whole.to_str().unwrap(), "--resume"]);
    assert_fails(&output, 2, "evaluations.csv:4: these are not the weights");
}
