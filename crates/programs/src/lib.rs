//! Conversations with other people's game programs, and the kinds of agents that are such programs.
//!
//! - [`ExternalSettings`] is the kind `external`: a program that is asked for moves in the protocol of a bot platform, or over UCI.
//! - [`RunnerSettings`] is the kind `runner`: a program that plays whole games of a game that only it knows.
//! - [`Platforms`] is what bot platforms know of a game. For each protocol, a [`Host`] asks a program for moves, and a [`Bot`] is
//!   asked by a platform. Both are pure: lines in, lines out. They are in the game's folder.
//!
//! Inside, `process` runs another program and passes its lines on, `line` reads them within bounds, and `running` ends programs with
//! this process. `invocation` is what a program is started with, with `placeholders` for numbers and weights of candidates.
//! `engine` holds a conversation with a UCI engine, and `uci` reads what it says. `doctor` says what is wrong with a program.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

#[doc(hidden)]
pub mod doctor;
mod engine;
mod external;
mod invocation;
#[doc(hidden)]
pub mod line;
mod placeholders;
mod process;
#[doc(hidden)]
pub mod runner;
#[doc(hidden)]
pub mod running;
#[doc(hidden)]
pub mod uci;
#[doc(hidden)]
pub mod uci_agent;

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantNames};

use tictune_core::agent::ClockTime;
use tictune_core::game::{Game, Player, Position};

pub use external::ExternalSettings;
pub use invocation::ReadyProgram;
pub use runner::RunnerSettings;

/// A protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[derive(Display, EnumString, VariantNames)]
#[strum(serialize_all = "lowercase")]
pub enum Protocol {
    /// That of the competition at TheAIGames (Liang 1.4): settings, updates of the whole field, and
    /// requests for moves with the time left.
    TheAiGames,
    /// CodinGame's: the opponent's last move and the list of legal moves.
    CodinGame,
    /// The Universal Chess Interface, which engines speak. `tictune bot` does not.
    Uci,
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

/// What platforms know of a game. It hangs on the game as an extension: see [`Game::extensions`].
#[derive(Debug)]
#[allow(clippy::type_complexity)] // Aliases would hide what the functions take.
pub struct Platforms<P: Position> {
    /// Makes a host for a program that plays as a player; `None` if the protocol does not know the game.
    pub host: fn(Protocol, Player, ClockTime) -> Option<Box<dyn Host<P>>>,
    /// Makes a bot; `None` if the protocol does not know the game.
    pub bot: fn(Protocol, P::Rules) -> Option<Box<dyn Bot<P>>>,
    /// The options that UCI engines need under these rules, if UCI engines play it: positions are told in the game's notation.
    pub uci_options: Option<fn(P::Rules) -> &'static [(&'static str, &'static str)]>,
    /// The rules that the platforms of a protocol play by.
    pub rules: fn(Protocol) -> P::Rules,
}

impl<P: Game> Platforms<P> {
    /// A game that no platform knows.
    pub const NONE: Self = Self {
        host: |_, _, _| None,
        bot: |_, _| None,
        uci_options: None,
        rules: |_| P::Rules::default(),
    };

    /// What platforms know of the game.
    pub fn of() -> &'static Self {
        P::INFO.extension().unwrap_or(&Self::NONE)
    }
}
