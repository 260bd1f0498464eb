//! `tictune learn`

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use clap::Args;
use serde::{Deserialize, Serialize};

use super::evolve::open_log;
use super::progress::bar;
use super::{
    ThreadArgs, at_work, inform, note, print_json, print_report, program, quoted, regression,
    stop_flag,
};
use crate::config::learn::load;
use crate::config::regression::is_regression;
use crate::evolve::{RunDir, RunError};
use crate::files::{FileError, TEMPORARY_PREFIX, csv_text, own_folder, write_atomically};
use crate::input::{InputError, read_text};
use crate::learn::{LearnError, LearnPlan, Lesson, Phase, Product, ProgressRow};
use crate::registry::{AnyGame, Registry};
use crate::report::table;
use crate::stats::Tally;
use crate::weights::write_weights;

/// The files of learned values and weights.
const WEIGHTS_FILE: &str = "learned.toml";
const VALUES_FILE: &str = "values.csv";

#[derive(Debug, Args)]
pub(super) struct LearnArgs {
    /// The config file
    pub(super) config: PathBuf,
    /// The folder for the results [default: runs/NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The seed, in place of the config's
    #[arg(long, value_name = "S")]
    pub(super) seed: Option<u64>,
    /// Continue in a folder where the same config was stopped: learning starts again from its first
    /// game. If it is finished already, show the result
    #[arg(long)]
    resume: bool,
    /// With a regression: print the plan and estimate its time; run nothing
    #[arg(long)]
    pub(super) check: bool,
    /// Print one JSON object instead of the table
    #[arg(long, conflicts_with = "check")]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) threads: ThreadArgs,
}

impl LearnArgs {
    /// The folder of the results.
    pub(super) fn folder(&self, name: &str, registry: &Registry) -> RunDir {
        let path = self.out.clone().unwrap_or_else(|| Path::new("runs").join(name));
        RunDir::new(path, registry.known())
    }
}

/// What every `summary.json` begins with.
#[derive(Deserialize)]
struct Learned {
    config_hash: String,
}

/// What `summary.json` holds: the last file that is written.
#[derive(Debug, Serialize, Deserialize)]
struct Summary {
    name: String,
    config_hash: String,
    tictune: String,
    game: String,
    rules: String,
    seed: u64,
    method: String,
    representation: String,
    opponent: String,
    phases: Vec<PhaseSummary>,
    known: usize,
    /// The file of learned values or weights.
    learned: String,
}

/// The results of a phase, from the learner's view; in self-play the first player's.
#[derive(Debug, Serialize, Deserialize)]
struct PhaseSummary {
    phase: String,
    games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
}

pub(super) fn run(args: &LearnArgs, registry: &Registry) -> anyhow::Result<()> {
    if is_regression(&read_text(&args.config)?) {
        return regression::run(args, registry);
    }
    let (plan, text) = load(&args.config, args.seed, registry.known())?;
    if args.check {
        let message =
            "--check is for method = \"regression\": the other methods say nothing of their time";
        return Err(InputError::in_file(&args.config, message).into());
    }
    let dir = args.folder(&plan.name, registry);
    if prepare(args, &dir, &plan.hash(), &text)? {
        note("this was learned already");
        let summary = dir.read_json::<Summary>("summary.json")?;
        return summary.map_or(Ok(()), |summary| show(args, &dir, &summary));
    }
    let _log = open_log(dir.path())?;
    // Under the lock: of two processes that begin here at once, one finds what the other has learned.
    if dir.read_json::<Summary>("summary.json")?.is_some() {
        let message = "another tictune has just learned here";
        return Err(InputError::in_file(dir.path(), message).into());
    }
    dir.remove_leftovers();
    dir.write("config.toml", text.as_bytes())?;
    let stop = stop_flag()?;
    play(args, registry.find(Some(&plan.game))?, &plan, &dir, stop)
}

/// Checks that the folder is free for a config of this hash; returns whether learning is finished.
pub(super) fn prepare(
    args: &LearnArgs,
    dir: &RunDir,
    hash: &str,
    text: &str,
) -> anyhow::Result<bool> {
    own_folder(dir.path())?;
    let refuse = |message: &str| Err(InputError::in_file(dir.path(), message).into());
    if dir.is_vacant()? {
        return Ok(false);
    }
    let summary: Option<Learned> = dir.read_json("summary.json")?;
    if !args.resume {
        return refuse(
            "is not empty; add --resume if a run of this config was stopped here, or name another folder with --out",
        );
    }
    if let Some(summary) = summary {
        if summary.config_hash == hash {
            return Ok(true);
        }
        return refuse(
            "holds the results of another config or seed; name another folder with --out",
        );
    }
    let ours = |entry: std::fs::DirEntry| {
        let name = entry.file_name();
        let known = ["config.toml", "log.txt", "progress.csv", VALUES_FILE, WEIGHTS_FILE];
        known.iter().any(|known| name == *known)
            || name.to_string_lossy().starts_with("learned-")
            || name.to_string_lossy().starts_with(TEMPORARY_PREFIX)
    };
    let mut entries = std::fs::read_dir(dir.path()).map_err(FileError::reading(dir.path()))?;
    let began = std::fs::read_to_string(dir.file("config.toml"));
    if began.is_ok_and(|began| began != text) || !entries.all(|entry| entry.is_ok_and(ours)) {
        return refuse(
            "holds files that this config did not write; name another folder with --out",
        );
    }
    note("learning starts again from its first game");
    Ok(false)
}

fn play(
    args: &LearnArgs,
    game: &dyn AnyGame,
    plan: &LearnPlan,
    dir: &RunDir,
    stop: &AtomicBool,
) -> anyhow::Result<()> {
    let bar = bar(plan.games);
    let path = dir.file("progress.csv");
    let mut rows = vec![ProgressRow::HEADER.map(String::from)];
    // The file is small: written whole for every row, it is never torn.
    let mut on_row = |row: &ProgressRow| {
        bar.suspend(|| inform(&line(row, plan)));
        rows.push(row.fields());
        let written = csv_text(&rows).and_then(|text| write_atomically(&path, &text));
        written.map_err(FileError::writing(&path))
    };
    let lesson = at_work(|| game.learn(plan, &mut || bar.inc(1), &mut on_row, stop));
    bar.finish_and_clear();
    let lesson = lesson.map_err(|error| match error {
        LearnError::Input(error) => anyhow::Error::new(error),
        error => error.into(),
    })?;
    let Some(lesson) = lesson else {
        note("stopped; what was learned so far is not kept. To start again:");
        note(&format!("  {}", again(args, dir)));
        return Err(RunError::Interrupted.into());
    };
    let file = match &lesson.product {
        Product::Weights(weights) => {
            let path = dir.file(WEIGHTS_FILE);
            write_weights(&path, weights).map_err(FileError::writing(&path))?;
            WEIGHTS_FILE
        }
        Product::Table(values) => {
            values.write(&dir.file(VALUES_FILE))?;
            VALUES_FILE
        }
    };
    let summary = summary(plan, &lesson, file);
    dir.write_json("summary.json", &summary)?;
    show(args, dir, &summary)
}

/// A row of progress, formatted for people.
fn line(row: &ProgressRow, plan: &LearnPlan) -> String {
    let Tally { wins, draws, losses } = row.tally;
    format!(
        "games {:>7}/{}  {:<10}  won {wins:>5}  drew {draws:>5}  lost {losses:>5}  score {:>5.1} %  \
         known {}  mean error {:.4}",
        row.games,
        plan.games,
        row.phase,
        100.0 * row.tally.score(),
        row.known,
        row.mean_error
    )
}

fn summary(plan: &LearnPlan, lesson: &Lesson, file: &str) -> Summary {
    let phase = |(phase, tally): (Phase, &Tally)| PhaseSummary {
        phase: phase.to_string(),
        games: tally.games(),
        wins: tally.wins,
        draws: tally.draws,
        losses: tally.losses,
    };
    Summary {
        name: plan.name.clone(),
        config_hash: plan.hash(),
        tictune: env!("CARGO_PKG_VERSION").into(),
        game: plan.game.clone(),
        rules: plan.rules.clone(),
        seed: plan.seed,
        method: plan.method.to_string(),
        representation: plan.representation.to_string(),
        opponent: plan.opponent.to_string(),
        phases: [Phase::Exploring, Phase::OwnPolicy]
            .into_iter()
            .zip(&lesson.tallies)
            .map(phase)
            .collect(),
        known: lesson.known,
        learned: file.into(),
    }
}

/// Prints a summary, and the command that plays the learned agent.
fn show(args: &LearnArgs, dir: &RunDir, summary: &Summary) -> anyhow::Result<()> {
    if args.json {
        return print_json(summary);
    }
    let rows = summary.phases.iter().map(|phase| {
        let PhaseSummary { games, wins, draws, losses, .. } = *phase;
        let score = Tally { wins, draws, losses }.score();
        let score = if games == 0 { String::new() } else { format!("{:.1} %", 100.0 * score) };
        let counts = [games, wins, draws, losses].map(|count| count.to_string());
        [phase.phase.clone()].into_iter().chain(counts).chain([score]).collect()
    });
    let path = dir.file(&summary.learned);
    let (kind, key) =
        if summary.learned == WEIGHTS_FILE { ("greedy", "weights") } else { ("learned", "from") };
    let what = if summary.learned == WEIGHTS_FILE { "weights" } else { "values" };
    print_report(|| {
        Ok(format!(
            "{}, {}, against {}: {} {what} known\n{}learned: {}\n",
            summary.method,
            summary.representation,
            summary.opponent,
            summary.known,
            table(&["phase", "games", "won", "drew", "lost", "score"], rows),
            path.display()
        ))
    })?;
    let agent = format!("{kind}:{key}={}", path.display());
    inform(&format!("to play it: {} match {} random", program(), quoted(Path::new(&agent))));
    Ok(())
}

pub(super) fn again(args: &LearnArgs, dir: &RunDir) -> String {
    let mut command = format!("{} learn {}", program(), quoted(&args.config));
    if args.out.is_some() {
        command += &format!(" --out {}", quoted(dir.path()));
    }
    if let Some(seed) = args.seed {
        command += &format!(" --seed {seed}");
    }
    if let Some(threads) = args.threads.given() {
        command += &format!(" --threads {threads}");
    }
    command + " --resume"
}
