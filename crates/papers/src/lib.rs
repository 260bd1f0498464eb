//! The tables of five papers on game AI, and what only they need.
//!
//! - [`reproduce`] plays the matches of a printed table, and compares the results.
//! - [`searches`] are kinds of agents: searches that no other agent needs.
//! - [`reinforcement`] learns the values of moves from games: Q-learning, TD(lambda), Monte Carlo returns.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

pub mod reinforcement;
pub mod reproduce;
pub mod searches;

use reinforcement::LearnedSettings;
use searches::{PlainSettings, RememberingSettings, SelectiveSettings, TabularSettings};

/// A list of kinds of agents, and those of this crate.
pub type WithPapers<Kinds> = (
    ((((Kinds, LearnedSettings), PlainSettings), SelectiveSettings), RememberingSettings),
    TabularSettings,
);

/// The games and the kinds of agents that the tests of this crate play with.
#[cfg(test)]
fn built_in() -> tictune_core::agent::Known {
    use tictune_core::agent::{CoreKinds, Known};
    Known::new::<WithPapers<CoreKinds>>(tictune_games::KNOWN)
}
