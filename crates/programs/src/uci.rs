//! The Universal Chess Interface as text: what engines announce, how their options are checked, and what they say of a search.
//!
//! Source: "Description of the universal chess interface", Huber and Meyer-Kahlen, April 2006.

use std::fmt;

use tictune_core::input::{excerpt, unknown};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Announced {
    pub name: String,
    pub options: Vec<EngineOption>,
}

/// The most options that are kept. What comes beyond is ignored, so that an engine exhausts no memory.
const MOST_OPTIONS: usize = 2000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineOption {
    pub name: String,
    pub kind: OptionKind,
    pub default: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    Check,
    Spin { min: i64, max: i64 },
    Combo(Vec<String>),
    Button,
    Text,
}

impl Announced {
    pub fn read(&mut self, line: &str) {
        let line = line.trim();
        if let Some(name) = line.strip_prefix("id name ") {
            self.name = excerpt(name.trim());
        } else if let Some(option) = EngineOption::read(line)
            && self.options.len() < MOST_OPTIONS
        {
            self.options.push(option);
        }
    }

    pub fn option(&self, name: &str) -> Option<&EngineOption> {
        self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    pub(crate) fn find(&self, name: &str) -> Result<&EngineOption, String> {
        self.option(name).ok_or_else(|| {
            let known: Vec<&str> = self.options.iter().map(|option| option.name.as_str()).collect();
            match known.is_empty() {
                true => "the engine announces no options".into(),
                false => unknown("option", name, &known),
            }
        })
    }

    pub fn set(&self, name: &str, value: &str) -> Result<String, String> {
        let option = self.find(name)?;
        let name = &option.name;
        if !option.takes(value) {
            let shown = excerpt(value);
            let mut text = format!("option \"{name}\" takes {}, not \"{shown}\"", option.kind);
            let is_fraction = value.parse().is_ok_and(|number: f64| number.fract() != 0.0);
            if matches!(option.kind, OptionKind::Spin { .. }) && is_fraction {
                text += " (parameters with whole = true are rounded)";
            }
            return Err(text);
        }
        Ok(match option.kind {
            OptionKind::Button => format!("setoption name {name}"),
            _ => format!("setoption name {name} value {value}"),
        })
    }
}

impl EngineOption {
    fn read(line: &str) -> Option<Self> {
        const KEYS: [&str; 6] = ["name", "type", "default", "min", "max", "var"];
        let mut words = line.split_whitespace();
        words.next().filter(|word| *word == "option")?;
        let mut values: Vec<(&str, Vec<&str>)> = Vec::new();
        for word in words {
            // The name ends at "type", so that a name may have words such as "max" in it.
            let in_name = values.last().is_some_and(|(key, _)| *key == "name");
            match values.last_mut() {
                Some((_, of_key)) if !KEYS.contains(&word) || in_name && word != "type" => {
                    of_key.push(word);
                }
                _ if KEYS.contains(&word) => values.push((word, Vec::new())),
                _ => return None,
            }
        }
        let value = |key| {
            let found = values.iter().find(|(other, _)| *other == key);
            found.map(|(_, words)| words.join(" "))
        };
        let bound = |key, open| value(key).and_then(|text| text.parse().ok()).unwrap_or(open);
        let kind = match value("type")?.as_str() {
            "check" => OptionKind::Check,
            "spin" => OptionKind::Spin { min: bound("min", i64::MIN), max: bound("max", i64::MAX) },
            "combo" => {
                let words = values.iter().filter(|(key, _)| *key == "var");
                OptionKind::Combo(words.map(|(_, words)| words.join(" ")).collect())
            }
            "button" => OptionKind::Button,
            "string" => OptionKind::Text,
            _ => return None,
        };
        let name = value("name").filter(|name| !name.is_empty())?;
        Some(Self { name, kind, default: value("default").unwrap_or_default() })
    }

    /// Its value at the start as a number; on is 1.
    pub fn default_number(&self) -> Option<f64> {
        match (&self.kind, self.default.as_str()) {
            (OptionKind::Check, "true") => Some(1.0),
            (OptionKind::Check, "false") => Some(0.0),
            (OptionKind::Spin { .. } | OptionKind::Text, text) => {
                text.parse().ok().filter(|number: &f64| number.is_finite())
            }
            _ => None,
        }
    }

    fn takes(&self, value: &str) -> bool {
        match &self.kind {
            OptionKind::Check => ["true", "false"].contains(&value),
            OptionKind::Spin { min, max } => {
                value.parse().is_ok_and(|number: i64| (*min..=*max).contains(&number))
            }
            OptionKind::Combo(words) => words.iter().any(|word| word.eq_ignore_ascii_case(value)),
            OptionKind::Button => value.is_empty(),
            OptionKind::Text => !value.contains(['\n', '\r']),
        }
    }
}

impl fmt::Display for OptionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Check => f.write_str("true or false"),
            Self::Spin { min: i64::MIN, max: i64::MAX } => f.write_str("a whole number"),
            Self::Spin { min, max } => write!(f, "a whole number from {min} to {max}"),
            Self::Combo(words) => f.write_str(&words.join(" or ")),
            Self::Button => f.write_str("no value (it is a button)"),
            Self::Text => f.write_str("a text in one line"),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The value of the position in centipawns, from the view of the side to move; a mate counts as [`MATE`] less its moves.
    pub value: Option<f64>,
    pub line: Vec<String>,
    pub nodes: u64,
    pub depth: Option<u32>,
}

/// The value of a mate on the board, in centipawns.
pub const MATE: f64 = 32_000.0;

const MOST_MOVES: usize = 64;

impl Report {
    /// Takes in a line of a search. The last exact value of the best line counts.
    pub fn read(&mut self, line: &str) {
        let mut words = line.split_whitespace();
        if words.next() != Some("info") {
            return;
        }
        let (mut value, mut moves, mut is_best, mut is_bound) = (None, Vec::new(), true, false);
        let mut depth = None;
        while let Some(word) = words.next() {
            match word {
                "string" => break,
                "nodes" => {
                    let nodes = words.next().and_then(|text| text.parse().ok());
                    self.nodes = nodes.unwrap_or(self.nodes);
                }
                "depth" => depth = words.next().and_then(|text| text.parse().ok()),
                "multipv" => is_best = words.next() == Some("1"),
                "lowerbound" | "upperbound" => is_bound = true,
                "score" => {
                    let (unit, number) = (words.next(), words.next());
                    let number = number.and_then(|text| text.parse().ok());
                    let number = number.filter(|number: &f64| number.is_finite());
                    value = match (unit, number) {
                        (Some("cp"), number) => number,
                        // No sign bit: "mate 0" is said by the side that is mated.
                        (Some("mate"), Some(moves)) if moves > 0.0 => Some(MATE - moves),
                        (Some("mate"), Some(moves)) => Some(-MATE - moves),
                        _ => None,
                    };
                }
                "pv" => {
                    moves = words.by_ref().take(MOST_MOVES).map(String::from).collect();
                    break;
                }
                _ => {}
            }
        }
        if is_best && !is_bound && value.is_some() {
            self.value = value;
            self.depth = depth.or(self.depth);
            if !moves.is_empty() {
                self.line = moves;
            }
        }
    }
}

/// The move of a line `bestmove MOVE ponder REPLY`, and the reply that is expected, if it says one; `None` for another line.
pub fn best_move(line: &str) -> Option<(&str, Option<&str>)> {
    let mut words = line.split_whitespace();
    words.next().filter(|word| *word == "bestmove")?;
    let mv = words.next().unwrap_or_default();
    Some((mv, words.next().filter(|word| *word == "ponder").and_then(|_| words.next())))
}

#[cfg(test)]
mod tests;
