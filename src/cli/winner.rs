//! The vectors of a finished run, and which of them won.

use super::Session;
use std::path::Path;

use super::nearby::no_run;
use super::runs::RunState;
use crate::evolve::{Comparison, Manifest, Plan, RunDir, Vector, agent_file, read_vector};
use crate::input::InputError;
use crate::weights::Weights;

pub(super) fn open_run(path: &Path, session: &Session) -> anyhow::Result<(Manifest, [Vector; 2])> {
    if path.is_file() {
        let message = "is no folder of a run; for a config, name the best and the mean after it";
        return Err(InputError::in_file(path, message).into());
    }
    let dir = RunDir::new(path, session.known());
    let Some(manifest) = dir.manifest()? else {
        return Err(no_run(path).into());
    };
    if !dir.file("mean.toml").exists() && !dir.file(&agent_file("mean")).exists() {
        let state = RunState::of(path, session);
        let command = state.and_then(|state| state.resume);
        let command =
            command.unwrap_or_else(|| format!("{} evolve CONFIG --resume", session.program()));
        let message = format!("this run is not finished; continue it with: {command}");
        return Err(InputError::in_file(path, message).into());
    }
    let read = |name| read_vector(&manifest.plan, &dir, name);
    let vectors = [read("best")?, read("mean")?];
    Ok((manifest, vectors))
}

pub(super) fn winner_vector(path: &Path, session: &Session) -> anyhow::Result<(Plan, Vector)> {
    let known = session.known();
    let (manifest, [best, mean]) = open_run(path, session)?;
    let comparison: Option<Comparison> = RunDir::new(path, known).read_json("comparison.json")?;
    let mean_won = comparison.is_some_and(|comparison| comparison.winner == "mean");
    let winner = match &manifest.plan.noise.finalists {
        Some(_) => read_vector(&manifest.plan, &RunDir::new(path, known), "winner")?,
        None if mean_won => mean,
        None => best,
    };
    Ok((manifest.plan, winner))
}

/// The winner's weights of a run, under the name of the run: every run has a winner.
pub(super) fn named_after_run(run: &Path, session: &Session) -> anyhow::Result<Weights> {
    let (plan, winner) = winner_vector(run, session)?;
    let mut weights = winner.weights.ok_or_else(|| {
        let message = format!(
            "this run evolved no weights, but numbers of an agent: `{program} export RUN --format json` writes them. The \
             agents are in best-agent.txt, mean-agent.txt and, with finalists, winner-agent.txt: try {program} match \
             @RUN/best-agent.txt OTHER",
            program = session.program()
        );
        InputError::in_file(run, message)
    })?;
    weights.name = plan.name;
    Ok(weights)
}
