//! The record of best against mean.

use serde::{Deserialize, Serialize};

use tictune_core::stats::{MatchStatistics, Tally};

/// Best against mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Who carried both, without the weights that were evolved.
    pub agent: String,
    /// Where games started.
    pub openings: String,
    /// Games.
    pub games: u64,
    /// Results from the best candidate's view.
    #[serde(flatten)]
    pub tally: Tally,
    /// Pairs in which it scored 0, 1/2, 1, 3/2 and 2 points.
    pub pairs: [u64; 5],
    /// Of these the pairs that are evidence: see [`MatchResult::evidence`](tictune_core::arena::MatchResult::evidence).
    pub distinct_pairs: [u64; 5],
    /// Different games.
    pub distinct_games: u64,
    /// What follows from the counts.
    #[serde(flatten)]
    pub figures: MatchStatistics,
    /// `best` or `mean`: which scored more, the best where both scored the same.
    pub winner: String,
    /// Whether the difference is shown: [`p`](MatchStatistics::p) is below [`SIGNIFICANCE`](tictune_core::stats::SIGNIFICANCE).
    pub shown: bool,
    /// The outcome in words.
    pub verdict: String,
    /// Whether more than half of the games were forfeited, which then say nothing about strength.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_result: bool,
}
