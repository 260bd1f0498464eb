//! Games of mirrored candidates against each other.

use serde::{Deserialize, Serialize};

/// What the two candidates of a pair play each other. A game counts for both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelfPlayPlan {
    /// The depths, in plies, at which they play.
    pub depths: Vec<u32>,
    /// Games at each depth.
    pub games: u64,
}

impl SelfPlayPlan {
    /// Games of a candidate.
    pub const fn all_games(&self) -> u64 {
        self.depths.len() as u64 * self.games
    }
}
