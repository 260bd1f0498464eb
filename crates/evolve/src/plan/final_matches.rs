//! What the end of a run plays: best against mean, and the validation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use tictune_core::agent::{AgentSpec, Limit};
use tictune_core::arena::{MAX_GAMES, Openings};
use tictune_core::input::whole;
use tictune_core::weights::Weights;

/// Best against mean at the end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparisonPlan {
    /// An even number
    #[serde(default = "whole::<1000>")]
    #[schemars(range(min = 2, max = MAX_GAMES))]
    pub games: u64,
    /// The agent that carries both; by default that of the candidates at the greatest depth of the stages
    #[schemars(with = "Option<AgentSpec>")]
    pub agent: AgentSpec,
    /// Where games start; by default random:4:held-out
    #[schemars(with = "Option<String>", extend("x-until" = "none"))]
    pub openings: Openings,
}

/// The gauntlet that the winner runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValidationPlan {
    /// Games of each row, an even number.
    pub games: u64,
    /// The depths of minimax at which it plays each opponent.
    pub depths: Vec<u32>,
    /// The limits of iterative deepening with which it plays each opponent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub iterative: Vec<Limit>,
    /// The limits of Monte Carlo tree search with which early playout termination plays random
    /// playouts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub early_termination: Vec<Limit>,
    /// The vectors that it plays.
    pub opponents: Vec<Weights>,
    /// Further agents that the winner's agent plays, with the depth of the last stage unless they have their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentSpec>,
    /// Where games start.
    pub openings: Vec<Openings>,
}
