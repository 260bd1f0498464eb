//! The values that are evolved.

use tictune_core::agent::AgentSpec;
use tictune_core::input::InputError;
use tictune_core::weights::Weights;

/// Values as they are played: what an agent gets from a candidate.
#[derive(Clone, Debug, PartialEq)]
pub struct Vector {
    /// What it is called; its weights are called so too.
    pub name: String,
    /// The weights of its evaluation, every slot of them; none where none are evolved.
    pub weights: Option<Weights>,
    /// The numbers of the agent that are evolved, by key.
    pub parameters: Vec<(String, f64)>,
}

impl Vector {
    /// Weights alone.
    #[must_use]
    pub fn of_weights(weights: Weights) -> Self {
        Self { name: weights.name.clone(), weights: Some(weights), parameters: Vec::new() }
    }

    /// The same under another name.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = name.into();
        self.weights.iter_mut().for_each(|weights| weights.name = name.into());
        self
    }

    /// An agent with what the vector holds.
    ///
    /// # Errors
    /// An agent that does not have one of the numbers, or not with this value.
    pub fn carried_by(&self, agent: &AgentSpec) -> Result<AgentSpec, InputError> {
        let agent = match &self.weights {
            Some(weights) => agent.with_weights(weights.clone()),
            None => agent.clone(),
        };
        self.parameters.iter().try_fold(agent, |agent, (key, value)| agent.with_number(key, *value))
    }

    /// The parameters as an agent's text has them: `KEY=VALUE`.
    pub fn pairs(&self) -> impl Iterator<Item = String> {
        self.parameters.iter().map(|(key, value)| format!("{key}={value}"))
    }
}

/// A vector under trial, from the optimiser's `ask` to its `tell`.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Its point, for the optimiser.
    pub point: Vec<f64>,
    /// Its values as they are played.
    pub values: Vector,
}
