//! Games of mirrored candidates against each other.

use serde::{Deserialize, Serialize};

/// What the two candidates of a pair play each other at a depth. A game counts for both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelfPlayPlan {
    /// Plies that both search.
    pub depth: u32,
    /// Games of the two.
    pub games: u64,
}
