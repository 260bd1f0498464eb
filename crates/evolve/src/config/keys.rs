//! The keys of a config of an evolution. Each section is a struct beside what reads it.

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::final_matches::Validation;
use super::hall_of_fame::Coevolution;
use super::parameters::Parameter;
use super::regression;
use super::space::{Hold, Steps};
use super::stages::{Fitness, Opponent, Stage};
use crate::plan::{
    ComparisonPlan, FinalistsPlan, HallPlan, HeldOutPlan, MAX_POPULATION, ReevaluationPlan,
    RestartKind, RestartStart, ScreeningPlan, SigmaUnit,
};
use tictune_core::agent::{AgentSpec, Known, Scope};
use tictune_core::game::{GameInfo, NotationError};
use tictune_core::input::{InputError, Table, whole};
use tictune_core::weights::find_game;

/// A config of an evolution.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Config {
    #[serde(flatten)]
    pub(super) head: Head,
    /// Whose weights are evolved: any evaluation of the game
    pub(super) evaluation: Option<String>,
    #[schemars(extend("x-missing" = "write a [cmaes] table with initial and sigma"))]
    pub(super) cmaes: Cmaes,
    #[schemars(extend("x-missing" = "write a [fitness] table with games"))]
    pub(super) fitness: Fitness,
    /// The agent that carries the candidates; by default minimax
    #[serde(rename = "agent")]
    #[schemars(with = "Option<AgentSpec>")]
    _agent: AgentSpec,
    #[serde(default)]
    pub(super) parameters: Vec<Parameter>,
    #[serde(default)]
    pub(super) opponents: Vec<Opponent>,
    pub(super) hall_of_fame: Option<HallPlan>,
    pub(super) coevolution: Option<Coevolution>,
    #[serde(default)]
    pub(super) stages: Vec<Stage>,
    pub(super) finalists: Option<FinalistsPlan>,
    pub(super) held_out: Option<HeldOutPlan>,
    pub(super) reevaluation: Option<ReevaluationPlan>,
    pub(super) learn: Option<regression::Keys>,
    pub(super) screening: Option<ScreeningPlan>,
    pub(super) comparison: Option<ComparisonPlan>,
    pub(super) validation: Option<Validation>,
}

/// What every config begins with.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Head {
    /// Letters, digits, - _ and dots; by default the name of the file. The run is in runs/NAME
    pub name: Option<String>,
    /// The game; by default uttt
    pub game: Option<String>,
    /// The variant of the game's rules
    pub rules: Option<BTreeMap<String, Value>>,
    /// Every number of the run follows from config and seed
    #[serde(default)]
    pub seed: u64,
}

/// The optimiser.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Cmaes {
    /// Candidates a generation; by default 4 + 3 ln(weights), rounded down
    #[schemars(range(min = 2, max = MAX_POPULATION))]
    pub(super) population: Option<u32>,
    /// The step size at the beginning of a stage, in weight units, or in steps where scale makes some
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub(super) sigma: Option<f64>,
    /// What sigma counts
    #[serde(default)]
    pub(super) sigma_unit: SigmaUnit,
    /// The start vector: a number for all weights, a list, or weights by name or path; by default 0
    pub(super) initial: Option<Initial>,
    /// Weights held at 0, by name or "prefix*"
    #[serde(default)]
    pub(super) leave_out: Vec<String>,
    /// Weights held at a value, or those of a list at their initial values
    pub(super) hold: Option<Hold>,
    /// What one step of a weight is
    #[serde(default)]
    pub(super) scale: Steps,
    /// A stage stops when it has measured so many candidates
    #[serde(default = "whole::<10_000>")]
    #[schemars(range(min = 1))]
    pub(super) max_evaluations: u64,
    /// The learning rate of the mean; by default 1
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub(super) cm: Option<f64>,
    /// What restarts do when a stage stalls; by default the stage ends
    pub(super) restarts: Option<RestartKind>,
    /// Where a restart begins; by default where the stage began
    pub(super) restart_start: Option<RestartStart>,
}

/// A start vector.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(extend("x-takes" = "a finite number, a list of them, or the name or path of weights"))]
pub(super) enum Initial {
    All(f64),
    Each(Vec<f64>),
    Weights(String),
}

impl Head {
    /// The name of a config, by default that of its file.
    pub fn name(&self, root: &Table<'_, '_>, path: &Path) -> Result<String, InputError> {
        let file_stem = path.file_stem().map_or("run".into(), |s| s.to_string_lossy().into_owned());
        let name = self.name.as_deref().unwrap_or(&file_stem);
        let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if name.is_empty() || name.len() > 100 || name.starts_with('.') || !name.chars().all(fits) {
            let message = "expected letters, digits, - _ and . (the run's folder is called so)";
            return Err(root.error("name", message));
        }
        Ok(name.into())
    }

    /// The game, by default the first known one, and the folder that paths are relative to.
    pub fn scope<'s>(
        &self,
        root: &Table<'_, '_>,
        path: &'s Path,
        known: &'s Known,
    ) -> Result<Scope<'s>, InputError> {
        let name =
            self.game.as_deref().or(known.games.first().map(|game| game.name)).unwrap_or_default();
        let game =
            find_game(&known.games, name).map_err(|error| root.error("game", error.message))?;
        Ok(Scope { game, known, folder: path.parent().unwrap_or(Path::new("")) })
    }

    /// The rules, in their text form.
    pub fn rules(&self, root: &Table<'_, '_>, game: &GameInfo) -> Result<String, InputError> {
        let wrong = |error: NotationError| match root.inner("rules") {
            Some(table) => table.error_here(error),
            None => root.error("rules", error),
        };
        let Some(rules) = &self.rules else { return game.check_rules("").map_err(wrong) };
        if game.rule_keys.is_empty() {
            let message = format!("{} has no variants of its rules: leave [rules] out", game.name);
            return Err(root.error("rules", message));
        }
        root.table("rules", &game.rule_keys.iter().map(|key| key.name).collect::<Vec<_>>())?;
        let pairs = rules.iter().map(|(key, value)| match value {
            Value::String(text) => format!("{key}={text}"),
            value => format!("{key}={value}"),
        });
        game.check_rules(&pairs.collect::<Vec<_>>().join(",")).map_err(wrong)
    }
}
