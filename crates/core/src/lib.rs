//! Games, searches, agents and matches: what tictune stands on.
//!
//! - [`game`] defines what a game is: rules, evaluators, scores, layouts of weights.
//! - [`search`] picks moves, and [`weights`] names, reads and writes weight vectors.
//! - [`agent`] describes players as data and makes them; [`arena`] plays games, matches and tournaments.
//! - [`stats`] says what results show, [`seed`] where random numbers come from, and [`testing`] has laws for anyone's game.
//!
//! The games themselves, the evolution and the command line are in other crates of the workspace.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

pub mod agent;
pub mod arena;
#[doc(hidden)]
pub mod files;
pub mod game;
pub mod input;
pub mod search;
pub mod seed;
pub mod testing;
pub mod weights;

pub use files::{FileError, JournalError};
pub use tictune_stats as stats;
