//! The results of the finalists of a stage.

use serde::{Deserialize, Serialize};

use crate::plan::Combine;
use tictune_core::stats::Tally;

/// The results of the finalists of a stage: `finalists.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finalists {
    /// Plies that agents searched, as [`depth_in_words`](crate::StagePlan::depth_in_words) has it.
    pub depth: String,
    /// Where games started, but for opponents with openings of their own.
    pub openings: String,
    /// Whom they played, each once.
    pub opponents: Vec<String>,
    /// How the results against several opponents are combined.
    pub combine: Combine,
    /// Rounds that were played.
    pub rounds: u32,
    /// The name of the winner: who scored most of those who came furthest.
    pub winner: String,
    /// Whether it is shown to lead every other one.
    pub shown: bool,
    /// The outcome in words.
    pub verdict: String,
    /// The best candidate of the stage against its mean; none where the two are the same vector.
    #[doc(hidden)]
    pub best_against_mean: Option<Lead>,
    /// The finalists, the winner first.
    #[doc(hidden)]
    pub rows: Vec<FinalistRow>,
}

/// A finalist's results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FinalistRow {
    pub name: String,
    /// The generation that it is from, where it is from one.
    pub generation: Option<u64>,
    /// The fitness that was measured for it in the stage: no measure of its strength.
    pub fitness: Option<f64>,
    /// Rounds that it played.
    pub rounds: u32,
    /// Games.
    pub games: u64,
    /// Results against all opponents.
    #[serde(flatten)]
    pub tally: Tally,
    /// Different games.
    pub distinct_games: u64,
    /// Its share of points in these games, 0..=1, combined over opponents as the stage does it.
    pub score: f64,
    /// The lower end of the 95 % interval of the score.
    pub score_low: f64,
    /// The upper end.
    pub score_high: f64,
    /// Results against each opponent.
    pub by_opponent: Vec<Tally>,
    /// How far the winner leads, in the games that both played; none for the winner.
    pub behind: Option<Lead>,
    /// Its weights; none where none are evolved.
    pub weights: Vec<f64>,
    /// The numbers of the agent that are evolved, by key.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<(String, f64)>,
}

/// How far one vector leads another in games that both played: a paired test over blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lead {
    /// Who is said to lead.
    pub name: String,
    pub over: String,
    /// Games of each that repeat no other: those that the test is of.
    pub games: u64,
    pub difference: f64,
    pub standard_error: f64,
    /// Two-sided: see `p_value` of `stats::paired`; 1 where all games together and those that
    /// repeat no other point to different sides.
    pub p_value: f64,
    /// Whether the difference is shown: the p-value is below `SIGNIFICANCE`, shared out among the rounds, since
    /// there is a look at the results after each.
    pub shown: bool,
}

impl Finalists {
    #[must_use]
    #[doc(hidden)]
    pub fn winning_row(&self) -> Option<&FinalistRow> {
        self.rows.first()
    }
}
