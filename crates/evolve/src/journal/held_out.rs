//! The rows of checks on held-out openings.

use serde::{Deserialize, Serialize};

use super::numbers::short;
use super::results::{MeasuredFields, RESULT_COLUMNS};
use crate::measure::fitness::Measured;

/// A row of `held-out.csv`: a check of the mean after a generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldOutRow {
    pub generation: u64,
    #[serde(with = "MeasuredFields")]
    pub measured: Measured,
    /// The share of points, combined over opponents. It follows from the results, and is not read.
    #[serde(serialize_with = "short", skip_deserializing)]
    pub score: f64,
    /// Whether it is better than the best check before. It follows from the rows, and is not read.
    #[serde(skip_deserializing)]
    pub better: bool,
}

impl HeldOutRow {
    pub fn header() -> Vec<String> {
        let columns = ["generation"].into_iter().chain(RESULT_COLUMNS).chain(["score", "better"]);
        columns.map(String::from).collect()
    }
}
