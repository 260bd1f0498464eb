//! Agents: what picks a move, and the plain data that describes it.
//!
//! An [`AgentSpec`] is text (`minimax:depth=7,weights=liang-default`) or a TOML table with the same
//! keys. Prepared for a game it becomes an [`AgentFactory`], which holds what games share (tables of
//! an evaluator) and gives every game a fresh [`Agent`] with a generator of its own.
//!
//! As data: `kinds` has the kinds with their settings, `spec` the whole of an [`AgentSpec`], `keys` the table of
//! keys (`key` says what is known of each), by which `text` reads and prints, `numbers` finds what can be evolved,
//! `help` explains; `complete` fills in what is open, `json` is the form in files. `limit` has the limits of searches and match
//! clocks.
//!
//! As players: `prepare` makes a `factory` of a spec, `players` search, `wrappers` let another agent move, `learned`
//! plays tables of values, `external` asks other programs.

mod complete;
mod external;
mod factory;
mod help;
mod json;
mod key;
mod keys;
mod kinds;
pub mod learned;
mod limit;
mod numbers;
mod players;
mod prepare;
mod spec;
mod text;
mod wrappers;

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::game::{Game, Position};
use crate::protocol::Platforms;

pub use factory::AgentFactory;
pub use kinds::{
    AgentKind, Evaluation, ExpectimaxSettings, ExternalSettings, GreedySettings, IterativeSettings,
    Kind, MctsSettings, MinimaxSettings, SecondEvaluation, TranspositionTable,
};
pub use learned::Learned;
pub use limit::{Clock, Limit, MoveTimes, Timer};
pub use spec::{AgentSpec, FirstMove, RandomJump, Theory};

/// A game that agents of every kind can play.
pub trait Playable: Game + Platforms {}

impl<P: Game + Platforms> Playable for P {}

/// Picks moves for one side of one game.
pub trait Agent<P: Position>: Send {
    /// The move to play in a position that is not over.
    ///
    /// # Errors
    /// An agent outside this process that gave no move: the game is forfeited.
    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Choice<P::Move>, Failure>;
}

/// Makes an agent whose random numbers come from a seed.
type Spawn<P> = Arc<dyn Fn(u64) -> Box<dyn Agent<P>> + Send + Sync>;

/// What an agent is asked.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'t, P: Position> {
    /// The position to move in.
    pub position: &'t P,
    /// The move that led to it; `None` where a game starts.
    pub last_move: Option<P::Move>,
    /// What is left on the agent's match clock, where a platform told it.
    pub time_left: Option<Duration>,
}

impl<'t, P: Position> Turn<'t, P> {
    /// A turn of which only the position is known.
    #[must_use]
    pub const fn new(position: &'t P) -> Self {
        Self { position, last_move: None, time_left: None }
    }
}

/// A move and what it cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice<M> {
    /// The move.
    pub mv: M,
    /// Positions searched for it, by agents that count positions.
    pub nodes: u64,
    /// Iterations of Monte Carlo tree search for it.
    pub iterations: u64,
    /// Attempts that ran out of time before it was given.
    pub timeouts: u64,
}

impl<M> Choice<M> {
    /// A move that cost nothing.
    pub const fn free(mv: M) -> Self {
        Self { mv, nodes: 0, iterations: 0, timeouts: 0 }
    }
}

/// Why an agent forfeits a game.
#[derive(Clone, Debug, Error, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Failure {
    /// A move that the position does not allow.
    #[error("illegal move {0}")]
    IllegalMove(String),
    /// No answer in time at the last attempt.
    #[error("no answer in time")]
    Timeout {
        /// How many attempts at the move ran out of time.
        attempts: u64,
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
