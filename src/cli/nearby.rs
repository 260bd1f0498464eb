//! What a person may have meant: the run, and what a file is that is not what was asked for.

use std::path::{Path, PathBuf};

use super::runs::RunState;
use super::{Session, quoted};
use crate::input::{InputError, did_you_mean, nearest_path, read_data};

/// "; did you mean runs/NAME?" of a folder that is not there: the run of that name in the folder `runs`, or the folder of the
/// nearest name here or there. Nothing if the folder is there.
pub(super) fn run_meant(path: &Path) -> String {
    did_you_mean(near(path).as_deref())
}

/// The folder itself.
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

/// A folder without a run.
pub(super) fn no_run(path: &Path) -> InputError {
    let why = match path {
        _ if path.is_file() => "it is a file; name the folder of a run",
        _ if path.exists() => "there is no manifest.json",
        _ => "there is no such folder",
    };
    InputError::in_file(path, format!("holds no run: {why}{}", run_meant(path)))
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
    match near(path).filter(|near| near.is_dir()) {
        Some(near) => {
            let near = did_you_mean(Some(&near));
            InputError::new(format!("no weights and no run are called {}{near}", path.display()))
        }
        None => error,
    }
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
    let shows = |run: &Path| format!("`{program} show {}` shows the run", quoted(run));
    let what = match name {
        _ if name.ends_with(".html") => {
            let more = run.map_or_else(String::new, |run| format!("; {}", shows(&run)));
            return Some(format!("is a page: open it in a browser{more}"));
        }
        _ if name.ends_with("-agent.txt") => {
            let file = quoted(path);
            return Some(format!("is an agent: `{program} match @{file} OTHER` plays with it"));
        }
        "manifest.json" => "the plan of a run and how far it came",
        "forfeits.json" => "the forfeits of a run",
        "comparison.json" => "what best against mean came to in a run",
        "validation.json" => "the validation of a run",
        "tournament.json" => "the results of a tournament",
        "summary.json" => "the results of learning",
        "config.toml" if run.is_some() => "the config of a run",
        "log.txt" => "the log of a run",
        _ if name.ends_with(".csv") => "a table of a run",
        _ if name.ends_with(".toml") && is_config(path) => {
            let file = quoted(path);
            return Some(format!(
                "is the config of an evolution: `{program} evolve {file} --check` prints its plan"
            ));
        }
        _ => return None,
    };
    Some(format!("is {what}: {}", shows(&run?)))
}

/// Whether a file has the tables of an evolution.
fn is_config(path: &Path) -> bool {
    let table = read_data(path).ok().and_then(|text| text.parse::<toml::Table>().ok());
    table.is_some_and(|table| table.contains_key("cmaes") || table.contains_key("stages"))
}
