//! The checked form of a config: everything that decides a run, as plain data.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::measure::coevolution::Lane;
use super::noise::NoisePlan;
use super::opposition::{CoevolutionPlan, HallPlan};
use super::space::Space;
use crate::agent::{AgentSpec, Limit};
use crate::arena::{Openings, Schedule};
use crate::game::WeightLayout;
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
    /// The start vector; its layout is the evaluation that is evolved. None where no weights are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial: Option<Weights>,
    /// What the optimiser moves, and in what units.
    #[serde(default, skip_serializing_if = "Space::is_plain")]
    pub space: Space,
    /// Who carries the candidates: a spec without depth, and without weights where those are evolved.
    pub agent: AgentSpec,
    /// The stages in order, at least one.
    pub stages: Vec<StagePlan>,
    /// Best against mean at the end.
    pub comparison: ComparisonPlan,
    /// The gauntlet of the winner; without depths there is none.
    pub validation: ValidationPlan,
    /// What is done against the noise of the fitness.
    #[serde(default, skip_serializing_if = "NoisePlan::is_none")]
    pub noise: NoisePlan,
}

impl Plan {
    /// The evaluation whose slots are evolved; none where only parameters are.
    #[must_use]
    pub fn layout(&self) -> Option<&'static WeightLayout> {
        self.initial.as_ref().map(Weights::layout)
    }

    /// The openings of training among which held-out ones may be, where comparison, validation, finalists or
    /// checks of the mean play from held-out ones: what is shown there may then have been trained on. `None` if all is well.
    #[must_use]
    pub fn trains_on_held_out(&self) -> Option<&Openings> {
        let finalists = self.noise.finalists.as_ref().map(|plan| &plan.openings);
        let checks = self.noise.held_out.as_ref().map(|plan| &plan.openings);
        let at_the_end = self.validation.openings.iter().chain([&self.comparison.openings]);
        let mut at_the_end = at_the_end.chain(finalists).chain(checks);
        let training = self.stages.iter().flat_map(|stage| {
            let hall = stage.fitness.hall.as_ref().map(|hall| &hall.openings);
            let own = stage.fitness.opponents.iter().filter_map(|plan| plan.openings.as_ref());
            std::iter::once(&stage.fitness.openings).chain(own).chain(hall)
        });
        let mut training = training.filter(|openings| openings.may_be_held_out());
        if at_the_end.any(Openings::are_held_out) { training.next() } else { None }
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
    /// Plies that the agents search, where their spec does not say; the most of them where depths are mixed.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// What several opponents' results come to.
    #[serde(default, skip_serializing_if = "Combine::is_mean")]
    pub combine: Combine,
    /// Whom the candidates play, and how many games each: see [`share_games`].
    pub opponents: Vec<OpponentPlan>,
    /// The hall of fame, whose members are opponents as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hall: Option<HallPlan>,
    /// The games of candidates against each other, beside those against the opponents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coevolution: Option<CoevolutionPlan>,
}

impl FitnessPlan {
    /// Where the games against an entry of [`opponents`](Self::opponents) start, by its place; those of places
    /// above, where others of the population play, as all games that say nothing else.
    #[must_use]
    pub fn openings_at(&self, place: usize) -> &Openings {
        let own = self.opponents.get(place).and_then(|plan| plan.openings.as_ref());
        own.unwrap_or(&self.openings)
    }

    /// Which opponent each entry of [`opponents`](Self::opponents) is, counted from 0: entries of the same
    /// agent from the same openings, at several depths, are one opponent, and so are all members of the hall of fame. What
    /// candidates play each other follows as entries of one opponent more.
    #[must_use]
    pub fn opponent_numbers(&self) -> Vec<usize> {
        let mut agents: Vec<Option<(&AgentSpec, &Openings)>> = Vec::new();
        let mut numbers = Vec::new();
        for (place, plan) in self.opponents.iter().enumerate() {
            let agent = (!plan.of_hall).then_some((&plan.agent, self.openings_at(place)));
            let known = agents.iter().position(|known| *known == agent);
            numbers.push(known.unwrap_or(agents.len()));
            if known.is_none() {
                agents.push(agent);
            }
        }
        numbers.extend(self.lanes().iter().map(|_| agents.len()));
        numbers
    }

    /// A candidate's games against each [opponent](Self::opponent_numbers).
    #[must_use]
    pub fn games_by_opponent(&self) -> Vec<u64> {
        let pool = self.opponents.iter().map(|plan| plan.games);
        let lanes = self.lanes().into_iter().map(|lane| lane.games_of_a_candidate());
        let mut games = Vec::new();
        for (number, entry) in self.opponent_numbers().into_iter().zip(pool.chain(lanes)) {
            games.resize(games.len().max(number + 1), 0);
            games[number] += entry;
        }
        games
    }

    /// The lanes of coevolution; none without it.
    pub(super) fn lanes(&self) -> Vec<Lane> {
        self.coevolution.as_ref().map_or_else(Vec::new, CoevolutionPlan::lanes)
    }

    /// The cost of results, all together and by opponent.
    #[must_use]
    pub fn cost(&self, tally: &Tally, by_opponent: &[Tally]) -> f64 {
        let mean = self.score.fitness(tally);
        let games = tally.games() as f64;
        let scaled = |tally: &Tally| self.score.fitness(tally) * games / tally.games() as f64;
        let worst = by_opponent.iter().map(scaled).fold(f64::NEG_INFINITY, f64::max);
        match self.combine {
            Combine::Mean => mean,
            Combine::Worst => worst,
            Combine::MeanAndWorst => f64::midpoint(mean, worst),
        }
    }
}

/// What the results against several opponents come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Combine {
    /// All games are alike: the cost of all results together.
    #[default]
    Mean,
    /// The cost of the results against the opponent against whom they are worst, as if all games had been
    /// played against that one. What is robust loses to nobody.
    Worst,
    /// Half the one, half the other.
    MeanAndWorst,
}

impl Combine {
    /// Whether only the sum of all results matters.
    #[must_use]
    pub const fn is_mean(&self) -> bool {
        matches!(self, Self::Mean)
    }
}

/// An opponent of the candidates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpponentPlan {
    /// Who it is; its depth follows that of the games unless it is given.
    pub agent: AgentSpec,
    /// Plies that the candidate searches in these games, and the opponent too unless its own depth is given;
    /// the stage's depth where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Where these games start, if elsewhere than the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub openings: Option<Openings>,
    /// Its games of each candidate.
    pub games: u64,
    /// Whether it is a member of the hall of fame: no config says so, a run does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_hall: bool,
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
    fn the_worst_share_is_that_of_the_worst_opponent() {
        let tally = |wins, draws, losses| Tally { wins, draws, losses };
        let by_opponent = [tally(30, 0, 10), tally(4, 2, 14), tally(30, 10, 0)];
        let all = tally(64, 12, 24);
        let cost = |combine| {
            let stage =
                super::super::measure::fitness::tests::stage(Schedule::Paired, &[("random", 100)]);
            FitnessPlan { combine, ..stage.fitness }.cost(&all, &by_opponent)
        };
        assert_eq!(cost(Combine::Mean), 30.0);
        // 15 of 20 points lost, of 100 games.
        assert_eq!(cost(Combine::Worst), 75.0);
        assert_eq!(cost(Combine::MeanAndWorst), 52.5);
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
