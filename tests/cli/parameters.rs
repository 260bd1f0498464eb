//! Evolutions of a part of an agent: held weights, weights with steps of their own, and numbers of
//! its search. As in `resume.rs`, their runs give the same bytes on any number of threads and after
//! any interruption.

use std::path::{Path, PathBuf};

use tictune::games::Uttt;
use tictune::weights::Weights;

use crate::common::{assert_fails, assert_same, run, stderr};

/// Weights left out, held, and with steps of their own.
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

    /// Checks that a run gives the same bytes on one thread, on three threads, and after
    /// interruptions at several places.
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

/// Takes a finished run back to the moment when the log of its first stage was this long.
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

/// A column of a log.
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
    let published = Weights::builtin::<Uttt>("liang-comprehensive").unwrap();
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
    let best = Weights::read::<Uttt>(&whole.join("best.toml")).unwrap();
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
    assert_fails(&output, 2, "evaluations.csv:4: these are not the values");
}

/// The exploration constant of UCT alone.
const C: &str = r#"name = "c"
seed = 2
[cmaes]
population = 4
sigma = 0.3
[fitness]
games = 6
[agent]
kind = "mcts"
iterations = 30
[[parameters]]
key = "c"
low = 0.01
high = 10
scale = "log"
[[opponents]]
agent = "mcts:iterations=30,c=2"
[[stages]]
depth = 1
max_generations = 3
[comparison]
games = 10
[validation]
games = 10
openings = ["random:4:held-out"]
"#;

/// Weights in playouts that end early, together with the length of these playouts.
const EPT: &str = r#"name = "ept"
evaluation = "connecting"
seed = 2
[cmaes]
population = 5
sigma = 0.3
initial = [10, 20, 1]
scale = "initial"
hold = ["micro_connecting"]
[fitness]
games = 4
[agent]
kind = "mcts"
playout = "ept"
iterations = 20
[[parameters]]
key = "threshold"
initial = 6
low = 2
high = 12
[[parameters]]
key = "boundary"
low = 0.1
high = 30
scale = "log"
[[opponents]]
agent = "mcts:iterations=20"
[[stages]]
depth = 1
max_generations = 3
[comparison]
games = 10
[validation]
games = 4
depths = [1]
opponents = ["initial"]
openings = ["random:4:held-out"]
"#;

/// Weights alone, in a search limited by positions.
const ITERATIVE: &str = r#"name = "iterative"
evaluation = "connecting"
[cmaes]
population = 4
sigma = 0.5
initial = 1
[fitness]
games = 4
[agent]
kind = "iterative"
nodes = 300
[[opponents]]
agent = "iterative:nodes=300,weights=liang-default"
[[stages]]
depth = 1
max_generations = 2
[comparison]
games = 4
[validation]
games = 4
depths = [1]
opponents = ["initial"]
"#;

#[test]
fn a_number_alone_is_evolved_within_its_range() {
    let case = Case::new(C);
    let whole = case.is_repeatable("stage-1-depth-1");
    let log = whole.join("stage-1-depth-1/evaluations.csv");
    let (c, x) = (column(&log, "c"), column(&log, "x_c"));
    assert_eq!(c.len(), 12);
    for (c, x) in c.iter().zip(&x) {
        assert!((0.01..=10.0).contains(c));
        // Three orders of magnitude are one step.
        let unbent = 0.5 * (x * (1000_f64).ln()).exp();
        assert!((c / unbent - 1.0).abs() < 1e-9 || !(0.01..=10.0).contains(&unbent), "{c} of {x}");
    }
    let means = column(&whole.join("stage-1-depth-1/generations.csv"), "mean_c");
    assert!((means[0] - 0.5).abs() < 1e-15, "from the agent's own value");
    assert!(!whole.join("best.toml").exists() && !whole.join("stage-1-depth-1/mean.toml").exists());
    // The best candidate is an agent that can play.
    let best = whole.join("best-agent.txt");
    let text = std::fs::read_to_string(&best).unwrap();
    assert!(
        text.starts_with("mcts:tree=uct,playout=random,c=") && text.ends_with("iterations=30\n"),
        "{text}"
    );
    let output =
        run(&["match", &format!("@{}", best.display()), "random", "--games", "2", "--json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains(text.trim()));
    // It was validated against itself at the start and against the opponent, from openings that it
    // never saw.
    let rows = std::fs::read_to_string(whole.join("validation.csv")).unwrap();
    assert_eq!(rows.lines().count(), 1 + 2, "{rows}");
    assert!(rows.lines().nth(1).unwrap().starts_with("random:4:held-out,the start,"), "{rows}");
    let compared = run(&["compare", whole.to_str().unwrap(), "--games", "4"]);
    assert!(compared.status.success(), "{}", stderr(&compared));
    let validated = run(&["validate", whole.to_str().unwrap(), "--games", "4", "--json"]);
    assert!(validated.status.success(), "{}", stderr(&validated));
    let json: serde_json::Value = serde_json::from_slice(&validated.stdout).unwrap();
    assert_eq!(json["agent"], text.trim());
    assert_eq!(json["rows"].as_array().unwrap().len(), 2);
    for (key, value) in [("--opponents", "liang-default"), ("--depths", "2"), ("--ept", "none")] {
        let refused = format!("{key} is for weights, and this run evolved none");
        assert_fails(&run(&["validate", whole.to_str().unwrap(), key, value]), 2, &refused);
    }
    let export = |format: &str| run(&["export", whole.to_str().unwrap(), "--format", format]);
    let json: serde_json::Value = serde_json::from_slice(&export("json").stdout).unwrap();
    assert_eq!(json["agent"], text.trim());
    let c = json["parameters"]["c"].as_f64().unwrap();
    assert!(text.contains(&format!("c={c},")), "{json}");
    assert_eq!(String::from_utf8(export("csv").stdout).unwrap(), format!("name,value\nc,{c}\n"));
    assert_eq!(String::from_utf8(export("toml").stdout).unwrap(), format!("c = {c:?}\n"));
    let rust = String::from_utf8(export("rust").stdout).unwrap();
    assert!(rust.contains(&format!("pub const C: f64 = {c:?};")), "{rust}");
    assert_fails(&export("uci"), 2, "for runs that evolved options of a UCI engine");
    assert_fails(&export("codingame-rust"), 2, "export RUN --format json` writes them");
    let shown = run(&["show", whole.to_str().unwrap(), "--json"]);
    let shown: serde_json::Value = serde_json::from_slice(&shown.stdout).unwrap();
    assert!(shown.to_string().contains("\"parameters\""), "{shown}");
    let report = std::fs::read_to_string(whole.join("report.html")).unwrap();
    assert!(report.contains(text.trim()));
}

#[test]
fn weights_and_numbers_are_evolved_together() {
    let case = Case::new(EPT);
    let whole = case.is_repeatable("stage-1-depth-1");
    let log = whole.join("stage-1-depth-1/evaluations.csv");
    let threshold = column(&log, "threshold");
    assert!(threshold.iter().all(|x| x.fract() == 0.0 && (2.0..=12.0).contains(x)));
    assert!(threshold.iter().any(|x| *x != threshold[0]));
    assert!(column(&log, "micro_connecting").iter().all(|x| *x == 1.0));
    let best = whole.join("best-agent.txt");
    let text = std::fs::read_to_string(&best).unwrap();
    assert!(text.contains("playout=ept") && text.contains("weights=best.toml"), "{text}");
    let weights = std::fs::read_to_string(whole.join("best.toml")).unwrap();
    let boundary = text.split(',').find(|pair| pair.starts_with("boundary=")).unwrap();
    assert!(weights.contains(boundary), "provenance tells the rest: {weights}");
    let output = run(&["match", &format!("@{}", best.display()), "random", "--games", "2"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let rows = std::fs::read_to_string(whole.join("validation.csv")).unwrap();
    assert_eq!(
        rows.lines().count(),
        1 + 1 + 2,
        "weights against the start, then the agent: {rows}"
    );
    let validated = run(&[
        "validate",
        whole.to_str().unwrap(),
        "--games",
        "2",
        "--depths",
        "1",
        "--iterative",
        "none",
        "--ept",
        "none",
    ]);
    assert!(validated.status.success(), "{}", stderr(&validated));
}

#[test]
fn weights_are_evolved_inside_iterative_deepening() {
    Case::new(ITERATIVE).is_repeatable("stage-1-depth-1");
}

#[test]
fn an_agent_in_a_file_is_read_with_what_lies_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        format!("@{}", path.display())
    };
    let good = file("good.txt", "minimax:depth=1,weights=w.toml\n");
    let weights = Weights::builtin::<Uttt>("liang-simple").unwrap();
    file("w.toml", &weights.to_toml());
    assert!(run(&["match", &good, "random", "--games", "2"]).status.success());
    let bad = file("bad.txt", "minimax:depht=1");
    assert_fails(
        &run(&["match", &bad, "random"]),
        2,
        "bad.txt: agent \"minimax:depht=1\": unknown key",
    );
    let round = file("round.txt", "@round.txt");
    assert_fails(&run(&["match", &round, "random"]), 2, "round.txt: holds the name of a file");
    assert_fails(&run(&["match", "@no-such.txt", "random"]), 2, "no-such.txt: cannot be read");
}
