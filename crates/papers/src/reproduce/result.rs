//! The result of a table: plain data, in the form that `--out` writes.

use serde::{Deserialize, Serialize};

use super::measurement::{Measurement, RowSettings};
use super::table::{Drawing, ENOUGH_GAMES, Figure, Printed, Test, Winner};
use tictune_core::stats::{SIGNIFICANCE, Tally};

/// A table with the measured results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[doc(hidden)]
pub struct Report {
    /// The command that repeats the measurement.
    pub command: String,
    pub document: String,
    pub table: String,
    pub title: String,
    /// The test behind its p-values and conclusions.
    pub test: Test,
    /// The rows that were played, in the order of the table.
    pub rows: Vec<RowReport>,
    /// If the table is a sweep and was played completely: what it concludes, and the result here.
    pub sweep: Option<Conclusion>,
    /// If the table is a round robin and was played completely: its players in the printed order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub standings: Vec<Standing>,
    /// What the document says about groups of its players.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reductions: Vec<ReductionReport>,
    /// What the document leaves open, and what was chosen here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    #[serde(skip)]
    pub figure: Option<Figure>,
    #[serde(skip)]
    pub drawn: Vec<Drawing>,
}

/// A row that was played. Results are from A's view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[doc(hidden)]
pub struct RowReport {
    /// The number of the row in the table, from 1.
    pub row: usize,
    /// The value of the parameter that a sweep varies.
    pub value: Option<String>,
    /// The names of A and B as printed.
    pub names: [String; 2],
    #[serde(flatten)]
    pub settings: RowSettings,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub printed: Option<Printed>,
    /// Milliseconds per move of A and B, as printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub printed_milliseconds: Option<[f64; 2]>,
    /// The test behind the p-values, if it is not that of the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<Test>,
    #[serde(flatten)]
    pub measurement: Measurement,
    /// The p-value of the printed results by the table's test.
    pub printed_p: Option<f64>,
    /// The p-value of the measured results by the same test.
    pub measured_p: Option<f64>,
    /// The exact two-sided p-value of the measured results, on which the conclusion rests.
    #[serde(default)]
    pub two_sided_p: Option<f64>,
    /// The test of homogeneity of printed and measured results: see [`Printed::homogeneity`].
    pub homogeneity_p: Option<f64>,
    /// The same p-value, corrected for the number of rows in the table (Holm).
    pub homogeneity_p_of_table: Option<f64>,
    /// Whether the printed and the measured results agree: `homogeneity_p` is at least [`SIGNIFICANCE`].
    pub agrees: Option<bool>,
    /// What the document concludes from the row, and the result here.
    pub conclusion: Option<Conclusion>,
}

impl RowReport {
    /// Whether enough games were played for agreement with the printed result to mean something.
    pub const fn has_enough_games(&self) -> bool {
        self.measurement.measured.games() >= ENOUGH_GAMES
    }

    /// Whether the printed and the measured results agree after the correction for the rows of the table.
    pub fn agrees_in_table(&self) -> bool {
        self.homogeneity_p_of_table.is_some_and(|p| p >= SIGNIFICANCE)
    }
}

/// A conclusion of a document that is tested here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[doc(hidden)]
pub struct Conclusion {
    /// What the document says.
    pub claimed: String,
    pub measured: String,
    pub verdict: Verdict,
}

/// The result of testing a conclusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[doc(hidden)]
pub enum Verdict {
    /// The results here lead to the same conclusion, which may be that there is no significant difference.
    Holds,
    /// The document claims a difference, but it is not significant here. More games might show it.
    NotShown,
    /// The results here lead to another conclusion.
    Contradicted,
    /// Too few games were played to test that there is no difference, or that one of several values is best.
    TooFewGames,
}

impl Verdict {
    /// The verdict on a claim about two agents after so many games.
    pub(super) fn of(claimed: Winner, measured: Winner, games: u64) -> Self {
        match (claimed, measured) {
            (Winner::None, Winner::None) if games < ENOUGH_GAMES => Self::TooFewGames,
            (_, Winner::None) if claimed != measured => Self::NotShown,
            _ if claimed == measured => Self::Holds,
            _ => Self::Contradicted,
        }
    }
}

/// The results of a player of a round robin over all its games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[doc(hidden)]
pub struct Standing {
    pub name: String,
    /// The printed share of points.
    pub printed: Option<f64>,
    pub measured: Tally,
    /// The p-value of the test of homogeneity of both, where the printed share counts for as many games.
    pub homogeneity_p: Option<f64>,
    /// Milliseconds per move, as printed and measured.
    pub printed_milliseconds: Option<f64>,
    pub milliseconds: f64,
    /// Positions or iterations per move.
    pub work: f64,
}

impl Standing {
    /// Whether enough games were played for agreement with the printed result to mean something.
    pub const fn has_enough_games(&self) -> bool {
        self.measured.games() >= ENOUGH_GAMES
    }

    /// Whether the printed and the measured results agree.
    pub fn agrees(&self) -> bool {
        self.homogeneity_p.is_none_or(|p| p >= SIGNIFICANCE)
    }
}

/// How much some players lose or save compared with others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[doc(hidden)]
pub struct ReductionReport {
    pub name: String,
    pub printed: Option<f64>,
    pub measured: f64,
    /// The measured share for each pair of players, `"NORMAL > REDUCED"`.
    pub pairs: Vec<(String, f64)>,
}
