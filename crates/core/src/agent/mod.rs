//! Agents, which pick moves, and the plain data that describes them.
//!
//! An [`AgentSpec`] is written as text (`minimax:depth=7,weights=liang-default`) or as a TOML table with the same keys.
//! [`Agents`] prepares it for a game: an [`AgentFactory`] holds what games share, such as the tables of an evaluator, and makes
//! a fresh [`Agent`] for every game, with its own random generator.
//!
//! A kind of agent is a struct of settings with the trait [`AgentKind`] (`kind`); `builtin` has the kinds of this crate, `kinds`
//! the list of those that a program knows, and `common` the settings that most have. The fields of these structs are the keys:
//! `table` reads what their schemas say, and is the form of an agent in TOML and JSON; `text` reads and prints one line, with
//! quotes, tables and lists of `inline`; `help` writes the help.

mod agents;
mod builtin;
mod common;
#[doc(hidden)]
mod help;
#[doc(hidden)]
pub mod inline;
mod kind;
mod kinds;
#[doc(hidden)]
pub mod limit;
mod program;
mod spec;
mod table;
mod text;

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use strum::Display;
use thiserror::Error;

use crate::game::Position;
use crate::input::Result;
use crate::search::Stop;

pub use agents::{AgentFactory, Agents, Prepare, Spawn, spawn};
pub use builtin::{
    ExpectimaxSettings, GreedySettings, Human, IterativeSettings, MctsSettings, MinimaxSettings,
    PvsSettings, Random, Reflex,
};
#[doc(hidden)]
pub use builtin::{MIB, PLIES, deepening, fixed_depth, in_weights, not_stopped};
pub use common::{CommonSettings, Evaluation, FirstMove};
pub use help::KeyHelp;
pub use kind::{AgentKind, AgentSettings, AnyKind, KindInfo};
pub use kinds::{CoreKinds, KindList, Known, Scope};
pub use limit::{Clock, Limit, MoveTimes, Timer};
pub use program::{NameCheck, OtherProgram, ParameterValue};
#[doc(hidden)]
pub use program::{parse_numbers, read_numbers};
pub use spec::AgentSpec;

/// Picks moves for one side of one game.
pub trait Agent<P: Position>: Send {
    /// The move to play in a position that is not over; a failure forfeits the game.
    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Choice<P::Move>, Failure>;

    /// Checks that it can play by these rules, before its first game.
    fn check_rules(&self, _rules: P::Rules) -> Result<()> {
        Ok(())
    }

    /// What is left on its clock, if it has one for the whole game: its opponent may want to know.
    fn clock(&self) -> Option<ClockTime> {
        None
    }
}

/// A closure is an agent that only chooses moves.
impl<P: Position, F> Agent<P> for F
where
    F: FnMut(&Turn<'_, P>) -> Result<Choice<P::Move>, Failure> + Send,
{
    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Choice<P::Move>, Failure> {
        self(turn)
    }
}

/// What a clock for a whole game shows; of the limits that a program gets at the start of one, what is in the bank then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockTime {
    /// The time left.
    pub left: Duration,
    /// What each move, or each request for one, adds.
    pub increment: Duration,
}

/// A request for a move.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'t, P: Position> {
    /// The position to move in.
    pub position: &'t P,
    /// The move that led to it; `None` at the start of a game.
    pub last_move: Option<P::Move>,
    /// The time left on the agent's match clock, if a platform reported it.
    pub time_left: Option<Duration>,
    /// What the opponent's clock shows, where it has one.
    pub opponent_clock: Option<ClockTime>,
    /// The game up to here, where it is known.
    pub past: Option<Past<'t, P>>,
    /// What ends the search from outside. An agent that is stopped before it knows a move fails with
    /// [`Failure::Timeout`]; one that knows some plays the best of them.
    pub stop: Stop<'t>,
}

/// A game up to some move.
#[derive(Clone, Copy, Debug)]
pub struct Past<'t, P: Position> {
    /// Where it started.
    pub start: &'t P,
    /// The moves from there, those of the opening included.
    pub moves: &'t [P::Move],
}

impl<'t, P: Position> Turn<'t, P> {
    /// A turn with nothing but a position.
    pub const fn new(position: &'t P) -> Self {
        Self {
            position,
            last_move: None,
            time_left: None,
            opponent_clock: None,
            past: None,
            stop: Stop::NEVER,
        }
    }
}

/// A move, what the agent thinks of it, and its cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice<M> {
    /// The move.
    pub mv: M,
    /// Positions searched for it, by agents that count positions.
    pub nodes: u64,
    /// The depth in plies that it reached, where another program says so.
    pub depth: Option<u32>,
    /// Iterations of Monte Carlo tree search for it.
    pub iterations: u64,
    /// How long the search took, where that is less than the whole call: an outside program is also started, and an engine
    /// is made ready for a new game.
    pub time: Option<Duration>,
    /// Attempts that ran out of time before this move.
    pub timeouts: u64,
    /// Whether it came late, but within the grace that programs have.
    pub late: bool,
    /// What the position is worth to the side that moves, where the agent says so.
    pub value: Option<Value>,
    /// The moves that the agent expects, this one first; empty where it says none.
    pub line: Vec<M>,
}

/// What a position is worth to the side that moves, in the unit of the agent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// In the units of its weights; infinite if the game is won or lost.
    Weights(f64),
    /// The expected share of points, from 0 to 1.
    Share(f64),
    /// In hundredths of a pawn, as UCI engines say.
    Centipawns(f64),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Weights(f64::INFINITY) => f.write_str("it wins"),
            Self::Weights(f64::NEG_INFINITY) => f.write_str("it loses"),
            Self::Weights(value) => write!(f, "value {value:.2}"),
            Self::Share(share) => write!(f, "{:.0} % of the points", 100.0 * share),
            Self::Centipawns(value) => write!(f, "{:+.2} pawns", value / 100.0),
        }
    }
}

impl<M> Choice<M> {
    /// A move without cost.
    pub const fn free(mv: M) -> Self {
        Self {
            mv,
            nodes: 0,
            depth: None,
            iterations: 0,
            time: None,
            timeouts: 0,
            late: false,
            value: None,
            line: Vec::new(),
        }
    }
}

/// What became of an answer after its time was over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, Display)]
pub enum Lateness {
    /// Nobody waited for it.
    #[default]
    #[strum(to_string = "")]
    Unknown,
    /// It came after all.
    #[strum(to_string = ": {milliseconds} ms late")]
    Answered {
        /// So late.
        milliseconds: u64,
    },
    /// It had not come when nobody waited any longer.
    #[strum(to_string = ": still none {milliseconds} ms after its time was over")]
    Silent {
        /// So late.
        milliseconds: u64,
    },
}

/// Why an agent forfeits a game.
#[derive(Clone, Debug, Error, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Failure {
    /// A move that the position does not allow.
    #[error("illegal move {0}")]
    IllegalMove(String),
    /// No answer in time at the last attempt.
    #[error("no answer in time{later}")]
    Timeout {
        /// How many attempts at the move ran out of time.
        attempts: u64,
        /// What came afterwards.
        #[serde(default)]
        later: Lateness,
    },
    /// An answer that is no move.
    #[error("not an answer of its protocol: \"{0}\"")]
    Garbage(String),
    /// The program ended, or closed its side of the conversation, before the game was over.
    #[error("the program ended in mid-game: {0}")]
    Ended(String),
    /// The program could not be started.
    #[error("the program could not be started: {0}")]
    Start(String),
}
