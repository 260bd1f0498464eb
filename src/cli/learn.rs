//! `tictune learn`: from games move by move, or by regression.

pub(super) mod regression;
mod reinforcement;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use serde_json::Value;

use super::log::holds_only;
use super::{Session, ThreadArgs};
use crate::evolve::{INFORMATION, RunDir, RunError};
use crate::files::own_folder;
use crate::input::{InputError, read_text};
use crate::papers::reinforcement::config::{self, Learning};

const WEIGHTS_FILE: &str = "learned.toml";
const VALUES_FILE: &str = "values.csv";

#[derive(Debug, Args)]
pub(super) struct LearnArgs {
    /// The config file
    config: PathBuf,
    /// The folder for the results [default: runs/NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The seed, in place of the config's
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Continue in a folder where the same config was stopped: learning starts again from its first
    /// game. If it is finished already, show the result
    #[arg(long)]
    resume: bool,
    /// With a regression: print the plan and estimate its time; run nothing
    #[arg(long)]
    check: bool,
    /// Print one JSON object instead of the table
    #[arg(long, conflicts_with = "check")]
    json: bool,
    #[command(flatten)]
    threads: ThreadArgs,
}

/// A command that learns: its config's text, and the folder for the results.
struct LearnCommand<'l> {
    session: &'l Session,
    args: &'l LearnArgs,
    text: &'l str,
    dir: RunDir,
}

pub(super) fn run(args: &LearnArgs, session: &Session) -> anyhow::Result<()> {
    let (path, known) = (&*args.config, session.known());
    let text = read_text(path)?;
    let learning = config::parse(&text, path, args.seed, known)?;
    let name = match &learning {
        Learning::Regression(plan) => &plan.name,
        Learning::Moves(plan) => &plan.name,
    };
    let folder = args.out.clone().unwrap_or_else(|| Path::new("runs").join(name));
    let learner = LearnCommand { session, args, text: &text, dir: RunDir::new(folder, known) };
    match learning {
        Learning::Regression(plan) => regression::run(&learner, &plan),
        Learning::Moves(plan) => reinforcement::run(&learner, plan),
    }
}

/// Takes the folder of the results for this process, if it is free for a config of this hash, and writes the config into it. Gives
/// the log, which locks the folder; `None` if it holds what was learned already.
fn begin(learner: &LearnCommand<'_>, hash: &str) -> anyhow::Result<Option<File>> {
    let LearnCommand { session, args, text, dir } = learner;
    own_folder("--out", dir.path())?;
    let refuse = |message: &str| Err(InputError::in_file(dir.path(), message).into());
    if !dir.is_vacant()? {
        let summary: Option<Value> = dir.read_json("summary.json")?;
        if !args.resume {
            return refuse(
                "is not empty; add --resume if a run of this config was stopped here, or name another folder with --out",
            );
        }
        if let Some(summary) = summary {
            if summary["config_hash"] == hash {
                session.note("this was learned already");
                return Ok(None);
            }
            return refuse(
                "contains the results of another config or seed; name another folder with --out",
            );
        }
        const OWN: [&str; 6] =
            ["config.toml", "log.txt", "progress.csv", VALUES_FILE, WEIGHTS_FILE, INFORMATION];
        let is_own = |name: &str| OWN.contains(&name) || name.starts_with("learned-");
        let began = std::fs::read_to_string(dir.file("config.toml"));
        if began.is_ok_and(|began| began != *text) || !holds_only(dir.path(), is_own)? {
            return refuse(
                "contains files that this config did not write; name another folder with --out",
            );
        }
        session.note("learning starts again from its first game");
    }
    let log = session.open_log(dir.path())?;
    // Under the lock: of two processes that begin here at once, one finds what the other has learned.
    if dir.file("summary.json").exists() {
        return refuse("another tictune has just learned here");
    }
    dir.remove_leftovers(Duration::ZERO);
    dir.write("config.toml", text.as_bytes())?;
    Ok(Some(log))
}

fn say_how_to_continue(session: &Session, error: &RunError) {
    if matches!(error, RunError::Interrupted) {
        session.note_stopped("stopped; what was learned so far is not kept. To start again:");
    }
}
