//! A stage: where it starts, when it ends, and how its candidates are measured.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fitness::{FitnessPlan, OpponentPlan, SelfPlayPlan};
use crate::learn::RegressionPlan;
use tictune_core::agent::AgentSpec;
use tictune_core::arena::MAX_GAMES;
use tictune_core::input::{InputError, Result};

/// The mean plays one game against the start of the run for this many games of candidates.
const PART_AGAINST_START: u64 = 20;

/// The largest population, and the most weights: far above what a run can use.
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
    pub const fn has_depth(&self) -> bool {
        self.depth > 0
    }

    /// Its depth in words: a number, or all that are mixed.
    pub fn depth_in_words(&self) -> String {
        if self.depths.is_empty() {
            return self.depth.to_string();
        }
        self.depths.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
    }

    /// An opponent of the stage as it plays: with the depth of its games.
    pub fn opponent(&self, plan: &OpponentPlan) -> AgentSpec {
        plan.agent.with_default_depth(plan.depth.unwrap_or(self.depth))
    }

    /// The games of so many candidates of a generation and of its mean, those against the start among them. What two candidates play each
    /// other counts for both.
    pub fn games_of(&self, candidates: usize) -> u64 {
        let of_two = self.fitness.games_of_self_play();
        let of_opponents = self.fitness.games - of_two;
        let candidates = candidates as u64;
        (candidates + 1) * of_opponents
            + (candidates.div_ceil(2) + self.matches_against_start()) * of_two
    }

    /// How many matches the mean plays against the start of the run in each generation; each has as many games as the two of a
    /// pair play against each other. A twentieth of the games of candidates, and at least one match, tells how much was won so far.
    pub fn matches_against_start(&self) -> u64 {
        let (candidates, of_two) = (self.population as u64, self.fitness.games_of_self_play());
        if of_two == 0 {
            return 0;
        }
        let games = candidates * (self.fitness.games - of_two) + candidates / 2 * of_two;
        let matches = games.div_ceil(PART_AGAINST_START * of_two);
        matches.max(1)
    }

    /// Whether a candidate has so few games that the best of many has won them all, and the fitness of a generation says little.
    pub const fn has_few_games(&self) -> bool {
        self.fitness.games < 12
    }

    /// How many openings the games of a generation start from.
    pub fn openings_of_generation(&self) -> u64 {
        let of_start = self.matches_against_start() * self.fitness.games_of_self_play();
        self.fitness.openings_of(self.fitness.games + of_start)
    }

    /// The most generations that the stops allow.
    pub fn most_generations(&self) -> u64 {
        let by_evaluations = self.stops.max_evaluations.div_ceil(self.population as u64);
        self.stops.max_generations.map_or(by_evaluations, |most| most.min(by_evaluations))
    }

    /// The stage with another number of games for each candidate, shared among its opponents as before.
    ///
    /// # Errors
    /// An odd number where games are played in pairs or halves; too many; too few for every opponent.
    pub fn in_games(&self, games: u64) -> Result<Self> {
        let fitness = &self.fitness;
        if games == fitness.games {
            return Ok(self.clone());
        }
        let refuse = |expected: String| {
            Err(InputError::new(format!("games: expected {expected}, found {games}")))
        };
        if !games.is_multiple_of(fitness.schedule.unit()) {
            return refuse(format!("an even number with schedule {}", fitness.schedule));
        }
        if !(1..=MAX_GAMES).contains(&games) {
            return refuse(format!("a number from 1 to {MAX_GAMES}"));
        }
        let mut stage = self.clone();
        stage.fitness.games = games;
        stage.fitness.share(games);
        if stage.fitness.opponents.iter().any(|plan| plan.games == 0) {
            return refuse(format!("enough for all {} opponents", fitness.opponents.len()));
        }
        Ok(stage)
    }

    /// The stage for candidates that are measured singly, without a partner. If they played only their partners, they play
    /// `start` instead.
    pub fn one_by_one(mut self, start: &AgentSpec) -> Self {
        let fitness = &mut self.fitness;
        let of_two = fitness.games_of_self_play();
        let entry = |plan: SelfPlayPlan| OpponentPlan {
            agent: start.clone(),
            depth: (plan.depth > 0).then_some(plan.depth),
            openings: None,
            games: plan.games,
        };
        let in_its_place = std::mem::take(&mut fitness.self_play).into_iter().map(entry);
        if fitness.opponents.is_empty() {
            fitness.opponents.extend(in_its_place);
        } else {
            fitness.games -= of_two;
        }
        self
    }

    /// The stage as candidates play it against vectors that are named for each: an entry for each depth takes the place of
    /// the opponents.
    pub fn against_vectors(mut self) -> Self {
        let mut depths = Vec::new();
        self.fitness.opponents.retain(|plan| {
            let is_new = !depths.contains(&plan.depth);
            depths.push(plan.depth);
            is_new
        });
        for plan in &mut self.fitness.opponents {
            (plan.openings, plan.games) = (None, 1);
        }
        self.fitness.share(self.fitness.games);
        self
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
}

/// The regression that a run begins with. Its weights take the place of the config's start vector, unless that is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LearnedStart {
    /// The regression. It begins with the config's start vector.
    pub regression: RegressionPlan,
    /// Whether steps are the sizes of the start vector, and so of the learned weights.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub steps: bool,
    /// Whether the optimiser looks in the directions that move values alike, as its positions tell.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub axes: bool,
    /// Whether the start stays what it is: positions tell the directions alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keeps_start: bool,
}

/// The least step by the start vector's values, as a part of the largest of them: weights that begin at or near 0 have
/// to move as well. Those of one published vector differ in size by a factor of about 50.
const LEAST_STEP: f64 = 0.01;

/// The size of the smallest step that `LEAST_STEP` allows beside these values; `None` if all are 0, or too small for
/// one.
pub fn least_step(values: &[f64]) -> Option<f64> {
    let largest = values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    (largest >= f64::MIN_POSITIVE / LEAST_STEP).then_some(LEAST_STEP * largest)
}
