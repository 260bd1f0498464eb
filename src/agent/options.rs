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
    /// What a won game is worth to expectimax in weight units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub win: Option<f64>,
}

impl Options {
    /// The keys of the text form. Which of them a kind takes is in its entry of the registry.
    pub const KEYS: [&str; 2] = ["prune", "win"];

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
        if let Some(win) = self.win {
            pairs.push(("win", win.to_string()));
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
        match key {
            "prune" => self.pruning = value.parse().map_err(wrong)?,
            _ => {
                let win = value.parse().ok().filter(|win| (1e-9..=1e15).contains(win));
                self.win = Some(win.ok_or_else(|| wrong("a number above 0".into()))?);
            }
        }
        Ok(())
    }
}
