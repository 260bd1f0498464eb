//! What came of a table: plain data, as `--out` writes it.

use serde::{Deserialize, Serialize};

use super::measurement::{Measurement, RowSettings};
use super::table::{Drawing, Figure, Printed, SIGNIFICANCE, Test, Winner};
use crate::stats::Tally;

/// A table beside what was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Report {
    /// The command that measures the same.
    pub command: String,
    /// The document.
    pub document: String,
    /// The table.
    pub table: String,
    /// Its title.
    pub title: String,
    /// The test behind its p-values and conclusions.
    pub test: Test,
    /// The rows that were played, in the order of the table.
    pub rows: Vec<RowReport>,
    /// Where the table is a sweep, and all of it was played: what it concludes, and what came out here.
    pub sweep: Option<Conclusion>,
    /// Where the table is a round robin, and all of it was played: its players in the printed order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub standings: Vec<Standing>,
    /// What the document says of groups of its players.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reductions: Vec<ReductionReport>,
    /// What the document leaves open, and what was chosen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// How a sweep is drawn.
    #[serde(skip)]
    pub figure: Option<Figure>,
    /// What is drawn of every row.
    #[serde(skip)]
    pub drawn: Vec<Drawing>,
}

/// A row that was played. Results are from A's view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RowReport {
    /// Its number in the table, from 1.
    pub row: usize,
    /// What a sweep varies.
    pub value: Option<String>,
    /// A and B as printed.
    pub names: [String; 2],
    /// How it was played.
    #[serde(flatten)]
    pub settings: RowSettings,
    /// What was printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub printed: Option<Printed>,
    /// Milliseconds a move of A and B, as printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub printed_milliseconds: Option<[f64; 2]>,
    /// The test behind the p-values, where it is not that of the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<Test>,
    /// What came out.
    #[serde(flatten)]
    pub measurement: Measurement,
    /// The p-value of the table's test, as printed results give it.
    pub printed_p: Option<f64>,
    /// The same of the measured results.
    pub measured_p: Option<f64>,
    /// The test of homogeneity of printed and measured results: see [`Printed::homogeneity`].
    pub homogeneity_p: Option<f64>,
    /// The same, corrected for the rows of the table (Holm).
    pub homogeneity_p_of_table: Option<f64>,
    /// Whether printed and measured agree: `homogeneity_p` is not below [`SIGNIFICANCE`].
    pub agrees: Option<bool>,
    /// What the document concludes from the row, and what came out here.
    pub conclusion: Option<Conclusion>,
}

impl RowReport {
    /// Whether printed and measured agree after the correction for the rows of the table.
    #[must_use]
    pub(crate) fn agrees_in_table(&self) -> bool {
        self.homogeneity_p_of_table.is_some_and(|p| p >= SIGNIFICANCE)
    }
}

/// A conclusion of a document, put to the test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Conclusion {
    /// What the document says.
    pub claimed: String,
    /// What was measured.
    pub measured: String,
    /// Whether the conclusion holds here.
    pub verdict: Verdict,
}

/// What becomes of a conclusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Verdict {
    /// The same is shown here; where no difference was shown, none is here either.
    Holds,
    /// A difference is claimed, and none is shown here, which more games might.
    NotShown,
    /// Something else is shown here.
    Contradicted,
}

impl Verdict {
    pub(super) const fn of(claimed: Winner, measured: Winner) -> Self {
        match (claimed, measured) {
            (Winner::A, Winner::A) | (Winner::B, Winner::B) | (Winner::None, Winner::None) => {
                Self::Holds
            }
            (_, Winner::None) => Self::NotShown,
            _ => Self::Contradicted,
        }
    }
}

/// A player of a round robin over all its games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Standing {
    /// Its name.
    pub name: String,
    /// The share of points that was printed.
    pub printed: Option<f64>,
    /// Its results here.
    pub measured: Tally,
    /// The test of homogeneity of both, as if so many games had been printed.
    pub homogeneity_p: Option<f64>,
    /// Milliseconds a move that were printed.
    pub printed_milliseconds: Option<f64>,
    /// Milliseconds a move here.
    pub milliseconds: f64,
    /// Positions or iterations a move here.
    pub work: f64,
}

impl Standing {
    /// Whether printed and measured agree.
    #[must_use]
    pub(crate) fn agrees(&self) -> bool {
        self.homogeneity_p.is_none_or(|p| p >= SIGNIFICANCE)
    }
}

/// What some players lose or save against others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ReductionReport {
    /// In words.
    pub name: String,
    /// What the document prints, as a share.
    pub printed: Option<f64>,
    /// The same share, here.
    pub measured: f64,
    /// The share for each pair of players: the normal one, the reduced one.
    pub pairs: Vec<(String, f64)>,
}
