//! The fitness: whom candidates play, how often, and how the results become a cost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use super::hall_of_fame::{CoevolutionPlan, HallPlan, RingMatch};
use tictune_core::agent::AgentSpec;
use tictune_core::arena::{MAX_GAMES, Openings, Schedule};
use tictune_core::input::whole;
use tictune_core::stats::Tally;

/// How candidates are measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FitnessPlan {
    /// Games a candidate plays, shared among the opponents; by default 300
    #[serde(default = "whole::<300>")]
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
    /// How the results against several opponents become one cost
    #[serde(default, skip_serializing_if = "Combine::is_mean")]
    #[schemars(extend("default" = "mean"))]
    pub combine: Combine,
    /// Whom the candidates play, and how many games each: see [`share_games`].
    #[serde(default)]
    #[schemars(skip)]
    pub opponents: Vec<OpponentPlan>,
    /// The hall of fame, whose members are opponents as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub hall: Option<HallPlan>,
    /// The games of candidates against each other, beside those against the opponents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub coevolution: Option<CoevolutionPlan>,
}

impl FitnessPlan {
    /// Where the games against an entry of [`opponents`](Self::opponents) start, by its place; those of places
    /// above, where others of the population play, as all games that say nothing else.
    pub fn openings_at(&self, place: usize) -> &Openings {
        let own = self.opponents.get(place).and_then(|plan| plan.openings.as_ref());
        own.unwrap_or(&self.openings)
    }

    pub(super) fn own_openings(&self) -> impl Iterator<Item = &Openings> {
        self.opponents.iter().filter_map(|plan| plan.openings.as_ref())
    }

    /// How many openings so many games start from.
    pub fn openings_of(&self, games: u64) -> u64 {
        if self.schedule == Schedule::Paired { games / 2 } else { games }
    }

    /// Which opponent each entry of [`opponents`](Self::opponents) is, counted from 0: entries of the same
    /// agent from the same openings, at several depths, are one opponent, and so are all members of the hall of fame. What
    /// candidates play each other follows as entries of one opponent more.
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
        numbers.extend(self.ring_matches().iter().map(|_| agents.len()));
        numbers
    }

    /// A candidate's games against each [opponent](Self::opponent_numbers).
    pub fn games_by_opponent(&self) -> Vec<u64> {
        let pool = self.opponents.iter().map(|plan| plan.games);
        let matches = self.ring_matches();
        let others = matches.iter().map(RingMatch::games_of_a_candidate);
        let mut games = Vec::new();
        for (number, entry) in self.opponent_numbers().into_iter().zip(pool.chain(others)) {
            games.resize(games.len().max(number + 1), 0);
            games[number] += entry;
        }
        games
    }

    /// The matches that candidates play each other; none without coevolution.
    pub(crate) fn ring_matches(&self) -> Vec<RingMatch> {
        self.coevolution.as_ref().map_or_else(Vec::new, CoevolutionPlan::ring_matches)
    }

    /// The games of each opponent of the pool, where `games` of a candidate's games are the pool's, in such units.
    pub(crate) fn split(&self, games: u64, unit: u64) -> Vec<u64> {
        let shares: Vec<f64> = self.opponents.iter().map(|plan| plan.games as f64).collect();
        share_games(games, unit, &shares)
    }

    /// Shares so many games among the opponents of the pool, as they are shared now.
    pub(super) fn share(&mut self, games: u64) {
        let split = self.split(games, self.schedule.unit());
        self.opponents.iter_mut().zip(split).for_each(|(plan, games)| plan.games = games);
    }

    /// The games that go to the hall of fame once it has members, in whole pairs; 0 without a hall.
    pub fn hall_games(&self) -> u64 {
        let unit = self.schedule.unit();
        let share = self.hall.as_ref().map_or(0.0, |hall| hall.share);
        (self.games as f64 * share / unit as f64).round() as u64 * unit
    }

    /// Games of a candidate against others of its generation.
    pub fn coevolution_games(&self) -> u64 {
        self.coevolution.as_ref().map_or(0, CoevolutionPlan::games_of_a_candidate)
    }

    /// The cost of results, all together and by opponent.
    pub fn cost(&self, tally: &Tally, by_opponent: &[Tally]) -> f64 {
        let mean = self.score.fitness(tally);
        let games = tally.games() as f64;
        let scaled = |tally: &Tally| self.score.fitness(tally) * games / tally.games() as f64;
        let worst = by_opponent.iter().map(scaled).fold(f64::NEG_INFINITY, f64::max);
        self.combine.of(mean, worst)
    }
}

/// How the results against several opponents become one cost.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr, JsonSchema,
)]
#[schemars(extend("x-word" = "way"))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
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
    pub const fn is_mean(&self) -> bool {
        matches!(self, Self::Mean)
    }

    pub(crate) const fn of(self, mean: f64, worst: f64) -> f64 {
        match self {
            Self::Mean => mean,
            Self::Worst => worst,
            Self::MeanAndWorst => f64::midpoint(mean, worst),
        }
    }

    /// How the opponent with the worst results counts, in words; `None` if it does not.
    pub const fn in_words(self) -> Option<&'static str> {
        match self {
            Self::Mean => None,
            Self::Worst => Some("only the opponent with the worst results counts"),
            Self::MeanAndWorst => Some("the opponent with the worst results counts for half"),
        }
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
    fn costs_are_of_all_games_or_of_the_worst_opponent() {
        let tally = |wins, draws, losses| Tally { wins, draws, losses };
        assert_eq!(ScoreRule::HalfTies.fitness(&tally(100, 50, 150)), 175.0);
        assert_eq!(ScoreRule::AsPrinted.fitness(&tally(100, 50, 150)), 225.0);
        let by_opponent = [tally(30, 0, 10), tally(4, 2, 14), tally(30, 10, 0)];
        let stage = crate::measure::tests::stage(Schedule::Paired, &[("random", 100)]);
        // The worst lost 15 of 20 points, of 100 games.
        for (combine, expected) in
            [(Combine::Mean, 30.0), (Combine::Worst, 75.0), (Combine::MeanAndWorst, 52.5)]
        {
            let fitness = FitnessPlan { combine, ..stage.fitness.clone() };
            assert_eq!(fitness.cost(&tally(64, 12, 24), &by_opponent), expected);
        }
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
