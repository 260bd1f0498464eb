//! Text protocols of bot platforms, in both directions, and other programs that speak them.
//!
//! A game that platforms know has, for each protocol, a [`Host`], which asks a program for moves, and a
//! [`Bot`], which is asked by a platform. Both are pure: lines in, lines out. They are in the game's folder.
//! `program` runs another program and carries the lines, `line` reads them within bounds, and `running` ends
//! programs with this process; `last_words` is what one wrote before its end. `engine` holds a conversation with a chess engine, and `uci` reads what it says.

pub(crate) mod engine;
mod last_words;
pub(crate) mod line;
pub(crate) mod program;
pub(crate) mod running;
pub(crate) mod uci;

use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantNames};

use crate::game::{Player, Position};

/// What became of an answer after its time was over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Lateness {
    /// Nobody waited for it.
    #[default]
    Unknown,
    /// It came after all.
    Answered {
        /// So late.
        milliseconds: u64,
    },
    /// It had not come when nobody waited any longer.
    Silent {
        /// So late.
        milliseconds: u64,
    },
}

impl fmt::Display for Lateness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => Ok(()),
            Self::Answered { milliseconds } => write!(f, ": {milliseconds} ms late"),
            Self::Silent { milliseconds } => write!(f, ": still none {milliseconds} ms later"),
        }
    }
}

/// A protocol.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
    Display,
    EnumString,
    VariantNames,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Protocol {
    /// That of the competition at TheAIGames (Liang 1.4): settings, updates of the whole field, and
    /// requests for moves with the time left.
    TheAiGames,
    /// CodinGame's: the opponent's last move and the list of legal moves.
    CodinGame,
    /// The Universal Chess Interface: engines that are told the game and search it. It has no bots.
    Uci,
}

impl Protocol {
    /// Whether a request tells the whole position, so that a game may start anywhere.
    #[must_use]
    pub const fn carries_positions(self) -> bool {
        matches!(self, Self::TheAiGames | Self::Uci)
    }

    /// Whether programs have options that the protocol sets by name.
    #[must_use]
    pub const fn has_options(self) -> bool {
        match self {
            Self::TheAiGames | Self::CodinGame => false,
            Self::Uci => true,
        }
    }

    /// How often a program is asked for a move before the game is forfeited. CodinGame's requests
    /// cannot be repeated: a bot would take the second for the next turn.
    #[must_use]
    pub const fn attempts(self) -> u32 {
        match self {
            Self::TheAiGames => 3,
            Self::CodinGame | Self::Uci => 1,
        }
    }
}

/// The time limits that a program gets at the start of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeRules {
    /// What is in the bank at the start.
    pub bank: Duration,
    /// What every request adds.
    pub per_move: Duration,
}

/// The side of a conversation that runs the game: asks a program for the moves of one player.
pub trait Host<P: Position>: Send {
    /// The lines that ask for a move, each with its end. `time_left` is what is in the program's bank.
    fn request(&mut self, position: &P, last_move: Option<P::Move>, time_left: Duration) -> String;

    /// Reads an answer; `None` if it is no answer of the protocol. The move need not be legal.
    fn read_answer(&self, line: &str) -> Option<P::Move>;
}

/// The side of a conversation that plays: is asked for moves by a platform.
pub trait Bot<P: Position>: Send {
    /// Takes in a line. `Some` if a move is wanted now.
    ///
    /// # Errors
    /// A description of a line that the protocol does not have. The line is ignored.
    fn read(&mut self, line: &str) -> Result<Option<Query<P>>, String>;

    /// The line that answers the last query, without its end.
    fn answer(&mut self, mv: P::Move) -> String;
}

/// What a bot is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query<P: Position> {
    /// The position to move in, which is not over; `None` if what the platform tells is none.
    pub position: Option<P>,
    /// The opponent's last move, where the protocol tells it.
    pub last_move: Option<P::Move>,
    /// The moves that the platform allows. Its word counts, where the position says otherwise.
    pub allowed: Vec<P::Move>,
    /// What is left on the clock, where the protocol tells it.
    pub time_left: Option<Duration>,
    /// What does not fit together in what the platform tells.
    pub problems: Vec<String>,
}

/// A game with the protocols it is known to. Without anything implemented: none.
pub trait Platforms: Position {
    /// The host of one game for a program that plays as `player`; `None` if the protocol does not
    /// know the game.
    #[must_use]
    fn host(protocol: Protocol, player: Player, times: TimeRules) -> Option<Box<dyn Host<Self>>> {
        let _ = (protocol, player, times);
        None
    }

    /// A bot for one game; `None` if the protocol does not know the game.
    #[must_use]
    fn bot(protocol: Protocol, rules: Self::Rules) -> Option<Box<dyn Bot<Self>>> {
        let _ = (protocol, rules);
        None
    }

    /// Whether UCI engines play it: positions are told in the game's notation.
    #[must_use]
    fn speaks_uci() -> bool {
        false
    }

    /// The rules that the platforms of a protocol play by.
    #[must_use]
    fn rules_of(protocol: Protocol) -> Self::Rules {
        let _ = protocol;
        Self::Rules::default()
    }
}

/// Text from outside, cut and escaped so that an error stays a line.
#[must_use]
pub(crate) fn excerpt(text: &str) -> String {
    const MOST: usize = 60;
    let mut cut: String = text.chars().take(MOST).collect();
    if cut.len() < text.len() {
        cut.push_str("...");
    }
    cut.escape_debug().to_string()
}
