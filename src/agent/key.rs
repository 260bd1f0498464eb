//! What is known of one key of an agent's text form: where its value is, and how it is read and printed.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::Arc;

use strum::VariantNames;

use super::kinds::{AgentKind, Kind};
use super::spec::AgentSpec;
use crate::input::InputError;
use crate::search::mcts;
use crate::weights::Scope;

/// Why a value is refused.
#[derive(Debug)]
pub(super) enum Refusal {
    /// It is none of those that the key takes.
    Value,
    /// The agent does not have the part that the value belongs to.
    Part,
    /// Another reason, in words.
    Because(InputError),
}

impl From<String> for Refusal {
    fn from(reason: String) -> Self {
        Self::Because(InputError::new(reason))
    }
}

impl From<InputError> for Refusal {
    fn from(error: InputError) -> Self {
        Self::Because(error)
    }
}

/// Where agents of some kinds keep a value.
pub(super) struct Place<T> {
    /// The kinds.
    pub(super) kinds: &'static [Kind],
    /// The value, if an agent has one.
    pub(super) get: fn(&AgentSpec) -> Option<T>,
    /// Gives an agent another value.
    pub(super) set: fn(&mut AgentSpec, T) -> Result<(), Refusal>,
}

/// A key of the text form.
pub(super) struct Key {
    pub(super) name: &'static str,
    /// What it is for, in a line.
    pub(super) help: String,
    /// The kinds of agents that have it.
    pub(super) kinds: &'static [Kind],
    /// The values that it takes, in words that go after "expected".
    pub(super) takes: String,
    /// A value, as in a text.
    pub(super) example: &'static str,
    /// What its kinds cannot do without, if it is given with every agent: the key with its value.
    pub(super) required: Option<&'static str>,
    /// The part of the agent that looks at the value, if not every agent does.
    pub(super) part: Option<Part>,
    /// Whether it can be evolved: a number that says how the agent plays.
    pub(super) evolves: bool,
    /// Whether its values are tables or lists, which stand in a text without quotes.
    pub(super) inline: bool,
    default: Default,
    number: Option<Number>,
    read: Box<Read>,
    show: Box<Show>,
    /// Whether it takes the value that an agent has.
    takes_own: Box<TakesOwn>,
}

type TakesOwn = dyn Fn(&AgentSpec) -> bool + Send + Sync;
type Read = dyn Fn(&mut AgentSpec, &str, Scope<'_>) -> Result<(), Refusal> + Send + Sync;
type GetNumber = dyn Fn(&AgentSpec) -> Option<f64> + Send + Sync;
type SetNumber = dyn Fn(&mut AgentSpec, f64) -> Result<(), Refusal> + Send + Sync;
type Show = dyn Fn(&AgentSpec) -> Option<String> + Send + Sync;

/// A part of an agent without which some keys say nothing.
pub(super) struct Part {
    /// The key and value that give an agent the part.
    pub(super) words: &'static str,
    /// Whether a refusal names all keys of the part.
    together: bool,
    /// Whether an agent has it; `None` where a key of the part has no value without it.
    is_there: Option<fn(&AgentSpec) -> bool>,
}

/// The value with which a key is left out of a text.
enum Default {
    /// None: it is always printed.
    None,
    /// That of an agent of which only the kind is given.
    OfKind,
    /// That of the part that it belongs to.
    OfPart(String),
}

/// A value as a number.
struct Number {
    whole: bool,
    get: Box<GetNumber>,
    set: Box<SetNumber>,
}

impl Key {
    /// A key that is read and printed in its own way.
    pub(super) fn new(
        name: &'static str,
        kinds: &'static [Kind],
        takes: impl Into<String>,
        read: impl Fn(&mut AgentSpec, &str, Scope<'_>) -> Result<(), Refusal> + Send + Sync + 'static,
        show: impl Fn(&AgentSpec) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name,
            help: String::new(),
            kinds,
            takes: takes.into(),
            example: "",
            required: None,
            part: None,
            evolves: false,
            inline: false,
            default: Default::OfKind,
            number: None,
            read: Box::new(read),
            show: Box::new(show),
            takes_own: Box::new(|_| true),
        }
    }

    /// A key with a value of a type that prints itself.
    pub(super) fn of<T: Display + 'static>(
        name: &'static str,
        place: Place<T>,
        takes: impl Into<String>,
        parse: impl Fn(&str) -> Option<T> + Send + Sync + 'static,
    ) -> Self {
        let Place { kinds, get, set } = place;
        let parse = Arc::new(parse);
        let of_own = Arc::clone(&parse);
        let takes_own = move |spec: &AgentSpec| {
            get(spec).is_none_or(|value| of_own(&value.to_string()).is_some())
        };
        let read = move |spec: &mut AgentSpec, text: &str, _: Scope<'_>| {
            set(spec, parse(text).ok_or(Refusal::Value)?)
        };
        let show = move |spec: &AgentSpec| get(spec).map(|value| value.to_string());
        Self::new(name, kinds, takes, read, show).checked_by(takes_own)
    }

    /// The same with what tells whether it takes the value that an agent has: agents in JSON were not read by keys.
    pub(super) fn checked_by(
        self,
        takes_own: impl Fn(&AgentSpec) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self { takes_own: Box::new(takes_own), ..self }
    }

    /// Checks the value that an agent has.
    ///
    /// # Errors
    /// What it should be, if the key would not have taken it from a text.
    pub(super) fn check(&self, spec: &AgentSpec) -> Result<(), String> {
        match (self.takes_own)(spec) {
            true => Ok(()),
            false => Err(format!("{}: expected {}", self.name, self.takes)),
        }
    }

    /// A key with a number; `takes` says the range in words.
    pub(super) fn real(
        name: &'static str,
        place: Place<f64>,
        range: RangeInclusive<f64>,
        takes: &str,
    ) -> Self {
        let Place { get, set, .. } = place;
        let of_number = range.clone();
        let number = Number {
            whole: false,
            get: Box::new(get),
            set: Box::new(move |spec, value| match of_number.contains(&value) {
                true => set(spec, value),
                false => Err(Refusal::Value),
            }),
        };
        let parse = move |text: &str| text.parse().ok().filter(|value| range.contains(value));
        Self { number: Some(number), ..Self::of(name, place, takes, parse) }
    }

    /// A key with a whole number of 32 bits, of something: `unit` is "a whole number" or the like.
    pub(super) fn whole(
        name: &'static str,
        place: Place<u32>,
        range: RangeInclusive<u32>,
        unit: &str,
    ) -> Self {
        let takes = match (range.start(), range.end()) {
            (least, &u32::MAX) => format!("{unit} from {least}"),
            (least, most) => format!("{unit} from {least} to {most}"),
        };
        let Place { get, set, .. } = place;
        let of_number = range.clone();
        let number = Number {
            whole: true,
            get: Box::new(move |spec| get(spec).map(f64::from)),
            set: Box::new(move |spec, value| {
                let whole = value as u32;
                match f64::from(whole) == value && of_number.contains(&whole) {
                    true => set(spec, whole),
                    false => Err(Refusal::Value),
                }
            }),
        };
        let parse = move |text: &str| text.parse().ok().filter(|value| range.contains(value));
        Self { number: Some(number), ..Self::of(name, place, takes, parse) }
    }

    /// A key with one of some words.
    pub(super) fn word<T: Display + FromStr + VariantNames + 'static>(
        name: &'static str,
        place: Place<T>,
    ) -> Self {
        let example = T::VARIANTS[0];
        Self { example, ..Self::of(name, place, T::VARIANTS.join(", "), |text| text.parse().ok()) }
    }

    /// A key with true or false.
    pub(super) fn switch(name: &'static str, place: Place<bool>) -> Self {
        Self { example: "true", ..Self::of(name, place, "true or false", |text| text.parse().ok()) }
    }

    /// The same with a line that says what it is for.
    pub(super) fn help(self, help: impl Into<String>) -> Self {
        Self { help: help.into(), ..self }
    }

    /// The same with a value as an example.
    pub(super) fn example(self, example: &'static str) -> Self {
        Self { example, ..self }
    }

    /// The same with tables or lists as values.
    pub(super) fn inline(self) -> Self {
        Self { inline: true, ..self }
    }

    /// The same, and no agent of its kinds can do without it.
    pub(super) fn required(self, words: &'static str) -> Self {
        Self { required: Some(words), ..self.printed_always() }
    }

    /// The same, printed with every agent.
    pub(super) fn printed_always(self) -> Self {
        Self { default: Default::None, ..self }
    }

    /// The same, and it can be evolved.
    pub(super) fn evolves(self) -> Self {
        Self { evolves: self.number.is_some(), ..self }
    }

    /// The same as a key of a part without which it has no value.
    pub(super) fn of_part(self, words: &'static str) -> Self {
        Self { part: Some(Part { words, together: false, is_there: None }), ..self }
    }

    /// The same; where the part is missing, all its keys are named.
    pub(super) fn named_together(self) -> Self {
        let part = self.part.map(|part| Part { together: true, ..part });
        Self { part, ..self }
    }

    /// The same with a default value that every agent with its part has.
    pub(super) fn default(self, value: impl ToString) -> Self {
        Self { default: Default::OfPart(value.to_string()), ..self }
    }

    /// The same as a key that only agents with some part look at.
    pub(super) fn used_by(self, words: &'static str, is_there: fn(&AgentSpec) -> bool) -> Self {
        Self { part: Some(Part { words, together: false, is_there: Some(is_there) }), ..self }
    }

    /// Whether it takes whole numbers only.
    pub(super) fn is_whole(&self) -> bool {
        self.number.as_ref().is_some_and(|number| number.whole)
    }

    /// Whether it has no value without its part, which other keys give.
    pub(super) fn is_of_part(&self) -> bool {
        self.part.as_ref().is_some_and(|part| part.is_there.is_none())
    }

    /// The part that its value belongs to, if the agent does not have it.
    pub(super) fn missing_part(&self, spec: &AgentSpec) -> Option<&'static str> {
        let part = self.part.as_ref()?;
        let is_there = match part.is_there {
            Some(is_there) => is_there(spec),
            None => (self.show)(spec).is_some(),
        };
        (!is_there).then_some(part.words)
    }

    /// The error of an agent without the part that the key belongs to; `all` are all keys.
    pub(super) fn goes_with(&self, all: &[Self]) -> String {
        let Some(part) = &self.part else { return format!("{}: not a key of it", self.name) };
        let of_part = |key: &&Self| {
            key.is_of_part() && key.part.as_ref().is_some_and(|other| other.words == part.words)
        };
        let names: Vec<&str> = all.iter().filter(of_part).map(|key| key.name).collect();
        match (part.together, names.split_last()) {
            (true, Some((last, others))) => {
                format!("{} and {last} go with {}", others.join(", "), part.words)
            }
            _ => format!("{} goes with {}", self.name, part.words),
        }
    }

    /// Reads a value into an agent of one of its kinds.
    pub(super) fn read(
        &self,
        spec: &mut AgentSpec,
        text: &str,
        scope: Scope<'_>,
    ) -> Result<(), Refusal> {
        (self.read)(spec, text, scope)
    }

    /// The value of an agent in text; `None` where it has none, or the default.
    pub(super) fn show(&self, spec: &AgentSpec) -> Option<String> {
        let text = (self.show)(spec)?;
        let is_default = match &self.default {
            Default::None => false,
            Default::OfKind => self.default_of(spec.kind()).as_ref() == Some(&text),
            Default::OfPart(default) => *default == text,
        };
        (!is_default).then_some(text)
    }

    /// The value that agents of a kind have by default, in text.
    pub(super) fn default_of(&self, kind: Kind) -> Option<String> {
        match &self.default {
            Default::OfPart(default) => Some(default.clone()),
            Default::None | Default::OfKind => (self.show)(&AgentKind::from(kind).into()),
        }
    }

    /// The value of an agent as a number.
    pub(super) fn number(&self, spec: &AgentSpec) -> Option<f64> {
        (self.number.as_ref()?.get)(spec)
    }

    /// Sets the value of an agent to a number.
    pub(super) fn set_number(&self, spec: &mut AgentSpec, value: f64) -> Result<(), Refusal> {
        match &self.number {
            Some(number) => (number.set)(spec, value),
            None => Err(Refusal::Value),
        }
    }
}

/// The settings of Monte Carlo tree search.
pub(super) fn search(spec: &AgentSpec) -> Option<&mcts::Settings> {
    match &spec.kind {
        AgentKind::Mcts(settings) => Some(&settings.search),
        _ => None,
    }
}
