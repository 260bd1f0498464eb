//! The hall of fame: when a stage's mean is tried, and what it has to show. As long as it has no members, their share of games is
//! the pool's. When it is full, the member that has been in it for the longest leaves. And candidates of a generation that
//! play each other, in a ring.
//!
//! CITE: Rosin and Belew, "New Methods for Competitive Coevolution", Evolutionary Computation 5(1), 1997: the hall of fame,
//! and fitness from a sample of the other candidates instead of all of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use tictune_core::arena::{MAX_GAMES, Openings};
use tictune_core::input::{InputError, percent, small, whole};
use tictune_core::stats::{Evidence, Tally};

/// The most members of a hall of fame, far above what a run can use.
const MAX_MEMBERS: u32 = 10_000;

/// Earlier means of the run as opponents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HallPlan {
    /// Generations from one admission match of the mean to the next
    #[schemars(range(min = 1), extend("x-missing" = "generations between admission matches"))]
    pub every: u64,
    /// Games of an admission match, an even number
    #[serde(default = "whole::<200>")]
    #[schemars(range(min = 2, max = MAX_GAMES))]
    pub games: u64,
    /// Where they start; by default as in `[fitness]` and of each opponent
    #[schemars(with = "Option<String>", extend("x-until" = "none"))]
    pub openings: Openings,
    /// The share of a candidate's games that goes to the members
    #[serde(default = "percent::<25>")]
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub share: f64,
    /// The most members
    #[serde(default = "small::<8>")]
    #[schemars(range(min = 1, max = MAX_MEMBERS))]
    pub size: u32,
    /// How surely an admission match must show a score above 1/2: one-sided p of at most 1 less it
    #[serde(default = "percent::<95>")]
    #[schemars(extend("minimum" = 0.5, "exclusiveMaximum" = 1))]
    pub confidence: f64,
    /// Whether a stage begins with the members of the one before
    #[serde(default)]
    pub carry: bool,
}

impl HallPlan {
    /// Whether results of an admission match let the mean in.
    pub fn admits(&self, tally: &Tally, evidence: &Evidence) -> bool {
        let leads = tally.score() > 0.5 && evidence.score() > 0.5;
        leads && evidence.p().is_some_and(|p| p / 2.0 <= 1.0 - self.confidence)
    }
}

/// Candidates of a generation that play each other. A game counts for both sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoevolutionPlan {
    /// How many of the others each candidate plays.
    pub opponents: usize,
    /// The depths, in plies, at which it plays each of them.
    pub depths: Vec<u32>,
    /// Games against each of them at each depth.
    pub games: u64,
    /// Whether candidates are pairs, each of which plays the other.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mirrored: bool,
}

impl CoevolutionPlan {
    /// Games of a candidate against others.
    pub const fn games_of_a_candidate(&self) -> u64 {
        self.opponents as u64 * self.depths.len() as u64 * self.games
    }

    /// The matches of all candidates, those of one depth after those of another.
    pub(crate) fn ring_matches(&self) -> Vec<RingMatch> {
        let apart = (1..=self.opponents / 2).map(Distance::Apart);
        let across = (self.opponents % 2 == 1).then_some(Distance::Across);
        let distances: Vec<Distance> = match self.mirrored {
            true => vec![Distance::Mirror],
            false => apart.chain(across).collect(),
        };
        let at_depth = |depth| {
            distances.iter().map(move |&distance| RingMatch { distance, depth, games: self.games })
        };
        self.depths.iter().copied().flat_map(at_depth).collect()
    }

    /// Checks that a generation is large enough, and even where it must be.
    ///
    /// # Errors
    /// As many opponents as candidates or more; an odd number of opponents in a generation of an odd number.
    pub fn check_population(&self, size: usize) -> Result<(), InputError> {
        let opponents = self.opponents;
        if opponents >= size {
            let message = format!(
                "a candidate cannot play {opponents} others of a population of {size}: expected at most {}",
                size.saturating_sub(1)
            );
            return Err(InputError::new(message));
        }
        if opponents % 2 == 1 && size % 2 == 1 {
            return Err(InputError::new(format!(
                "an odd number of opponents ({opponents}) needs an even population, not {size}"
            )));
        }
        Ok(())
    }
}

/// A match that every candidate plays against those at one distance in the ring, at one depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RingMatch {
    pub(crate) distance: Distance,
    pub(crate) depth: u32,
    /// Against each rival.
    pub(crate) games: u64,
}

/// How far away in the ring a rival is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Distance {
    /// So many places, on either side: two rivals. From 1.
    Apart(usize),
    /// On the other side of a ring of an even number: one rival.
    Across,
    /// The other one of a pair: one rival.
    Mirror,
}

impl RingMatch {
    pub(crate) const fn games_of_a_candidate(&self) -> u64 {
        match self.distance {
            Distance::Apart(_) => 2 * self.games,
            Distance::Across | Distance::Mirror => self.games,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn hall(openings: &Openings) -> HallPlan {
        let (openings, share, confidence) = (openings.clone(), 0.3, 0.5);
        HallPlan { every: 2, games: 20, openings, share, size: 2, confidence, carry: false }
    }

    #[test]
    fn who_has_beaten_the_pool_enters() {
        let plan = hall(&Openings::None);
        let surely = HallPlan { confidence: 0.95, ..plan.clone() };
        // P(X >= 59) = 0.044 and P(X >= 58) = 0.067 for a hundred tosses. No games are no victory.
        for (plan, wins, losses, expected) in [
            (&plan, 51, 49, true),
            (&plan, 50, 50, false),
            (&plan, 0, 0, false),
            (&surely, 59, 41, true),
            (&surely, 58, 42, false),
        ] {
            let tally = Tally { wins, draws: 0, losses };
            assert_eq!(plan.admits(&tally, &Evidence::Games([losses, 0, wins])), expected);
        }
        let tally = Tally { wins: 60, draws: 0, losses: 40 };
        assert!(!plan.admits(&tally, &Evidence::Games([9, 0, 8])), "one game was repeated");
    }
}
