//! Where a run starts, if not at a vector of its config: at learned weights, or at the best of many starts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::noise::MOST_ROUNDS;
use super::stage::MAX_POPULATION;
use crate::learn::RegressionPlan;
use tictune_core::arena::Openings;
use tictune_core::input::{percent, small, whole};
use tictune_core::weights::Weights;

/// The regression that a run begins with. Its weights take the place of the config's start vector.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LearnedStart {
    /// The regression. It begins with the config's start vector.
    pub regression: RegressionPlan,
    /// Whether steps are the sizes of the start vector, and so of the learned weights.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub steps: bool,
}

/// Starts measured by successive halving: the first stage starts from the best.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScreeningPlan {
    /// Games of each in the first round, a multiple of 20
    #[serde(default = "whole::<200>")]
    #[schemars(range(min = 1))]
    pub games: u64,
    /// The most rounds
    #[serde(default = "small::<5>")]
    #[schemars(range(min = 1, max = MOST_ROUNDS))]
    pub rounds: u32,
    /// Where games start: no key says so.
    #[serde(default = "no_openings")]
    #[schemars(skip)]
    pub openings: Openings,
    /// Weights that take part, by name or path
    #[schemars(with = "Option<Vec<String>>", extend("x-until" = [], "default" = []))]
    pub weights: Vec<Weights>,
    /// So many vectors around the start take part
    #[serde(default)]
    #[schemars(range(min = 0, max = MAX_POPULATION))]
    pub perturbed: u64,
    /// How far around the start they lie: the multiple of the stage's step size
    #[serde(default = "percent::<100>")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub spread: f64,
    /// So many random vectors take part
    #[serde(default)]
    #[schemars(range(min = 0, max = MAX_POPULATION))]
    pub random: u64,
}

const fn no_openings() -> Openings {
    Openings::None
}

impl ScreeningPlan {
    /// The most games before a stage, if so many learned vectors take part.
    #[must_use]
    pub fn most_games(&self, learned: u64) -> u64 {
        let mut left = 1 + self.weights.len() as u64 + learned + self.perturbed + self.random;
        let mut games = 0_u64;
        for round in 0..self.rounds {
            games = games.saturating_add(left.saturating_mul(self.games << round));
            left = left.div_ceil(2).max(2);
        }
        games
    }
}

/// The least step by the start vector's values, as a part of the largest of them: weights that begin at or near 0 have
/// to move as well. Those of one published vector differ in size by a factor of about 50.
const LEAST_STEP: f64 = 0.01;

/// The size of the smallest step that `LEAST_STEP` allows beside these values; `None` if all are 0, or so small that there
/// is none.
#[must_use]
pub fn least_step(values: &[f64]) -> Option<f64> {
    let largest = values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    (largest >= f64::MIN_POSITIVE / LEAST_STEP).then_some(LEAST_STEP * largest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_starts_go_on_to_twice_the_games() {
        let screening = ScreeningPlan {
            games: 20,
            rounds: 4,
            openings: Openings::None,
            weights: Vec::new(),
            perturbed: 5,
            spread: 1.0,
            random: 0,
        };
        // Of 9 starts, 9, 5, 3 and 2 play.
        assert_eq!(screening.most_games(3), 9 * 20 + 5 * 40 + 3 * 80 + 2 * 160);
    }
}
