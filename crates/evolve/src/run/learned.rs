//! The regression that a run begins with, in its folder `learn`.

use super::dir::RunDir;
use crate::error::Result;
use crate::learn::{Regression, RegressionSummary};
use crate::plan::{LearnedStart, Plan};
use tictune_core::files::FileError;
use tictune_core::input::InputError;
use tictune_core::weights::{Weights, read_weights, write_weights};

/// The regression of a run as a folder of its own.
pub fn learn_dir(dir: &RunDir) -> RunDir {
    RunDir::new(dir.file("learn"), dir.known())
}

#[doc(hidden)]
impl RunDir {
    /// Writes the weights of a regression, and `summary.json` last.
    pub fn write_regression(&self, found: Regression) -> Result<RegressionSummary> {
        for (weights, file) in found.weights.iter().zip(&found.summary.learned) {
            let path = self.file(file);
            write_weights(&path, weights).map_err(FileError::writing(&path))?;
        }
        self.write_json("summary.json", &found.summary)?;
        Ok(found.summary)
    }
}

/// The result of the regression that a run begins with; `None` if the plan has none, or it is still to be played.
pub fn learned_start(plan: &Plan, dir: &RunDir) -> Result<Option<RegressionSummary>> {
    let Some(LearnedStart { regression, .. }) = &plan.learn else { return Ok(None) };
    let dir = learn_dir(dir);
    let summary: Option<RegressionSummary> = dir.read_json("summary.json")?;
    match summary {
        Some(summary) if summary.config_hash != regression.hash() => {
            let message = "is of another config: delete the folder, and its games are played again";
            Err(InputError::in_file(&dir.file("summary.json"), message).into())
        }
        summary => Ok(summary),
    }
}

/// The plan with its learned start, and all weights that were learned. The plan itself where none are.
pub fn with_learned_start(plan: &Plan, dir: &RunDir) -> Result<(Plan, Vec<Weights>)> {
    if plan.learn.is_none() {
        return Ok((plan.clone(), Vec::new()));
    }
    let Some(summary) = learned_start(plan, dir)? else {
        let message = "the start of this run is not learned yet: play its regression first, as tictune evolve does";
        return Err(InputError::in_file(dir.path(), message).into());
    };
    let folder = learn_dir(dir);
    let layout = plan.layout();
    let mut learned = Vec::new();
    for file in &summary.learned {
        let path = folder.file(file);
        let weights = read_weights(&path, &dir.known().games)?;
        if Some(weights.layout()) != layout {
            let message = "is not of the evaluation that is evolved";
            return Err(InputError::in_file(&path, message).into());
        }
        learned.push(weights);
    }
    let Some(start) = learned.last() else {
        let path = folder.file("summary.json");
        return Err(InputError::in_file(&path, "names no learned weights").into());
    };
    Ok((plan.started_from(start), learned))
}
