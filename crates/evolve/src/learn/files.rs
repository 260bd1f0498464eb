//! The files of a regression: its weights, and `summary.json`, the last that is written.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::plan::RegressionPlan;
use super::run::{MatchFigures, Regression, RoundFigures};
use tictune_core::files::{FileError, write_atomically};
use tictune_core::weights::{Weights, write_weights};

/// What `summary.json` holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RegressionSummary {
    /// The name of the run.
    pub name: String,
    /// [`RegressionPlan::hash`].
    pub config_hash: String,
    /// The version of tictune.
    pub tictune: String,
    /// `regression`.
    pub method: String,
    /// The game.
    pub game: String,
    /// The rules, in their text form.
    pub rules: String,
    /// The seed of the run.
    pub seed: u64,
    /// The evaluation whose weights were fitted.
    pub evaluation: String,
    /// The rounds.
    pub rounds: Vec<RoundFigures>,
    /// The match of the learned weights, if there was one.
    #[serde(rename = "match")]
    pub played: Option<MatchFigures>,
    /// The files of the weights of the last round. The last is that of the learned ones.
    pub learned: Vec<String>,
}

impl RegressionSummary {
    /// Writes the weights and the summary of a regression to a folder that exists.
    ///
    /// # Errors
    /// A failure of the file system.
    pub fn write(
        folder: &Path,
        plan: &RegressionPlan,
        found: &Regression,
    ) -> Result<Self, FileError> {
        let file = |weights: &Weights| format!("{}.toml", weights.name);
        for weights in &found.weights {
            let path = folder.join(file(weights));
            write_weights(&path, weights).map_err(FileError::writing(&path))?;
        }
        let summary = Self {
            name: plan.name.clone(),
            config_hash: plan.hash(),
            tictune: env!("CARGO_PKG_VERSION").into(),
            method: "regression".into(),
            game: plan.game.clone(),
            rules: plan.rules.clone(),
            seed: plan.seed,
            evaluation: plan.initial.layout().name.into(),
            rounds: found.rounds.clone(),
            played: found.played.clone(),
            learned: found.weights.iter().map(file).collect(),
        };
        let path = folder.join("summary.json");
        let mut text = serde_json::to_string_pretty(&summary)
            .map_err(|error| FileError::writing(&path)(error.into()))?;
        text.push('\n');
        write_atomically(&path, text.as_bytes()).map_err(FileError::writing(&path))?;
        Ok(summary)
    }
}
