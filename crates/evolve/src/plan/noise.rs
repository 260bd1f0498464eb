//! What an evolution does against the noise of its fitness: settings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use tictune_core::arena::{MAX_GAMES, Openings};

/// Blocks of a round of finalists: enough for a variance, few enough to keep threads busy.
pub const BLOCKS: u64 = 10;

/// The settings against noise. By default there are none, and an evolution is the plain one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NoisePlan {
    /// The re-evaluation of finalists at the end of each stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finalists: Option<FinalistsPlan>,
    /// The checks of a stage's mean on held-out openings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_out: Option<HeldOutPlan>,
    /// Further games for the candidates of a generation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reevaluation: Option<ReevaluationPlan>,
    /// Restarts of the optimiser when a stage stalls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restarts: Option<RestartPlan>,
    /// The learning rate of the mean, if it is damped: above 0, at most 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_rate: Option<f64>,
}

impl NoisePlan {
    /// Whether nothing is done.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// Which vectors of a stage are measured again at its end, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FinalistsPlan {
    /// Games of each finalist in the first round; each further round has twice as many.
    pub games: u64,
    /// The most rounds.
    pub rounds: u32,
    /// How many candidates of the lowest fitness measured take part, at least 1.
    pub best: u64,
    /// How many means take part, spread evenly over the generations; the last is the final one. At least 1.
    pub means: u64,
    /// Over how many of the last generations means are averaged for one more; below 2 for none.
    pub average: u64,
    /// Whether the start vector takes part.
    pub start: bool,
    /// Whether the optimum of a model of all evaluations takes part.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub model: bool,
    /// Where games start.
    pub openings: Openings,
}

/// How a stage finds out whether its mean still improves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldOutPlan {
    /// Generations from one check to the next.
    pub every: u64,
    /// Games of a check, an even number; the same ones at every check.
    pub games: u64,
    /// So many checks in a row without anything better end the stage, or a run of its optimiser.
    pub patience: u64,
    /// Where games start.
    pub openings: Openings,
}

/// Successive halving within a generation: the better half of the candidates plays further games, and of those that
/// played last the better half again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReevaluationPlan {
    /// Games of a candidate in a round; by default as many as the fitness has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = MAX_GAMES))]
    pub games: Option<u64>,
    /// The most rounds in a generation.
    #[serde(default = "two")]
    #[schemars(range(min = 1, max = 1000))]
    pub rounds: u32,
}

const fn two() -> u32 {
    2
}

/// When and how a stage's optimiser is restarted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RestartPlan {
    /// Which populations restarts have.
    pub kind: RestartKind,
    /// Where the distribution of a restart is centred.
    pub start: RestartStart,
}

impl RestartPlan {
    /// The most restarts of a stage.
    pub const MOST: u64 = 9;
    /// By what the population grows.
    pub const GROWTH: f64 = 2.0;
}

/// Which populations restarts have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("x-word" = "kind"))]
#[serde(rename_all = "lowercase")]
pub enum RestartKind {
    /// Larger ones each time.
    Ipop,
    /// Larger ones and small ones in turn.
    Bipop,
}

/// Where the distribution of a restart is centred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("x-word" = "start"))]
#[serde(rename_all = "lowercase")]
pub enum RestartStart {
    /// Where the stage began.
    Start,
    /// At the mean of the run that stalled.
    Mean,
}
