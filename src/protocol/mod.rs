//! Text protocols of bot platforms.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::position::{Position, Uttt};

/// A protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// That of the competition at TheAIGames (Liang 1.4): settings, updates of the whole field, and
    /// requests for moves with the time left.
    TheAiGames,
    /// CodinGame's: the opponent's last move and the list of legal moves.
    CodinGame,
}

impl Protocol {
    /// Every protocol.
    pub const ALL: [Self; 2] = [Self::TheAiGames, Self::CodinGame];

    /// Whether a request tells the whole position, so that a game may start anywhere.
    #[must_use]
    pub const fn carries_positions(self) -> bool {
        matches!(self, Self::TheAiGames)
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TheAiGames => "theaigames",
            Self::CodinGame => "codingame",
        })
    }
}

/// A game that bot platforms know.
pub trait Speaks: Position {}

impl Speaks for Uttt {}
