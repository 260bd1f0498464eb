//! `tictune runs`: the runs in a folder, how they stand, and how to continue them.

use std::path::{Path, PathBuf};

use anyhow::ensure;
use clap::Args;
use serde::Serialize;

use super::run_folder::{near, not_there};
use super::{Session, print, print_json, quoted};
use crate::config::{self, Overrides};
use crate::evolve::{Comparison, RunDir};
use crate::input::InputError;
use crate::report::page::{RunStatus, Status, read_state};
use crate::report::{CellAlignment, counted, table};
use crate::serve::{DEEPEST, each_folder};

#[derive(Debug, Args)]
pub(super) struct RunsArgs {
    /// The folder that holds the runs [default: runs]
    folder: Option<PathBuf>,
    /// Print one JSON array
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &RunsArgs, session: &Session) -> anyhow::Result<()> {
    let folder = args.folder.as_deref().unwrap_or(Path::new("runs"));
    ensure!(folder.is_dir(), no_folder(session, args.folder.as_deref()));
    let mut runs = Vec::new();
    each_folder(folder, DEEPEST, &mut |folder| {
        let run = RunState::of(folder, session);
        let is_run = run.is_some();
        runs.extend(run);
        is_run
    });
    runs.sort_by(|a, b| a.run.cmp(&b.run));
    if args.json {
        return print_json(&runs);
    }
    if runs.is_empty() {
        return print(&format!("no runs in {}\n", folder.display()));
    }
    let row = |run: &RunState| {
        let RunState { run, kind, state, progress, result, .. } = run.clone();
        vec![run, kind.into(), state.to_string(), progress, result.unwrap_or_default()]
    };
    let heads = ["run", "kind", "state", "progress", "result"];
    print(&table(session.width(), CellAlignment::Left, &heads, runs.iter().map(row)))?;
    let resume = |RunState { run, resume, .. }: &RunState| {
        Some(format!("to continue {run}: {}\n", resume.as_ref()?))
    };
    print(&runs.iter().filter_map(resume).collect::<String>())
}

fn no_folder(session: &Session, given: Option<&Path>) -> InputError {
    let Some(given) = given else {
        let program = session.program();
        return InputError::new(format!(
            "no runs here: the folder runs does not exist. `{program} evolve CONFIG` creates it for its first run, and \
             `{program} new` writes a config. Runs elsewhere are listed by `{program} runs FOLDER`"
        ));
    };
    let where_else = "runs are in the folder runs, or where --out put them";
    InputError::in_file(given, not_there("is not a folder", near(given), where_else))
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct RunState {
    pub(super) run: String,
    /// `evolution`, `learning` or `tournament`.
    pub(super) kind: &'static str,
    pub(super) state: RunStatus,
    pub(super) progress: String,
    pub(super) result: Option<String>,
    pub(super) resume: Option<String>,
}

impl RunState {
    pub(super) fn of(folder: &Path, session: &Session) -> Option<Self> {
        let dir = RunDir::new(folder, session.known());
        let has = |name: &str| dir.file(name).is_file();
        if has("manifest.json") {
            return Some(Self::of_evolution(session, &dir));
        }
        // People write a games.csv of a match, too, but seldom beside such a log.
        if has("games.csv") && (has("log.txt") || has("tournament.json")) {
            return Some(Self::of_tournament(&dir));
        }
        (has("config.toml") && has("log.txt")).then(|| Self::of_learning(session, &dir))
    }

    fn new(dir: &RunDir, kind: &'static str, finished: bool) -> Self {
        let state = RunStatus::of(finished, dir.is_being_played());
        let (run, progress) = (dir.path().display().to_string(), String::new());
        Self { run, kind, state, progress, result: None, resume: None }
    }

    fn of_evolution(session: &Session, dir: &RunDir) -> Self {
        let mut run = Self::new(dir, "evolution", false);
        run.state = match read_state(dir) {
            Ok((_, state)) => state,
            Err(error) => {
                (run.state, run.result) = (RunStatus::Unreadable, Some(error.to_string()));
                return run;
            }
        };
        run.progress = match Status::read(dir) {
            Ok(Status { stage, .. }) if run.state == RunStatus::Finished => stage,
            Ok(Status { stage, generation, .. }) => format!("{stage}; generations: {generation}"),
            // A run with a damaged log can still be continued, or says what is wrong with it.
            Err(_) => "unknown: a log is damaged".into(),
        };
        let comparison = dir.read_json::<Comparison>("comparison.json").ok().flatten();
        run.result = comparison.map(|one| format!("{}: {}", one.title(), one.verdict));
        run.resume = (run.state == RunStatus::Stopped).then(|| {
            let config = dir.file("config.toml");
            // Paths in a config are relative to its folder, which was another one.
            let config = match config::load(&config, Overrides::default(), dir.known()) {
                Ok(_) => quoted(&config),
                Err(_) => "CONFIG".into(),
            };
            format!("{} evolve {config} --out {} --resume", session.program(), quoted(dir.path()))
        });
        run
    }

    fn of_tournament(dir: &RunDir) -> Self {
        let finished = dir.file("tournament.json").is_file();
        let mut run = Self::new(dir, "tournament", finished);
        let games = std::fs::read_to_string(dir.file("games.csv")).unwrap_or_default();
        run.progress = counted(games.lines().count().saturating_sub(1), "game");
        let report = dir.read_json::<serde_json::Value>("tournament.json").ok().flatten();
        run.result = report.and_then(|report| {
            let first = report["agents"][0]["name"].as_str()?;
            Some(format!("{first} is first of {}", report["agents"].as_array()?.len()))
        });
        run
    }

    fn of_learning(session: &Session, dir: &RunDir) -> Self {
        let summary = dir.read_json::<serde_json::Value>("summary.json").ok().flatten();
        let mut run = Self::new(dir, "learning", summary.is_some());
        let method = summary.as_ref().and_then(|summary| summary["method"].as_str());
        run.progress = method.unwrap_or_default().into();
        run.resume = (run.state == RunStatus::Stopped).then(|| {
            let (config, folder) = (quoted(dir.file("config.toml")), quoted(dir.path()));
            format!("{} learn {config} --out {folder} --resume", session.program())
        });
        run
    }
}
