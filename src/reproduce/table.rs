//! Tables as data.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use strum::{EnumString, VariantNames};

use crate::stats::{Tally, chi_squared_yates, homogeneity, p_value, p_value_two_sided};

/// Below this two results differ, and one agent is shown to be stronger.
pub(crate) const SIGNIFICANCE: f64 = 0.05;

/// A printed table of matches.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Table {
    /// The document that printed it.
    pub document: String,
    /// Its name: the number that it has there, with the document's name before it for all but Liang's.
    pub name: String,
    /// The game.
    pub game: String,
    /// Its title there.
    pub title: String,
    /// Games of each row, as printed.
    pub games: u64,
    /// Where its games started, in the words of openings.
    pub openings: String,
    /// Who moved first when.
    pub schedule: String,
    /// Variants of the rules, in their text form.
    pub rules: String,
    /// Whether drawn games are played again until they are decided.
    pub replay_ties: bool,
    /// The test behind its p-values and conclusions.
    pub test: Test,
    /// The folder that weight files and openings of its rows are relative to.
    pub folder: PathBuf,
    /// Its rows. Of a round robin: every ordered pair of players.
    pub rows: Vec<Row>,
    /// The `value` of the row in which A did best, where the document concludes that from the table.
    pub best: Option<String>,
    /// Who played a round robin; empty where the table is none.
    pub players: Vec<Contestant>,
    /// What the document says of groups of players of a round robin.
    pub reductions: Vec<Reduction>,
    /// How many positions the document's program searched in a second, about, where it was limited by
    /// time: what `{seconds:X}` of an agent is worth in positions.
    pub positions_per_second: Option<f64>,
    /// What the document leaves open, and what was chosen here.
    pub choices: Vec<String>,
    /// How the rows of a sweep are drawn.
    pub figure: Option<Figure>,
    /// What is drawn of the moves and games of every row.
    pub drawn: Vec<Drawing>,
}

/// A player of a round robin, and what was printed of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Contestant {
    /// The name as printed.
    pub name: String,
    /// Its spec.
    pub agent: String,
    /// The share of its games that it won, as printed.
    pub score: Option<f64>,
    /// Milliseconds a move, as printed.
    pub milliseconds: Option<f64>,
}

/// What some players lose or save against others, in the mean over pairs: the mean of
/// (normal - reduced) / normal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reduction {
    /// In words.
    pub name: String,
    /// Of what.
    pub quantity: Quantity,
    /// The names of both players of each pair: the normal one, the reduced one.
    pub pairs: Vec<[String; 2]>,
    /// What the document prints, as a share; nothing where it only draws it.
    pub printed: Option<f64>,
}

/// A measured quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, EnumString, VariantNames)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum Quantity {
    /// The share of points, 0..=1.
    Score,
    /// Milliseconds a move.
    Milliseconds,
    /// Positions or iterations a move.
    Work,
}

impl Quantity {
    /// With its unit, as the axis of a figure.
    #[must_use]
    pub(crate) const fn label(self) -> &'static str {
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
pub(crate) enum Drawing {
    /// The mean time of the moves of each turn (Lifshitz VI).
    TimeByTurn,
    /// The time of every move (Sista, figures 4.1 to 4.3).
    TimeOfMoves,
    /// The shares of games won, as games are played (Sista, figure 4.4).
    Convergence,
}

/// A figure of a sweep: a point a row, the `value` of the row against a quantity of A.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Figure {
    /// What the values are, with their unit.
    pub x: String,
    /// What is measured.
    pub y: Quantity,
    /// Whether both axes of times and counts are logarithmic.
    pub logarithmic: bool,
}

impl Figure {
    /// Whether the values are on a logarithmic axis: depths are few whole numbers and shares end at 1, so
    /// that against a score it is the values that span magnitudes, else the quantity.
    #[must_use]
    pub(crate) fn x_is_logarithmic(&self) -> bool {
        self.logarithmic && self.y == Quantity::Score
    }
}

/// A printed result, from A's view.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Printed {
    /// All three counts.
    Counts(Tally),
    /// The share of points alone, draws as half wins.
    Score {
        /// The share, 0..=1.
        score: f64,
        /// The games that it was printed for.
        games: u64,
    },
}

impl Printed {
    /// The share of points.
    #[must_use]
    pub(crate) fn score(&self) -> f64 {
        match self {
            Self::Counts(tally) => tally.score(),
            Self::Score { score, .. } => *score,
        }
    }

    /// The counts; of a share alone, those with that share and as few draws as can be.
    #[must_use]
    pub(crate) fn tally(&self) -> Tally {
        match *self {
            Self::Counts(tally) => tally,
            Self::Score { score, games } => {
                let half_points = ((2.0 * score * games as f64).round() as u64).min(2 * games);
                let (wins, draws) = (half_points / 2, half_points % 2);
                Tally { wins, draws, losses: games - wins - draws }
            }
        }
    }

    /// The p-value of the test of homogeneity of what was printed and what was measured: of wins, draws
    /// and losses, or, where a share alone was printed, of points and points lost in whole numbers.
    #[must_use]
    pub(crate) fn homogeneity(&self, measured: &Tally) -> f64 {
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
pub(crate) struct Row {
    /// What a sweep varies.
    pub value: Option<String>,
    /// A and B as printed.
    pub names: [String; 2],
    /// Their specs. `{monte_carlo}`, `{deepening}`, `{seconds:X}` and `{equal_time}` stand for limits:
    /// see [`super::Sizes`].
    pub agents: [String; 2],
    /// The printed result, where there is one.
    pub printed: Option<Printed>,
    /// Its games, where they are not those of the table.
    pub games: Option<u64>,
    /// Its test, where it is not that of the table.
    pub test: Option<Test>,
    /// Milliseconds a move of A and B, as printed.
    pub milliseconds: Option<[f64; 2]>,
    /// What the document concludes from the row.
    pub claim: Option<Claim>,
    /// The players of a round robin, by number.
    pub players: Option<[usize; 2]>,
}

/// What a document says of two agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, EnumString)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub(crate) enum Winner {
    /// A is the stronger.
    A,
    /// B is the stronger.
    B,
    /// Neither is shown to be.
    None,
}

/// The claim of a row.
pub(crate) type Claim = Winner;

impl fmt::Display for Winner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::A => "A1 is stronger",
            Self::B => "A2 is stronger",
            Self::None => "no difference shown",
        })
    }
}

/// The test of one agent being stronger than the other.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, EnumString, VariantNames,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum Test {
    /// Liang's, of B's wins: below 5 % B is the stronger, above 95 % A. See [`p_value`].
    #[default]
    OneSided,
    /// Lifshitz's: below 5 % the one who scored more. See [`p_value_two_sided`].
    TwoSided,
    /// Lifshitz's of agents that should be alike: below 5 % the one who scored more. See
    /// [`chi_squared_yates`].
    ChiSquared,
}

impl Test {
    /// Its p-value for a tally from A's view.
    #[must_use]
    pub(crate) fn p_value(self, tally: &Tally) -> Option<f64> {
        match self {
            Self::OneSided => p_value(&tally.reversed()),
            Self::TwoSided => p_value_two_sided(tally),
            Self::ChiSquared => chi_squared_yates(tally).map(|(_, p)| p),
        }
    }

    /// Who it shows to be stronger.
    #[must_use]
    pub(crate) fn stronger(self, tally: &Tally) -> Winner {
        match (self, self.p_value(tally)) {
            (Self::OneSided, Some(p)) if p < SIGNIFICANCE => Winner::B,
            (Self::OneSided, Some(p)) if p > 1.0 - SIGNIFICANCE => Winner::A,
            (Self::TwoSided | Self::ChiSquared, Some(p)) if p < SIGNIFICANCE => {
                if tally.score() > 0.5 { Winner::A } else { Winner::B }
            }
            _ => Winner::None,
        }
    }
}
