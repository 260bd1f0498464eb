//! A match as data.

use super::{GameTrace, MatchResult, MatchSettings, Openings};
use crate::agent::AgentSpec;
use crate::stats::sprt::Sprt;

/// A match between two agents that is to be played.
#[derive(Clone, Debug)]
pub struct MatchPlan {
    /// Agents A and B.
    pub agents: [AgentSpec; 2],
    /// The rules, in their text form.
    pub rules: String,
    /// Where games start.
    pub openings: Openings,
    /// How many games, and from which seed.
    pub settings: MatchSettings,
    /// The test that ends it, if it is not played to its last game.
    pub sprt: Option<Sprt>,
    /// Whether every move is wanted.
    pub traced: bool,
}

/// A match that was played.
#[derive(Clone, Debug)]
pub struct PlayedMatch {
    /// Its result.
    pub result: MatchResult,
    /// Its games move by move, where they were asked for.
    pub games: Vec<GameTrace<String>>,
}
