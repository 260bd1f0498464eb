//! The folder of a run: whether it is free, or holds the run of this config.

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use anyhow::bail;

use super::Evolution;
use crate::cli::log::{holds_only, lock_log};
use crate::cli::quoted;
use crate::evolve::{Manifest, Plan, RunDir, ended_by_games};
use crate::files::own_folder;
use crate::input::InputError;
use crate::report::differences;

/// What a run writes at its end. A finished run without one of them plays it again.
const RESULTS: [&str; 3] = ["comparison.json", "validation.csv", "validation.json"];

/// Opens the folder for a run, or for more of the run that it holds. Gives the plan that the run was started with, and the log,
/// which locks the folder. `text` is that of the config.
pub(super) fn open(run: Evolution<'_>, text: &str) -> anyhow::Result<(Plan, File)> {
    let Evolution { session, args, plan, dir, .. } = run;
    own_folder("--out", dir.path())?;
    let known = prepare(run, text)?;
    let finished = args.games.is_none() && known.as_ref().is_some_and(|known| known.finished);
    // A run that is read back adds nothing to its log.
    let is_whole = finished && RESULTS.iter().all(|name| dir.file(name).exists());
    let log = if is_whole { lock_log(dir.path())? } else { session.open_log(dir.path())? };
    let plan = match (known, args.games) {
        (Some(known), Some(games)) => with_more_games(run, known, games)?,
        (Some(known), None) if args.finish && !finished => dir.end_early(known)?,
        (Some(known), None) => known.plan,
        // Under the lock: of two processes that start here at once, one finds the other's run.
        (None, _) if dir.manifest()?.is_some() => {
            let message = "another tictune has just started a run here";
            bail!(InputError::in_file(dir.path(), message));
        }
        (None, _) => {
            dir.create(text, plan)?;
            plan.clone()
        }
    };
    if is_whole {
        session.start_log();
    }
    dir.remove_leftovers(Duration::ZERO);
    Ok((plan, log))
}

/// Gives the run of the folder more games, in whole generations.
fn with_more_games(run: Evolution<'_>, manifest: Manifest, games: u64) -> anyhow::Result<Plan> {
    let Evolution { session, dir, .. } = run;
    let generation =
        manifest.plan.stages.last().map_or(1, |stage| stage.games_of(stage.population));
    let ended = manifest.stages.last().filter(|_| manifest.finished);
    if let Some(ended) = ended.filter(|ended| !ended_by_games(&ended.stopped)) {
        let message = format!(
            "--games: its last stage ended for another reason than its number of games, \"{}\", and would end again",
            ended.stopped
        );
        bail!(InputError::in_file(dir.path(), message));
    }
    let more = games / generation;
    if more == 0 {
        let message = format!("--games: a generation has {generation} games, found {games}");
        bail!(InputError::new(message));
    }
    session.note(&format!("generations added: {more}, with {} games", more * generation));
    Ok(dir.add_generations(manifest, more.cast_signed())?)
}

/// Checks that the folder holds this run, and gives the manifest that it was started with; `None` if it was
/// not started yet. Without `--resume` a run that is there has to be finished: it is read back.
fn prepare(run: Evolution<'_>, text: &str) -> anyhow::Result<Option<Manifest>> {
    let Evolution { session, args, plan, dir, .. } = run;
    let refuse = |message: &str| Err(InputError::in_file(dir.path(), message).into());
    if dir.is_vacant()? {
        if args.games.is_some() || args.finish {
            return refuse("contains no run; --games and --finish are for a run that has begun");
        }
        if args.resume {
            let folder = dir.path().display();
            session.note(&format!("nothing to continue in {folder}: the run begins"));
        }
        return Ok(None);
    }
    let Some(manifest) = dir.manifest()? else {
        if !args.resume {
            return refuse("is not empty; name another folder with --out");
        }
        // A run that was stopped while its folder was made: nothing but its config, its log and temporary files. Another config
        // is somebody's own file.
        let is_ours = holds_only(dir.path(), |name| name == "config.toml" || name == "log.txt")?;
        let config = dir.file("config.toml");
        let is_own = std::fs::read(&config).is_ok_and(|own| own == text.as_bytes());
        if !is_ours || config.symlink_metadata().is_ok() && !is_own {
            return refuse(
                "contains no run to resume: it has no manifest.json, and files that this config did not write; name another folder with --out",
            );
        }
        return Ok(None);
    };
    let is_this = manifest.belongs_to(plan);
    if !args.resume && !is_this {
        return refuse(&another_run(&manifest, plan, dir));
    }
    if !args.resume && !manifest.finished {
        return refuse(&format!(
            "already contains a run ({}, unfinished); add --resume to continue it, or name another folder with --out",
            manifest.plan.name
        ));
    }
    if manifest.tictune != env!("CARGO_PKG_VERSION") {
        session.note(&format!(
            "warning: tictune {} started this run; this version may not repeat it exactly",
            manifest.tictune
        ));
    }
    for program in manifest.changed_programs() {
        session.note(&format!(
            "warning: the program \"{}\" has changed; logged games are kept as they are",
            program.command
        ));
    }
    let began = std::fs::read_to_string(dir.file("config.toml")).unwrap_or_default();
    let has_no_options = args.seed.is_none() && args.max_generations.is_none();
    if !is_this {
        if !has_no_options || began != text {
            return refuse(&another_run(&manifest, plan, dir));
        }
        let seed = manifest.plan.seed;
        session.note(&format!("continuing with the options of the run's start: seed {seed}"));
    }
    Ok(Some(manifest))
}

/// Says that a folder holds a run of another plan, what differs, and which folder is free.
fn another_run(manifest: &Manifest, plan: &Plan, dir: &RunDir) -> String {
    const FEW: usize = 3;
    let differing = differences(&[&manifest.plan, plan]);
    let said = |(key, values): &(String, Vec<Option<String>>)| {
        let [there, here] = [0, 1].map(|plan| values[plan].as_deref().unwrap_or("not given"));
        let key = key.trim_start_matches("space.");
        format!("{key} is {there} there and {here} here")
    };
    let more = differing.len().saturating_sub(FEW);
    let more = (more > 0).then(|| format!("and {more} more"));
    let differing: Vec<String> = differing.iter().take(FEW).map(said).chain(more).collect();
    let what = if differing.is_empty() { "" } else { ": " };
    let free = (2..).map(|number| format!("{}-{number}", dir.path().display()));
    let free = free.into_iter().find(|path| !Path::new(path).exists()).unwrap_or_default();
    let Manifest { plan: Plan { name, seed, .. }, config_hash, .. } = manifest;
    format!(
        "contains another run, {name} with seed {seed} (config hash {config_hash}; this config's is {}){what}{}. Resume it with its \
         own config and options, or name another folder, as in --out {}",
        plan.hash(),
        differing.join("; "),
        quoted(free)
    )
}
