//! The folder of a run: whether it is free, or holds the run of this config.

use std::fs::File;
use std::path::Path;

use serde_json::{Map, Value};

use crate::cli::log::{holds_only, lock_log};
use crate::cli::{Session, quoted};
use crate::config::Overrides;
use crate::evolve::{Manifest, Plan, RunDir, RunError};
use crate::files::{FileError, own_folder};
use crate::input::InputError;

/// What a run writes at its end. A finished run without one of them plays it again.
const RESULTS: [&str; 3] = ["comparison.json", "validation.csv", "validation.json"];

/// Opens the folder for a run, or for more of the run that it holds. Gives the plan that the run was started with, and the log,
/// which locks the folder. `None` if the run is finished and its folder cannot be written.
///
/// # Errors
/// A folder of something else, or in which another process is at work.
pub(super) fn open(
    session: &Session,
    resume: bool,
    dir: &RunDir,
    plan: &Plan,
    text: &str,
    overrides: Overrides,
) -> anyhow::Result<Option<(Plan, File)>> {
    own_folder("--out", dir.path())?;
    let known = prepare(session, resume, dir, plan, text, overrides)?;
    let finished = known.is_some() && dir.manifest()?.is_some_and(|manifest| manifest.finished);
    // A run that is read back adds nothing to its log.
    let is_whole = finished && RESULTS.iter().all(|name| dir.file(name).exists());
    let log = if is_whole { lock_log(dir.path()) } else { session.open_log(dir.path()) };
    let log = match log {
        Err(error) if finished && is_read_only(&error) => return Ok(None),
        log => log?,
    };
    let plan = match known {
        Some(known) => known,
        // Under the lock: of two processes that start here at once, one finds the other's run.
        None if dir.manifest()?.is_some() => {
            let message = "another tictune has just started a run here";
            return Err(InputError::in_file(dir.path(), message).into());
        }
        None => {
            dir.create(text, plan)?;
            plan.clone()
        }
    };
    if is_whole {
        session.start_log();
    }
    dir.remove_leftovers();
    Ok(Some((plan, log)))
}

fn is_read_only(error: &anyhow::Error) -> bool {
    let file = match error.downcast_ref() {
        Some(RunError::File(error)) => Some(error),
        _ => error.downcast_ref(),
    };
    file.is_some_and(FileError::is_read_only)
}

/// Checks that the folder holds this run, and gives the plan that it was started with; `None` if it was
/// not started yet. Without `--resume` a run that is there has to be finished: it is read back.
fn prepare(
    session: &Session,
    resume: bool,
    dir: &RunDir,
    plan: &Plan,
    text: &str,
    overrides: Overrides,
) -> anyhow::Result<Option<Plan>> {
    let refuse = |message: String| Err(InputError::in_file(dir.path(), message).into());
    if dir.is_vacant()? {
        if resume {
            session
                .note(&format!("nothing to continue in {}: the run begins", dir.path().display()));
        }
        return Ok(None);
    }
    let manifest = dir.manifest()?;
    let finished = |manifest: &Manifest| manifest.finished && manifest.config_hash == plan.hash();
    if !resume && !manifest.as_ref().is_some_and(finished) {
        return refuse(match manifest {
            Some(manifest) if manifest.config_hash != plan.hash() => {
                another_run(&manifest, plan, dir)
            }
            Some(manifest) => format!(
                "holds a run already ({}, {}); add --resume to continue it, or name another folder with --out",
                manifest.plan.name,
                if manifest.finished { "finished" } else { "unfinished" }
            ),
            None => "is not empty; name another folder with --out".into(),
        });
    }
    let Some(manifest) = manifest else {
        // A run that was stopped while its folder was made: nothing but its config, its
        // log and temporary files. Another config is somebody's own file.
        if !holds_only(dir.path(), |name| name == "config.toml" || name == "log.txt")? {
            return refuse(
                "holds no run to resume: it is not empty and has no manifest.json".into(),
            );
        }
        let config = dir.file("config.toml");
        if config.symlink_metadata().is_ok()
            && std::fs::read(&config).ok().as_deref() != Some(text.as_bytes())
        {
            return refuse(
                "holds no run to resume, but another config.toml, which would be overwritten; name another folder with --out".into(),
            );
        }
        return Ok(None);
    };
    if manifest.tictune != env!("CARGO_PKG_VERSION") {
        session.note(&format!(
            "warning: tictune {} started this run; this version may not repeat it exactly",
            manifest.tictune
        ));
    }
    for program in manifest.changed_programs() {
        session.note(&format!(
            "warning: \"{}\" is not the program that it was; games that are logged are kept as they are",
            program.command
        ));
    }
    let began = std::fs::read_to_string(dir.file("config.toml")).unwrap_or_default();
    if manifest.config_hash == plan.hash() {
        return Ok(Some(manifest.plan));
    }
    if overrides == Overrides::default() && began == text {
        session.note(&format!(
            "continuing with the options that this run was started with: seed {}",
            manifest.plan.seed
        ));
        return Ok(Some(manifest.plan));
    }
    refuse(another_run(&manifest, plan, dir))
}

/// Says that a folder holds a run of another plan, what differs, and which folder is free.
fn another_run(manifest: &Manifest, plan: &Plan, dir: &RunDir) -> String {
    const FEW: usize = 3;
    let mut differing = Vec::new();
    let values = (serde_json::to_value(&manifest.plan), serde_json::to_value(plan));
    if let (Ok(there), Ok(here)) = values {
        differences(&there, &here, "", &mut differing);
    }
    let more = match differing.len().saturating_sub(FEW) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    differing.truncate(FEW);
    let hashes = format!("config hash {}; this config's is {}", manifest.config_hash, plan.hash());
    let what = match differing.is_empty() {
        true => String::new(),
        false => format!(": {}{more}", differing.join("; ")),
    };
    let free = (2..).map(|number| format!("{}-{number}", dir.path().display()));
    let free = free.into_iter().find(|path| !Path::new(path).exists()).unwrap_or_default();
    format!(
        "holds another run, {} with seed {} ({hashes}){what}. Resume it with its own config and options, or name another \
         folder, as in --out {}",
        manifest.plan.name,
        manifest.plan.seed,
        quoted(Path::new(&free))
    )
}

/// Where two values differ: "stages[0].max_generations is 2 there and 30 here".
fn differences(there: &Value, here: &Value, place: &str, found: &mut Vec<String>) {
    match (there, here) {
        (Value::Object(a), Value::Object(b)) => {
            let keys = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key)));
            for key in keys {
                let place = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
                let value = |of: &Map<String, Value>| of.get(key).cloned().unwrap_or_default();
                differences(&value(a), &value(b), &place, found);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                differences(a, b, &format!("{place}[{index}]"), found);
            }
        }
        _ if there == here => {}
        _ => {
            let [there, here] = [there, here].map(|value| match value {
                Value::Null => "not given".into(),
                Value::Array(list) => format!("a list of {}", list.len()),
                Value::Object(_) => "given".into(),
                value => value.to_string(),
            });
            found.push(format!("{place} is {there} there and {here} here"));
        }
    }
}
