//! The numbers of an agent that an evolution can move: by key, as its text form has them.

use super::kinds::AgentKind;
use super::spec::AgentSpec;
use super::table::{Key, keys_of};
use super::text::Found;
use crate::input::{InputError, unknown};

impl AgentSpec {
    /// The numbers of it that can be evolved: keys of its kind, or the placeholders of a program.
    #[must_use]
    pub fn numeric_keys(&self) -> Vec<String> {
        if let AgentKind::External(settings) = &self.kind {
            return settings.number_names().unwrap_or_default();
        }
        if let AgentKind::Runner(settings) = &self.kind {
            return settings.numbers.keys().cloned().collect();
        }
        let keys = keys_of(self.kind()).iter().filter(|key| key.evolves());
        keys.map(|key| key.name.clone()).collect()
    }

    /// Whether a numeric key takes whole numbers only.
    #[must_use]
    pub fn takes_whole(&self, key: &str) -> bool {
        self.numeric(key).is_some_and(Key::is_whole)
    }

    /// The value of a numeric key, given or by default; `None` where it has none.
    #[must_use]
    pub fn number(&self, key: &str) -> Option<f64> {
        if let AgentKind::External(settings) = &self.kind {
            return settings.numbers.get(key).map(|value| value.number());
        }
        if let AgentKind::Runner(settings) = &self.kind {
            return settings.numbers.get(key).map(|value| value.number());
        }
        let key = self.numeric(key)?;
        self.missing(key).is_none().then(|| self.value(key).as_f64())?
    }

    /// A key of its kind that can be evolved.
    fn numeric(&self, key: &str) -> Option<&'static Key> {
        keys_of(self.kind()).iter().find(|known| known.name == key && known.evolves())
    }

    /// The same agent with another value of a numeric key.
    ///
    /// # Errors
    /// A key that its kind does not have, that is no number, or that nothing in the agent looks at; a value out of its
    /// range.
    pub fn with_number(&self, key: &str, value: f64) -> Result<Self, InputError> {
        if let AgentKind::External(settings) = &self.kind {
            let settings = settings.with_number(key, value)?;
            return Ok(Self { kind: AgentKind::External(settings), ..self.clone() });
        }
        if let AgentKind::Runner(settings) = &self.kind {
            let settings = settings.with_number(key, value)?;
            return Ok(Self { kind: AgentKind::Runner(settings), ..self.clone() });
        }
        let kind = self.kind();
        let found = keys_of(kind).iter().find(|known| known.name == key);
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
            return Err(InputError::new(format!("{kind}: {message}")));
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
        self.changed(numeric, Found::Value(number))
    }

    /// The key and value that it lacks, if nothing in it looks at a number.
    fn missing<'k>(&self, key: &'k Key) -> Option<&'k str> {
        let part = key.goes_with().or((key.name == "jump").then_some("jump="));
        if let Some(part) = part {
            let name = part.split('=').next().unwrap_or(part);
            return (!self.table().contains_key(name)).then_some(part);
        }
        match &self.kind {
            AgentKind::Mcts(settings) => settings.search.ignores(&key.name),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use strum::IntoEnumIterator;

    use super::super::Kind;
    use super::*;
    use crate::games::{Qubic, Uttt};

    fn spec(text: &str) -> AgentSpec {
        let folder = Path::new("");
        let read = match text.contains("theory") {
            true => AgentSpec::parse::<Qubic>(text, folder),
            false => AgentSpec::parse::<Uttt>(text, folder),
        };
        read.unwrap()
    }

    /// Agents that look at every numeric key.
    const AGENTS: [&str; 8] = [
        "mcts:tree=rave,expansion=heuristic,final=ratio,iterations=10",
        "mcts:tree=grave,expansion=heuristic,playout=ept,iterations=10",
        "mcts:playout=partial,iterations=10",
        "mcts:threads=2,parallel=tree,iterations=10",
        "expectimax:depth=2,win=1",
        "minimax:depth=2,jump=5,mix=liang-simple",
        "minimax:depth=2,theory=corners",
        "pvs:nodes=10",
    ];

    #[test]
    fn a_number_set_is_the_number_read_in_the_agent_and_in_its_text() {
        let mut seen = Vec::new();
        for agent in AGENTS.map(spec) {
            for key in agent.numeric_keys() {
                let value = match key.as_str() {
                    "confidence" | "amaf_confidence" => 17.5,
                    _ if agent.takes_whole(&key) => 7.0,
                    _ => 0.1 + 0.2,
                };
                let Ok(changed) = agent.with_number(&key, value) else { continue };
                seen.push(key.clone());
                assert_eq!(changed.number(&key), Some(value), "{key} of {changed}");
                let text = changed.to_string();
                assert_eq!(spec(&text), changed, "{text}");
                let again = spec(&text.replace(&format!("{key}={value}"), &format!("{key}=1")));
                assert_ne!(again, changed, "{key} is not in {text}");
            }
        }
        let mut keys = Kind::iter().flat_map(keys_of).filter(|key| key.evolves());
        let unseen = keys.find(|key| !seen.contains(&key.name));
        assert!(unseen.is_none(), "{}", unseen.map_or("", |key| &key.name));
    }

    #[test]
    fn what_cannot_be_is_an_error_that_says_why() {
        for (agent, key, value, expected) in [
            ("mcts:iterations=9", "cc", 1.0, "mcts: unknown numeric key \"cc\""),
            (
                "mcts:iterations=9",
                "iterations",
                1.0,
                "mcts: iterations is no number that can be evolved",
            ),
            ("mcts:iterations=9", "win", 1.0, "mcts: unknown numeric key \"win\""),
            ("mcts:iterations=9", "rave", 1.0, "it goes with tree=rave"),
            ("mcts:iterations=9", "c", -1.0, "c: expected a number from 0, found -1"),
            ("mcts:iterations=9", "c", f64::NAN, "c: expected a number from 0"),
            (
                "mcts:playout=ept,iterations=9",
                "threshold",
                1.5,
                "threshold: expected a whole number from 0",
            ),
            ("expectimax:depth=1", "win", 0.0, "win: expected a number from 1e-9"),
            ("minimax:depth=1", "jump_step", 1.0, "it goes with jump="),
            ("minimax:depth=1,mix=liang-simple", "mix_share", 2.0, "mix_share: expected a share"),
        ] {
            let error = spec(agent).with_number(key, value).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    /// Values that give every kind the parts that its keys belong to, but for theory, which UTTT does not have.
    const PARTS: [(&str, &str); 7] = [
        ("expansion", "heuristic"),
        ("memory", "fifo"),
        ("clock", "theaigames"),
        ("jump", "5"),
        ("mix", "liang-simple"),
        ("cmd", "./bot"),
        ("protocol", "theaigames"),
    ];

    /// Whether agents of a kind, with all its parts, take a value for a key.
    fn takes(kind: Kind, key: &str, value: &str) -> bool {
        let of_kind = |part: &&(&str, &str)| kind.keys().contains(&part.0) && part.0 != key;
        let read = |parts: &[(&str, &str)]| {
            let pairs: Vec<String> =
                parts.iter().map(|(key, value)| format!("{key}={value}")).collect();
            let text = format!("{kind}:{},{key}={value}", pairs.join(","));
            let text = text.replace(":,", ":");
            match pairs.contains(&"theory=corners".to_string()) {
                true => AgentSpec::parse::<Qubic>(&text, Path::new("")).is_ok(),
                false => AgentSpec::parse::<Uttt>(&text, Path::new("")).is_ok(),
            }
        };
        let parts: Vec<_> = PARTS.iter().filter(of_kind).copied().collect();
        read(&parts) || read(&[("theory", "corners")])
    }

    #[test]
    fn no_number_of_any_kind_is_forgotten() {
        // Keys that take a number but not a word are numbers. They can be evolved, but for what an agent may spend,
        // the seed, the grace of programs, the pairs of a request, and what repeats a document; widths are a list.
        const OTHERS: [&str; 17] = [
            "depth",
            "nodes",
            "iterations",
            "time_scale",
            "table",
            "memory",
            "memory_positions",
            "threads",
            "max_nodes",
            "seed",
            "grace",
            "pairs",
            "widths",
            "quiescence",
            "value_table",
            "first_depth",
            "depth_step",
        ];
        let mut listed_keys = 0;
        for kind in Kind::iter() {
            for key in keys_of(kind) {
                let takes = |value: &str| takes(kind, &key.name, value);
                let number = ["1", "0.5", "1000"].into_iter().any(takes) && !takes("word");
                let expected = number && !OTHERS.contains(&&*key.name);
                assert_eq!(expected, key.evolves(), "{} of {kind}", key.name);
                let whole = key.evolves() && !takes("1.5") && !takes("0.5");
                let takes_whole = key.evolves() && AgentSpec::new(kind).takes_whole(&key.name);
                assert_eq!(whole, takes_whole, "{} of {kind}", key.name);
                listed_keys += usize::from(key.evolves());
            }
        }
        assert!(listed_keys > 40, "{listed_keys}");
    }
}
