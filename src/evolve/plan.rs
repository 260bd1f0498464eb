//! The checked form of a config: everything that decides a run, as plain data.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::space::Space;
use crate::agent::{AgentSpec, Limit};
use crate::arena::{Openings, Schedule};
use crate::eval::WeightLayout;
use crate::stats::Tally;
use crate::weights::Weights;

/// An evolution to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The run's name: what its folder is called.
    pub name: String,
    /// The game.
    pub game: String,
    /// The rules, in their text form.
    pub rules: String,
    /// The seed of everything.
    pub seed: u64,
    /// The start vector; its layout is the evaluation that is evolved.
    pub initial: Weights,
    /// What of it the optimiser moves, and in what units.
    #[serde(default, skip_serializing_if = "Space::is_plain")]
    pub space: Space,
    /// Who carries the candidate weights: a spec without weights and depth.
    pub agent: AgentSpec,
    /// The stages in order, at least one.
    pub stages: Vec<StagePlan>,
    /// Best against mean at the end.
    pub comparison: ComparisonPlan,
    /// The gauntlet of the winner; without depths there is none.
    pub validation: ValidationPlan,
}

impl Plan {
    /// The slots that are evolved.
    #[must_use]
    pub const fn layout(&self) -> &'static WeightLayout {
        self.initial.layout()
    }

    /// A fingerprint of all that decides the run: 16 hexadecimal digits.
    #[must_use]
    pub fn hash(&self) -> String {
        let json = serde_json::to_vec(self).unwrap_or_default();
        Sha256::digest(&json).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// One stage of an evolution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StagePlan {
    /// Plies that the agents search, where their spec does not say.
    pub depth: u32,
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
    /// The most generations that the stops allow.
    #[must_use]
    pub fn most_generations(&self) -> u64 {
        let by_evaluations = self.stops.max_evaluations.div_ceil(self.population as u64);
        self.stops.max_generations.map_or(by_evaluations, |most| most.min(by_evaluations))
    }
}

/// Where a stage starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stops {
    /// Generations.
    pub max_generations: Option<u64>,
    /// Candidates measured in the stage.
    pub max_evaluations: u64,
    /// A fitness that is good enough.
    pub target_fitness: Option<f64>,
    /// Seconds of playing in the stage. The one stop that is no function of config and seed.
    pub max_seconds: Option<f64>,
    /// Generations in which neither the best nor the median fitness improved on its record.
    pub stagnation: Option<u64>,
}

/// How a candidate's fitness is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FitnessPlan {
    /// Games a candidate plays.
    pub games: u64,
    /// Who moves first when.
    pub schedule: Schedule,
    /// Where games start.
    pub openings: Openings,
    /// Whether generations play the same games.
    pub seeds: Seeds,
    /// From results to a cost.
    pub score: ScoreRule,
    /// Whom the candidates play, and how many games each: see [`share_games`].
    pub opponents: Vec<OpponentPlan>,
}

/// An opponent of the candidates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpponentPlan {
    /// Who it is; its depth follows the stage unless it is given.
    pub agent: AgentSpec,
    /// Its games of each candidate.
    pub games: u64,
}

/// Whether the games of a fitness change from generation to generation. The candidates of one
/// generation always play the same ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Seeds {
    /// The same games in every generation (Liang).
    Fixed,
    /// New games each generation.
    Fresh,
}

/// The cost of a candidate's results; smaller is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScoreRule {
    /// games - (wins + ties / 2), what Liang's program computed.
    HalfTies,
    /// games - wins + ties / 2, as Liang 2.3.1 prints it: a tie costs more than a loss.
    AsPrinted,
}

impl ScoreRule {
    /// The fitness of results.
    #[must_use]
    pub fn fitness(self, tally: &Tally) -> f64 {
        let [games, wins, ties] =
            [tally.games(), tally.wins, tally.draws].map(|count| count as f64);
        match self {
            Self::HalfTies => games - (wins + ties / 2.0),
            Self::AsPrinted => games - wins + ties / 2.0,
        }
    }
}

/// Best against mean: who carries them, and how they play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparisonPlan {
    /// Games, an even number.
    pub games: u64,
    /// Who carries both vectors.
    pub agent: AgentSpec,
    /// Where games start.
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
    /// Where games start.
    pub openings: Vec<Openings>,
}

/// Splits games by shares: whole pairs (single games where `unit` is 1) by largest remainder, the
/// earlier opponent first where remainders are equal.
#[must_use]
pub fn share_games(games: u64, unit: u64, shares: &[f64]) -> Vec<u64> {
    let units = games / unit;
    let total: f64 = shares.iter().sum();
    let exact: Vec<f64> = shares.iter().map(|share| units as f64 * share / total).collect();
    let mut split: Vec<u64> = exact.iter().map(|units| units.floor() as u64).collect();
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by(|&a, &b| exact[b].fract().total_cmp(&exact[a].fract()));
    let missing = units.saturating_sub(split.iter().sum()) as usize;
    for &index in order.iter().cycle().take(missing) {
        split[index] += 1;
    }
    split.iter().map(|units| units * unit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fitness_rules() {
        let tally = Tally { wins: 100, draws: 50, losses: 150 };
        assert_eq!(ScoreRule::HalfTies.fitness(&tally), 175.0);
        assert_eq!(ScoreRule::AsPrinted.fitness(&tally), 225.0);
        let sweep = Tally { wins: 300, draws: 0, losses: 0 };
        assert_eq!(ScoreRule::HalfTies.fitness(&sweep), 0.0);
    }

    #[test]
    fn shares_are_rounded_to_whole_pairs_by_largest_remainder() {
        assert_eq!(share_games(300, 2, &[1.0]), [300]);
        assert_eq!(share_games(300, 2, &[1.0, 1.0, 1.0]), [100, 100, 100]);
        assert_eq!(share_games(20, 2, &[1.0, 1.0, 1.0]), [8, 6, 6]);
        assert_eq!(share_games(10, 2, &[0.5, 0.3, 0.2]), [6, 2, 2]);
        assert_eq!(share_games(10, 1, &[0.55, 0.45]), [6, 4]);
        assert_eq!(share_games(6, 2, &[1.0, 0.01]), [6, 0]);
    }
}
