//! The protocol of CodinGame for UTTT.
//!
//! Each turn has these lines: the opponent's last move as `ROW COLUMN`, or `-1 -1` if there is none; the number of legal
//! moves; and one line `ROW COLUMN` for each legal move, in any order. The answer is `ROW COLUMN`; words after it are a
//! message. The platform never sends the position, so a bot follows the game from its first move. If all boards are closed
//! without a line, the player who won more small boards wins.

mod packing;
pub mod source;

use std::time::Duration;

use crate::uttt::{Rules, Uttt, UtttMove};
use tictune_core::game::Position;
use tictune_core::input::excerpt;
use tictune_programs::{Bot, Host, Query};

/// Asks a program for moves.
pub(super) struct CodinGameHost;

impl Host<Uttt> for CodinGameHost {
    fn request(&mut self, position: &Uttt, last_move: Option<UtttMove>, _: Duration) -> String {
        let last = last_move.map_or("-1 -1".into(), write_move);
        let moves: Vec<String> = position.legal_moves().map(write_move).collect();
        format!("{last}\n{}\n{}\n", moves.len(), moves.join("\n"))
    }

    /// The platform shows what a bot writes after its move as a message.
    fn read_answer(&self, line: &str) -> Option<UtttMove> {
        read_move(line.split_whitespace().take(2))
    }
}

fn write_move(mv: UtttMove) -> String {
    format!("{} {}", mv.row(), mv.column())
}

/// Reads a row and a column, and nothing more.
fn read_move<'w>(words: impl Iterator<Item = &'w str>) -> Option<UtttMove> {
    let numbers: Vec<usize> = words.map(|word| word.parse().ok()).collect::<Option<_>>()?;
    let &[row, column] = numbers.as_slice() else { return None };
    UtttMove::from_column_row(column, row)
}

/// What the next line should contain.
enum Expected {
    LastMove,
    Count,
    /// This many more legal moves.
    Moves(usize),
}

/// Answers requests for moves.
pub(super) struct CodinGameBot {
    rules: Rules,
    expected: Expected,
    /// The position of the game; `None` after a move that was not legal in it.
    position: Option<Uttt>,
    last_move: Option<UtttMove>,
    allowed: Vec<UtttMove>,
    problems: Vec<String>,
}

impl CodinGameBot {
    pub(super) fn new(rules: Rules) -> Self {
        Self {
            rules,
            expected: Expected::LastMove,
            position: Some(Uttt::start(rules)),
            last_move: None,
            allowed: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// Updates the position by a move of either side.
    fn follow(&mut self, mv: UtttMove) {
        let Some(position) = &mut self.position else { return };
        if let Err(error) = position.play(mv) {
            self.problems.push(format!("the game can be followed no longer: {error}"));
            self.position = None;
        }
    }

    fn query(&mut self) -> Query<Uttt> {
        self.expected = Expected::LastMove;
        let mut allowed = std::mem::take(&mut self.allowed);
        allowed.sort_unstable();
        allowed.dedup();
        let mut problems = std::mem::take(&mut self.problems);
        if let Some(position) = &self.position
            && !position.legal_moves().eq(allowed.iter().copied())
        {
            problems.push(format!(
                "the platform's list of {} legal moves is not that of the rules, which has {}",
                allowed.len(),
                position.legal_move_count()
            ));
        }
        let position = self.position.filter(|position| position.outcome().is_none());
        Query { position, last_move: self.last_move, allowed, time_left: None, problems }
    }
}

impl Bot<Uttt> for CodinGameBot {
    fn read(&mut self, line: &str) -> Result<Option<Query<Uttt>>, String> {
        if line.trim().is_empty() {
            return Ok(None);
        }
        let wrong = |expected| Err(format!("expected {expected}, found \"{}\"", excerpt(line)));
        match self.expected {
            Expected::LastMove => {
                self.last_move = read_move(line.split_whitespace());
                match self.last_move {
                    Some(mv) => self.follow(mv),
                    None if line.split_whitespace().eq(["-1", "-1"]) => {
                        self.position = Some(Uttt::start(self.rules));
                    }
                    None => return wrong("the opponent's last move as ROW COLUMN, or -1 -1"),
                }
                self.expected = Expected::Count;
            }
            Expected::Count => match line.trim().parse() {
                Ok(0) => return Ok(Some(self.query())),
                Ok(count @ 1..=81) => self.expected = Expected::Moves(count),
                _ => return wrong("the number of legal moves"),
            },
            Expected::Moves(left) => {
                let mv = read_move(line.split_whitespace());
                let Some(mv) = mv else { return wrong("a legal move as ROW COLUMN") };
                self.allowed.push(mv);
                if left == 1 {
                    return Ok(Some(self.query()));
                }
                self.expected = Expected::Moves(left - 1);
            }
        }
        Ok(None)
    }

    fn answer(&mut self, mv: UtttMove) -> String {
        self.follow(mv);
        write_move(mv)
    }
}
