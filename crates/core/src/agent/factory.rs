//! Factories: what makes a fresh agent for each game.

use std::fmt;

use super::{Agent, Spawn};
use crate::game::Position;

/// Makes a fresh agent for each game.
#[derive(Clone)]
pub struct AgentFactory<P> {
    pub(super) label: String,
    pub(super) own_seed: Option<u64>,
    pub(super) from_start_only: bool,
    pub(super) spawn: Spawn<P>,
}

impl<P> fmt::Debug for AgentFactory<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AgentFactory({})", self.label)
    }
}

impl<P: Position> AgentFactory<P> {
    /// A factory of agents that are no [`AgentSpec`](super::AgentSpec); `spawn` turns a seed into an agent.
    pub fn custom<A: Agent<P> + 'static>(
        label: impl Into<String>,
        spawn: impl Fn(u64) -> A + Send + Sync + 'static,
    ) -> Self {
        Self::new(label, super::spawn(spawn))
    }

    /// A factory of what a kind of agent prepared.
    pub fn new(label: impl Into<String>, spawn: Spawn<P>) -> Self {
        Self { label: label.into(), own_seed: None, from_start_only: false, spawn }
    }

    /// The text form of its spec, complete.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The seed that stands in for the match's, if the spec has one.
    pub const fn own_seed(&self) -> Option<u64> {
        self.own_seed
    }

    /// Whether it has to see a game from its first move on.
    pub const fn from_start_only(&self) -> bool {
        self.from_start_only
    }

    /// A fresh agent whose random numbers come from a seed.
    pub fn spawn(&self, seed: u64) -> Box<dyn Agent<P>> {
        (self.spawn)(seed)
    }
}
