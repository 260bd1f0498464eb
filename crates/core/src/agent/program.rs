//! Agents that are other programs, as far as a program that tunes them has to know.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::input::{Result, TomlFile, number_text, read_text};

/// Says of a name why no number of a program can be called so.
pub type NameCheck = Box<dyn Fn(&str) -> Result<()>>;

/// An agent that is another program, with numbers that the program has names for.
pub trait OtherProgram {
    /// The program and its arguments.
    fn command(&self) -> &str;

    /// The name of the protocol that it speaks, where it could speak several.
    fn protocol(&self) -> Option<String> {
        None
    }

    /// Variables of its environment.
    fn env(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// Whether it plays whole games of a game that only it knows, instead of single moves.
    fn plays_whole_games(&self) -> bool {
        false
    }

    /// A name for the agent, if it has one; a program that plays whole games gets it, too.
    fn name(&self) -> Option<&str> {
        None
    }

    /// Its numbers and their values.
    fn numbers(&self) -> &BTreeMap<String, ParameterValue>;

    /// The names of the numbers that can be evolved.
    fn number_names(&self) -> Vec<String>;

    /// A check of names. It is made once for many names, since it reads all that the program is started with.
    fn name_check(&self) -> Result<NameCheck>;

    /// Gives a number a value. Its name has passed [`Self::name_check`].
    fn set_number(&mut self, name: &str, value: ParameterValue);

    /// What is wrong with the first number that has no value, if one has none.
    fn missing_number(&self) -> Option<String> {
        None
    }

    /// Checks that the command can be read, and that numbers and what uses them belong together.
    fn check(&self) -> Result<()>;

    /// Whether it is told the value of a slot of its weights.
    fn reads_slot(&self, _slot: &str) -> bool {
        false
    }

    /// The values that it announces for its numbers when it is started and asked.
    ///
    /// # Errors
    /// If it cannot be asked, or does not know one of them.
    fn announced_numbers(&self) -> Result<BTreeMap<String, f64>> {
        Ok(BTreeMap::new())
    }

    /// What it calls itself when it is started and asked.
    fn announced_name(&self) -> Option<String> {
        None
    }
}

/// The value of a parameter of a program: a number, or on and off.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(extend("x-takes" = "a finite number"))]
pub enum ParameterValue {
    /// On or off, written `true` and `false`.
    Switch(bool),
    /// A finite number. Whole ones are written without a point.
    Number(f64),
}

impl ParameterValue {
    /// What tables of them are, in words that go after "expected".
    pub const TABLE: &str = "a table of numbers, as in { corner = 3.5 }, or a file of them";

    /// Such a table.
    pub fn example() -> BTreeMap<String, f64> {
        BTreeMap::from([("corner".into(), 3.5)])
    }

    /// As a number: on is 1, off is 0.
    pub fn number(self) -> f64 {
        match self {
            Self::Switch(on) => f64::from(u8::from(on)),
            Self::Number(number) => number,
        }
    }

    /// A value of the same kind that is nearest to a number.
    #[must_use]
    pub fn with_number(self, number: f64) -> Self {
        match self {
            Self::Switch(_) => Self::Switch(number >= 0.5),
            Self::Number(_) => Self::Number(number),
        }
    }
}

impl fmt::Display for ParameterValue {
    /// The shortest text that reads back as the same value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Switch(on) => write!(f, "{on}"),
            Self::Number(number) => f.write_str(&number_text(number)),
        }
    }
}

/// Reads a file of numbers by name: lines `NAME = VALUE` of TOML, where values may be true and false.
pub fn read_numbers(path: &Path) -> Result<BTreeMap<String, ParameterValue>> {
    parse_numbers(&read_text(path)?, path)
}

/// Reads the text of such a file; `path` is the name that errors give.
pub fn parse_numbers(text: &str, path: &Path) -> Result<BTreeMap<String, ParameterValue>> {
    TomlFile::parse(text, Some(path))?.root().read_values()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_have_no_point() {
        let cases = [(-0.0, "0"), (3.0, "3"), (0.1 + 0.2, "0.30000000000000004"), (1e300, "1e300")];
        for (value, expected) in cases {
            assert_eq!(ParameterValue::Number(value).to_string(), expected);
        }
        assert_eq!(ParameterValue::Switch(false).with_number(1.0).to_string(), "true");
    }
}
