//! What goes wrong around a run: signals, disks, damaged logs, other processes. A run ends with the same bytes as ever, or is
//! refused with the reason and left as it is. `docs/reliability.md` has how often each was tried.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::common::{
    Signal, assert_fails, assert_has, assert_same, contents, read_json, send, stderr, wait_until,
};
use crate::interruptions::{Kind, TOURNAMENT, copy};
use crate::needs::skip;

const RICH: &str = include_str!("../configs/rich.toml");

/// Waits until a log has so many lines.
pub(crate) fn wait_for(log: &Path, lines: usize) {
    let written = || std::fs::read_to_string(log).map_or(0, |text| text.lines().count());
    wait_until(&log.display().to_string(), || written() >= lines);
}

#[test]
fn a_signal_saves_says_how_to_go_on_and_ends_with_130() {
    let long = include_str!("../configs/plain.toml").replace("games = 24", "games = 96");
    let evolution = Kind::evolution(&long);
    let tournament = TOURNAMENT.replace("depth=4", "depth=5").replace("40", "60");
    let tournament = Kind::of("tournament c.toml", &tournament);
    for (kind, log, signal, said) in [
        (
            &evolution,
            "stage-1-depth-2/evaluations.csv",
            Signal::INT,
            "  tictune evolve c.toml --resume --out stopped",
        ),
        // A terminal that goes away: nobody reads what it says, either.
        (&evolution, "stage-1-depth-2/evaluations.csv", Signal::HUP, ""),
        (&tournament, "games.csv", Signal::INT, "tictune tournament c.toml --out stopped"),
    ] {
        let folder = kind.folder();
        let whole = kind.ends(&folder, "whole", "2");
        let line = format!("{} --out stopped --threads 1", kind.command);
        // Whoever runs the tests may have told them to ignore hang-ups.
        let command = folder.command(&line);
        let mut child = Command::new("env");
        child.arg("--default-signal=HUP").arg(command.get_program()).args(command.get_args());
        child.current_dir(folder.path("")).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = child.spawn().unwrap();
        wait_for(&folder.path("stopped").join(log), 5);
        if signal == Signal::HUP {
            drop(child.stderr.take());
        }
        send(signal, &child);
        let asked = Instant::now();
        assert_fails(&child.wait_with_output().unwrap(), 130, said);
        assert!(asked.elapsed() < Duration::from_secs(3), "{:?}", asked.elapsed());
        assert_same(&whole, &kind.ends(&folder, "stopped", "2"));
    }
}

#[test]
fn a_disk_that_is_full_stops_a_run_that_then_continues() {
    let kind = Kind::evolution(RICH);
    let folder = kind.folder();
    let whole = kind.ends(&folder, "whole", "2");
    // A limit on the size of files has the effect of a full disk. It fails wherever there is no room, again and again with
    // a little more of it.
    let mut failures = 0;
    for blocks in (1_u32..).step_by(4) {
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let command = folder.command("evolve c.toml --resume --out full");
        let mut shell = Command::new("sh");
        shell.args(["-c", &script]).arg(command.get_program()).args(command.get_args());
        let output = shell.current_dir(folder.path("")).output().unwrap();
        if output.status.success() {
            break;
        }
        assert_fails(&output, 1, "cannot be written");
        failures += 1;
    }
    assert!(failures >= 3, "{failures}");
    assert_same(&whole, &folder.path("full"));
}

/// Makes a folder read-only, as long as this lives; `None` if this user may not mount.
struct ReadOnly(PathBuf);

impl ReadOnly {
    fn new(folder: &Path) -> Option<Self> {
        let mount = |options: [&str; 2]| {
            let mut mount = Command::new("mount");
            let mount = mount.args(options).arg(folder).arg(folder).stderr(Stdio::null());
            mount.status().is_ok_and(|status| status.success())
        };
        let mounted = mount(["--bind", "-v"]).then(|| Self(folder.to_path_buf()));
        let mounted = mounted.filter(|_| mount(["-o", "remount,ro,bind"]));
        mounted.or_else(|| skip("the right to mount").then_some(Self(PathBuf::new())))
    }
}

impl Drop for ReadOnly {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn a_disk_that_is_read_only_stops_a_run_and_shows_one_that_is_finished() {
    let kind = Kind::evolution(&RICH.replace("games = 8\n", "games = 40\n"));
    let folder = kind.folder();
    let whole = kind.ends(&folder, "whole", "2");
    let disk = folder.path("disk");
    std::fs::create_dir(&disk).unwrap();
    let Some(read_only) = ReadOnly::new(&disk) else { return };
    folder.fails("evolve c.toml --out disk/run", 1, "cannot be written");
    drop(read_only);
    let mut child = folder.start("evolve c.toml --out disk/run");
    wait_for(&disk.join("run/stage-1-depth-1/evaluations.csv"), 3);
    child.kill().unwrap();
    child.wait().unwrap();
    let read_only = ReadOnly::new(&disk).unwrap();
    folder.fails("evolve c.toml --out disk/run --resume", 1, "cannot be written");
    drop(read_only);
    assert_same(&whole, &kind.ends(&folder, "disk/run", "2"));
    let _read_only = ReadOnly::new(&whole).unwrap();
    folder.fails("evolve c.toml --out whole", 1, "cannot be written");
    assert_has(&folder.said("show whole"), &["whole: evolution, finished", "against mean"]);
}

#[test]
fn of_three_processes_in_a_folder_one_plays() {
    let kind = Kind::evolution(&RICH.replace("games = 8\n", "games = 40\n"));
    let folder = kind.folder();
    let whole = kind.ends(&folder, "whole", "2");
    let all = [(); 3].map(|()| folder.start("evolve c.toml --resume --out shared"));
    let ended = all.map(|child| child.wait_with_output().unwrap());
    let said = ended.each_ref().map(stderr);
    assert!(ended.iter().any(|output| output.status.success()), "{said:?}");
    for output in ended.iter().filter(|output| !output.status.success()) {
        assert_fails(output, 2, "another tictune");
    }
    assert_same(&whole, &folder.path("shared"));
    // Nor do two that write tables of documents.
    let mut slow = folder.start("reproduce 1.1 --games 10000000 --out slow");
    let out = folder.path("slow");
    wait_until("a lock", || {
        std::fs::File::open(&out).is_ok_and(|folder| folder.try_lock().is_err())
    });
    let short = "reproduce 1.1 --rows 1 --games 2 --out slow";
    folder.fails(short, 2, "another tictune writes its results here");
    slow.kill().unwrap();
    slow.wait().unwrap();
}

#[test]
fn a_run_that_another_build_began_is_continued_with_a_warning() {
    let kind = Kind::evolution(include_str!("../configs/tiny.toml"));
    let folder = kind.folder();
    let path = kind.ends(&folder, "run", "1").join("manifest.json");
    let mut manifest = read_json(&path);
    let own = manifest["play_hash"].clone();
    assert_eq!(own.as_str().unwrap().len(), 16);
    for (hash, warning) in [
        (own.clone(), None),
        (json!(null), Some(false)), // Nobody knows what builds of before play.
        (json!("0123456789abcdef"), Some(true)),
    ] {
        manifest["finished"] = false.into();
        manifest["play_hash"] = hash;
        std::fs::write(&path, manifest.to_string()).unwrap();
        let output = folder.run("evolve c.toml --out run --resume");
        assert!(output.status.success(), "{}", stderr(&output));
        let said = stderr(&output);
        let said = said.split_once("another build of tictune played this run last, and it ");
        assert_eq!(said.map(|(_, rest)| rest.starts_with("plays differently")), warning);
    }
    assert_eq!(read_json(&path)["play_hash"], own, "it is the build that played last");
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

/// The files of a run without what nothing follows from: the mean vector's games, which are not logged, and the report, which
/// has a chart of them.
fn without_what_is_only_shown(run: &Path) -> Vec<(String, String)> {
    let mut files = contents(run);
    files.remove("report.html");
    for (_, text) in files.iter_mut().filter(|(name, _)| name.ends_with("generations.csv")) {
        let place =
            text.lines().next().unwrap().split(';').position(|head| head == "mean_vector_fitness");
        let cut = |line: &str| {
            let fields = line.split(';').enumerate().filter(|(index, _)| Some(*index) != place);
            fields.map(|(_, field)| field).collect::<Vec<_>>().join(";") + "\n"
        };
        *text = text.lines().map(cut).collect();
    }
    files.into_iter().collect()
}

#[test]
fn damaged_logs_are_continued_to_the_same_bytes_or_refused() {
    let (mut same, mut refused) = (0, 0);
    for (config, log) in [
        (RICH, "stage-1-depth-1/generations.csv"),
        (RICH, "stage-1-depth-1/axes.csv"),
        (RICH, "validation.csv"),
        (include_str!("../configs/budget.toml"), "stage-2-depth-2/start.csv"),
    ] {
        let folder = Kind::evolution(config).folder();
        let whole = Kind::evolution(config).ends(&folder, "whole", "2");
        let expected = without_what_is_only_shown(&whole);
        for (fault, bytes) in damaged(&std::fs::read(whole.join(log)).unwrap()) {
            let out = folder.path("damaged");
            copy(&whole, &out);
            let path = out.join(log);
            std::fs::write(&path, &bytes).unwrap();
            let output = folder.run("evolve c.toml --resume --out damaged");
            if output.status.success() {
                assert_eq!(expected, without_what_is_only_shown(&out), "{log}, {fault}");
                same += 1;
            } else {
                assert_fails(&output, 2, ".csv");
                assert_has(&stderr(&output), &["restore the file"]);
                // Only a torn last line may be gone, and what was played again before the refusal added.
                let end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
                let left = std::fs::read(&path).unwrap();
                let known = [&bytes, &bytes[..end]].contains(&&left[..])
                    || std::fs::read(whole.join(log)).unwrap().starts_with(&left);
                assert!(known, "{log}, {fault}: it was changed");
                refused += 1;
            }
            std::fs::remove_dir_all(&out).unwrap();
        }
    }
    assert!(same >= 19 && refused >= 45, "{same} the same, {refused} refused");
}
