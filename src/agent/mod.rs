//! Agents, which pick moves, and the plain data that describes them.
//!
//! An [`AgentSpec`] is written as text (`minimax:depth=7,weights=liang-default`) or as a TOML table with the same keys.
//! Preparing it for a game makes an [`AgentFactory`]. The factory holds what games share, such as the tables of an
//! evaluator, and makes a fresh [`Agent`] for every game, with its own random generator.
//!
//! The data: `kinds` has the kinds of agents with their settings, `habits` what most kinds have beside these, and `spec` the
//! whole [`AgentSpec`]. The fields of these structs are the keys: `table` reads what their schemas say, and is the form of an
//! agent in TOML, JSON and messages; `text` reads and prints the form of one line, `numbers` finds the keys that can be evolved,
//! and `help` writes the help. `inline` has quotes, tables and lists, `complete` fills in defaults, and `limit` has the limits of
//! searches and match clocks.
//!
//! The players: `prepare` makes a `factory` from a spec. `players` search, `wrappers` pass some moves to another agent,
//! `learned` plays from tables of values, `external` asks other programs, and `uci` asks chess engines. What programs are
//! started with is in `program`, with `placeholders` for numbers and weights of candidates. `doctor` says what is wrong with
//! one.

mod complete;
pub(crate) mod doctor;
mod external;
mod factory;
mod habits;
mod help;
mod inline;
mod kinds;
pub(crate) mod learned;
mod limit;
mod numbers;
mod placeholders;
mod players;
mod prepare;
mod program;
mod runner;
mod spec;
mod table;
mod text;
pub(crate) mod uci;
mod wrappers;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::game::{Game, Position};
use crate::protocol::{Lateness, Platforms};
use crate::search::Stop;

pub use factory::AgentFactory;
pub use habits::{FirstMove, Habits};
pub(crate) use help::{KeyInWords, KindInWords, keys as all_keys, kinds as all_kinds};
pub use kinds::{
    AgentKind, Evaluation, ExpectimaxSettings, ExternalSettings, GreedySettings, IterativeSettings,
    Kind, LearnedSettings, MctsSettings, MinimaxSettings,
};
pub use learned::Learned;
pub use limit::{Clock, Limit, MoveTimes, Timer};
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use placeholders::parse_numbers;
pub(crate) use placeholders::read_numbers;
pub use placeholders::{FileFormat, PlaceholderValue};
#[cfg(feature = "cli")]
pub(crate) use players::in_weights;
pub use program::{Invocation, ReadyProgram};
pub use runner::RunnerSettings;
pub use spec::AgentSpec;
pub(crate) use table::schema as schema_of_agents;

/// A game that agents of every kind can play.
pub trait Playable: Game + Platforms {}

impl<P: Game + Platforms> Playable for P {}

/// Picks moves for one side of one game.
pub trait Agent<P: Position>: Send {
    /// The move to play in a position that is not over.
    ///
    /// # Errors
    /// An external program that gave no move, and so forfeits the game.
    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Choice<P::Move>, Failure>;

    /// The moves that the agent expects from its last choice on, the chosen one first; empty where it says none. `turn` and
    /// `choice` are those of that choice. An agent may search for it, so that games are not played with it; it changes no
    /// later choice.
    fn expected_line(&self, turn: &Turn<'_, P>, choice: &Choice<P::Move>) -> Vec<P::Move> {
        let _ = turn;
        choice.line.clone()
    }
}

/// Makes an agent whose random numbers come from a seed.
type Spawn<P> = Arc<dyn Fn(u64) -> Box<dyn Agent<P>> + Send + Sync>;

/// A request for a move.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'t, P: Position> {
    /// The position to move in.
    pub position: &'t P,
    /// The move that led to it; `None` at the start of a game.
    pub last_move: Option<P::Move>,
    /// The time left on the agent's match clock, if a platform reported it.
    pub time_left: Option<Duration>,
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
    #[must_use]
    pub const fn new(position: &'t P) -> Self {
        Self { position, last_move: None, time_left: None, past: None, stop: Stop::NEVER }
    }
}

/// A move, what the agent thinks of it, and its cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice<M> {
    /// The move.
    pub mv: M,
    /// Positions searched for it, by agents that count positions.
    pub nodes: u64,
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
    /// The moves that the agent expects, this one first, where they come with the move; [`Agent::expected_line`] asks all
    /// agents.
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

impl Value {
    /// The value in centipawns, if that is its unit.
    #[must_use]
    pub const fn centipawns(self) -> Option<f64> {
        match self {
            Self::Centipawns(value) => Some(value),
            Self::Weights(_) | Self::Share(_) => None,
        }
    }
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
            iterations: 0,
            time: None,
            timeouts: 0,
            late: false,
            value: None,
            line: Vec::new(),
        }
    }
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
