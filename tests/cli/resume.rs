//! Runs that are stopped, killed, torn, or left without disk space, and then resumed. They must end
//! with the same bytes as a run that never stopped.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

#[cfg(unix)]
use crate::common::{Signal, send};
use crate::common::{assert_fails, assert_same, run, stderr, tictune};

const CONFIG: &str = r#"name = "resume"
evaluation = "comprehensive"
seed = 5
[cmaes]
population = 8
sigma = 0.5
initial = 0.1
[fitness]
games = 24
[[opponents]]
agent = "minimax:weights=liang-default"
share = 2
[[opponents]]
agent = "random"
[[stages]]
depth = 2
max_generations = 4
[[stages]]
depth = 4
start = "mean"
max_generations = 3
[comparison]
games = 40
[validation]
games = 20
depths = [1, 3]
opponents = ["initial", "liang-optimized"]
"#;

struct Case {
    _folder: tempfile::TempDir,
    root: PathBuf,
    config: String,
}

impl Case {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_path_buf();
        let config = root.join("resume.toml");
        std::fs::write(&config, CONFIG).unwrap();
        Self { _folder: folder, root, config: config.display().to_string() }
    }

    fn out(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    fn evolve<'a>(&'a self, out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
        ["evolve", &self.config, "--out", out].iter().chain(more).copied().collect()
    }

    /// A run that is never stopped.
    fn whole(&self, threads: &str) -> PathBuf {
        let out = self.out(&format!("whole-{threads}"));
        let output = run(&self.evolve(out.to_str().unwrap(), &["--threads", threads]));
        assert!(output.status.success(), "{}", stderr(&output));
        out
    }

    fn resume(&self, out: &Path) {
        let output = run(&self.evolve(out.to_str().unwrap(), &["--resume"]));
        assert!(output.status.success(), "{}", stderr(&output));
    }

    fn start(&self, out: &Path, more: &[&str]) -> Child {
        tictune(&self.evolve(out.to_str().unwrap(), more))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }
}

#[test]
fn a_finished_run_prints_its_verdict_again() {
    let case = Case::new();
    let whole = case.whole("2");
    let before = crate::common::contents(&whole);
    let log = || std::fs::read_to_string(whole.join("log.txt")).unwrap();
    let logged = log();
    let out = whole.to_str().unwrap();
    let [again, resumed] = [&[][..], &["--resume"]].map(|more| run(&case.evolve(out, more)));
    assert!(again.status.success(), "{}", stderr(&again));
    assert!(String::from_utf8_lossy(&again.stdout).contains("Validation of the"));
    assert_eq!(again.stdout, resumed.stdout);
    assert_eq!(crate::common::contents(&whole), before);
    assert_eq!(log(), logged, "nothing happened");
    // Where something is left to play, what was played before is not logged again.
    std::fs::remove_file(whole.join("validation.json")).unwrap();
    case.resume(&whole);
    assert_eq!(log().matches("run finished").count(), 2, "{}", log());
    assert_eq!(log().matches(": generation stage=").count(), 7, "{}", log());
    assert_eq!(crate::common::contents(&whole), before);
    // Another seed is another run.
    let other = run(&case.evolve(out, &["--seed", "6"]));
    assert_fails(&other, 2, "holds another run, resume with seed 5 ");
    assert_fails(&other, 2, "seed is 5 there and 6 here");
    // Its winner's weights are exported by its folder.
    let export = run(&["export", out, "--format", "toml"]);
    assert!(export.status.success(), "{}", stderr(&export));
    assert!(String::from_utf8_lossy(&export.stdout).contains("evaluation = \"comprehensive\""));
    // The validation has what decides, and runs are opponents of one another.
    let rows = std::fs::read_to_string(whole.join("validation.json")).unwrap();
    let rows: serde_json::Value = serde_json::from_str(&rows).unwrap();
    for row in rows.as_array().unwrap() {
        let [single, holm] =
            ["p_value_two_sided", "p_value_holm"].map(|key| row[key].as_f64().unwrap());
        assert!(single <= holm && holm <= 1.0, "{row}");
    }
    let manifest = std::fs::read_to_string(whole.join("manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let name = manifest["plan"]["name"].as_str().unwrap();
    let args = ["validate", out, "--opponents", out, "--games", "2", "--depths", "1"];
    let text = String::from_utf8(run(&args).stdout).unwrap();
    assert!(text.contains(&format!(" against {name} from centre: ")), "{text}");
    assert_fails(
        &run(&["match", &format!("greedy:weights={out}"), "random"]),
        2,
        "is a folder; name a weight file",
    );
    let listed = String::from_utf8(run(&["runs", out]).stdout).unwrap();
    assert!(listed.contains("best against mean: "), "{listed}");
    // They are named after the run: every run has a winner.
    let file = whole.with_extension("hpp");
    let export = run(&["export", out, "--format", "c++", "--out", file.to_str().unwrap()]);
    assert!(stderr(&export).contains(&format!("wrote {}", file.display())), "{}", stderr(&export));
    let header = std::fs::read_to_string(&file).unwrap();
    let name = name.replace('-', "_");
    assert!(header.contains(&format!("namespace {name}_weights {{")), "{header}");
    let best = whole.join("best.toml");
    let over = run(&["export", out, "--format", "toml", "--out", best.to_str().unwrap()]);
    assert_fails(&over, 2, "a file of a run");
    let mean = std::fs::read(whole.join("mean.toml")).unwrap();
    let best = whole.join("best.toml");
    let out = whole.join("mean.toml");
    let over =
        ["export", best.to_str().unwrap(), "--format", "toml", "--out", out.to_str().unwrap()];
    assert_fails(&run(&over), 2, "a file of a run");
    assert_eq!(std::fs::read(out).unwrap(), mean);
    let report = std::fs::read_to_string(whole.join("report.html")).unwrap();
    assert!(report.contains("weights of <code>comprehensive</code>"), "{report}");
}

#[test]
fn a_run_that_another_build_began_is_continued_with_a_warning() {
    let case = Case::new();
    let whole = case.whole("1");
    let out = whole.to_str().unwrap();
    let path = whole.join("manifest.json");
    let manifest = std::fs::read_to_string(&path).unwrap();
    let mut manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    manifest["finished"] = false.into();
    let resumed = |manifest: &serde_json::Value| {
        std::fs::write(&path, manifest.to_string()).unwrap();
        let output = run(&case.evolve(out, &["--resume"]));
        assert!(output.status.success(), "{}", stderr(&output));
        let said = stderr(&output);
        let warning = said.split_once("another build of tictune played this run last, and it ");
        warning.map(|(_, rest)| rest.starts_with("plays otherwise"))
    };
    assert_eq!(resumed(&manifest), None);
    let own = manifest["play_hash"].take();
    assert_eq!(own.as_str().unwrap().len(), 16);
    assert_eq!(resumed(&manifest), Some(false), "nobody knows what builds of before play");
    manifest["play_hash"] = "0123456789abcdef".into();
    assert_eq!(resumed(&manifest), Some(true));
    let after: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(after["play_hash"], own, "it is the build that played last");
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let case = Case::new();
    assert_same(&case.whole("1"), &case.whole("3"));
}

#[test]
fn kill_9_at_any_moment_changes_nothing() {
    let case = Case::new();
    let whole = case.whole("2");
    let killed = case.out("killed");
    let mut kills = 0;
    for attempt in 0..60 {
        let mut child = case.start(&killed, &["--resume", "--threads", "2"]);
        std::thread::sleep(Duration::from_millis(5 + 13 * attempt));
        child.kill().unwrap();
        if child.wait().unwrap().success() {
            break;
        }
        kills += 1;
    }
    assert!(kills >= 3, "only {kills} kills before the run was over");
    // If it is killed between creating and renaming a temporary file, the file stays.
    std::fs::write(killed.join(".tictune-Ab12"), "torn").unwrap();
    case.resume(&killed);
    assert_same(&whole, &killed);
}

/// A copy of a run as it was when the log of its first stage had `bytes` bytes and the stage's
/// other file had `generations` generations.
fn torn_copy(whole: &Path, torn: &Path, bytes: usize, generations: usize) {
    let stage = "stage-1-depth-2";
    std::fs::create_dir_all(torn.join(stage)).unwrap();
    std::fs::copy(whole.join("config.toml"), torn.join("config.toml")).unwrap();
    let manifest = std::fs::read_to_string(whole.join("manifest.json")).unwrap();
    let mut manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    manifest["finished"] = false.into();
    manifest["stages"] = serde_json::json!([]);
    std::fs::write(torn.join("manifest.json"), manifest.to_string()).unwrap();
    let log = std::fs::read(whole.join(stage).join("evaluations.csv")).unwrap();
    std::fs::write(torn.join(stage).join("evaluations.csv"), &log[..bytes]).unwrap();
    let rows = std::fs::read_to_string(whole.join(stage).join("generations.csv")).unwrap();
    let kept: String = rows.lines().take(1 + generations).map(|line| format!("{line}\n")).collect();
    std::fs::write(torn.join(stage).join("generations.csv"), kept).unwrap();
}

#[test]
fn a_log_torn_at_any_byte_is_continued() {
    let case = Case::new();
    let whole = case.whole("2");
    let log = std::fs::read(whole.join("stage-1-depth-2/evaluations.csv")).unwrap();
    for (number, permille) in [0, 3, 100, 251, 333, 500, 617, 750, 999, 1000].iter().enumerate() {
        let bytes = log.len() * permille / 1000;
        // There are a header and 8 rows for each generation. The row of a generation is written
        // after those of its candidates.
        let complete =
            log[..bytes].iter().filter(|&&byte| byte == b'\n').count().saturating_sub(1) / 8;
        for generations in [complete, complete.saturating_sub(1)] {
            let torn = case.out(&format!("torn-{number}-{generations}"));
            torn_copy(&whole, &torn, bytes, generations);
            case.resume(&torn);
            assert_same(&whole, &torn);
        }
    }
}

#[test]
fn a_run_stopped_in_its_validation_goes_on_there() {
    let case = Case::new();
    let whole = case.whole("2");
    let log = std::fs::read_to_string(whole.join("validation.csv")).unwrap();
    let copy = case.whole("1");
    std::fs::write(copy.join("validation.csv"), &log[..log.len() / 2]).unwrap();
    std::fs::remove_file(copy.join("validation.json")).unwrap();
    case.resume(&copy);
    assert_same(&whole, &copy);
}

#[cfg(unix)]
#[test]
fn ctrl_c_saves_says_how_to_go_on_and_ends_with_130() {
    let case = Case::new();
    let whole = case.whole("2");
    let out = case.out("interrupted");
    let child = case.start(&out, &["--threads", "1"]);
    let log = out.join("stage-1-depth-2/evaluations.csv");
    let since = Instant::now();
    while std::fs::read_to_string(&log).map_or(0, |text| text.lines().count()) < 4 {
        assert!(since.elapsed() < Duration::from_secs(60), "the run wrote no candidates");
        std::thread::sleep(Duration::from_millis(2));
    }
    send(Signal::INT, &child);
    let output = child.wait_with_output().unwrap();
    assert_fails(&output, 130, "--resume");
    let command = stderr(&output);
    let command =
        command.lines().find(|line| line.trim_start().starts_with("tictune evolve")).unwrap();
    assert!(command.contains(&case.config) && command.contains("--out"), "{command}");
    case.resume(&out);
    assert_same(&whole, &out);
}

#[test]
fn a_full_disk_is_an_error_and_the_run_resumes_once_there_is_room() {
    let case = Case::new();
    let whole = case.whole("2");
    let out = case.out("full");
    // A limit on file size has the effect of a full disk: writing beyond it fails.
    let limited = |blocks: &str| {
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        Command::new("sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_tictune")])
            .args(case.evolve(out.to_str().unwrap(), &["--resume", "--threads", "2"]))
            .output()
            .unwrap()
    };
    assert_fails(&limited("1"), 1, "cannot be written");
    let blocks = std::fs::metadata(whole.join("manifest.json")).unwrap().len() / 512 + 2;
    let output = limited(&blocks.to_string());
    assert_fails(&output, 1, "evaluations.csv: cannot be written");
    case.resume(&out);
    assert_same(&whole, &out);
}

#[test]
fn a_log_that_does_not_fit_is_refused_with_the_reason() {
    let case = Case::new();
    let whole = case.whole("2");
    let log = std::fs::read_to_string(whole.join("stage-1-depth-2/evaluations.csv")).unwrap();
    let lines: Vec<&str> = log.lines().collect();
    let third: Vec<&str> = lines[3].split(',').collect();
    let edited = |column: usize, value: &str| {
        let mut fields = third.clone();
        fields[column] = value;
        let line = fields.join(",");
        log.replacen(lines[3], &line, 1)
    };
    for (text, expected) in [
        (edited(7, "0.25"), "evaluations.csv:4: these are not the values"),
        (edited(2, "-1"), "the fitness does not follow"),
        (edited(3, "99"), "expected 24 games"),
        (edited(1, "7"), "expected generation 1, candidate 2"),
        (edited(0, "x"), "is no evaluation"),
        (log.replacen("generation,index", "index,generation", 1), "the columns are not those"),
        (log.replacen(lines[3], "1,2,3", 1), "expected 21 columns, found 3"),
    ] {
        std::fs::write(whole.join("stage-1-depth-2/evaluations.csv"), &text).unwrap();
        let output = run(&case.evolve(whole.to_str().unwrap(), &["--resume"]));
        assert_fails(&output, 2, expected);
        let kept = std::fs::read_to_string(whole.join("stage-1-depth-2/evaluations.csv")).unwrap();
        assert_eq!(kept, text, "a refused log is left as it was");
    }
}

#[test]
fn an_edited_or_broken_manifest_is_refused() {
    let case = Case::new();
    let whole = case.whole("2");
    let path = whole.join("manifest.json");
    let manifest = std::fs::read_to_string(&path).unwrap();
    for (text, expected) in [
        (manifest.replacen("\"depth\": 4", "\"depth\": 400", 1), "it was edited"),
        (manifest[..manifest.len() / 2].to_string(), "is not what tictune wrote"),
        ("[]".into(), "is not what tictune wrote"),
    ] {
        std::fs::write(&path, text).unwrap();
        let output = run(&case.evolve(whole.to_str().unwrap(), &["--resume"]));
        assert_fails(&output, 2, expected);
    }
}

#[test]
fn resuming_a_finished_run_plays_nothing_and_succeeds() {
    let case = Case::new();
    let whole = case.whole("2");
    let before = crate::common::contents(&whole);
    let output = run(&case.evolve(whole.to_str().unwrap(), &["--resume"]));
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("Best against mean"));
    assert_eq!(before, crate::common::contents(&whole));
}

#[test]
fn folders_that_hold_something_else_are_refused_and_left_alone() {
    let case = Case::new();
    let whole = case.whole("2");
    let text = whole.to_str().unwrap();
    assert_fails(&run(&case.evolve(text, &["--seed", "6"])), 2, "holds another run");
    assert_fails(&run(&case.evolve(text, &["--resume", "--seed", "6"])), 2, "holds another run");
    let other = case.out("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("thesis.txt"), "years of work").unwrap();
    let other_text = other.to_str().unwrap();
    assert_fails(&run(&case.evolve(other_text, &[])), 2, "is not empty");
    assert_fails(&run(&case.evolve(other_text, &["--resume"])), 2, "holds no run");
    assert_eq!(std::fs::read_dir(&other).unwrap().count(), 1);
    // A file, and a path where no folder can be created.
    let file = case.out("file");
    std::fs::write(&file, "").unwrap();
    assert_fails(&run(&case.evolve(file.to_str().unwrap(), &[])), 2, "is a file; name a folder");
    assert_fails(&run(&case.evolve("/proc/no-such-folder", &[])), 1, "cannot be written");
}

#[test]
fn a_half_made_folder_is_started_by_resume() {
    let case = Case::new();
    let whole = case.whole("2");
    let half = case.out("half");
    std::fs::create_dir(&half).unwrap();
    std::fs::write(half.join("config.toml"), CONFIG).unwrap();
    case.resume(&half);
    assert_same(&whole, &half);
}

#[test]
fn a_second_process_in_the_same_folder_is_refused() {
    let case = Case::new();
    let out = case.out("shared");
    let mut first = case.start(&out, &["--threads", "1"]);
    let since = Instant::now();
    while !out.join("stage-1-depth-2/evaluations.csv").exists() {
        assert!(since.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(2));
    }
    let second = run(&case.evolve(out.to_str().unwrap(), &["--resume"]));
    assert_fails(&second, 2, "another tictune is running");
    assert!(first.wait().unwrap().success());
}
