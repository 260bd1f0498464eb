//! The numbers of an agent that an evolution can move: by key, as its text form has them.

use super::key::{Key, Refusal};
use super::keys::{KEYS, keys_of};
use super::spec::AgentSpec;
use crate::input::{InputError, unknown};

impl AgentSpec {
    /// The keys of its kind that can be evolved.
    #[must_use]
    pub fn numeric_keys(&self) -> Vec<&'static str> {
        keys_of(self.kind()).filter(|key| key.evolves).map(|key| key.name).collect()
    }

    /// Whether a numeric key takes whole numbers only.
    #[must_use]
    pub fn takes_whole(key: &str) -> bool {
        numeric(key).is_some_and(Key::is_whole)
    }

    /// The value of a numeric key, given or by default; `None` where it has none.
    #[must_use]
    pub fn number(&self, key: &str) -> Option<f64> {
        numeric(key)?.number(self)
    }

    /// The same agent with another value of a numeric key.
    ///
    /// # Errors
    /// A key that its kind does not have, that is no number, or that nothing in the agent looks at; a value out of its
    /// range.
    pub fn with_number(&self, key: &str, value: f64) -> Result<Self, InputError> {
        let kind = self.kind();
        let found = keys_of(kind).find(|known| known.name == key);
        let Some(numeric) = found.filter(|key| key.evolves) else {
            let keys = self.numeric_keys();
            let message = match found {
                Some(_) => {
                    let keys = keys.join(", ");
                    format!("{key} is no number that can be evolved. Those are: {keys}")
                }
                None => unknown("numeric key", key, &keys),
            };
            return Err(InputError::new(format!("{kind}: {message}")));
        };
        if let Some(part) = numeric.missing_part(self) {
            let message = format!("{key} changes nothing in \"{self}\": it goes with {part}");
            return Err(InputError::new(message));
        }
        let mut spec = self.clone();
        match numeric.set_number(&mut spec, value) {
            Ok(()) => Ok(spec),
            Err(Refusal::Because(error)) => Err(error),
            Err(Refusal::Value | Refusal::Part) => {
                let expected = &numeric.takes;
                Err(InputError::new(format!("{key}: expected {expected}, found {value}")))
            }
        }
    }
}

/// A key of any kind that can be evolved.
fn numeric(key: &str) -> Option<&'static Key> {
    KEYS.iter().find(|known| known.name == key && known.evolves)
}
