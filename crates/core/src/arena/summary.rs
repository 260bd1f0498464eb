//! The result of a match.

use std::time::Duration;

use super::game::SideStats;
use super::result::{GameResult, Side};
use crate::agent::Failure;
use crate::stats::sprt::SprtResult;
use crate::stats::{Evidence, MatchStatistics, Tally};

/// Sums over games, from A's view.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Summary {
    /// Wins, draws and losses of A.
    pub tally: Tally,
    /// Games that A and B forfeited by running out of time.
    pub timeouts: [u64; 2],
    /// Games that A and B forfeited for any other reason: see [`Failure`].
    pub errors: [u64; 2],
    /// All plies, those of openings included.
    pub plies: u64,
    /// The costs of A and B.
    pub sides: [SideStats; 2],
}

impl Summary {
    /// The summary of one game.
    #[must_use]
    pub fn of(game: &GameResult) -> Self {
        let (mut timeouts, mut errors) = ([0; 2], [0; 2]);
        match game.forfeit() {
            Some((side, Failure::Timeout { .. })) => timeouts[side as usize] = 1,
            Some((side, _)) => errors[side as usize] = 1,
            None => {}
        }
        let mut tally = Tally::default();
        match game.winner {
            Some(Side::A) => tally.wins = 1,
            None => tally.draws = 1,
            Some(Side::B) => tally.losses = 1,
        }
        Self { tally, timeouts, errors, plies: game.plies, sides: game.sides }
    }

    /// The sum of both.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            tally: self.tally.plus(&other.tally),
            timeouts: [0, 1].map(|side| self.timeouts[side] + other.timeouts[side]),
            errors: [0, 1].map(|side| self.errors[side] + other.errors[side]),
            plies: self.plies.saturating_add(other.plies),
            sides: [self.sides[0].plus(&other.sides[0]), self.sides[1].plus(&other.sides[1])],
        }
    }

    /// What follows from the games and the evidence among them; without p-values where most games were forfeited.
    pub(super) fn figures(&self, evidence: &Evidence) -> MatchStatistics {
        let figures = MatchStatistics::of(&self.tally, evidence);
        match self.mostly_forfeited() {
            Some(_) => figures.without_p_values(),
            None => figures,
        }
    }

    /// The same games from B's view.
    #[must_use]
    pub const fn reversed(&self) -> Self {
        Self {
            tally: self.tally.reversed(),
            timeouts: [self.timeouts[1], self.timeouts[0]],
            errors: [self.errors[1], self.errors[0]],
            plies: self.plies,
            sides: [self.sides[1], self.sides[0]],
        }
    }

    /// Half points of A: 2 for a win, 1 for a draw.
    #[must_use]
    pub const fn half_points(&self) -> u64 {
        2 * self.tally.wins + self.tally.draws
    }
}

/// The result of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchResult {
    /// Sums over all games.
    pub summary: Summary,
    /// Where games are paired: pairs in which A scored 0, 1/2, 1, 3/2 and 2 points.
    pub pairs: Option<[u64; 5]>,
    /// What of it is evidence: pairs of games that were not played before in the match, or such games where they are not paired.
    pub evidence: Evidence,
    /// The number of distinct games, by start and moves. Symmetric games count as distinct. Games of which another program
    /// tells nothing but who won count as distinct, too, unless the results of pairs repeat with a period, three times or more:
    /// then those of one period count.
    pub distinct_games: u64,
    /// The first 100 forfeited games, by index.
    pub forfeits: Vec<ForfeitedGame>,
    /// How its sequential test ended, where it had one.
    pub sprt: Option<SprtResult>,
    /// Wall time of playing.
    pub elapsed: Duration,
}

impl MatchResult {
    /// What follows from the results; without p-values where most games were forfeited.
    #[must_use]
    pub fn figures(&self) -> MatchStatistics {
        self.summary.figures(&self.evidence)
    }

    /// The agent, `A` or `B`, that could not be started in any of its games, and why.
    #[must_use]
    pub fn never_started(&self) -> Option<(char, &Failure)> {
        [('A', true), ('B', false)].into_iter().zip(&self.summary.sides).find_map(
            |((name, is_a), side)| {
                let mut failures = self.forfeits.iter().filter(|f| f.by_a == is_a);
                let first = &failures.clone().next()?.failure;
                let never = failures.all(|f| matches!(f.failure, Failure::Start(_)));
                (never && side.moves == 0).then_some((name, first))
            },
        )
    }
}

/// A forfeited game of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForfeitedGame {
    /// Its number, from 0.
    pub game: u64,
    /// Whether A forfeited it, or else B.
    pub by_a: bool,
    /// The reason.
    pub failure: Failure,
}

/// The most forfeited games that a result lists; all are counted.
pub(super) const MOST_FORFEITS: usize = 100;
