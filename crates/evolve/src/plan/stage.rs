//! A stage: when it ends, and how its candidates are measured.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fitness::{FitnessPlan, OpponentPlan};
use tictune_core::agent::AgentSpec;

/// The most candidates a generation and weights may have: far above what a run can use.
pub(crate) const MAX_POPULATION: u32 = 100_000;

/// One stage of an evolution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StagePlan {
    /// Plies that the agents search, where their spec does not say; the most of them where depths are mixed. 0 where a
    /// runner plays.
    pub depth: u32,
    /// The depths that are mixed within one fitness, ascending; empty where there is only one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depths: Vec<u32>,
    /// Candidates a generation.
    pub population: usize,
    /// The step size at its beginning, in weight units or in steps: see [`SlotPlan`](super::space::SlotPlan).
    pub sigma: f64,
    /// Where its distribution is centred at its beginning.
    pub start: Start,
    /// When it ends.
    pub stops: Stops,
    /// How candidates are measured.
    pub fitness: FitnessPlan,
}

impl StagePlan {
    /// Whether its agents search to a depth. The programs of a runner do not, as far as anybody knows.
    #[must_use]
    pub const fn has_depth(&self) -> bool {
        self.depth > 0
    }

    /// Its depth in words: a number, or all that are mixed.
    #[must_use]
    pub fn depth_in_words(&self) -> String {
        if self.depths.is_empty() {
            return self.depth.to_string();
        }
        self.depths.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
    }

    /// An opponent of the stage as it plays: with the depth of its games.
    #[must_use]
    pub fn opponent(&self, plan: &OpponentPlan) -> AgentSpec {
        plan.agent.with_default_depth(plan.depth.unwrap_or(self.depth))
    }

    /// The most generations that the stops allow.
    #[must_use]
    pub fn most_generations(&self) -> u64 {
        let by_evaluations = self.stops.max_evaluations.div_ceil(self.population as u64);
        self.stops.max_generations.map_or(by_evaluations, |most| most.min(by_evaluations))
    }
}

/// Where a stage starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Start {
    /// At the initial vector of the config.
    Initial,
    /// At the best candidate of the stage before (Liang).
    Best,
    /// At the mean of the stage before.
    Mean,
    /// At the winner of the finalists of the stage before.
    Winner,
}

/// The stops of a stage. They are looked at after each generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stops {
    /// The most generations
    #[schemars(range(min = 1))]
    pub max_generations: Option<u64>,
    /// Its own most candidates
    #[serde(default)]
    #[schemars(with = "Option<u64>", range(min = 1), extend("default" = null))]
    pub max_evaluations: u64,
    /// Stop when a candidate is as good as this
    pub target_fitness: Option<f64>,
    /// Stop after this time of playing: the only stop that depends on the machine
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub max_seconds: Option<f64>,
    /// Stop after so many generations without a better best or median fitness
    #[schemars(range(min = 1))]
    pub stagnation: Option<u64>,
}
