//! What an evolution does against the noise of its fitness: settings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use tictune_core::arena::{MAX_GAMES, Openings};
use tictune_core::input::{small, whole, yes};

/// Blocks of a round of finalists: enough for a variance, few enough to keep threads busy.
pub const BLOCKS: u64 = 10;

/// The most finalists of a kind: far above what can be told apart.
const MOST_FINALISTS: u32 = 1000;

/// The most rounds: each doubles the games.
pub(super) const MOST_ROUNDS: u32 = 16;

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

/// The candidates for the winner of each stage are measured again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FinalistsPlan {
    /// Games of each in the first round, a multiple of 20
    #[serde(default = "whole::<200>")]
    #[schemars(range(min = 1))]
    pub games: u64,
    /// The most rounds, each with twice the games of the one before
    #[serde(default = "small::<4>")]
    #[schemars(range(min = 1, max = MOST_ROUNDS))]
    pub rounds: u32,
    /// How many candidates with the lowest fitness
    #[serde(default = "whole::<3>")]
    #[schemars(range(min = 1, max = MOST_FINALISTS))]
    pub best: u64,
    /// How many means, spread evenly over the generations
    #[serde(default = "whole::<3>")]
    #[schemars(range(min = 1, max = MOST_FINALISTS))]
    pub means: u64,
    /// The average of so many last means is one more finalist
    #[serde(default = "whole::<10>")]
    #[schemars(range(min = 0, max = MOST_FINALISTS))]
    pub average: u64,
    /// The start vector of the stage too
    #[serde(default = "yes")]
    pub start: bool,
    /// The optimum of a model of all evaluations of the stage too
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(extend("default" = false))]
    pub model: bool,
    /// Where games start; by default random:4:held-out
    #[schemars(with = "Option<String>", extend("x-until" = "none"))]
    pub openings: Openings,
}

/// Checks whether the mean still improves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HeldOutPlan {
    /// Generations from check to check
    #[serde(default = "whole::<5>")]
    #[schemars(range(min = 1))]
    pub every: u64,
    /// Games of a check, an even number
    #[serde(default = "whole::<200>")]
    #[schemars(range(min = 2, max = MAX_GAMES))]
    pub games: u64,
    /// So many checks without improvement end the stage, or lead to a restart
    #[serde(default = "whole::<4>")]
    #[schemars(range(min = 1))]
    pub patience: u64,
    /// Where games start; by default random:4:held-out
    #[schemars(with = "Option<String>", extend("x-until" = "none"))]
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
    #[serde(default = "small::<2>")]
    #[schemars(range(min = 1, max = 1000))]
    pub rounds: u32,
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
