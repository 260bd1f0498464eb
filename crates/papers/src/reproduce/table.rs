//! Tables as plain data.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use strum::{EnumString, VariantNames};

use tictune_core::stats::{
    Evidence, SIGNIFICANCE, Tally, chi_squared_yates, homogeneity, p_value, p_value_either_side,
    p_value_two_sided,
};

/// Below this number of games, that no difference is shown says nothing: a side that is to win 60 of
/// 100 games is hardly told from an even one.
pub const ENOUGH_GAMES: u64 = 100;

/// A printed table of matches.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The file that it was read from, if it is not built in.
    pub file: Option<PathBuf>,
    /// The document that printed it.
    pub document: String,
    /// Its name: the number that the document gives it, preceded by the document's name for all
    /// documents but Liang's.
    pub name: String,
    /// The game.
    pub game: String,
    /// The title as printed.
    pub title: String,
    /// The number of games in each row, as printed.
    pub games: u64,
    /// Where its games started, in the text form of openings.
    pub openings: String,
    /// Who moved first in which game.
    pub schedule: String,
    /// Variants of the rules, in their text form.
    pub rules: String,
    /// Whether drawn games are played again until they are decided.
    pub replay_ties: bool,
    /// The test behind its p-values and conclusions.
    pub test: Test,
    /// The folder that weight files and openings of its rows are relative to.
    pub folder: PathBuf,
    /// Its rows. A round robin has one for every ordered pair of players.
    pub rows: Vec<Row>,
    /// The `value` of the row in which A did best, if the document draws that conclusion.
    pub best: Option<String>,
    /// The players of a round robin; empty if the table is not one.
    pub players: Vec<Contestant>,
    /// What the document says about groups of players of a round robin.
    pub reductions: Vec<Reduction>,
    /// The approximate number of positions that the document's program searched per second, if it
    /// was limited by time. It converts `{seconds:X}` of an agent to positions.
    pub positions_per_second: Option<f64>,
    /// What the document leaves open, and what was chosen here.
    pub choices: Vec<String>,
    /// The figure of a sweep.
    pub figure: Option<Figure>,
    /// The figures of the moves and games of every row.
    pub drawn: Vec<Drawing>,
}

/// A player of a round robin, and its printed results.
#[derive(Clone, Debug, PartialEq)]
#[doc(hidden)]
pub struct Contestant {
    /// The name as printed.
    pub name: String,
    /// Its spec.
    pub agent: String,
    /// The share of its games that it won, as printed.
    pub score: Option<f64>,
    /// Milliseconds per move, as printed.
    pub milliseconds: Option<f64>,
}

/// How much some players lose or save compared with others: the mean of (normal - reduced) / normal
/// over pairs of players.
#[derive(Clone, Debug, PartialEq)]
#[doc(hidden)]
pub struct Reduction {
    /// A description.
    pub name: String,
    /// The quantity that is compared.
    pub quantity: Quantity,
    /// The names of the players of each pair: the normal one and the reduced one.
    pub pairs: Vec<[String; 2]>,
    /// The share as printed; `None` if the document only draws it.
    pub printed: Option<f64>,
}

/// A measured quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, EnumString, VariantNames)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Quantity {
    /// The share of points, 0 to 1.
    Score,
    /// Milliseconds per move.
    Milliseconds,
    /// Positions or iterations per move.
    Work,
}

impl Quantity {
    /// The label of a figure's axis, with the unit.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Score => "share of points of A",
            Self::Milliseconds => "milliseconds a move of A",
            Self::Work => "positions or iterations a move of A",
        }
    }
}

/// A figure of the moves or games of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, EnumString, VariantNames)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Drawing {
    /// The mean time of the moves of each turn (Lifshitz VI).
    TimeByTurn,
    /// The time of every move (Sista, figures 4.1 to 4.3).
    TimeOfMoves,
    /// The shares of games won as the number of games grows (Sista, figure 4.4).
    Convergence,
}

/// A figure of a sweep: one point for each row, the row's `value` against a quantity of A.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// The label of the values, with their unit.
    pub x: String,
    /// The measured quantity.
    pub y: Quantity,
    /// Whether axes of times and counts are logarithmic.
    pub logarithmic: bool,
}

impl Figure {
    /// Whether the axis of the values is logarithmic. For a score it is the values that span orders
    /// of magnitude, since scores end at 1. Otherwise it is the measured quantity, and the values
    /// are depths, a few small whole numbers.
    #[must_use]
    pub fn x_is_logarithmic(&self) -> bool {
        self.logarithmic && self.y == Quantity::Score
    }
}

/// A printed result, from A's view.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Printed {
    /// All three counts.
    Counts(Tally),
    /// Only the share of points, where draws are half wins.
    Score {
        /// The share, 0 to 1.
        score: f64,
        /// The number of games behind it.
        games: u64,
    },
}

impl Printed {
    /// The share of points.
    #[must_use]
    pub fn score(&self) -> f64 {
        match self {
            Self::Counts(tally) => tally.score(),
            Self::Score { score, .. } => *score,
        }
    }

    /// The counts. For a share alone, counts with that share and as few draws as possible.
    #[must_use]
    pub fn tally(&self) -> Tally {
        match *self {
            Self::Counts(tally) => tally,
            Self::Score { score, games } => {
                let half_points = ((2.0 * score * games as f64).round() as u64).min(2 * games);
                let (wins, draws) = (half_points / 2, half_points % 2);
                Tally { wins, draws, losses: games - wins - draws }
            }
        }
    }

    /// The p-value of the test of homogeneity of the printed and the measured results. It compares
    /// wins, draws and losses. If only a share was printed, it compares points won and points lost,
    /// in whole numbers.
    #[must_use]
    pub fn homogeneity(&self, measured: &Tally) -> f64 {
        let points = |tally: &Tally| {
            let wins = tally.wins + tally.draws / 2;
            Tally { wins, draws: 0, losses: tally.games() - wins }
        };
        match self {
            Self::Counts(tally) => homogeneity(tally, measured),
            Self::Score { .. } => homogeneity(&points(&self.tally()), &points(measured)),
        }
    }
}

/// A match of a table. Printed results are from A's view.
#[derive(Clone, Debug, PartialEq)]
#[doc(hidden)]
pub struct Row {
    /// Its line in the file of the table, where it has one of its own.
    pub line: Option<usize>,
    /// The value of the parameter that a sweep varies.
    pub value: Option<String>,
    /// The names of A and B as printed.
    pub names: [String; 2],
    /// The specs of A and B. `{monte_carlo}`, `{deepening}`, `{seconds:X}` and `{equal_time}` stand
    /// for limits; see [`super::Sizes`].
    pub agents: [String; 2],
    /// The printed result, if any.
    pub printed: Option<Printed>,
    /// The number of games, if it is not that of the table.
    pub games: Option<u64>,
    /// The test, if it is not that of the table.
    pub test: Option<Test>,
    /// What a position or an iteration of A and B cost the document's program, compared with each
    /// other. Limits of work are divided by it; limits of time stay.
    pub handicap: Option<[f64; 2]>,
    /// Milliseconds per move of A and B, as printed.
    pub milliseconds: Option<[f64; 2]>,
    /// What the document concludes from the row.
    pub claim: Option<Claim>,
    /// The players of a round robin, by index.
    pub players: Option<[usize; 2]>,
}

/// What a document says about two agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, EnumString)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
#[doc(hidden)]
pub enum Winner {
    /// A is stronger.
    A,
    /// B is stronger.
    B,
    /// Neither is shown to be stronger.
    None,
}

/// The claim of a row.
#[doc(hidden)]
pub(super) type Claim = Winner;

impl fmt::Display for Winner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::A => "A1 is stronger",
            Self::B => "A2 is stronger",
            Self::None => "no difference shown",
        })
    }
}

/// The test behind the p-values that a document prints. Conclusions here rest on
/// [`two_sided_p`](Test::two_sided_p).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, EnumString, VariantNames,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Test {
    /// Liang's test of B's wins among decided games. See [`p_value`].
    #[default]
    OneSided,
    /// Lifshitz's test of all games. See [`p_value_two_sided`].
    TwoSided,
    /// Lifshitz's test of agents that should be alike. See [`chi_squared_yates`].
    ChiSquared,
}

impl Test {
    /// The p-value that the document would print for a tally from A's view.
    #[must_use]
    pub fn p_value(self, tally: &Tally) -> Option<f64> {
        match self {
            Self::OneSided => p_value(&tally.reversed()),
            Self::TwoSided => p_value_two_sided(tally),
            Self::ChiSquared => chi_squared_yates(tally).map(|(_, p)| p),
        }
    }

    /// The exact two-sided p-value of the games that the test looks at: decided games in Liang's,
    /// all games in Lifshitz's, where draws are half wins. Unlike Liang's p-value, it counts the
    /// result itself: two wins of two have 0.5 and not 0.
    #[must_use]
    pub fn two_sided_p(self, tally: &Tally) -> Option<f64> {
        match self {
            Self::OneSided if tally.wins + tally.losses == 0 => None,
            Self::OneSided => Evidence::Games([tally.losses, tally.draws, tally.wins]).p(),
            Self::TwoSided | Self::ChiSquared => p_value_either_side(tally),
        }
    }

    /// The games that [`two_sided_p`](Self::two_sided_p) counts, in words.
    #[must_use]
    pub fn counted_games(self, tally: &Tally) -> String {
        match self {
            Self::OneSided => format!("{} decided games", tally.wins + tally.losses),
            Self::TwoSided | Self::ChiSquared => format!("{} games", tally.games()),
        }
    }

    /// The agent that is shown to be stronger. It takes six decided games at least.
    #[must_use]
    pub fn stronger(self, tally: &Tally) -> Winner {
        match self.two_sided_p(tally) {
            Some(p) if p < SIGNIFICANCE && tally.wins > tally.losses => Winner::A,
            Some(p) if p < SIGNIFICANCE => Winner::B,
            _ => Winner::None,
        }
    }
}
