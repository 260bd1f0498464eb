//! The log of a tournament: one row for each game, written when the game is over.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize, Serializer};

use super::{GameResult, GameTask, Side, SideStats, Summary, lock};
use crate::agent::Failure;
use crate::files::{
    FileError, Journal, JournalError, escaped_cell, journal_text, write_atomically, wrong_line,
};
use crate::game::{Adjudication, Game, Outcome, Player};
use crate::input::{InputError, excerpt};

/// A game of a tournament: a row of `games.csv`. The order of its fields is that of the columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TournamentRow {
    pub identity: String,
    #[serde(serialize_with = "escaped")]
    pub a: String,
    #[serde(serialize_with = "escaped")]
    pub b: String,
    /// Its number in its pairing, from 0.
    pub game: u64,
    pub number: u64,
    /// Its seed; for a replayed tie, the first seed.
    pub seed: u64,
    pub first: Side,
    pub result: Winner,
    pub forfeit: Option<Forfeit>,
    pub failure: String,
    pub plies: u64,
    #[serde(with = "SideColumns")]
    pub side_a: SideStats,
    #[serde(with = "SideColumns")]
    pub side_b: SideStats,
    pub start: String,
    /// Its moves in notation, the opening's included, with spaces between them.
    pub moves: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Winner {
    A,
    B,
    Draw,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Forfeit {
    Timeout,
    Error,
}

impl Forfeit {
    pub(super) const fn of(failure: &Failure) -> Self {
        if matches!(failure, Failure::Timeout { .. }) { Self::Timeout } else { Self::Error }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "SideStats")]
struct SideColumns {
    moves: u64,
    nodes: u64,
    iterations: u64,
    timeouts: u64,
    late: u64,
    #[serde(with = "seconds")]
    search: Duration,
    #[serde(with = "seconds")]
    slowest: Duration,
}

fn escaped<S: Serializer>(name: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&escaped_cell(name))
}

mod seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{:.6}", time.as_secs_f64()))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        let time = Duration::try_from_secs_f64(f64::deserialize(from)?);
        time.map(super::microseconds).map_err(serde::de::Error::custom)
    }
}

fn microseconds(time: Duration) -> Duration {
    Duration::from_micros(u64::try_from(time.as_micros()).unwrap_or(u64::MAX))
}

impl TournamentRow {
    /// The row of a game; its names and its place in the pairing are still open.
    pub(super) fn new(identity: String, task: &GameTask, game: GameResult) -> Self {
        let failure = game.failure.as_ref().map(ToString::to_string).unwrap_or_default();
        // Times as they will be read again.
        let [side_a, side_b] = game.sides.map(|side| SideStats {
            search: microseconds(side.search),
            slowest: microseconds(side.slowest),
            ..side
        });
        let (start, moves) =
            game.moves.map_or_else(Default::default, |game| (game.start, game.moves));
        Self {
            identity,
            a: String::new(),
            b: String::new(),
            game: 0,
            number: task.number,
            seed: task.seed,
            first: if task.a_first { Side::A } else { Side::B },
            result: match game.winner {
                Some(Side::A) => Winner::A,
                Some(Side::B) => Winner::B,
                None => Winner::Draw,
            },
            forfeit: game.failure.as_ref().map(Forfeit::of),
            failure: escaped_cell(&failure).into(),
            plies: game.plies,
            side_a,
            side_b,
            start,
            moves: moves.join(" "),
        }
    }

    pub fn summary(&self) -> Summary {
        let winner = match self.result {
            Winner::A => Some(Side::A),
            Winner::B => Some(Side::B),
            Winner::Draw => None,
        };
        Summary::of_game(winner, self.forfeit, self.plies, [self.side_a, self.side_b])
    }

    /// Checks that the result and the plies follow from the moves; the error says what does not.
    pub fn check<P: Game>(&self, rules: P::Rules) -> Result<(), String> {
        let mut position =
            P::from_notation(&self.start, rules).map_err(|error| error.to_string())?;
        let mut plies = 0;
        for (text, number) in self.moves.split_whitespace().zip(1_u64..) {
            let mv = P::parse_move(text).ok().filter(|&mv| position.play(mv).is_ok());
            mv.ok_or_else(|| format!("move {number}, {}, is not legal there", excerpt(text)))?;
            plies = number;
        }
        if plies != self.plies {
            return Err(format!("plies: expected {plies}, as many as there are moves"));
        }
        let player = |side: Side| if side == self.first { Player::First } else { Player::Second };
        let result = match self.result {
            Winner::A => Outcome::Win(player(Side::A)),
            Winner::B => Outcome::Win(player(Side::B)),
            Winner::Draw => Outcome::Draw,
        };
        let expected = match (position.outcome(), self.forfeit) {
            (Some(_), Some(_)) => return Err("forfeit: the moves end the game".into()),
            (Some(outcome), None) => outcome,
            (None, Some(_)) => Outcome::Win(position.side_to_move().other()),
            // The agents may have ended it.
            (None, None) if P::adjudication(rules) != Adjudication::default() => return Ok(()),
            (None, None) => return Err("the moves do not end the game".into()),
        };
        let wrong = || "the result does not follow from the moves".to_string();
        (result == expected).then_some(()).ok_or_else(wrong)
    }

    fn header() -> Vec<String> {
        let columns = "identity,a,b,game,number,seed,first,result,forfeit,failure,plies,\
            moves_a,nodes_a,iterations_a,timeouts_a,late_a,seconds_a,slowest_a,\
            moves_b,nodes_b,iterations_b,timeouts_b,late_b,seconds_b,slowest_b,start,moves";
        columns.split(',').map(String::from).collect()
    }
}

/// The games of a tournament on disk. Rows are found by identity, whatever their order.
#[derive(Debug)]
pub struct GameLog {
    path: PathBuf,
    /// By identity: the line of a row in the file, and the row.
    rows: HashMap<String, (usize, TournamentRow)>,
    writer: Mutex<(Journal<TournamentRow>, Instant)>,
}

/// A row is written at once, and safe from a loss of power at most this long after.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

impl GameLog {
    /// Checks that a file, if there is one, is such a log, and leaves it as it is.
    pub fn check(path: &Path) -> Result<(), JournalError> {
        Journal::<TournamentRow>::check(path, &TournamentRow::header())
    }

    /// Opens a log, or creates one. A torn last line is cut off. Of several rows with the same identity the first counts.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        let mut journal = Journal::<TournamentRow>::open(path, &TournamentRow::header())?;
        let mut rows = HashMap::new();
        for (row, line) in journal.take_all("is not a game")?.into_iter().zip(2..) {
            rows.entry(row.identity.clone()).or_insert((line, row));
        }
        let writer = Mutex::new((journal, Instant::now()));
        Ok(Self { path: path.to_path_buf(), rows, writer })
    }

    /// A game that was in the log when it was opened.
    pub fn find(&self, identity: &str) -> Option<&TournamentRow> {
        self.rows.get(identity).map(|(_, row)| row)
    }

    pub fn wrong(&self, identity: &str, message: String) -> InputError {
        let line = self.rows.get(identity).map_or(1, |(line, _)| *line);
        wrong_line(&self.path, line, message)
    }

    pub fn games(&self) -> usize {
        self.rows.len()
    }

    pub fn append(&self, row: &TournamentRow) -> Result<(), FileError> {
        // A thread that panicked in here has left at worst a torn line, as a kill would.
        let (journal, synced) = &mut *lock(&self.writer);
        journal.append(row)?;
        if synced.elapsed() > SYNC_INTERVAL {
            journal.sync()?;
            *synced = Instant::now();
        }
        Ok(())
    }

    pub fn sync(&self) -> Result<(), FileError> {
        lock(&self.writer).0.sync()
    }

    /// Puts the games of a tournament that is over in their order, under the names that they have in it. Games of other
    /// tournaments, which the log held when it was opened, follow as they were.
    pub fn arrange(self, games: &[TournamentRow]) -> Result<(), FileError> {
        let ours: HashSet<&str> = games.iter().map(|row| row.identity.as_str()).collect();
        let others = self.rows.values().filter(|(_, row)| !ours.contains(row.identity.as_str()));
        let others: BTreeMap<usize, &TournamentRow> =
            others.map(|(line, row)| (*line, row)).collect();
        let text = journal_text(&TournamentRow::header(), games.iter().chain(others.into_values()));
        let written = text.and_then(|text| write_atomically(&self.path, &text));
        written.map_err(FileError::writing(&self.path))
    }
}

#[cfg(test)]
mod tests;
