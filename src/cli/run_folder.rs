//! The folder of a run that a person names: which one is meant, what else a path may be, and the vectors of a finished run.

use std::path::{Path, PathBuf};

use anyhow::bail;

use super::runs::RunState;
use super::{Session, quoted};
use crate::evolve::{Comparison, Manifest, Plan, RunDir, Vector, agent_file, read_vector};
use crate::input::{InputError, Result, did_you_mean, nearest_path, read_data};
use crate::weights::Weights;

/// What is not there, and what to do instead, with the nearest name if there is one: "is no folder; did you mean runs/NAME? ...".
pub(super) fn not_there(what: &str, near: Option<PathBuf>, instead: &str) -> String {
    let near = did_you_mean(near.as_deref());
    format!("{what}{near}{} {instead}", if near.is_empty() { ":" } else { "" })
}

/// The run of a name in the folder `runs`, or the folder of the nearest name here or there.
pub(super) fn near(path: &Path) -> Option<PathBuf> {
    if path.exists() || path.is_absolute() {
        return nearest_path(path);
    }
    let in_runs = Path::new("runs").join(path);
    if in_runs.is_dir() {
        return Some(in_runs);
    }
    nearest_path(path).or_else(|| nearest_path(&in_runs))
}

pub(super) fn no_run(path: &Path) -> InputError {
    let why = match path {
        _ if path.is_file() => "it is a file; name the folder of a run",
        _ if path.exists() => "there is no manifest.json",
        _ => "there is no such folder",
    };
    InputError::in_file(path, format!("is not a run: {why}{}", did_you_mean(near(path).as_deref())))
}

/// The error of a name that is not of weights: what the file is, or the run that may have been meant.
pub(super) fn or_run(error: InputError, path: &Path, session: &Session) -> InputError {
    if let Some(what) = other_file(path, session) {
        return InputError::in_file(path, what);
    }
    let is_in_runs = !path.exists() && Path::new("runs").join(path).is_dir();
    // Other names have had their answer.
    if !is_in_runs && error.message.contains("did you mean") {
        return error;
    }
    let Some(near) = near(path).filter(|near| near.is_dir()) else { return error };
    let near = did_you_mean(Some(&near));
    InputError::new(format!("no weights and no run have the name {}{near}", path.display()))
}

/// What a file is that holds neither weights nor a table, and how to look at it.
pub(super) fn other_file(path: &Path, session: &Session) -> Option<String> {
    let name = path.file_name().filter(|_| path.is_file())?.to_str()?;
    let program = session.program();
    let folder = |path: &Path| match path.as_os_str().is_empty() {
        true => PathBuf::from("."),
        false => path.to_path_buf(),
    };
    let mut folders = path.ancestors().skip(1).take(2).map(folder);
    let run = folders.find(|folder| RunState::of(folder, session).is_some());
    let is_of_run =
        name == "config.toml" || [".json", ".csv", ".txt"].iter().any(|end| name.ends_with(end));
    let shows = |run: PathBuf| format!("`{program} show {}` shows the run", quoted(run));
    Some(match run.filter(|_| is_of_run || name.ends_with(".html")) {
        run if name.ends_with(".html") => {
            let more = run.map_or_else(String::new, |run| format!("; {}", shows(run)));
            format!("is a page: open it in a browser{more}")
        }
        _ if name.ends_with("-agent.txt") => {
            let command = format!("{program} match @{} OTHER", quoted(path));
            format!("is an agent: `{command}` plays with it")
        }
        Some(run) => format!("is a file of a run: {}", shows(run)),
        None if name.ends_with(".toml") && is_config(path) => {
            let command = format!("{program} evolve {} --check", quoted(path));
            format!("is the config of an evolution: `{command}` prints its plan")
        }
        None => return None,
    })
}

fn is_config(path: &Path) -> bool {
    let table = read_data(path).ok().and_then(|text| text.parse::<toml::Table>().ok());
    table.is_some_and(|table| table.contains_key("cmaes") || table.contains_key("stages"))
}

pub(super) fn open_run(path: &Path, session: &Session) -> anyhow::Result<(Manifest, [Vector; 2])> {
    if path.is_file() {
        let message = "is not the folder of a run; only compare takes a config, with the best and the mean after it";
        bail!(InputError::in_file(path, message));
    }
    let dir = RunDir::new(path, session.known());
    let Some(manifest) = dir.manifest()? else { bail!(no_run(path)) };
    if !dir.file("mean.toml").exists() && !dir.file(&agent_file("mean")).exists() {
        let command = RunState::of(path, session).and_then(|state| state.resume);
        let command =
            command.unwrap_or_else(|| format!("{} evolve CONFIG --resume", session.program()));
        let message =
            format!("this run is not finished; continue it with: {command} (--finish ends it now)");
        bail!(InputError::in_file(path, message));
    }
    let read = |name| read_vector(&manifest.plan, &dir, name);
    let vectors = [read("best")?, read("mean")?];
    Ok((manifest, vectors))
}

pub(super) fn winner_vector(path: &Path, session: &Session) -> anyhow::Result<(Plan, Vector)> {
    let (Manifest { plan, .. }, [best, mean]) = open_run(path, session)?;
    let dir = RunDir::new(path, session.known());
    let comparison: Option<Comparison> = dir.read_json("comparison.json")?;
    let is_mean = comparison.is_some_and(|comparison| comparison.winner == "mean");
    Ok((plan, if is_mean { mean } else { best }))
}

/// The winner's weights of a run, under the name of the run: every run has a winner.
pub(super) fn named_after_run(run: &Path, session: &Session) -> anyhow::Result<Weights> {
    let (plan, winner) = winner_vector(run, session)?;
    let Some(mut weights) = winner.weights else {
        let message = format!(
            "this run evolved no weights, but parameters of an agent: `{program} export RUN --format json` writes them. The \
             agents are in best-agent.txt and mean-agent.txt: try {program} match \
             @RUN/best-agent.txt OTHER",
            program = session.program()
        );
        bail!(InputError::in_file(run, message));
    };
    weights.name = plan.name;
    Ok(weights)
}

/// Refuses an output that would take the place of a file of a run. A page can be made again.
pub(super) fn not_of_a_run(option: &str, out: &Path) -> Result<()> {
    // Others write files of these names, too.
    let is_run = |folder: &Path| {
        ["manifest.json", "config.toml"].iter().all(|name| folder.join(name).is_file())
    };
    let Ok(there) = out.canonicalize() else { return Ok(()) };
    let is_page = there.extension().is_some_and(|extension| extension == "html");
    // Runs have folders for their stages.
    if is_page || !there.ancestors().skip(1).take(2).any(is_run) {
        return Ok(());
    }
    let message = format!("is a file of a run; name another file with {option}");
    Err(InputError::in_file(out, message))
}
