//! What goes wrong around a run: damaged logs, disks, terminals, programs. A run ends with the same bytes as ever, or is
//! refused with the reason and left as it is. `docs/reliability.md` has how often each was tried.
#![cfg(unix)]
#![allow(clippy::print_stdout, reason = "counts")]

use std::fs::{read, read_to_string, write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::common::{Signal, assert_fails, assert_same, contents, run, send, stderr, tictune};
use crate::needs::skip;
use crate::programs::Scripts;

/// A small run with every log.
const RICH: &str = r#"name = "rich"
evaluation = "connecting"
seed = 3
[cmaes]
population = 4
sigma = 0.5
initial = 0.1
[fitness]
games = 8
[[opponents]]
agent = "random"
[hall_of_fame]
every = 1
games = 8
share = 0.5
[reevaluation]
rounds = 1
[held_out]
every = 1
games = 8
[finalists]
games = 20
rounds = 1
[[stages]]
depth = 1
max_generations = 3
[comparison]
games = 10
[validation]
games = 10
depths = [1]
opponents = ["initial"]
openings = ["random:4:held-out"]
"#;

struct Case {
    folder: TempDir,
    config: String,
}

impl Case {
    fn new(config: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rich.toml");
        write(&path, config).unwrap();
        Self { config: path.display().to_string(), folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn evolve(&self, out: &Path, more: &[&str]) -> Command {
        let mut command = tictune(&["evolve", &self.config, "--threads", "2", "--out"]);
        command.arg(out).args(more);
        command
    }

    /// A run that nothing happens to.
    fn whole(&self) -> PathBuf {
        let out = self.path("whole");
        let output = self.evolve(&out, &[]).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        out
    }

    fn start(&self, out: &Path) -> Child {
        let mut command = self.evolve(out, &["--resume"]);
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    }

    fn resumed(&self, whole: &Path, out: &Path) {
        let output = self.evolve(out, &["--resume"]).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        assert_same(whole, out);
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let place = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &place);
        } else {
            std::fs::copy(entry.path(), place).unwrap();
        }
    }
}

/// The same log, damaged in every way, each with its name.
fn damaged(log: &[u8]) -> Vec<(String, Vec<u8>)> {
    let lines: Vec<&[u8]> = log.split_inclusive(|&byte| byte == b'\n').collect();
    let (first, last, middle) = (1, lines.len() - 1, lines.len() / 2);
    let mut all = Vec::new();
    for line in [first, middle, last] {
        let (before, rest) = (lines[..line].concat(), lines[line + 1..].concat());
        all.push((format!("line {line} missing"), [&before, &rest[..]].concat()));
        let doubled = [&before, lines[line], lines[line], &rest].concat();
        all.push((format!("line {line} doubled"), doubled));
        let torn = [&before, &lines[line][..lines[line].len() / 2], &rest].concat();
        all.push((format!("line {line} torn"), torn));
    }
    for zeroes in [1, 512] {
        all.push((format!("{zeroes} zeroes at the end"), [log, &vec![0; zeroes]].concat()));
        let mut over = log.to_vec();
        let from = over.len().saturating_sub(zeroes);
        over[from..].fill(0);
        all.push((format!("{zeroes} last bytes zero"), over));
    }
    // Bits all over the log, among them those of its header and of its line breaks.
    for number in 0..12 {
        let mut flipped = log.to_vec();
        let place = (log.len() - 1) * number / 11;
        flipped[place] ^= 1 << (number % 7);
        all.push((format!("bit {} of byte {place} flipped", number % 7), flipped));
    }
    all
}

/// Columns that nothing follows from but what is shown of them: times, and the mean vector's games, which are not logged.
fn without_what_is_only_shown(
    mut files: std::collections::BTreeMap<String, String>,
) -> Vec<(String, String)> {
    for (name, text) in &mut files {
        if name.ends_with("generations.csv") {
            let place = text
                .lines()
                .next()
                .unwrap()
                .split(',')
                .position(|head| head == "mean_vector_fitness");
            let cut = |line: &str| {
                let fields = line.split(',').enumerate().filter(|(index, _)| Some(*index) != place);
                fields.map(|(_, field)| field).collect::<Vec<_>>().join(",")
            };
            *text = text.lines().map(|line| cut(line) + "\n").collect();
        }
        // The report has a chart of that column.
        if name == "report.html" {
            text.clear();
        }
    }
    files.into_iter().collect()
}

#[test]
fn damaged_logs_are_continued_to_the_same_bytes_or_refused() {
    let case = Case::new(RICH);
    let whole = case.whole();
    let expected = without_what_is_only_shown(contents(&whole));
    let (mut same, mut refused) = (0, 0);
    for name in [
        "evaluations.csv",
        "generations.csv",
        "rounds.csv",
        "held-out.csv",
        "hall.csv",
        "finalist-games.csv",
        "../validation.csv",
    ] {
        let log = read(whole.join("stage-1-depth-1").join(name)).unwrap();
        for (fault, bytes) in damaged(&log) {
            let out = case.path("damaged");
            copy(&whole, &out);
            let path = out.join("stage-1-depth-1").join(name);
            write(&path, &bytes).unwrap();
            let output = case.evolve(&out, &["--resume"]).output().unwrap();
            let said = stderr(&output);
            if output.status.success() {
                let found = without_what_is_only_shown(contents(&out));
                for ((file, expected), (_, found)) in expected.iter().zip(&found) {
                    assert_eq!(expected, found, "{name}, {fault}: {file}");
                }
                same += 1;
            } else {
                assert_fails(&output, 2, ".csv");
                assert!(said.contains("put the file back as it was"), "{name}, {fault}: {said}");
                // Only a torn last line may be gone, and what was played again before the refusal added.
                let end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
                let left = read(&path).unwrap();
                let known = left == bytes || left == bytes[..end] || log.starts_with(&left);
                assert!(known, "{name}, {fault}: it was changed");
                refused += 1;
            }
            std::fs::remove_dir_all(&out).unwrap();
        }
    }
    println!("{same} ended with the same bytes, {refused} were refused");
    assert!(same >= 14 && refused >= 60, "{same} the same, {refused} refused");
}

#[test]
fn a_config_that_changed_under_a_run_is_refused_until_it_is_back() {
    let case = Case::new(RICH);
    let whole = case.whole();
    let out = case.path("changed");
    let mut child = case.start(&out);
    wait_for(&out.join("stage-1-depth-1/evaluations.csv"), 3, &mut child);
    child.kill().unwrap();
    child.wait().unwrap();
    for (from, to) in
        [("sigma = 0.5", "sigma = 0.6"), ("seed = 3", "seed = 4"), ("games = 8\n", "games = 10\n")]
    {
        write(&case.config, RICH.replacen(from, to, 1)).unwrap();
        let output = case.evolve(&out, &["--resume"]).output().unwrap();
        assert_fails(&output, 2, "holds another run");
    }
    // What does not change the plan does not matter.
    write(&case.config, format!("# a remark\n{RICH}")).unwrap();
    let output = case.evolve(&out, &["--resume"]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    std::fs::copy(whole.join("config.toml"), out.join("config.toml")).unwrap();
    write(&case.config, RICH).unwrap();
    case.resumed(&whole, &out);
}

/// Waits until a log has so many lines, or the run is over.
fn wait_for(log: &Path, lines: usize, child: &mut Child) {
    let started = Instant::now();
    while read_to_string(log).map_or(0, |text| text.lines().count()) < lines
        && child.try_wait().unwrap().is_none()
    {
        assert!(started.elapsed() < Duration::from_secs(60), "{} is not written", log.display());
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_terminal_that_goes_away_stops_a_run_that_then_continues() {
    let case = Case::new(&RICH.replace("games = 8\n", "games = 40\n"));
    let whole = case.whole();
    let out = case.path("hung-up");
    // Whoever runs the tests may have told them to ignore hang-ups.
    let command = case.evolve(&out, &["--resume"]);
    let mut child = Command::new("env")
        .arg("--default-signal=HUP")
        .arg(command.get_program())
        .args(command.get_args())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for(&out.join("stage-1-depth-1/evaluations.csv"), 3, &mut child);
    // Nobody reads what it says, either.
    drop(child.stderr.take());
    send(Signal::HUP, &child);
    let asked = Instant::now();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(asked.elapsed() < Duration::from_secs(3), "{:?}", asked.elapsed());
    case.resumed(&whole, &out);
}

#[test]
fn nohup_is_respected() {
    let mut child = Command::new("nohup")
        .args([
            env!("CARGO_BIN_EXE_tictune"),
            "match",
            "mcts:time=20ms",
            "random",
            "--games",
            "1000",
        ])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(500));
    for (signal, ends) in [(Signal::HUP, false), (Signal::TERM, true)] {
        send(signal, &child);
        std::thread::sleep(Duration::from_millis(400));
        assert_eq!(child.try_wait().unwrap().is_some(), ends, "{signal:?}");
    }
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

/// A file system of so many KiB in a folder; `None` if this user may not make one.
struct Small(PathBuf);

impl Small {
    fn new(folder: &Path, size: &str) -> Option<Self> {
        std::fs::create_dir_all(folder).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"]).arg(folder);
        let mounted = mount.stderr(Stdio::null()).status();
        mounted.is_ok_and(|status| status.success()).then(|| Self(folder.to_path_buf()))
    }

    fn remount(&self, options: &str) {
        let mut mount = Command::new("mount");
        assert!(
            mount
                .args(["-o", &format!("remount,{options}")])
                .arg(&self.0)
                .status()
                .unwrap()
                .success()
        );
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn a_disk_that_is_full_stops_a_run_that_then_continues() {
    let case = Case::new(RICH);
    let whole = case.whole();
    let Some(disk) = Small::new(&case.path("disk"), "16k") else {
        skip("the right to mount");
        return;
    };
    let out = disk.0.join("run");
    // It fails wherever there is no room, again and again with a little more of it.
    let mut failures = 0;
    for size in (16..400).step_by(8) {
        disk.remount(&format!("size={size}k"));
        let output = case.evolve(&out, &["--resume"]).output().unwrap();
        if output.status.success() {
            break;
        }
        assert_fails(&output, 1, "cannot be written");
        failures += 1;
    }
    println!("{failures} times full");
    assert!(failures >= 3, "{failures}");
    assert_same(&whole, &out);
}

#[test]
fn a_disk_that_becomes_read_only_stops_a_run_that_then_continues() {
    let case = Case::new(&RICH.replace("games = 8\n", "games = 40\n"));
    let whole = case.whole();
    let Some(disk) = Small::new(&case.path("disk"), "4m") else {
        skip("the right to mount");
        return;
    };
    disk.remount("ro");
    let out = disk.0.join("run");
    let output = case.evolve(&out, &[]).output().unwrap();
    assert_fails(&output, 1, "cannot be written");
    disk.remount("rw");
    let mut child = case.start(&out);
    wait_for(&out.join("stage-1-depth-1/evaluations.csv"), 3, &mut child);
    child.kill().unwrap();
    child.wait().unwrap();
    disk.remount("ro");
    let output = case.evolve(&out, &["--resume"]).output().unwrap();
    assert_fails(&output, 1, "cannot be written");
    disk.remount("rw");
    case.resumed(&whole, &out);
}

#[test]
fn opponents_that_hang_flood_or_die_forfeit_and_the_run_ends() {
    let bot = format!(
        "exec '{}' bot --protocol theaigames --agent reflex",
        env!("CARGO_BIN_EXE_tictune")
    );
    let scripts = Scripts::new();
    // In every third game it does something else.
    let moody = |name: &str, then: &str| {
        let script = format!(
            "echo x >> $DIR/{name}.games; [ $(($(wc -l < $DIR/{name}.games) % 3)) = 0 ] && {then}\n{bot}\n"
        );
        scripts.agent(name, &script, "protocol=theaigames,time=200ms").replace('"', "\\\"")
    };
    for (name, then) in
        [("hangs", "sleep 60"), ("floods", "yes place_move 9 9"), ("dies", "kill -9 $$")]
    {
        let config = format!(
            "name = \"{name}\"\nevaluation = \"simple\"\n[cmaes]\npopulation = 3\nsigma = 0.5\n[fitness]\ngames = 4\n\
             [[opponents]]\nagent = \"{}\"\n[[stages]]\ndepth = 1\nmax_generations = 1\n[comparison]\ngames = 2\n\
             [validation]\ngames = 2\ndepths = [1]\nopponents = [\"initial\"]\n",
            moody(name, then)
        );
        let case = Case::new(&config);
        let started = Instant::now();
        let output = case.evolve(&case.path("run"), &[]).output().unwrap();
        assert!(output.status.success(), "{name}: {}", stderr(&output));
        assert!(stderr(&output).contains("forfeit"), "{name}: {}", stderr(&output));
        assert!(started.elapsed() < Duration::from_secs(60), "{name}: {:?}", started.elapsed());
        let log = std::fs::metadata(case.path("run/log.txt")).unwrap().len();
        assert!(log < 1 << 20, "{name}: a log of {log} bytes");
    }
}

#[test]
fn of_two_processes_in_a_folder_one_plays() {
    let case = Case::new(&RICH.replace("games = 8\n", "games = 40\n"));
    let whole = case.whole();
    let out = case.path("shared");
    let both = [case.start(&out), case.start(&out), case.start(&out)];
    let ended = both.map(|child| child.wait_with_output().unwrap());
    let played = ended.iter().filter(|output| output.status.success()).count();
    assert!(played >= 1, "{:?}", ended.each_ref().map(stderr));
    for output in ended.iter().filter(|output| !output.status.success()) {
        assert_fails(output, 2, "another tictune");
    }
    assert_same(&whole, &out);
    let output = run(&["report", out.to_str().unwrap()]);
    assert!(output.status.success(), "{}", stderr(&output));
}
