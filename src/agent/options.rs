//! What searches by minimax may be told beyond depth, limit and weights.

use serde::{Deserialize, Serialize};

use crate::input::InputError;
use crate::search::Pruning;

/// The options of a search; by default those of the fast ways.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// What the search leaves out.
    #[serde(default)]
    pub pruning: Pruning,
}

impl Options {
    /// The keys of the text form. Which of them a kind takes is in its entry of the registry.
    pub const KEYS: [&str; 1] = ["prune"];

    /// Whether all of them are the default.
    #[must_use]
    pub fn are_default(&self) -> bool {
        *self == Self::default()
    }

    /// The keys and values of the text form, without those that are the default.
    #[must_use]
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let mut pairs = Vec::new();
        if self.pruning != Pruning::default() {
            pairs.push(("prune", self.pruning.to_string()));
        }
        pairs
    }

    /// Sets what a key of [`KEYS`](Self::KEYS) stands for.
    pub(super) fn set(&mut self, key: &str, value: &str) -> Result<(), InputError> {
        let wrong = |expected: String| {
            let value: String = value.chars().take(40).collect();
            let found = value.escape_debug();
            InputError::new(format!("{key}: expected {expected}, found \"{found}\""))
        };
        self.pruning = value.parse().map_err(wrong)?;
        Ok(())
    }
}
