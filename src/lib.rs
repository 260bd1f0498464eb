//! Evolves the weights of board-game evaluation functions with CMA-ES, by seeded matches between
//! minimax agents, and measures what they are worth.
//!
//! The games are Ultimate Tic-Tac-Toe and Qubic. The rooms, from the bottom: [`game`] says what a
//! game is (rules, evaluations), [`games`] has the two, [`weights`] holds values for the slots of
//! an evaluation, [`search`] picks moves, [`protocol`] talks to other programs, [`agent`] describes and
//! makes players, [`arena`] lets them play, [`cma`] is the optimiser, [`evolve`] the staged evolution and
//! the validation of its weights, [`learn`] reinforcement learning, [`reproduce`] the tables of the
//! documents, [`config`] the TOML forms, [`report`] what is written of results. ARCHITECTURE.md has the map.
//!
//! A match between two published vectors:
//!
//! ```
//! use std::path::Path;
//! use tictune::agent::AgentSpec;
//! use tictune::arena::{Contest, MatchSettings, Openings, Schedule, play_match};
//! use tictune::game::{Rules, Uttt};
//! use tictune::stats::Figures;
//!
//! # fn main() -> Result<(), tictune::input::InputError> {
//! let agent = |text| AgentSpec::parse::<Uttt>(text, Path::new(""))?.prepare::<Uttt>();
//! let a = agent("minimax:depth=3,weights=liang-comprehensive")?;
//! let b = agent("minimax:depth=3,weights=liang-connecting")?;
//! let rules = Rules::default();
//! let openings = Openings::parse::<Uttt>("random:4", rules, Path::new(""))?;
//! let contest = Contest { a: &a, b: &b, rules, openings: &openings };
//! let settings = MatchSettings { games: 20, seed: 0, schedule: Schedule::Paired, replay_ties: false };
//! if let Some(result) = play_match(&contest, &settings, &|| true)? {
//!     let figures = Figures::of(&result.summary.tally, result.pairs.as_ref());
//!     assert!((0.0..=1.0).contains(&figures.score));
//! }
//! # Ok(())
//! # }
//! ```

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

pub mod agent;
mod app;
pub mod arena;
mod cli;
pub mod cma;
pub mod config;
pub mod evolve;
mod files;
pub mod game;
pub mod games;
pub mod input;
pub mod learn;
pub mod protocol;
mod registry;
mod report;
mod reproduce;
pub mod search;
pub mod seed;
pub mod stats;
pub mod testing;
pub mod weights;

pub use agent::{Agent, AgentSpec};
pub use app::App;
pub use arena::{Executor, Opening};
pub use config::PlanBuilder;
pub use evolve::Plan;
pub use files::{FileError, LogError};
pub use game::{Evaluator, Game, Outcome, Player, Position, Score, WeightLayout};
pub use protocol::Platforms;
pub use stats::Tally;
pub use weights::Weights;
