//! The fitness: whom candidates play, how often, and how the results become a cost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use tictune_core::agent::AgentSpec;
use tictune_core::arena::{MAX_GAMES, Openings, Schedule};
use tictune_core::input::whole;
use tictune_core::stats::Tally;

/// How candidates are measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FitnessPlan {
    /// Games per candidate, shared among the opponents; with a budget, by default the fewest that give each of them some
    #[serde(default = "whole::<300, u64>")]
    #[schemars(range(min = 1, max = MAX_GAMES))]
    pub games: u64,
    /// Who moves first in each game
    #[serde(default)]
    pub schedule: Schedule,
    /// Where games start; by default random:4:train
    #[schemars(with = "Option<String>", extend("x-until" = "none"))]
    pub openings: Openings,
    /// Whether games change from generation to generation
    #[serde(default)]
    pub seeds: Seeds,
    /// The cost of results
    #[serde(default)]
    pub score: ScoreRule,
    /// Whom the candidates play, and how many games each: see [`share_games`].
    #[serde(default)]
    #[schemars(skip)]
    pub opponents: Vec<OpponentPlan>,
    /// The games of mirrored candidates against each other, at each depth.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    pub self_play: Vec<SelfPlayPlan>,
}

impl FitnessPlan {
    /// Where the games against an entry of [`opponents`](Self::opponents) start, by its place; those of places
    /// above, where mirrored candidates play each other, as all games that say nothing else.
    pub fn openings_at(&self, place: usize) -> &Openings {
        let own = self.opponents.get(place).and_then(|plan| plan.openings.as_ref());
        own.unwrap_or(&self.openings)
    }

    /// How many openings so many games start from.
    pub fn openings_of(&self, games: u64) -> u64 {
        if self.schedule == Schedule::Paired { games / 2 } else { games }
    }

    /// Shares so many games among the opponents, as they are shared now.
    pub(super) fn share(&mut self, games: u64) {
        let shares: Vec<f64> = self.opponents.iter().map(|plan| plan.games as f64).collect();
        let split = share_games(games, self.schedule.unit(), &shares);
        self.opponents.iter_mut().zip(split).for_each(|(plan, games)| plan.games = games);
    }

    /// Games of a candidate against the other one of its pair.
    pub fn games_of_self_play(&self) -> u64 {
        self.self_play.iter().map(|plan| plan.games).sum()
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
}

/// What the two mirrored candidates of a pair play each other at a depth. A game counts for both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelfPlayPlan {
    /// Plies that both search.
    pub depth: u32,
    /// Games of the two.
    pub games: u64,
}

/// Whether the games of a fitness change from generation to generation. The candidates of one
/// generation always play the same ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Default)]
#[serde(rename_all = "lowercase")]
pub enum Seeds {
    /// The same games in every generation (Liang).
    Fixed,
    /// New games each generation.
    #[default]
    Fresh,
}

/// The cost of a candidate's results; smaller is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Default)]
#[serde(rename_all = "kebab-case")]
pub enum ScoreRule {
    /// games - (wins + ties / 2), what Liang's program computed.
    #[default]
    HalfTies,
    /// games - wins + ties / 2, as Liang 2.3.1 prints it: a tie costs more than a loss.
    AsPrinted,
}

impl ScoreRule {
    /// The cost of these results.
    pub fn fitness(self, tally: &Tally) -> f64 {
        let [games, wins, ties] =
            [tally.games(), tally.wins, tally.draws].map(|count| count as f64);
        match self {
            Self::HalfTies => games - (wins + ties / 2.0),
            Self::AsPrinted => games - wins + ties / 2.0,
        }
    }

    /// The greatest cost of so many games: that of losing all; as printed, of drawing all.
    pub fn greatest(self, games: u64) -> f64 {
        let lost = Tally { losses: games, ..Tally::default() };
        let drawn = Tally { draws: games, ..Tally::default() };
        self.fitness(&lost).max(self.fitness(&drawn))
    }
}

/// Splits games by shares: whole pairs (single games where `unit` is 1) by largest remainder, the
/// earlier opponent first where remainders are equal.
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
    fn a_cost_is_what_was_lost() {
        let tally = Tally { wins: 100, draws: 50, losses: 150 };
        assert_eq!(ScoreRule::HalfTies.fitness(&tally), 175.0);
        assert_eq!(ScoreRule::AsPrinted.fitness(&tally), 225.0);
    }

    #[test]
    fn shares_are_rounded_to_whole_pairs_by_largest_remainder() {
        assert_eq!(share_games(300, 2, &[1.0, 1.0, 1.0]), [100, 100, 100]);
        assert_eq!(share_games(20, 2, &[1.0, 1.0, 1.0]), [8, 6, 6]);
        assert_eq!(share_games(10, 2, &[0.5, 0.3, 0.2]), [6, 2, 2]);
        assert_eq!(share_games(10, 1, &[0.55, 0.45]), [6, 4]);
        assert_eq!(share_games(6, 2, &[1.0, 0.01]), [6, 0]);
    }
}
