//! The numbers of an agent that an evolution can move: by key, as its text form has them.

use super::program::ParameterValue;
use super::spec::AgentSpec;
use super::table::Key;
use super::text::Found;
use crate::input::{InputError, unknown};

impl AgentSpec {
    /// The numbers of it that can be evolved: keys of its kind, or those that a program has names for.
    pub fn numeric_keys(&self) -> Vec<String> {
        match self.program() {
            Some(program) => program.number_names(),
            None => self.evolving().map(|key| key.name.clone()).collect(),
        }
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
        let key = self.numeric(key).filter(|key| self.missing(key).is_none())?;
        self.table().get(&key.name).unwrap_or(key.default()).as_f64()
    }

    fn evolving(&self) -> impl Iterator<Item = &'static Key> + use<> {
        let keys = if self.program().is_some() { &[][..] } else { &self.kind.info().keys };
        keys.iter().filter(|key| key.evolves())
    }

    fn numeric(&self, name: &str) -> Option<&'static Key> {
        self.evolving().find(|key| key.name == name)
    }

    /// The same agent with another value of a numeric key. What a program knows as on and off stays so.
    ///
    /// # Errors
    /// A key that is unknown, no number, or of no use in the agent; a value out of its range.
    pub fn with_number(&self, key: &str, value: f64) -> Result<Self, InputError> {
        let mut agent = self.clone();
        if let Some(program) = agent.kind.program_mut() {
            let old = program.numbers().get(key).copied();
            let old = old.unwrap_or(ParameterValue::Number(value));
            program.set_number(key, old.with_number(value))?;
            return Ok(agent);
        }
        let numeric = self.numeric(key).ok_or_else(|| {
            let keys: Vec<&str> = self.evolving().map(|key| &*key.name).collect();
            let message = match self.kind.info().key(key) {
                Some(_) => format!(
                    "{key} is no number that can be evolved. Those are: {}",
                    keys.join(", ")
                ),
                None => unknown("numeric key", key, &keys),
            };
            InputError::new(format!("{}: {message}", self.kind_name()))
        })?;
        if let Some(part) = self.missing(numeric) {
            let message = format!("{key} changes nothing in \"{self}\": it goes with {part}");
            return Err(InputError::new(message));
        }
        let whole = value as u64;
        let is_whole = numeric.is_whole() && whole as f64 == value;
        let number = numeric.take(if is_whole { whole.into() } else { value.into() });
        let number = number.ok_or_else(|| {
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
