//! The hall of fame: when a stage's mean is tried, and what it has to show.
//!
//! CITE: Rosin and Belew, "New Methods for Competitive Coevolution", Evolutionary Computation 5(1), 1997.

use serde::{Deserialize, Serialize};

use tictune_core::arena::Openings;
use tictune_core::stats::{Evidence, Tally};

/// A hall of fame that a stage fills with its own means, and that candidates then play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HallPlan {
    /// Generations from one admission match to the next.
    pub every: u64,
    /// Games of an admission match.
    pub games: u64,
    /// Where the games of admission matches start; opponents with openings of their own keep them where these are
    /// those of the fitness.
    pub openings: Openings,
    /// The share of a candidate's games that goes to the members, above 0 and below 1; to the pool as long as
    /// there are none. An admission match is shared in the same way.
    pub share: f64,
    /// The most members. When the hall is full, the member that has been in it for the longest leaves.
    pub size: usize,
    /// How surely an admission match has to show that the mean is the stronger one: half of [`p`](Evidence::p) may be 1 less this.
    pub confidence: f64,
    /// Whether a stage begins with the members of the stage before.
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
