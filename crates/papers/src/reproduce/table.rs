//! Tables as plain data.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use strum::Display;

use super::homogeneity::{chi_squared_yates, homogeneity};
use tictune_core::stats::{Evidence, SIGNIFICANCE, Tally, p_of_liang, p_of_lifshitz};

/// With fewer games, that no difference is shown says nothing: 60 wins of 100 are hardly told from 50.
pub const ENOUGH_GAMES: u64 = 100;

/// A printed table of matches. Its file has the fields as keys.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
pub struct PaperTable {
    /// The file that it was read from, if it is not built in.
    #[serde(skip)]
    pub file: Option<PathBuf>,
    /// The paper that printed it.
    pub document: String,
    /// Its name: the number that the paper gives it, preceded by the paper's name for all
    /// papers but Liang's. Results are saved under this name.
    #[serde(rename = "table")]
    pub name: String,
    /// The game; four of the five papers are about the default.
    #[serde(default = "uttt")]
    pub game: String,
    /// The title as printed.
    pub title: String,
    /// The number of games in each row, as printed.
    #[schemars(range(min = 1))]
    pub games: u64,
    /// How many seconds its committed results took, all rows together.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub seconds: Option<f64>,
    /// Where its games started, in the text form of openings.
    pub openings: String,
    /// Who moved first in which game.
    pub schedule: String,
    /// Variants of the rules, in their text form.
    #[serde(default)]
    pub rules: String,
    /// Whether drawn games are played again until they are decided.
    #[serde(default)]
    pub replay_ties: bool,
    /// The test behind its p-values and conclusions.
    #[serde(default)]
    pub test: Test,
    /// The folder that weight files and openings of its rows are relative to.
    #[serde(skip)]
    pub folder: PathBuf,
    /// Its rows. A round robin has one for every ordered pair of players.
    #[serde(default)]
    pub rows: Vec<Row>,
    /// The `value` of the row in which A did best, if the paper draws that conclusion.
    pub best: Option<String>,
    /// The players of a round robin; empty if the table is not one.
    #[serde(default)]
    pub players: Vec<Contestant>,
    /// What the paper says about groups of players of a round robin.
    #[serde(default)]
    pub reductions: Vec<Reduction>,
    /// Positions per second of the paper's program, if it was limited by time. It converts `{seconds:X}` of an agent to positions.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub positions_per_second: Option<f64>,
    /// What the paper leaves open, and what was chosen here.
    #[serde(default)]
    pub choices: Vec<String>,
    /// Why its rows differ here, as far as is known. A row may have a reason of its own.
    pub differs: Option<String>,
    /// The figure of a sweep.
    pub figure: Option<Figure>,
    /// The figures of the moves and games of every row.
    #[serde(default)]
    pub drawn: Vec<Drawing>,
}

fn uttt() -> String {
    "uttt".into()
}

/// A player of a round robin, and its printed results.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[doc(hidden)]
pub struct Contestant {
    /// The name as printed.
    pub name: String,
    pub agent: String,
    /// The share of its games that it won, as printed.
    #[schemars(range(min = 0, max = 1), extend("x-takes" = "a share from 0 to 1"))]
    pub score: Option<f64>,
    /// Milliseconds per move, as printed.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub milliseconds: Option<f64>,
}

/// How much some players lose or save compared with others: the mean of (normal - reduced) / normal over pairs of players.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[doc(hidden)]
pub struct Reduction {
    pub name: String,
    pub quantity: Quantity,
    /// The players of each pair: `"NORMAL > REDUCED"`.
    pub pairs: Vec<String>,
    /// The share as printed; `None` if the paper only draws it.
    pub printed: Option<f64>,
}

/// A measured quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Display)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// The share of points, 0 to 1.
    #[strum(to_string = "share of points of A")]
    Score,
    /// Milliseconds per move.
    #[strum(to_string = "milliseconds per move of A")]
    Milliseconds,
    /// Positions or iterations per move.
    #[strum(to_string = "positions or iterations per move of A")]
    Work,
}

/// A figure of the moves or games of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Drawing {
    /// The mean time of the moves of each turn (Lifshitz VI).
    TimeByTurn,
    /// The time of every move (Sista, figures 4.1 to 4.3).
    TimeOfMoves,
    /// The shares of games won as the number of games grows (Sista, figure 4.4).
    Convergence,
}

/// A figure of a sweep: one point for each row, the row's `value` against a quantity of A.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct Figure {
    /// The label of the values, with their unit.
    pub x: String,
    /// The measured quantity.
    pub y: Quantity,
    /// Whether axes of times and counts are logarithmic.
    #[serde(default)]
    pub logarithmic: bool,
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
    pub fn score(&self) -> f64 {
        match self {
            Self::Counts(tally) => tally.score(),
            Self::Score { score, .. } => *score,
        }
    }

    /// The counts. For a share alone, counts with that share and as few draws as possible.
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

    /// The p-value of the test of homogeneity of the printed and the measured results: of wins, draws and losses or, where
    /// only a share was printed, of points won and lost, in whole numbers.
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
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[doc(hidden)]
pub struct Row {
    /// Its line in the file of the table, where it has one of its own.
    #[serde(skip)]
    pub line: Option<usize>,
    /// The value of the parameter that a sweep varies.
    pub value: Option<String>,
    /// The name of A as printed.
    pub a: String,
    /// The name of B as printed.
    pub b: String,
    /// The specs of A and B. `{monte_carlo}`, `{deepening}`, `{seconds:X}` and `{equal_time}` stand
    /// for limits; see [`super::Sizes`].
    #[schemars(extend("x-takes" = "two agents"))]
    pub agents: [String; 2],
    /// The printed result, if any.
    #[serde(default, deserialize_with = "printed")]
    #[schemars(with = "Option<PrintedKeys>")]
    pub printed: Option<Printed>,
    /// The number of games, if it is not that of the table.
    #[schemars(range(min = 1))]
    pub games: Option<u64>,
    /// The test, if it is not that of the table.
    pub test: Option<Test>,
    /// What a position or an iteration of A and B cost the paper's program, compared with each
    /// other. Limits of work are divided by it; time limits stay.
    #[schemars(extend("x-takes" = "two numbers above 0", "items" = above_zero()))]
    pub handicap: Option<[f64; 2]>,
    /// Milliseconds per move of A and B, as printed.
    #[schemars(extend("x-takes" = "two numbers above 0", "items" = above_zero()))]
    pub milliseconds: Option<[f64; 2]>,
    /// What the paper concludes from the row.
    pub claim: Option<TableWinner>,
    /// Why the result differs here, as far as is known.
    pub differs: Option<String>,
    /// The players of a round robin, by index.
    #[serde(skip)]
    pub players: Option<[usize; 2]>,
}

fn above_zero() -> serde_json::Value {
    serde_json::json!({ "type": "number", "exclusiveMinimum": 0 })
}

impl Row {
    pub fn names(&self) -> [String; 2] {
        [self.a.clone(), self.b.clone()]
    }
}

/// A printed result as a file has it: three counts, or a share of the games of the row.
#[derive(Deserialize, JsonSchema)]
struct PrintedKeys {
    a_wins: Option<u64>,
    b_wins: Option<u64>,
    ties: Option<u64>,
    #[schemars(range(min = 0, max = 1), extend("x-takes" = "a share from 0 to 1"))]
    score: Option<f64>,
}

/// Reads a printed result. How many games a share is of, only the row knows: that is filled in later.
fn printed<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Printed>, D::Error> {
    let PrintedKeys { a_wins, b_wins, ties, score } = PrintedKeys::deserialize(from)?;
    match (a_wins, b_wins, ties, score) {
        (Some(wins), Some(losses), Some(draws), None) => {
            Ok(Some(Printed::Counts(Tally { wins, draws, losses })))
        }
        (None, None, None, Some(score)) => Ok(Some(Printed::Score { score, games: 0 })),
        _ => Err(D::Error::custom("printed: write a_wins, b_wins and ties, or a score")),
    }
}

/// What a paper says about two agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Display)]
#[serde(rename_all = "lowercase")]
#[doc(hidden)]
pub enum TableWinner {
    #[strum(to_string = "A1 is stronger")]
    A,
    #[strum(to_string = "A2 is stronger")]
    B,
    #[strum(to_string = "no difference shown")]
    None,
}

/// The test behind the p-values that a paper prints. Conclusions here rest on [`two_sided_p`](Test::two_sided_p).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Test {
    /// Liang's test of B's wins among decided games. See [`p_of_liang`].
    #[default]
    OneSided,
    /// Lifshitz's test of all games. See [`p_of_lifshitz`].
    TwoSided,
    /// Lifshitz's test of agents that should be alike. See [`chi_squared_yates`].
    ChiSquared,
}

impl Test {
    /// The p-value that the paper would print for a tally from A's view.
    pub fn p_value(self, tally: &Tally) -> Option<f64> {
        match self {
            Self::OneSided => p_of_liang(&tally.reversed()),
            Self::TwoSided => p_of_lifshitz(tally),
            Self::ChiSquared => chi_squared_yates(tally).map(|(_, p)| p),
        }
    }

    /// The exact two-sided p-value of the games that the test looks at: decided games in Liang's, all games in Lifshitz's,
    /// where draws are half wins. Unlike Liang's, it counts the result itself: two wins of two have 0.5 and not 0.
    pub fn two_sided_p(self, tally: &Tally) -> Option<f64> {
        match self {
            Self::OneSided if tally.wins + tally.losses == 0 => None,
            Self::OneSided => Evidence::Games([tally.losses, tally.draws, tally.wins]).p(),
            // From the view of who leads, which gives the same p-value to both sides.
            _ if tally.wins < tally.losses => p_of_lifshitz(&tally.reversed()),
            _ => p_of_lifshitz(tally),
        }
    }

    /// The agent that is shown to be stronger. It takes six decided games at least.
    pub fn stronger(self, tally: &Tally) -> TableWinner {
        match self.two_sided_p(tally) {
            Some(p) if p < SIGNIFICANCE && tally.wins > tally.losses => TableWinner::A,
            Some(p) if p < SIGNIFICANCE => TableWinner::B,
            _ => TableWinner::None,
        }
    }
}
