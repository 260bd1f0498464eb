//! The result of a table: plain data, in the form that `--out` writes.

use serde::{Deserialize, Serialize};
use statrs::statistics::Statistics;

use super::table::{Drawing, ENOUGH_GAMES, Figure, Printed, TableWinner, Test};
use tictune_core::arena::{GameTrace, MatchResult, MatchSettings, MoveCost, Schedule};
use tictune_core::stats::Tally;

/// A table with the measured results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[doc(hidden)]
pub struct TableReport {
    pub command: String,
    pub document: String,
    pub table: String,
    pub title: String,
    /// The test behind its p-values and conclusions.
    pub test: Test,
    /// Those that were played.
    pub rows: Vec<RowReport>,
    /// If the table is a sweep and was played completely: what it concludes, and the result here.
    pub sweep: Option<Conclusion>,
    /// If the table is a round robin and was played completely: its players in the printed order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub standings: Vec<Standing>,
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

/// A row that was played. Results are from A's view; arrays hold the values of A and B.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[doc(hidden)]
pub struct RowReport {
    /// The number of the row in the table, from 1.
    pub row: usize,
    pub value: Option<String>,
    pub names: [String; 2],
    #[serde(flatten)]
    pub settings: RowSettings,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub printed: Option<Printed>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub printed_milliseconds: Option<[f64; 2]>,
    /// The test behind the p-values, if it is not that of the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<Test>,
    #[serde(flatten)]
    pub measurement: Measurement,
    /// The p-values of the printed and the measured results by the test.
    pub printed_p: Option<f64>,
    pub measured_p: Option<f64>,
    /// The exact two-sided p-value of the measured results, on which the conclusion rests.
    #[serde(default)]
    pub two_sided_p: Option<f64>,
    /// The test of homogeneity of printed and measured results: see [`Printed::homogeneity`].
    pub homogeneity_p: Option<f64>,
    /// The same p-value, corrected for the number of rows in the table (Holm).
    pub homogeneity_p_of_table: Option<f64>,
    /// Whether the printed and the measured results agree: `homogeneity_p` is at least
    /// [`SIGNIFICANCE`](tictune_core::stats::SIGNIFICANCE).
    pub agrees: Option<bool>,
    pub conclusion: Option<Conclusion>,
}

/// A conclusion of a document that is tested here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[doc(hidden)]
pub struct Conclusion {
    pub claimed: String,
    pub measured: String,
    pub verdict: Verdict,
}

/// The result of testing a conclusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[doc(hidden)]
pub enum Verdict {
    /// The results here lead to the same conclusion, which may be "no significant difference".
    Holds,
    /// Another of several values leads here, but not significantly.
    NotContradicted,
    /// The document claims a difference, but it is not significant here. More games might show it.
    NotShown,
    /// The results here lead to another conclusion.
    Contradicted,
    /// Too few games were played to test for no difference, or that one of several values is best.
    TooFewGames,
}

impl Verdict {
    /// The verdict on a claim about two agents after so many games.
    pub(super) fn of(claimed: TableWinner, measured: TableWinner, games: u64) -> Self {
        match (claimed, measured) {
            (TableWinner::None, TableWinner::None) if games < ENOUGH_GAMES => Self::TooFewGames,
            (_, TableWinner::None) if claimed != measured => Self::NotShown,
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

/// Everything that determines the result of a row. A saved row with the same settings need not be played again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[doc(hidden)]
pub struct RowSettings {
    /// The specs of A and B as they play.
    pub agents: [String; 2],
    /// A hash of what these texts leave out (values of weights, positions of openings).
    pub fingerprint: String,
    pub openings: String,
    pub schedule: Schedule,
    pub replay_ties: bool,
    pub rules: String,
    pub games: u64,
    pub seed: u64,
}

impl RowSettings {
    pub(super) const fn of_match(&self) -> MatchSettings {
        let Self { games, seed, schedule, replay_ties, .. } = *self;
        MatchSettings { games, seed, schedule, replay_ties }
    }

    /// The first setting that another row has not, if there is one.
    pub(super) fn difference(&self, other: &Self) -> Option<String> {
        const NAMED: [&str; 6] = ["games", "seed", "openings", "schedule", "rules", "replay_ties"];
        let [was, is] = [self, other].map(|row| serde_json::json!(row));
        let differs = NAMED.iter().find(|name| was[**name] != is[**name]);
        let named = differs.map(|name| format!("{name} {}, not {}", was[*name], is[*name]));
        let mut agents = self.agents.iter().zip(&other.agents);
        let agent = agents.find(|(was, is)| was != is);
        let named = named.or_else(|| agent.map(|(was, is)| format!("agent {was}, not {is}")));
        let hidden = || "weights or openings of the same name with other values".into();
        named.or_else(|| (self != other).then(hidden))
    }
}

/// The result of a row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[doc(hidden)]
pub struct Measurement {
    pub measured: Tally,
    pub distinct_games: u64,
    /// Games forfeited on time, and for any other reason.
    pub timeouts: [u64; 2],
    pub errors: [u64; 2],
    /// Positions or iterations searched per move.
    pub work_per_move: [f64; 2],
    pub milliseconds_per_move: [f64; 2],
    pub seconds: f64,
    /// The standard deviation of single moves, where the table has figures of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub milliseconds_deviation: Option<[f64; 2]>,
    /// Milliseconds per move given to an agent whose limit is `{equal_time}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equal_time: Option<f64>,
}

impl Measurement {
    /// Whether results that were read back are those of so many games, no more of them forfeited than lost.
    pub(super) fn is_of(&self, games: u64) -> bool {
        let Self { measured, distinct_games, timeouts, errors, .. } = self;
        let lost = [measured.losses, measured.wins];
        let forfeits = |side: usize| timeouts[side].checked_add(errors[side]);
        measured.games() == games
            && *distinct_games <= games
            && (0..2).all(|side| forfeits(side).is_some_and(|forfeits| forfeits <= lost[side]))
    }

    pub(super) fn of(result: &MatchResult) -> Self {
        let sides = result.summary.sides;
        let per_move = |total: f64, side: usize| total / sides[side].moves.max(1) as f64;
        let work = |side: usize| (sides[side].nodes + sides[side].iterations) as f64;
        let time = |side: usize| 1e3 * sides[side].search.as_secs_f64();
        Self {
            measured: result.summary.tally,
            distinct_games: result.distinct_games,
            timeouts: result.summary.timeouts,
            errors: result.summary.errors,
            work_per_move: [0, 1].map(|side| per_move(work(side), side)),
            milliseconds_per_move: [0, 1].map(|side| per_move(time(side), side)),
            seconds: result.elapsed.as_secs_f64(),
            ..Self::default()
        }
    }
}

/// What charts need of a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveTime {
    /// Moves made before it since the start of the game, by both players.
    pub ply: u32,
    /// Whether A made it.
    pub by_a: bool,
    /// Wall time of the choice.
    pub milliseconds: f64,
}

/// What charts need of the moves and games of a row or a match.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowTrace {
    /// Every move, in the order of games.
    pub moves: Vec<MoveTime>,
    /// A's half points in every game: 2 for a win, 1 for a draw.
    pub half_points: Vec<u64>,
}

impl RowTrace {
    pub(super) fn of(games: &[GameTrace]) -> Self {
        let of_game = |game: &GameTrace| -> Vec<_> {
            let time = |cost: &MoveCost| MoveTime {
                ply: cost.ply,
                by_a: game.is_a(cost.player),
                milliseconds: 1e3 * cost.time.as_secs_f64(),
            };
            game.played.costs.iter().map(time).collect()
        };
        Self {
            moves: games.iter().flat_map(of_game).collect(),
            half_points: games.iter().map(|game| game.half_points).collect(),
        }
    }

    /// The standard deviation of the milliseconds of a move, of A and of B; 0 for fewer than two moves.
    pub(super) fn deviation_of_times(&self) -> [f64; 2] {
        [true, false].map(|by_a| {
            let of_side = self.moves.iter().filter(|row| row.by_a == by_a);
            let times: Vec<f64> = of_side.map(|row| row.milliseconds).collect();
            if times.len() < 2 { 0.0 } else { times.std_dev() }
        })
    }
}
