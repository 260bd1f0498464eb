//! Programs that play whole matches of a game that tictune does not know: what they are told of an agent.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::external::{NAME, name, wrong};
use crate::placeholders::{Placeholder, fill, placeholders_of, program_seed, words_of};
use tictune_core::agent::limit::time_text;
use tictune_core::agent::{
    AgentKind, AgentSettings, NameCheck, OtherProgram, ParameterValue, Spawn,
};
use tictune_core::game::{Game, GameInfo};
use tictune_core::input::{InputError, Result, nearest};

/// Lets a program play whole matches of a game that tictune does not know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RunnerSettings {
    /// The program and its arguments. Quotes keep words together; no shell is involved
    #[serde(rename = "cmd")]
    #[schemars(
        example = &"./bot --fast",
        extend("x-takes" = "a program and its arguments", "x-required" = "cmd=\"PROGRAM ARGUMENTS\"")
    )]
    pub command: String,
    /// The parameters of the agent
    #[schemars(
        with = "BTreeMap<String, f64>",
        example = ParameterValue::example(),
        extend("x-names" = "numbers", "x-takes" = ParameterValue::TABLE)
    )]
    pub numbers: BTreeMap<String, ParameterValue>,
    /// Whether the program is started for each request, with {NAME} in cmd, and ends with a line W D L. If not, it keeps running
    /// and answers line by line
    pub once: bool,
    /// The time limit of a request
    #[serde(serialize_with = "write_timeout", deserialize_with = "read_timeout")]
    #[schemars(with = "String", example = &"60s", extend("x-takes" = TIMEOUT))]
    pub timeout: Duration,
    /// The most pairs of games per request
    #[schemars(range(min = 1, max = MAX_PAIRS), example = 10)]
    pub pairs: u32,
    /// A name by which a runner knows the agent
    #[serde(deserialize_with = "name")]
    #[schemars(example = &"cautious", extend("x-takes" = NAME))]
    pub name: Option<String>,
}

const TIMEOUT: &str = "a time from 1ms to 1day";

fn write_timeout<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&time_text(*time))
}

fn read_timeout<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let time = humantime::parse_duration(&String::deserialize(deserializer)?).ok();
    let fits = |time: &Duration| *time <= Duration::from_secs(86_400) && time.as_millis() >= 1;
    time.filter(fits).ok_or_else(|| D::Error::custom(TIMEOUT))
}

impl Default for RunnerSettings {
    fn default() -> Self {
        Self {
            command: String::new(),
            numbers: BTreeMap::new(),
            once: false,
            timeout: Duration::from_secs(60),
            pairs: 10,
            name: None,
        }
    }
}

/// The placeholders of a one-shot command beside numbers and `{seed}`.
const PAIRS: &str = "pairs";
const GAMES: &str = "games";
const OPPONENT: &str = "opponent";
const OWN: [&str; 3] = [PAIRS, GAMES, OPPONENT];
const OF_OPPONENT: &str = "opponent.";

pub(super) const MAX_PAIRS: u32 = 1000;

impl RunnerSettings {
    fn placeholders(&self) -> Result<Vec<Placeholder>, String> {
        let words = words_of(&self.command)?;
        let of_words: Result<Vec<_>, _> = words.iter().map(|word| placeholders_of(word)).collect();
        Ok(of_words?.into_iter().flatten().collect())
    }

    pub(super) fn words(
        &self,
        opponent: &Self,
        pairs: usize,
        seed: u64,
    ) -> Result<Vec<String>, String> {
        let value = |placeholder: Placeholder| {
            let Some(name) = placeholder.name() else { return Ok(program_seed(seed).to_string()) };
            let (settings, number) = match name.strip_prefix(OF_OPPONENT) {
                Some(number) => (opponent, number),
                None => (self, name),
            };
            match name {
                PAIRS => Ok(pairs.to_string()),
                GAMES => Ok((2 * pairs).to_string()),
                OPPONENT => Ok(opponent.name.clone().unwrap_or_default()),
                _ => settings
                    .numbers
                    .get(number)
                    .map(ToString::to_string)
                    .ok_or_else(|| format!("{{{name}}} in the runner's command has no value")),
            }
        };
        words_of(&self.command)?.iter().map(|word| fill(word, value)).collect()
    }

    fn problem(&self) -> Result<(), String> {
        words_of(&self.command)?;
        let used = if self.once { self.placeholders()? } else { Vec::new() };
        if used.iter().any(|placeholder| matches!(placeholder, Placeholder::File(_))) {
            return Err("a command of once gets no file: write its parameters one by one".into());
        }
        for name in self.numbers.keys() {
            if let Some(refusal) = Placeholder::refusal(name) {
                return Err(refusal);
            }
            let is_used = used.iter().any(|used| used.name() == Some(name));
            let is_own = OWN.contains(&name.as_str()) || name.starts_with(OF_OPPONENT);
            if self.once && is_own {
                return Err(format!("{{{name}}} is reserved: choose another name"));
            }
            if self.once && !is_used {
                return Err(format!("nothing uses {name}: write {{{name}}} in the command"));
            }
            if !self.once && self.command.contains(&format!("{{{name}}}")) {
                return Err(format!(
                    "cmd: {{{name}}} is not replaced here: a program that answers requests reads its parameters from them. Leave \
                     {{{name}}} out, or use once for a command that is started for each request"
                ));
            }
        }
        Ok(())
    }
}

impl OtherProgram for RunnerSettings {
    fn command(&self) -> &str {
        &self.command
    }

    fn plays_whole_games(&self) -> bool {
        true
    }

    fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn numbers(&self) -> &BTreeMap<String, ParameterValue> {
        &self.numbers
    }

    fn number_names(&self) -> Vec<String> {
        self.numbers.keys().cloned().collect()
    }

    fn name_check(&self) -> Result<NameCheck> {
        let program = Self { numbers: BTreeMap::new(), ..self.clone() };
        Ok(Box::new(move |name| {
            let numbers = BTreeMap::from([(name.into(), ParameterValue::Number(0.0))]);
            Self { numbers, ..program.clone() }.check()
        }))
    }

    fn set_number(&mut self, name: &str, value: ParameterValue) {
        self.numbers.insert(name.into(), value);
    }

    fn check(&self) -> Result<()> {
        self.problem().map_err(InputError::new)
    }

    fn missing_number(&self) -> Option<String> {
        let used = self.placeholders().ok().filter(|_| self.once)?;
        let missing = used
            .iter()
            .filter_map(Placeholder::name)
            .map(|name| name.strip_prefix(OF_OPPONENT).unwrap_or(name))
            .find(|name| !OWN.contains(name) && !self.numbers.contains_key(*name))?;
        let near = nearest(missing, self.numbers.keys().map(String::as_str));
        let near = near.map_or(String::new(), |near| format!("; did you mean {{{near}}}?"));
        Some(format!("{{{missing}}} has no value{near}"))
    }
}

impl AgentSettings for RunnerSettings {
    fn complete(&self, agent: &str, game: &GameInfo) -> Result<()> {
        if game.is_outside() {
            return Ok(());
        }
        let message = format!(
            "a runner plays whole matches of its own game, not moves of {}: give --game {}, or for a config [fitness] runner = \
             {{ ... }}",
            game.name,
            GameInfo::OUTSIDE.name
        );
        Err(wrong(agent, message))
    }

    fn plays_from_start_only(&self) -> bool {
        true
    }

    fn program(&self) -> Option<&dyn OtherProgram> {
        Some(self)
    }

    fn program_mut(&mut self) -> Option<&mut dyn OtherProgram> {
        Some(self)
    }
}

impl AgentKind for RunnerSettings {
    const NAME: &'static str = "runner";
    const COMMON: Option<&'static [&'static str]> = Some(&[]);

    tictune_core::described_here!();

    fn prepare<P: Game>(&self, label: &str) -> Result<Spawn<P>> {
        Err(wrong(label, "a runner plays whole matches, not single moves"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(command: &str, once: bool, numbers: &[(&str, f64)]) -> RunnerSettings {
        let numbers = numbers.iter().map(|(name, x)| ((*name).into(), ParameterValue::Number(*x)));
        let numbers = numbers.collect();
        RunnerSettings { command: command.into(), once, numbers, ..RunnerSettings::default() }
    }

    #[test]
    fn a_one_shot_command_gets_the_request_in_its_words() {
        let command = "play --corner={corner} --against={opponent.corner} '{opponent}' {pairs} {games} {seed}";
        let candidate = settings(command, true, &[("corner", 2.5)]);
        candidate.check().unwrap();
        assert_eq!(candidate.missing_number(), None);
        let mut opponent = settings(command, true, &[("corner", 3.0)]);
        opponent.name = Some("the old one".into());
        let words = candidate.words(&opponent, 5, u64::MAX).unwrap();
        let seed = i32::MAX.to_string();
        let expected = ["play", "--corner=2.5", "--against=3", "the old one", "5", "10", &seed];
        assert_eq!(words, expected);
        let nobody = settings(command, true, &[]);
        assert!(candidate.words(&nobody, 5, 0).unwrap_err().contains("{opponent.corner}"));
        assert_eq!(nobody.missing_number().unwrap(), "{corner} has no value");
        let wrong = settings("play {conrer} {corner}", true, &[("corner", 1.0)]);
        let expected = "{conrer} has no value; did you mean {corner}?";
        assert_eq!(wrong.missing_number().unwrap(), expected);
    }

    #[test]
    fn what_is_wrong_with_a_command_is_named() {
        for (command, once, numbers, expected) in [
            ("", false, &[][..], "expected a program"),
            ("play {pairs}", true, &[("pairs", 1.0)], "is reserved"),
            ("play {weights}", true, &[], "gets no file"),
            ("play {corner", true, &[], "is not closed"),
        ] {
            let error = settings(command, once, numbers).check().unwrap_err().message;
            assert!(error.contains(expected), "{command}: {error}");
        }
        // A program that stays may have braces in its arguments.
        settings("play {x}", false, &[("corner", 1.0)]).check().unwrap();
        let check = settings("play {a}", true, &[("a", 1.0)]).name_check().unwrap();
        assert!(check("a").is_ok() && check("b").is_err());
    }
}
