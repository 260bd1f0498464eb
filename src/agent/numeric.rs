//! The numbers of an agent that an evolution can move: by key, as its text form has them.
//!
//! They are those that say how it plays. What says how much it may spend (depth, nodes, iterations, time, threads,
//! sizes of tables and trees) is not among them: more of it is better, and a run would only find that out.

use super::{AgentSpec, Habits, Options, habits, options};
use crate::input::{InputError, unknown};
use crate::search::mcts::{Expansion, FinalMove, Parallel, Playout, Settings, Tree};

/// A key whose value is a number.
struct Numeric {
    key: &'static str,
    /// Whether it takes whole numbers only.
    whole: bool,
}

const fn real(key: &'static str) -> Numeric {
    Numeric { key, whole: false }
}

const fn whole(key: &'static str) -> Numeric {
    Numeric { key, whole: true }
}

/// Every such key of any kind. Their ranges are those that reading an agent checks.
const NUMERIC: [Numeric; 20] = [
    real("c"),
    real("rave"),
    whole("reference"),
    real("bias"),
    real("confidence"),
    real("amaf_confidence"),
    real("offset"),
    whole("threshold"),
    real("boundary"),
    real("influence"),
    whole("min_visits"),
    real("draw"),
    whole("virtual_loss"),
    real("win"),
    real("jump"),
    real("jump_power"),
    real("jump_start"),
    real("jump_step"),
    real("mix_share"),
    whole("theory_plies"),
];

impl AgentSpec {
    /// The keys of its kind that can be evolved.
    #[must_use]
    pub fn numeric_keys(&self) -> Vec<&'static str> {
        let keys = self.kind.keys();
        NUMERIC.iter().map(|numeric| numeric.key).filter(|key| keys.contains(key)).collect()
    }

    /// Whether a numeric key takes whole numbers only.
    #[must_use]
    pub fn takes_whole(key: &str) -> bool {
        NUMERIC.iter().any(|numeric| numeric.key == key && numeric.whole)
    }

    /// The value of a numeric key, given or by default; `None` where it has none.
    #[must_use]
    pub fn number(&self, key: &str) -> Option<f64> {
        let jump = self.habits.jump;
        match key {
            "win" => self.options.win,
            "jump" => jump.map(|jump| jump.numerator),
            "jump_power" => jump.map(|jump| jump.power),
            "jump_start" => jump.map(|jump| jump.start),
            "jump_step" => jump.map(|jump| jump.step),
            "mix_share" => self.habits.mix.as_ref().map(|mix| mix.share),
            "theory_plies" => self.theory.as_ref().map(|theory| theory.plies.into()),
            _ => self.mcts.as_ref()?.get(key)?.parse().ok(),
        }
    }

    /// The same agent with another value of a numeric key.
    ///
    /// # Errors
    /// A key that its kind does not have, that is no number, or that nothing in the agent looks at; a value out of its
    /// range.
    pub fn with_number(&self, key: &str, value: f64) -> Result<Self, InputError> {
        let keys = self.numeric_keys();
        if !keys.contains(&key) {
            let message = match self.kind.keys().contains(&key) {
                true => format!(
                    "{key} is no number that can be evolved. Those are: {}",
                    keys.join(", ")
                ),
                false => unknown("numeric key", key, &keys),
            };
            return Err(InputError::new(format!("{}: {message}", self.kind.entry().name)));
        }
        if let Some(part) = self.missing_part(key) {
            let message = format!("{key} changes nothing in \"{self}\": it goes with {part}");
            return Err(InputError::new(message));
        }
        let text = value.to_string();
        let wrong = |expected: String| {
            InputError::new(format!("{key}: expected {expected}, found {value}"))
        };
        let mut spec = self.clone();
        if Options::KEYS.contains(&key) {
            options::Reading::default().set(key, &text, None)?;
            spec.options.win = Some(value);
        } else if Habits::KEYS.contains(&key) {
            habits::Reading::default().set(key, &text, None)?;
            match (key, &mut spec.habits.jump, &mut spec.habits.mix) {
                ("jump", Some(jump), _) => jump.numerator = value,
                ("jump_power", Some(jump), _) => jump.power = value,
                ("jump_start", Some(jump), _) => jump.start = value,
                ("jump_step", Some(jump), _) => jump.step = value,
                (_, _, Some(mix)) => mix.share = value,
                _ => {}
            }
        } else if key == "theory_plies" {
            let plies = text.parse().map_err(|_| wrong("a whole number of moves from 0".into()))?;
            spec.theory.iter_mut().for_each(|theory| theory.plies = plies);
        } else {
            spec.mcts.get_or_insert_default().set(key, &text).map_err(wrong)?;
        }
        Ok(spec)
    }

    /// The part that a number belongs to, if the agent does not have it.
    fn missing_part(&self, key: &str) -> Option<&'static str> {
        let default = Settings::default();
        let settings = self.mcts.as_ref().unwrap_or(&default);
        let heuristic = settings.expansion == Expansion::Heuristic;
        let (there, part) = match key {
            "rave" => (settings.tree != Tree::Uct, "tree=rave or tree=grave"),
            "reference" => (settings.tree == Tree::Grave, "tree=grave"),
            "bias" | "confidence" | "offset" => (heuristic, "expansion=heuristic"),
            "amaf_confidence" => {
                (heuristic && settings.tree == Tree::Rave, "tree=rave and expansion=heuristic")
            }
            "threshold" | "boundary" => (settings.playout == Playout::Ept, "playout=ept"),
            "influence" => (
                matches!(settings.playout, Playout::Partial | Playout::Total),
                "playout=partial or playout=total",
            ),
            "min_visits" => (settings.final_move == FinalMove::Ratio, "final=ratio"),
            "virtual_loss" => (
                settings.threads > 1 && settings.parallel == Parallel::Tree,
                "parallel=tree and threads= above 1",
            ),
            "jump" | "jump_power" | "jump_start" | "jump_step" => {
                (self.habits.jump.is_some(), "jump=")
            }
            "mix_share" => (self.habits.mix.is_some(), "mix="),
            "theory_plies" => (self.theory.is_some(), "theory="),
            _ => (true, ""),
        };
        (!there).then_some(part)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

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
    const AGENTS: [&str; 7] = [
        "mcts:tree=rave,expansion=heuristic,final=ratio,iterations=10",
        "mcts:tree=grave,expansion=heuristic,playout=ept,iterations=10",
        "mcts:playout=partial,iterations=10",
        "mcts:threads=2,parallel=tree,iterations=10",
        "expectimax:depth=2,win=1",
        "minimax:depth=2,jump=5,mix=liang-simple",
        "minimax:depth=2,theory=corners",
    ];

    #[test]
    fn a_number_set_is_the_number_read_in_the_agent_and_in_its_text() {
        let mut seen = Vec::new();
        for agent in AGENTS.map(spec) {
            for key in agent.numeric_keys() {
                let value = match key {
                    "confidence" | "amaf_confidence" => 17.5,
                    _ if AgentSpec::takes_whole(key) => 7.0,
                    _ => 0.1 + 0.2,
                };
                let Ok(changed) = agent.with_number(key, value) else { continue };
                seen.push(key);
                assert_eq!(changed.number(key), Some(value), "{key} of {changed}");
                let text = changed.to_string();
                assert_eq!(spec(&text), changed, "{text}");
                let again = spec(&text.replace(&format!("{key}={value}"), &format!("{key}=1")));
                assert_ne!(again, changed, "{key} is not in {text}");
            }
        }
        let unseen = NUMERIC.iter().find(|numeric| !seen.contains(&numeric.key));
        assert!(unseen.is_none(), "{}", unseen.map_or("", |numeric| numeric.key));
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

    #[test]
    fn no_number_of_the_search_is_forgotten() {
        // Keys of searches that take 1 and 2 but not a word are numbers: those that can be evolved, and budgets.
        let budgets = ["threads", "max_nodes"];
        for key in Settings::KEYS {
            let takes = |value| Settings::default().set(key, value).is_ok();
            let number = (takes("1") || takes("1000")) && !takes("word");
            let listed = NUMERIC.iter().any(|numeric| numeric.key == key);
            assert_eq!(number && !budgets.contains(&key), listed, "{key}");
            assert_eq!(
                listed && !takes("1.5") && !takes("0.5"),
                AgentSpec::takes_whole(key),
                "{key}"
            );
        }
        let all = Kind::all_keys();
        assert!(NUMERIC.iter().all(|numeric| all.contains(&numeric.key)));
    }
}
