//! The log of a tournament: a row a game, written when the game is over.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{GameResult, GameTask, SideStats, Summary};
use crate::files::{FileError, GrowingCsv, LogError, csv_text, write_atomically};
use crate::stats::Tally;

/// A game of a tournament.
#[derive(Clone, Debug, PartialEq)]
pub struct GameRow {
    /// What tells it from all other games.
    pub identity: String,
    /// The name of the first agent of its pairing.
    pub a: String,
    /// The name of the second.
    pub b: String,
    /// Its number in its pairing, from 0.
    pub game: u64,
    /// The number of its opening.
    pub number: u64,
    /// Its seed; of a replayed tie the first one.
    pub seed: u64,
    /// Whether A moved first.
    pub a_first: bool,
    /// What it came to, from A's view.
    pub summary: Summary,
    /// Why it was forfeited, if it was.
    pub failure: String,
    /// Where it started, in notation.
    pub start: String,
    /// Its moves in notation, the opening's included, with spaces between them.
    pub moves: String,
}

/// The columns of each side.
const SIDE_COLUMNS: [&str; 6] = ["moves", "nodes", "iterations", "late", "seconds", "slowest"];

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
            failure: one_line(&failure.unwrap_or_default()),
            start,
            moves: moves.join(" "),
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

    fn fields(&self) -> Vec<String> {
        let summary = &self.summary;
        let result = match summary.tally {
            Tally { wins: 1, .. } => "a",
            Tally { losses: 1, .. } => "b",
            _ => "draw",
        };
        let forfeit = match (summary.timeouts, summary.errors) {
            ([0, 0], [0, 0]) => "",
            ([0, 0], _) => "error",
            _ => "timeout",
        };
        let mut fields = vec![
            self.identity.clone(),
            one_line(&self.a),
            one_line(&self.b),
            self.game.to_string(),
            self.number.to_string(),
            self.seed.to_string(),
            if self.a_first { "a" } else { "b" }.into(),
            result.into(),
            forfeit.into(),
            self.failure.clone(),
            summary.plies.to_string(),
        ];
        for side in &summary.sides {
            let counts = [side.moves, side.nodes, side.iterations, side.timeouts];
            fields.extend(counts.map(|count| count.to_string()));
            fields.extend([side.search, side.slowest].map(|t| format!("{:.6}", t.as_secs_f64())));
        }
        fields.extend([self.start.clone(), self.moves.clone()]);
        fields
    }

    fn parse(row: &csv::StringRecord) -> Option<Self> {
        let text = |column: usize| row.get(column).map(String::from);
        let count = |column: usize| row.get(column)?.parse::<u64>().ok();
        let time = |column: usize| {
            let seconds: f64 = row.get(column)?.parse().ok()?;
            Some(microseconds(Duration::try_from_secs_f64(seconds).ok()?))
        };
        let (wins, draws, losses) = match row.get(7)? {
            "a" => (1, 0, 0),
            "b" => (0, 0, 1),
            "draw" => (0, 1, 0),
            _ => return None,
        };
        // Who forfeits loses.
        let loser = [losses, wins];
        let (timeouts, errors) = match row.get(8)? {
            "" => ([0; 2], [0; 2]),
            "timeout" if draws == 0 => (loser, [0; 2]),
            "error" if draws == 0 => ([0; 2], loser),
            _ => return None,
        };
        let side = |first: usize| {
            Some(SideStats {
                moves: count(first)?,
                nodes: count(first + 1)?,
                iterations: count(first + 2)?,
                timeouts: count(first + 3)?,
                search: time(first + 4)?,
                slowest: time(first + 5)?,
            })
        };
        Some(Self {
            identity: text(0)?,
            a: text(1)?,
            b: text(2)?,
            game: count(3)?,
            number: count(4)?,
            seed: count(5)?,
            a_first: match row.get(6)? {
                "a" => true,
                "b" => false,
                _ => return None,
            },
            summary: Summary {
                tally: Tally { wins, draws, losses },
                timeouts,
                errors,
                plies: count(10)?,
                sides: [side(11)?, side(11 + SIDE_COLUMNS.len())?],
            },
            failure: text(9)?,
            start: text(11 + 2 * SIDE_COLUMNS.len())?,
            moves: text(12 + 2 * SIDE_COLUMNS.len())?,
        })
    }
}

/// A text, which may be another program's, without what would break a row into lines.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
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
    /// Identities in the order of the file.
    order: Vec<String>,
    writer: Mutex<Writer>,
}

#[derive(Debug)]
struct Writer {
    csv: GrowingCsv,
    synced: Instant,
}

/// A row is written at once, so that nothing is lost if the process is killed; it waits for the disk,
/// against a loss of power, no longer than this.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

impl GameLog {
    /// Opens a log, or begins one. A torn last line is cut off; of rows of the same identity the first counts.
    ///
    /// # Errors
    /// The log of something else, a row that is no game; what the file system says.
    pub fn open(path: &Path) -> Result<Self, LogError> {
        let (csv, records) = GrowingCsv::open(path, &GameRow::header())?;
        let (mut rows, mut order) = (HashMap::new(), Vec::new());
        for (number, record) in records.iter().enumerate() {
            let row = GameRow::parse(record).ok_or_else(|| csv.wrong_row(number, "is no game"))?;
            if !rows.contains_key(&row.identity) {
                order.push(row.identity.clone());
                rows.insert(row.identity.clone(), row);
            }
        }
        let writer = Mutex::new(Writer { csv, synced: Instant::now() });
        Ok(Self { path: path.to_path_buf(), rows, order, writer })
    }

    /// A game that was in the log when it was opened.
    #[must_use]
    pub fn find(&self, identity: &str) -> Option<&GameRow> {
        self.rows.get(identity)
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
    /// What the file system says.
    pub fn append(&self, row: &GameRow) -> Result<(), FileError> {
        // A thread that panicked in here has left at worst a torn line, as a kill would.
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        writer.csv.append(&row.fields())?;
        if writer.synced.elapsed() > SYNC_INTERVAL {
            writer.csv.sync()?;
            writer.synced = Instant::now();
        }
        Ok(())
    }

    /// Waits until all rows are on disk.
    ///
    /// # Errors
    /// What the file system says.
    pub fn sync(&self) -> Result<(), FileError> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner).csv.sync()
    }

    /// Puts the games of a tournament that is over in their order, under the names that they have in it. Games
    /// of other tournaments, which the log held when it was opened, follow as they were.
    ///
    /// # Errors
    /// What the file system says; the log is then as it was.
    pub fn arrange(self, games: &[GameRow]) -> Result<(), FileError> {
        let ours: HashSet<&str> = games.iter().map(|row| row.identity.as_str()).collect();
        let others = self.order.iter().filter(|identity| !ours.contains(identity.as_str()));
        let others = others.filter_map(|identity| self.rows.get(identity));
        let rows = games.iter().chain(others).map(GameRow::fields);
        let text = csv_text(std::iter::once(GameRow::header()).chain(rows));
        let written = text.and_then(|text| write_atomically(&self.path, &text));
        written.map_err(FileError::writing(&self.path))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::agent::{Agent, AgentFactory, Choice, Failure, Turn};
    use crate::arena::{Contest, Detail, MatchSettings, Openings, Schedule};
    use crate::games::uttt::{Rules, Uttt, UtttMove};

    fn row(identity: &str) -> GameRow {
        let side = SideStats {
            moves: 20,
            nodes: 300,
            iterations: 0,
            search: Duration::from_micros(1_234_567),
            slowest: Duration::from_micros(89_000),
            timeouts: 1,
        };
        GameRow {
            identity: identity.into(),
            a: "one, \"two\"".into(),
            b: "b".into(),
            game: 3,
            number: 1,
            seed: u64::MAX,
            a_first: false,
            summary: Summary {
                tally: Tally { wins: 0, draws: 0, losses: 1 },
                timeouts: [0; 2],
                errors: [1, 0],
                plies: 41,
                sides: [side, SideStats::default()],
            },
            failure: "illegal move 4,4".into(),
            start: "9/9/9/9/9/9/9/9/9 x -".into(),
            moves: "4,4 3,3".into(),
        }
    }

    fn drawn(identity: &str) -> GameRow {
        let summary =
            Summary { tally: Tally { draws: 1, ..Tally::default() }, ..Summary::default() };
        GameRow { summary, a_first: true, failure: String::new(), ..row(identity) }
    }

    #[test]
    fn rows_round_trip() {
        for row in [row("x"), drawn("y")] {
            let fields = csv::StringRecord::from(row.fields());
            assert_eq!(fields.len(), GameRow::header().len());
            assert_eq!(GameRow::parse(&fields), Some(row));
        }
    }

    #[test]
    fn forfeits_are_logged_in_one_line() {
        struct Broken;
        impl Agent<Uttt> for Broken {
            fn choose(&mut self, _: &Turn<'_, Uttt>) -> Result<Choice<UtttMove>, Failure> {
                Err(Failure::Garbage("what,\n\"now\"?".into()))
            }
        }
        let broken = AgentFactory::custom("broken", |_| Broken);
        let rules = Rules::default();
        let contest = Contest { a: &broken, b: &broken, rules, openings: &Openings::None };
        let settings =
            MatchSettings { games: 2, seed: 0, schedule: Schedule::Paired, replay_ties: false };
        for (index, errors) in [(0, [1, 0]), (1, [0, 1])] {
            let played = settings.play(&contest, 0, index, Detail::Moves).unwrap();
            let row = GameRow::new("x".into(), &settings.schedule.task(0, 0, index, 2), played);
            assert_eq!((row.summary.errors, row.summary.tally.games()), (errors, 1));
            let text = csv_text([row.fields()]).unwrap();
            assert_eq!(text.iter().filter(|&&byte| byte == b'\n').count(), 1);
            assert!(row.failure.contains("now"));
            assert_eq!(GameRow::parse(&csv::StringRecord::from(row.fields())), Some(row));
        }
    }

    #[test]
    fn rows_that_contradict_themselves_are_no_games() {
        for (column, value) in [(7, "c"), (8, "late"), (6, ""), (10, "-1"), (15, "inf"), (3, "x")] {
            let mut fields = drawn("x").fields();
            fields[column] = value.into();
            assert_eq!(GameRow::parse(&csv::StringRecord::from(fields)), None, "{column}");
        }
        let mut fields = drawn("x").fields();
        fields[8] = "timeout".into();
        assert_eq!(GameRow::parse(&csv::StringRecord::from(fields)), None);
    }

    #[test]
    fn games_are_put_in_order_and_others_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.csv");
        let log = GameLog::open(&path).unwrap();
        for row in [row("c"), drawn("other"), row("a"), row("c")] {
            log.append(&row).unwrap();
        }
        log.sync().unwrap();
        let log = GameLog::open(&path).unwrap();
        assert_eq!(log.len(), 3);
        log.append(&drawn("b")).unwrap();
        log.arrange(&[row("a"), drawn("b"), row("c")]).unwrap();
        let log = GameLog::open(&path).unwrap();
        assert_eq!(log.order, ["a", "b", "c", "other"]);
        assert_eq!(log.find("b"), Some(&drawn("b")));
    }

    proptest! {
        #[test]
        fn no_bytes_of_a_log_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("games.csv");
            let text = [format!("{}\n", GameRow::header().join(",")).as_bytes(), &bytes].concat();
            std::fs::write(&path, text).unwrap();
            let _ = GameLog::open(&path);
        }
    }
}
