//! The numbers of an agent that an evolution can move: by key, as its text form has them.

use super::program::ParameterValue;
use super::spec::AgentSpec;
use super::table::Key;
use super::text::Found;
use crate::input::{InputError, unknown};

impl AgentSpec {
    /// The numbers of it that can be evolved: keys of its kind, or those that a program has names for.
    pub fn numeric_keys(&self) -> Vec<String> {
        if let Some(program) = self.program() {
            return program.number_names();
        }
        let keys = self.kind.info().keys.iter().filter(|key| key.evolves());
        keys.map(|key| key.name.clone()).collect()
    }

    /// Whether a numeric key takes whole numbers only.
    pub fn takes_whole(&self, key: &str) -> bool {
        self.numeric(key).is_some_and(Key::is_whole)
    }

    /// The value of a numeric key, given or by default; `None` where it has none.
    pub fn number(&self, key: &str) -> Option<f64> {
        if let Some(program) = self.program() {
            return program.numbers().get(key).map(|value| value.number());
        }
        let key = self.numeric(key)?;
        self.missing(key).is_none().then(|| self.value(key).as_f64())?
    }

    fn numeric(&self, key: &str) -> Option<&'static Key> {
        if self.program().is_some() {
            return None;
        }
        self.kind.info().key(key).filter(|key| key.evolves())
    }

    /// The same agent with another value of a numeric key. What a program knows as on and off stays so.
    ///
    /// # Errors
    /// A key that its kind does not have, that is no number, or that nothing in the agent looks at; a value out of its
    /// range.
    pub fn with_number(&self, key: &str, value: f64) -> Result<Self, InputError> {
        let mut agent = self.clone();
        if let Some(program) = agent.kind.program_mut() {
            let old = program.numbers().get(key).copied();
            let old = old.unwrap_or(ParameterValue::Number(value));
            program.set_number(key, old.with_number(value))?;
            return Ok(agent);
        }
        let found = self.kind.info().key(key);
        let Some(numeric) = found.filter(|key| key.evolves()) else {
            let keys = self.numeric_keys();
            let message = match found {
                Some(_) => {
                    let keys = keys.join(", ");
                    format!("{key} is no number that can be evolved. Those are: {keys}")
                }
                None => {
                    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
                    unknown("numeric key", key, &keys)
                }
            };
            return Err(InputError::new(format!("{}: {message}", self.kind_name())));
        };
        if let Some(part) = self.missing(numeric) {
            let message = format!("{key} changes nothing in \"{self}\": it goes with {part}");
            return Err(InputError::new(message));
        }
        let whole = value as u64;
        let number = match numeric.is_whole() && whole as f64 == value {
            true => whole.into(),
            false => value.into(),
        };
        let number = numeric.take(number).ok_or_else(|| {
            InputError::new(format!("{key}: expected {}, found {value}", numeric.takes()))
        })?;
        let mut found = Found::of(self);
        found.set(numeric, number)?;
        found.build()
    }

    /// The key and value that it lacks, if nothing in it looks at a number.
    fn missing<'k>(&self, key: &'k Key) -> Option<&'k str> {
        let part = key.said("x-with").or((key.name == "jump").then_some("jump="));
        if let Some(part) = part {
            let name = part.split('=').next().unwrap_or(part);
            return (!self.table().contains_key(name)).then_some(part);
        }
        self.kind.ignores(&key.name)
    }
}
