//! Whatever plays is interrupted at random and at chosen moments, and ends with the same bytes as if nothing had happened, on
//! any number of threads.
//!
//! `TICTUNE_KILLS=100` kills each kind of run so often; `docs/reliability.md` has what it measured.
#![cfg(unix)]

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rand::RngExt;
use tictune::seed::{Generator, Role, generator};

use crate::common::{Folder, assert_same, contents, read, read_json, stderr};
use crate::needs::needs;

/// A command that leaves a folder, and goes on where it was stopped if it is typed again; with its config, `c.toml`.
pub(crate) struct Kind {
    pub(crate) command: &'static str,
    config: String,
    /// Another file that it needs, with its text.
    file: Option<(&'static str, String)>,
}

impl Kind {
    pub(crate) fn evolution(config: &str) -> Self {
        Self::of("evolve c.toml --resume", config)
    }

    pub(crate) fn of(command: &'static str, config: &str) -> Self {
        Self { command, config: config.to_owned(), file: None }
    }

    pub(crate) fn folder(&self) -> Folder {
        let folder = Folder::with("c.toml", &self.config);
        if let Some((name, text)) = &self.file {
            folder.file(name, text);
        }
        folder
    }

    /// Interrupts it in every way, and compares what it leaves.
    fn survives(&self) {
        let folder = self.folder();
        let whole = self.ends(&folder, "whole", "1");
        let started = Instant::now();
        assert_same(&whole, &self.ends(&folder, "threads", "3"));
        let takes = started.elapsed();
        self.is_killed(&folder, &whole, takes);
        match self.command.split(' ').next() {
            Some("evolve") => self.is_torn(&folder, &whole),
            Some("learn") => self.begins_again(&folder, &whole),
            _ => {}
        }
        // When all is done, nothing is played, and nothing written.
        let before = contents(&whole);
        self.ends(&folder, "whole", "2");
        assert_eq!(before, contents(&whole));
    }

    /// Runs it to its end.
    pub(crate) fn ends(&self, folder: &Folder, out: &str, threads: &str) -> PathBuf {
        folder.said(&format!("{} --out {out} --threads {threads}", self.command));
        folder.path(out)
    }

    /// `kill -9` at random moments, each time with what that may leave.
    fn is_killed(&self, folder: &Folder, whole: &Path, takes: Duration) {
        let least = std::env::var("TICTUNE_KILLS").map_or(5, |kills| kills.parse().unwrap());
        let out = folder.path("killed");
        let (mut moments, mut left) = (generator(1, Role::AgentA), BTreeMap::new());
        for attempt in 0.. {
            let mut child = folder.start(&format!("{} --out killed --threads 2", self.command));
            // Longer from time to time, and each time: what begins anew has to end, too.
            let share = [0.3, 0.6, 1.2][attempt % 3] * (1.0 + attempt as f64 / 10.0);
            std::thread::sleep(takes.mul_f64(share * moments.random::<f64>()));
            let ended = child.try_wait().unwrap();
            child.kill().unwrap();
            let output = child.wait_with_output().unwrap();
            if ended.is_some() {
                assert!(output.status.success(), "{}", stderr(&output));
                assert_same(whole, &out);
                if attempt >= least {
                    return;
                }
                std::fs::remove_dir_all(&out).unwrap();
                left.clear();
            } else if !self.command.starts_with("learn") {
                leave_what_a_kill_may_leave(&out, &mut moments, &mut left);
            }
        }
    }

    /// All but the file that is written last is there.
    fn begins_again(&self, folder: &Folder, whole: &Path) {
        let torn = folder.path("torn");
        copy(whole, &torn);
        std::fs::remove_file(torn.join("summary.json")).unwrap();
        std::fs::write(torn.join(".tictune-Ab12"), "torn").unwrap();
        self.ends(folder, "torn", "2");
        assert_same(whole, &torn);
    }

    /// Each log of each stage ends in the middle of a generation, and of a row.
    fn is_torn(&self, folder: &Folder, whole: &Path) {
        let stages = read_json(&whole.join("manifest.json"))["stages"].as_array().unwrap().len();
        for stage in 0..stages {
            for log in LOGS {
                if stage_folder(whole, stage).join(log).exists() {
                    let torn = folder.path(&format!("torn-{stage}-{log}"));
                    stopped_in(log, stage, whole, &torn);
                    self.ends(folder, torn.to_str().unwrap(), "2");
                    assert_same(whole, &torn);
                }
            }
        }
        let torn = folder.path("torn-validation");
        copy(whole, &torn);
        std::fs::remove_file(torn.join("validation.json")).unwrap();
        let log = read(&whole.join("validation.csv"));
        std::fs::write(torn.join("validation.csv"), &log[..log.len() / 2]).unwrap();
        self.ends(folder, torn.to_str().unwrap(), "2");
        assert_same(whole, &torn);
    }
}

/// A test of each kind, so that they run side by side.
macro_rules! survive {
    ($($name:ident: $kind:expr,)*) => {
        $(
            #[test]
            fn $name() {
                $kind.survives();
            }
        )*
    };
}

survive! {
    two_stages: Kind::evolution(include_str!("../configs/plain.toml")),
    weights_that_are_held_and_scaled: Kind::evolution(include_str!("../configs/held.toml")),
    a_number_of_an_agent: Kind::evolution(include_str!("../configs/number.toml")),
    numbers_and_weights_of_an_agent: Kind::evolution(include_str!("../configs/ept.toml")),
    weights_inside_iterative_deepening: Kind::evolution(include_str!("../configs/iterative.toml")),
    a_start_that_is_learned: Kind::evolution(include_str!("../configs/starts.toml")),
    a_budget_whose_start_is_learned: Kind::evolution(include_str!("../configs/budget.toml")),
    a_budget_that_begins_with_self_play: Kind::evolution(
        &include_str!("../configs/budget.toml").replace("[budget]", "cmaes = { initial = 1 }\n[budget]"),
    ),
    a_regression: Kind::of("learn c.toml --resume", include_str!("../configs/regression.toml")),
    reinforcement_learning: Kind::of(
        "learn c.toml --resume",
        "games = 3000\nalpha = 0.2\nrepresentation = \"binary-features\"\nevaluation = \"connecting\"\n",
    ),
    a_tournament: Kind::of("tournament c.toml", TOURNAMENT),
}

#[test]
fn a_program() {
    let config = include_str!("../configs/program.toml").replace("\"other.toml\"", "{ place = 4 }");
    let file = Some(("pick.sh", crate::evolved_programs::PICK.to_owned()));
    Kind { file, ..Kind::evolution(&config) }.survives();
}

#[test]
fn the_games_of_a_runner() {
    if needs("python3") {
        let text = include_str!("../configs/runner.toml").replace("\"old.toml\"", "{ hold = 15 }");
        let file = Some(("runner.py", crate::runner::RUNNER.replace("BREAK", "pass")));
        Kind { file, ..Kind::evolution(&text) }.survives();
    }
}

pub(crate) const TOURNAMENT: &str = "games = 40\n[[agents]]\nagent = \"minimax:depth=4,weights=liang-default\"\n\
    [[agents]]\nagent = \"greedy:eval=simple\"\n[[agents]]\nagent = \"mcts:iterations=20\"\n";

/// Logs of a stage, in the order in which they get the rows of a generation. Where candidates are no pairs, none play the start.
const LOGS: [&str; 4] = ["evaluations.csv", "start.csv", "generations.csv", "axes.csv"];

fn stage_folder(run: &Path, stage: usize) -> PathBuf {
    let mut found = std::fs::read_dir(run).unwrap().map(|entry| entry.unwrap().path());
    let name = format!("stage-{}", stage + 1);
    found.find(|path| path.file_name().unwrap().to_str().unwrap().starts_with(&name)).unwrap()
}

/// A run as it was when this log of this stage was written: in the middle of it, the others with what came before.
fn stopped_in(log: &str, stage: usize, whole: &Path, to: &Path) {
    let from = stage_folder(whole, stage);
    let folder = to.join(from.file_name().unwrap());
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::copy(whole.join("config.toml"), to.join("config.toml")).unwrap();
    let mut manifest = read_json(&whole.join("manifest.json"));
    manifest["finished"] = false.into();
    manifest["stages"].as_array_mut().unwrap().truncate(stage);
    std::fs::write(to.join("manifest.json"), manifest.to_string()).unwrap();
    let before = (0..stage).map(|earlier| stage_folder(whole, earlier));
    for earlier in before.chain([whole.join("learn")]).filter(|folder| folder.exists()) {
        copy(&earlier, &to.join(earlier.file_name().unwrap()));
    }
    let place = LOGS.iter().position(|other| *other == log).unwrap();
    let last = read(&from.join(log)).lines().last().map_or(0, generation_of);
    for (other, name) in LOGS.iter().enumerate().filter(|(_, name)| from.join(name).exists()) {
        let text = read(&from.join(name));
        let rows_up_to = |last: u64| -> String {
            text.split_inclusive('\n').filter(|row| generation_of(row) <= last).collect()
        };
        let kept = match other.cmp(&place) {
            Ordering::Less => rows_up_to(last),
            Ordering::Equal => {
                let (before, all) = (rows_up_to(last - 1).len(), rows_up_to(last));
                all[..before + (all.len() - before) / 2].to_owned()
            }
            Ordering::Greater => rows_up_to(last - 1),
        };
        std::fs::write(folder.join(name), kept).unwrap();
    }
}

fn generation_of(row: &str) -> u64 {
    row.split(',').next().unwrap().parse().unwrap_or(0)
}

/// A row that was written by half, if a log has rows that it did not have before, and a temporary file that was not renamed yet.
/// `left` are the lengths that this function left: what was killed before it wrote a row, or after it had cut one off that was
/// torn, leaves no other row by half.
fn leave_what_a_kill_may_leave(out: &Path, rng: &mut Generator, left: &mut BTreeMap<PathBuf, u64>) {
    if !out.exists() {
        return;
    }
    if let Some(log) = last_log(out) {
        let text = read(&log);
        if text.len() as u64 > left.get(&log).copied().unwrap_or(0) {
            let row = text.trim_end().rfind('\n').map_or(text.len(), |end| end + 1);
            let kept = row + rng.random_range(0..=(text.len() - row) as u32) as usize;
            std::fs::write(&log, &text[..kept]).unwrap();
        }
    }
    *left = logs(out).map(|log| (log.clone(), std::fs::metadata(&log).unwrap().len())).collect();
    std::fs::write(out.join(".tictune-Ab12"), "torn").unwrap();
}

/// The logs of a run or a tournament that are there, in the order in which they are begun.
fn logs(out: &Path) -> impl Iterator<Item = PathBuf> {
    let folders = std::fs::read_dir(out).unwrap().map(|entry| entry.unwrap().path());
    let mut stages: Vec<_> = folders.filter(|path| path.is_dir()).collect();
    stages.sort();
    let of_stages = stages.into_iter().flat_map(|stage| LOGS.map(|log| stage.join(log)));
    let all = of_stages.chain(["games.csv", "validation.csv"].map(|log| out.join(log)));
    all.filter(|log| log.exists())
}

/// The log that was written last, by what it holds: clocks of file systems are too coarse for that, and may be set back. Of the
/// logs of a stage it is the last one that has a row of the latest generation.
fn last_log(out: &Path) -> Option<PathBuf> {
    let latest = |log: &PathBuf| {
        let folder = log.parent().unwrap().to_path_buf();
        (folder == out, folder, read(log).lines().last().map_or(0, generation_of))
    };
    logs(out).max_by_key(latest)
}

pub(crate) fn copy(from: &Path, to: &Path) {
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
