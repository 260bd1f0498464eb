//! The variants of Ultimate Tic-Tac-Toe: options of its rules. The rules themselves are `legal_moves`, `place_mark` and
//! `find_outcome` of the module above.

use std::fmt;
use std::str::FromStr;

use strum::{Display, EnumString, VariantNames};
use tictune_core::game::{NotationError, RuleKey};
use tictune_core::input::key_values;

/// What a small board counts for if it is full and nobody has won it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Display, EnumString, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum DrawnBoard {
    /// It counts for nobody (the default; Liang 1.3).
    #[default]
    Nobody,
    /// It counts for both players in lines of three boards (Sista 2.3). A move that completes a line for both wins.
    Both,
}

/// What happens if all boards are closed and nobody has three in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Display, EnumString, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum NoLine {
    /// The game is a draw (the default; Liang 1.3).
    #[default]
    Draw,
    /// The player with more boards won wins the game; equal numbers are a draw (Sista 2.3, CodinGame).
    MostBoards,
}

/// The rules of UTTT in force. The text form is `KEY=VALUE,...`, with the same keys as in a config.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rules {
    /// What a drawn small board counts for.
    pub drawn_board: DrawnBoard,
    /// How a game without a line ends.
    pub no_line: NoLine,
}

/// The keys and their values.
pub(super) const KEYS: &[RuleKey] = &[
    RuleKey { name: "drawn_board", values: "nobody|both" },
    RuleKey { name: "no_line", values: "draw|most_boards" },
];

impl Rules {
    /// All variants, the default first.
    pub fn all() -> [Self; 4] {
        let [nobody, both] = [DrawnBoard::Nobody, DrawnBoard::Both];
        let [draw, most] = [NoLine::Draw, NoLine::MostBoards];
        [(nobody, draw), (both, draw), (nobody, most), (both, most)]
            .map(|(drawn_board, no_line)| Self { drawn_board, no_line })
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "drawn_board={},no_line={}", self.drawn_board, self.no_line)
    }
}

impl FromStr for Rules {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        fn read<T: FromStr + VariantNames>(key: &str, value: &str) -> Result<T, NotationError> {
            let known = T::VARIANTS.join("\" or \"");
            let wrong = |_| NotationError(format!("{key} is \"{known}\", not \"{value}\""));
            value.parse().map_err(wrong)
        }
        let values =
            key_values(text, "rule", &["drawn_board", "no_line"]).map_err(NotationError)?;
        let mut rules = Self::default();
        for (key, value) in values {
            match key {
                "drawn_board" => rules.drawn_board = read(key, value)?,
                _ => rules.no_line = read(key, value)?,
            }
        }
        Ok(rules)
    }
}
