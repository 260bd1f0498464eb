//! The log of a tournament: one row for each game, written when the game is over.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::{GameResult, GameTask, SideStats, Summary};
use crate::files::{FileError, Journal, LogError, escaped_cell, journal_text, write_atomically};
use crate::game::{Adjudication, Game, Outcome, Player};
use crate::input::{InputError, excerpt};
use crate::stats::Tally;

/// A game of a tournament.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "Fields", try_from = "Fields")]
pub struct GameRow {
    /// Its identity.
    pub identity: String,
    /// The name of the first agent of its pairing.
    pub a: String,
    /// The name of the second.
    pub b: String,
    /// Its number in its pairing, from 0.
    pub game: u64,
    /// The number of its opening.
    pub number: u64,
    /// Its seed; for a replayed tie, the first seed.
    pub seed: u64,
    /// Whether A moved first.
    pub a_first: bool,
    /// The result, from A's view.
    pub summary: Summary,
    /// Why it was forfeited, if it was.
    pub failure: String,
    /// Where it started, in notation.
    pub start: String,
    /// Its moves in notation, the opening's included, with spaces between them.
    pub moves: String,
}

/// The columns of each side.
const SIDE_COLUMNS: [&str; 7] =
    ["moves", "nodes", "iterations", "timeouts", "late", "seconds", "slowest"];

impl GameRow {
    /// The row of a game that was played; its names and its place in the pairing are still open.
    pub(super) fn new(identity: String, task: &GameTask, game: GameResult) -> Self {
        let failure = game.failure.as_ref().map(ToString::to_string);
        // Times as they will be read again.
        let mut summary = Summary::of(&game);
        for side in &mut summary.sides {
            side.search = microseconds(side.search);
            side.slowest = microseconds(side.slowest);
        }
        let (start, moves) =
            game.moves.map_or_else(Default::default, |game| (game.start, game.moves));
        Self {
            identity,
            a: String::new(),
            b: String::new(),
            game: 0,
            number: task.number,
            seed: task.seed,
            a_first: task.a_first,
            summary,
            failure: escaped_cell(&failure.unwrap_or_default()).into(),
            start,
            moves: moves.join(" "),
        }
    }

    /// Checks that the result and the plies follow from the moves.
    ///
    /// # Errors
    /// What does not.
    pub fn check<P: Game>(&self, rules: P::Rules) -> Result<(), String> {
        let mut position =
            P::from_notation(&self.start, rules).map_err(|error| error.to_string())?;
        let mut plies = 0;
        for (text, number) in self.moves.split_whitespace().zip(1_u64..) {
            let mv = P::parse_move(text).ok().filter(|&mv| position.play(mv).is_ok());
            mv.ok_or_else(|| format!("move {number}, {}, is not legal there", excerpt(text)))?;
            plies = number;
        }
        if plies != self.summary.plies {
            return Err(format!("plies: expected {plies}, as many as there are moves"));
        }
        let Tally { wins, losses, .. } = self.summary.tally;
        let winner = match (wins, losses) {
            (1, _) => Some(self.a_first),
            (_, 1) => Some(!self.a_first),
            _ => None,
        };
        let result = match winner {
            None => Outcome::Draw,
            Some(true) => Outcome::Win(Player::First),
            Some(false) => Outcome::Win(Player::Second),
        };
        let forfeited = self.summary.timeouts != [0, 0] || self.summary.errors != [0, 0];
        let expected = match position.outcome() {
            Some(_) if forfeited => return Err("forfeit: the moves end the game".into()),
            Some(outcome) => outcome,
            None if forfeited => Outcome::Win(position.side_to_move().other()),
            // The agents may have ended it.
            None if P::adjudication(rules) != Adjudication::default() => return Ok(()),
            None => return Err("the moves do not end the game".into()),
        };
        if result == expected {
            Ok(())
        } else {
            Err("the result does not follow from the moves".into())
        }
    }

    fn header() -> Vec<String> {
        let game = ["identity", "a", "b", "game", "number", "seed", "first", "result", "forfeit"];
        let sides = ["a", "b"]
            .iter()
            .flat_map(|side| SIDE_COLUMNS.iter().map(move |column| format!("{column}_{side}")));
        let game = game.into_iter().chain(["failure", "plies"]).map(String::from);
        game.chain(sides).chain(["start", "moves"].map(String::from)).collect()
    }
}

/// The columns of a game.
#[derive(Serialize, Deserialize)]
struct Fields {
    identity: String,
    a: String,
    b: String,
    game: u64,
    number: u64,
    seed: u64,
    first: First,
    result: Winner,
    forfeit: Option<Forfeited>,
    failure: String,
    plies: u64,
    sides: [SideFields; 2],
    start: String,
    moves: String,
}

/// Who moved first.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum First {
    A,
    B,
}

/// Who won.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Winner {
    A,
    B,
    Draw,
}

/// Why a game was forfeited.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Forfeited {
    Timeout,
    Error,
}

/// The columns of a side.
#[derive(Serialize, Deserialize)]
struct SideFields {
    moves: u64,
    nodes: u64,
    iterations: u64,
    /// Attempts that ran out of time.
    timeouts: u64,
    /// Moves that came late, but within the grace.
    late: u64,
    #[serde(with = "seconds")]
    search: Duration,
    #[serde(with = "seconds")]
    slowest: Duration,
}

/// Times in seconds, to the microsecond.
mod seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    use super::microseconds;

    pub(super) fn serialize<S: Serializer>(
        time: &Duration,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:.6}", time.as_secs_f64()))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Duration, D::Error> {
        let time = Duration::try_from_secs_f64(f64::deserialize(deserializer)?);
        time.map(microseconds).map_err(serde::de::Error::custom)
    }
}

impl From<GameRow> for Fields {
    fn from(row: GameRow) -> Self {
        let Summary { tally, timeouts, errors, plies, sides } = row.summary;
        Self {
            identity: row.identity,
            a: escaped_cell(&row.a).into(),
            b: escaped_cell(&row.b).into(),
            game: row.game,
            number: row.number,
            seed: row.seed,
            first: if row.a_first { First::A } else { First::B },
            result: match tally {
                Tally { wins: 1, .. } => Winner::A,
                Tally { losses: 1, .. } => Winner::B,
                _ => Winner::Draw,
            },
            forfeit: match (timeouts, errors) {
                ([0, 0], [0, 0]) => None,
                ([0, 0], _) => Some(Forfeited::Error),
                _ => Some(Forfeited::Timeout),
            },
            failure: row.failure,
            plies,
            sides: sides.map(|side| SideFields {
                moves: side.moves,
                nodes: side.nodes,
                iterations: side.iterations,
                timeouts: side.timeouts,
                late: side.late,
                search: side.search,
                slowest: side.slowest,
            }),
            start: row.start,
            moves: row.moves,
        }
    }
}

impl TryFrom<Fields> for GameRow {
    type Error = &'static str;

    fn try_from(fields: Fields) -> Result<Self, Self::Error> {
        let (wins, draws, losses) = match fields.result {
            Winner::A => (1, 0, 0),
            Winner::B => (0, 0, 1),
            Winner::Draw => (0, 1, 0),
        };
        // Who forfeits loses.
        let loser = [losses, wins];
        let (timeouts, errors) = match fields.forfeit {
            None => ([0; 2], [0; 2]),
            Some(_) if draws > 0 => return Err("a draw is no forfeit"),
            Some(Forfeited::Timeout) => (loser, [0; 2]),
            Some(Forfeited::Error) => ([0; 2], loser),
        };
        Ok(Self {
            identity: fields.identity,
            a: fields.a,
            b: fields.b,
            game: fields.game,
            number: fields.number,
            seed: fields.seed,
            a_first: fields.first == First::A,
            summary: Summary {
                tally: Tally { wins, draws, losses },
                timeouts,
                errors,
                plies: fields.plies,
                sides: fields.sides.map(|side| SideStats {
                    moves: side.moves,
                    nodes: side.nodes,
                    iterations: side.iterations,
                    timeouts: side.timeouts,
                    late: side.late,
                    search: side.search,
                    slowest: side.slowest,
                }),
            },
            failure: fields.failure,
            start: fields.start,
            moves: fields.moves,
        })
    }
}

/// A time as the log holds it.
fn microseconds(time: Duration) -> Duration {
    Duration::from_micros(u64::try_from(time.as_micros()).unwrap_or(u64::MAX))
}

/// The games of a tournament on disk. Rows are found by identity, whatever their order.
#[derive(Debug)]
pub struct GameLog {
    path: PathBuf,
    rows: HashMap<String, GameRow>,
    /// Identities in the order of the file, with their lines.
    order: Vec<(String, usize)>,
    writer: Mutex<Writer>,
}

#[derive(Debug)]
struct Writer {
    journal: Journal<GameRow>,
    synced: Instant,
}

/// A row is written at once, so that nothing is lost if the process is killed. At most this long after, it is on disk,
/// safe from a loss of power.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

impl GameLog {
    /// Checks that a file, if there is one, is such a log, and leaves it as it is.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn check(path: &Path) -> Result<(), LogError> {
        Journal::<GameRow>::check(path, &GameRow::header())
    }

    /// Opens a log, or creates one. A torn last line is cut off. Of several rows with the same identity the first counts.
    ///
    /// # Errors
    /// A file that is no such log, a row that is no game, or a failure of the file system.
    pub fn open(path: &Path) -> Result<Self, LogError> {
        let mut journal = Journal::<GameRow>::open(path, &GameRow::header())?;
        let (mut rows, mut order) = (HashMap::new(), Vec::new());
        for (row, line) in journal.take_all("is no game")?.into_iter().zip(2..) {
            if !rows.contains_key(&row.identity) {
                order.push((row.identity.clone(), line));
                rows.insert(row.identity.clone(), row);
            }
        }
        let writer = Mutex::new(Writer { journal, synced: Instant::now() });
        Ok(Self { path: path.to_path_buf(), rows, order, writer })
    }

    /// A game that was in the log when it was opened.
    #[must_use]
    pub fn find(&self, identity: &str) -> Option<&GameRow> {
        self.rows.get(identity)
    }

    /// What is wrong with a game of the log.
    #[must_use]
    pub fn wrong(&self, identity: &str, message: String) -> InputError {
        let place = self.order.iter().find(|(other, _)| other == identity);
        let text = std::fs::read_to_string(&self.path).unwrap_or_default();
        InputError::in_line(&self.path, place.map_or(1, |(_, line)| *line), &text, message)
    }

    /// How many games were in the log when it was opened.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether it was empty when it was opened.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Writes a game that is over.
    ///
    /// # Errors
    /// A failure of the file system.
    pub fn append(&self, row: &GameRow) -> Result<(), FileError> {
        // A thread that panicked in here has left at worst a torn line, as a kill would.
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        writer.journal.append(row)?;
        if writer.synced.elapsed() > SYNC_INTERVAL {
            writer.journal.sync()?;
            writer.synced = Instant::now();
        }
        Ok(())
    }

    /// Waits until all rows are on disk.
    ///
    /// # Errors
    /// A failure of the file system.
    pub fn sync(&self) -> Result<(), FileError> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner).journal.sync()
    }

    /// Puts the games of a tournament that is over in their order, under the names that they have in it. Games
    /// of other tournaments, which the log held when it was opened, follow as they were.
    ///
    /// # Errors
    /// A failure of the file system; the log is then unchanged.
    pub fn arrange(self, games: &[GameRow]) -> Result<(), FileError> {
        let ours: HashSet<&str> = games.iter().map(|row| row.identity.as_str()).collect();
        let others = self.order.iter().filter(|(identity, _)| !ours.contains(identity.as_str()));
        let others = others.filter_map(|(identity, _)| self.rows.get(identity));
        let text = journal_text(&GameRow::header(), games.iter().chain(others));
        let written = text.and_then(|text| write_atomically(&self.path, &text));
        written.map_err(FileError::writing(&self.path))
    }
}

#[cfg(test)]
mod tests;
