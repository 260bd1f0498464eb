//! The run that a person may have meant.

use std::path::{Path, PathBuf};

use crate::input::{InputError, did_you_mean, nearest_path};

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

/// The error of a name that is not of weights, with the run that may have been meant.
pub(super) fn or_run(error: InputError, path: &Path) -> InputError {
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
