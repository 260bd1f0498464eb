//! The hall of fame: when a stage's mean is tried, and what it has to show. As long as it has no members, their share of games is
//! the pool's. When it is full, the member that has been in it for the longest leaves.
//!
//! CITE: Rosin and Belew, "New Methods for Competitive Coevolution", Evolutionary Computation 5(1), 1997.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use tictune_core::arena::{MAX_GAMES, Openings};
use tictune_core::input::{percent, small, whole};
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
    #[must_use]
    pub fn admits(&self, tally: &Tally, evidence: &Evidence) -> bool {
        let leads = tally.score() > 0.5 && evidence.score() > 0.5;
        leads && evidence.p().is_some_and(|p| p / 2.0 <= 1.0 - self.confidence)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn hall(openings: &Openings) -> HallPlan {
        HallPlan {
            every: 2,
            games: 20,
            openings: openings.clone(),
            share: 0.3,
            size: 2,
            confidence: 0.5,
            carry: false,
        }
    }

    #[test]
    fn who_has_beaten_the_pool_enters() {
        let plan = hall(&Openings::None);
        let admits = |plan: &HallPlan, wins, losses| {
            let tally = Tally { wins, draws: 0, losses };
            plan.admits(&tally, &Evidence::Games([losses, 0, wins]))
        };
        assert!(admits(&plan, 51, 49));
        assert!(!admits(&plan, 50, 50));
        assert!(!admits(&plan, 0, 0), "no games are no victory");
        let tally = Tally { wins: 60, draws: 0, losses: 40 };
        assert!(!plan.admits(&tally, &Evidence::Games([9, 0, 8])), "one game was repeated");
        let surely = HallPlan { confidence: 0.95, ..plan };
        // P(X >= 59) = 0.044 and P(X >= 58) = 0.067 for a hundred tosses.
        assert!(admits(&surely, 59, 41) && !admits(&surely, 58, 42));
    }
}
