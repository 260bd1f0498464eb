//! The variants of Ultimate Tic-Tac-Toe.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use tictune_core::game::NotationError;

/// What a small board counts for if it is full and nobody has won it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DrawnBoard {
    /// It counts for nobody (the default; Liang 1.3).
    #[default]
    Nobody,
    /// It counts for both players in lines of three boards (Sista 2.3). If the move that draws a
    /// board completes a line for both, the player who made the move wins.
    Both,
}

/// What happens if all boards are closed and nobody has three in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoLine {
    /// The game is a draw (the default; Liang 1.3).
    #[default]
    Draw,
    /// The player with more boards won wins the game; equal numbers are a draw (Sista 2.3,
    /// CodinGame).
    MostBoards,
}

/// The rules of UTTT in force. The text form is `KEY=VALUE,...`, with the same keys as in a config.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Rules {
    /// What a drawn small board counts for.
    pub drawn_board: DrawnBoard,
    /// How a game without a line ends.
    pub no_line: NoLine,
}

impl Rules {
    /// The keys and their values, for errors and help.
    pub const KEYS: [(&'static str, [&'static str; 2]); 2] =
        [("drawn_board", ["nobody", "both"]), ("no_line", ["draw", "most_boards"])];

    /// All variants, the default first.
    #[must_use]
    pub fn all() -> [Self; 4] {
        let [nobody, both] = [DrawnBoard::Nobody, DrawnBoard::Both];
        let [draw, most] = [NoLine::Draw, NoLine::MostBoards];
        [(nobody, draw), (both, draw), (nobody, most), (both, most)]
            .map(|(drawn_board, no_line)| Self { drawn_board, no_line })
    }

    /// Sets one key from text.
    ///
    /// # Errors
    /// If the key or value is unknown. The error lists the known ones.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), NotationError> {
        match (key, value) {
            ("drawn_board", "nobody") => self.drawn_board = DrawnBoard::Nobody,
            ("drawn_board", "both") => self.drawn_board = DrawnBoard::Both,
            ("no_line", "draw") => self.no_line = NoLine::Draw,
            ("no_line", "most_boards") => self.no_line = NoLine::MostBoards,
            _ => {
                let known = Self::KEYS.iter().find(|(known, _)| *known == key);
                return Err(NotationError(match known {
                    Some((_, values)) => {
                        format!("{key} is \"{}\" or \"{}\", not \"{value}\"", values[0], values[1])
                    }
                    None => {
                        format!("unknown rule \"{key}\"; the rules are drawn_board and no_line")
                    }
                }));
            }
        }
        Ok(())
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let drawn = match self.drawn_board {
            DrawnBoard::Nobody => "nobody",
            DrawnBoard::Both => "both",
        };
        let no_line = match self.no_line {
            NoLine::Draw => "draw",
            NoLine::MostBoards => "most_boards",
        };
        write!(f, "drawn_board={drawn},no_line={no_line}")
    }
}

impl FromStr for Rules {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let mut rules = Self::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (key, value) = part
                .split_once('=')
                .ok_or_else(|| NotationError(format!("\"{part}\" is not KEY=VALUE")))?;
            rules.set(key.trim(), value.trim())?;
        }
        Ok(rules)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_round_trips_and_errors_list_what_is_known() {
        for rules in Rules::all() {
            assert_eq!(rules.to_string().parse(), Ok(rules));
        }
        assert_eq!("".parse(), Ok(Rules::default()));
        let error = "drawn=both".parse::<Rules>().unwrap_err().to_string();
        assert!(error.contains("drawn_board"), "{error}");
        let error = "no_line=win".parse::<Rules>().unwrap_err().to_string();
        assert!(error.contains("most_boards"), "{error}");
    }
}
