//! Tunes the weights of board-game evaluations and the parameters of engines by playing games, and measures how strong they are.
//!
//! The fitness of a weight vector is its result in seeded matches. Everything follows from a config and its seed: the
//! same run gives the same weights, on any number of threads. The crate has the rules of Ultimate Tic-Tac-Toe, Qubic and chess.
//! With a game of your own you get the same searches, matches, tournaments and evolutions.
//!
//! # A program for your own game
//!
//! A game is a type that implements [`Position`] (its rules), [`Searchable`] (what makes searches faster, if anything does) and
//! [`Game`] (its evaluations). An [`App`] makes a program
//! of it, with every command of `tictune` (feature `cli`, on by default):
//!
//! ```ignore
#![doc = include_str!("../examples/own_game/connect_four.rs")]
#![doc = include_str!("../examples/own_game/main.rs")]
//! ```
//!
//! These are `connect_four.rs` and `main.rs` of `examples/own_game`, a crate that `tictune new --own-game` writes. [`testing`] checks that a game obeys the laws that the
//! searches rely on.
//!
//! Examples of a part name its crate: for `tictune_core` write `tictune`, for `tictune_evolve` and `tictune_games` also `tictune::evolve` and `tictune::games`.
//! `cargo run -- new c.toml` writes a config for the game, and `cargo run -- schema` says which keys a config has. A game without
//! built-in weights has agents with `weights=FILE`, which an evolution writes.
//!
//! # A kind of agent of your own
//!
//! One that draws its moves, and one that searches with an evaluation and a depth.
//! The settings derive serde's and schemars's traits (`serde` 1 with `derive`, `schemars` 1), and `#[serde(default)]`, since
//! agents give the keys that they want. `examples/own_agent.rs`:
//!
//! ```ignore
#![doc = include_str!("../examples/own_agent.rs")]
//! ```
//!
//! # An executor of your own
//!
//! It plays the units of a match or of a generation, in any order, and hands each one's results to the sink.
//! `examples/own_executor.rs`:
//!
//! ```ignore
#![doc = include_str!("../examples/own_executor.rs")]
//! ```
//!
//! An executor is for programs that call the library: an [`App`] plays on threads, or on a cluster.
//!
//! # An evolution from code
//!
//! For a game of your own, `Uttt` is your type, and `Agents::of::<(BuiltInKinds, MyKind)>()` has a kind of yours: `Threads::new` takes them. With a `[budget]` alone, the start is learned, which
//! `tictune evolve` does: give `[cmaes] initial`, or let it begin the run. `examples/evolve.rs`:
//!
//! ```ignore
#![doc = include_str!("../examples/evolve.rs")]
//! ```
//!
//! # A match from code
//!
//! Two published vectors of Ultimate Tic-Tac-Toe play 200 games. `examples/match.rs`:
//!
//! ```ignore
#![doc = include_str!("../examples/match.rs")]
//! ```
//!
//! # Where to go
//!
//! - [`game`] defines what a game is; [`games`] has those of the crate.
//! - [`weights`] names and reads weight vectors, [`search`] picks moves with them, and [`agent`] describes players as text.
//! - [`arena`] plays games, matches and tournaments; [`stats`] says what their results show.
//! - [`config`] reads the config of an evolution, and [`evolve`] runs it with an [`optimiser`].
//! - [`programs`] talks to bot platforms and other programs, and [`papers`] has the tables of five papers and what only
//!   they need, such as reinforcement learning.
//!
//! Each of these modules is a crate of the workspace, or a part of `tictune-core`. A library that needs no command line may use the
//! crates themselves.
//!
//! The folder `docs` of the repository describes the commands and the files; ARCHITECTURE.md maps the code.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

#[cfg(feature = "cli")]
mod app;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
pub mod export;
#[cfg(all(feature = "cli", any(test, feature = "fuzzing")))]
#[doc(hidden)]
pub mod fuzzing;
#[cfg(feature = "cli")]
mod report;
#[cfg(feature = "cli")]
mod serve;

#[cfg(feature = "cluster")]
use tictune_cluster as cluster;
use tictune_core::files;
#[doc(inline)]
pub use tictune_core::{agent, arena, game, input, search, seed, stats, testing, weights};
#[doc(inline)]
pub use tictune_core::{every_law, kinds};
#[doc(inline)]
pub use tictune_evolve::{self as evolve, config, optimiser};
#[cfg(feature = "cli")]
use tictune_registry as registry;
#[doc(inline)]
pub use {tictune_games as games, tictune_papers as papers, tictune_programs as programs};

pub use agent::{Agent, AgentFactory, AgentKind, AgentSpec, Agents};
#[cfg(feature = "cli")]
pub use app::{App, main};
pub use arena::{
    Contest, Executor, MatchResult, MatchSettings, Opening, Openings, Schedule, Threads, play_match,
};
pub use evolve::{Plan, RunDir, RunError, RunResult};
pub use files::{FileError, JournalError};
pub use game::{
    Evaluator, Game, GameInfo, Linear, NoRules, Outcome, Player, Position, Score, Searchable, Slot,
    WeightLayout,
};
pub use input::InputError;
pub use programs::Platforms;
pub use stats::{MatchStatistics, Tally};
pub use tictune_registry::{BuiltInGames, BuiltInKinds, built_in};
pub use weights::Weights;
