//! The protocol of CodinGame for UTTT.
//!
//! Each turn is a line with the opponent's last move, `ROW COLUMN` or `-1 -1` if there is none, a
//! line with the number of legal moves, and a line `ROW COLUMN` for each of them in any order. The
//! answer is `ROW COLUMN`. No position is told: a bot follows the game from its first move. With all
//! boards closed and no line, the platform gives the game to whoever has won more small boards.

use std::fmt::Write;
use std::time::Duration;

use super::{Bot, Host, Query, excerpt};
use crate::position::{Position, Rules, Uttt, UtttMove};

/// Asks a program for moves.
#[derive(Clone, Copy, Debug)]
pub struct UtttHost;

impl Host<Uttt> for UtttHost {
    fn request(&mut self, position: &Uttt, last_move: Option<UtttMove>, _: Duration) -> String {
        let last = last_move.map_or("-1 -1".into(), write_move);
        let mut text = format!("{last}\n{}\n", position.legal_move_count());
        for mv in position.legal_moves() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{}", write_move(mv));
        }
        text
    }

    fn read_answer(&self, line: &str) -> Option<UtttMove> {
        read_move(line)
    }
}

fn write_move(mv: UtttMove) -> String {
    format!("{} {}", mv.row(), mv.column())
}

fn read_move(line: &str) -> Option<UtttMove> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let &[row, column] = words.as_slice() else { return None };
    UtttMove::from_column_row(column.parse().ok()?, row.parse().ok()?)
}

/// What the next line is to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    LastMove,
    Count,
    /// This many more legal moves.
    Moves(usize),
}

/// Is asked for moves.
#[derive(Clone, Debug)]
pub struct UtttBot {
    rules: Rules,
    expected: Expected,
    /// The game so far; `None` from when a move was not legal in it.
    position: Option<Uttt>,
    last_move: Option<UtttMove>,
    allowed: Vec<UtttMove>,
    problems: Vec<String>,
}

impl UtttBot {
    /// A bot for one game.
    #[must_use]
    pub fn new(rules: Rules) -> Self {
        Self {
            rules,
            expected: Expected::LastMove,
            position: Some(Uttt::start(rules)),
            last_move: None,
            allowed: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// Keeps the position up with a move of either side.
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

impl Bot<Uttt> for UtttBot {
    fn read(&mut self, line: &str) -> Result<Option<Query<Uttt>>, String> {
        if line.trim().is_empty() {
            return Ok(None);
        }
        let wrong = |expected| Err(format!("expected {expected}, found \"{}\"", excerpt(line)));
        match self.expected {
            Expected::LastMove => {
                self.last_move = read_move(line);
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
                let Some(mv) = read_move(line) else { return wrong("a legal move as ROW COLUMN") };
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
