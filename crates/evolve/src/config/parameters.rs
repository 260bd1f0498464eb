//! The numbers of the agent that are evolved: `[[parameters]]`.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Reader, Result, none_of};
use crate::plan::{self, Scale};
use tictune_core::agent::{AgentSpec, NameCheck, ParameterValue};
use tictune_core::input::Table;

/// A parameter of the agent that is evolved.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ParameterSection {
    /// A key of the agent, or the name of a program's parameter
    key: Option<String>,
    /// The initial value; by default the agent's own
    initial: Option<ParameterValue>,
    /// The least value. sigma is a fraction of the length of the range
    low: Option<f64>,
    /// The greatest value
    high: Option<f64>,
    /// The scale of its steps; by default linear, or, with a budget, centred
    scale: Option<Scale>,
    /// Whether it is rounded to whole numbers; by default for keys that take whole numbers only
    whole: Option<bool>,
    /// Whether it is a switch, on or off: for outside programs
    boolean: Option<bool>,
}

/// The columns that logs have beside values.
const COLUMNS: &str = "generation index fitness wins draws losses distinct_games vector_fitness";

impl Reader<'_, '_, '_> {
    /// The parameters that are evolved, checked with the agent that is to have them. A program gets their initial
    /// values, since it has none of its own.
    pub(super) fn parameters(&self, agent: &mut AgentSpec) -> Result<Vec<plan::Parameter>> {
        let mut parameters: Vec<plan::Parameter> = Vec::new();
        let mut announced = None;
        let usual_scale = if self.in_pairs() { Scale::Centred } else { Scale::Linear };
        let check = agent.program().map(|program| program.name_check()).transpose();
        let check = check.map_err(|error| self.root.error_in("agent", &error))?;
        let is_point = |column: &str, of: &str| column.strip_prefix("x_") == Some(of);
        let tables = self.root.inners("parameters");
        for (keys, table) in self.config.parameters.iter().zip(&tables) {
            let parameter = read(keys, table, agent, check.as_ref(), usual_scale, &mut announced)?;
            if parameters.iter().any(|earlier| earlier.key == parameter.key) {
                return Err(table.error("key", format!("{} is given twice", parameter.key)));
            }
            if agent.program().is_some() {
                // The name of a program's number is a column of the logs.
                let key = parameter.key.as_str();
                let refuse = |what: &str| {
                    let message = format!("{key} is the name of {what}: choose another");
                    Err(table.error("key", message))
                };
                let slots = self.layout.iter().flat_map(|layout| layout.slots);
                if slots.map(|slot| slot.name).any(|slot| slot == key || is_point(key, slot)) {
                    return refuse("a weight that is evolved");
                }
                let clashes = |other: &str| is_point(other, key) || is_point(key, other);
                if COLUMNS.split(' ').any(|column| column == key)
                    || parameters.iter().any(|other| clashes(&other.key))
                {
                    return refuse("another column of the logs");
                }
                let value = match is_switch(keys, agent, key) {
                    true => ParameterValue::Switch(parameter.initial >= 0.5),
                    false => ParameterValue::Number(parameter.initial),
                };
                if let Some(program) = agent.kind.program_mut() {
                    program.set_number(key, value);
                }
            }
            parameters.push(parameter);
        }
        Ok(parameters)
    }
}

/// Reads a parameter. `check` knows the names of a program's numbers. A program is asked for the values of its options when
/// the first is needed; `announced` keeps them.
fn read(
    keys: &ParameterSection,
    table: &Table<'_, '_>,
    agent: &AgentSpec,
    check: Option<&NameCheck>,
    usual_scale: Scale,
    announced: &mut Option<BTreeMap<String, f64>>,
) -> Result<plan::Parameter> {
    let refuse = |key: &str, message: fmt::Arguments<'_>| Err(table.error(key, message));
    let Some(key) = &keys.key else {
        let known = agent.numeric_keys().join(", ");
        let what = match known.is_empty() {
            true => "the program that is evolved: corner for {corner} in cmd".into(),
            false => format!("the agent that is evolved, one of: {known}"),
        };
        return refuse("key", format_args!("missing; name a parameter of {what}"));
    };
    let takes_whole = agent.takes_whole(key);
    if agent.program().is_none() {
        let message = "is for programs; no parameter of another agent is on or off";
        none_of(table, &["boolean"], message)?;
    }
    let switch = is_switch(keys, agent, key);
    for given in ["low", "high", "whole", "scale"].into_iter().filter(|_| switch) {
        none_of(table, &[given], &format!("{key} is on or off: leave {given} out"))?;
    }
    let whole = switch || keys.whole.unwrap_or(takes_whole);
    let is_other = |found: &ParameterValue| switch != matches!(found, ParameterValue::Switch(_));
    if let Some(found) = keys.initial.filter(is_other) {
        let expected = if switch { "true or false" } else { "a finite number" };
        return refuse("initial", format_args!("expected {expected}, found {found}"));
    }
    // What the agent says of a value is about the key that gives it, or of the parameter's own.
    let takes = |name: &str, value: f64| {
        let prefix = format!("{key}: ");
        let taken = match check {
            Some(check) => check(key),
            None => agent.with_number(key, value).map(drop),
        };
        taken.map_err(|error| match error.message.strip_prefix(&prefix) {
            Some(rest) => table.error(name, rest),
            None => table.error("key", error.message),
        })
    };
    let own = agent.number(key);
    // A key that cannot be evolved is reported before missing values.
    let initial = keys.initial.map(ParameterValue::number);
    let [low, high] = if switch { [Some(0.0), Some(1.0)] } else { [keys.low, keys.high] };
    if let Some(value) = own.or(initial).or(low) {
        takes("initial", value)?;
    }
    for (name, value) in [("initial", initial), ("low", low), ("high", high)] {
        if let Some(x) = value.filter(|x| whole && x.fract() != 0.0) {
            return refuse(name, format_args!("expected a whole number, found {x}"));
        }
    }
    let (Some(low), Some(high)) = (low, high) else {
        let name = if low.is_none() { "low" } else { "high" };
        return refuse(name, format_args!("missing; give the range as low and high"));
    };
    takes("low", low)?;
    takes("high", high)?;
    if takes_whole && !whole {
        return refuse("whole", format_args!("{key} is a whole number: leave whole out"));
    }
    if low >= high {
        return refuse("high", format_args!("expected a number above low, {low}; found {high}"));
    }
    if keys.scale == Some(Scale::Log) && low <= 0.0 {
        return refuse(
            "low",
            format_args!("expected a number above 0 on a log scale, found {low}"),
        );
    }
    let initial = match (initial.or(own), agent.program()) {
        (None, Some(program)) => {
            if announced.is_none() {
                let asked = program.announced_numbers().map_err(|error| {
                    let message = format!("missing, and the program does not tell it: {error}");
                    table.error("initial", message)
                })?;
                *announced = Some(asked);
            }
            announced.as_ref().and_then(|announced| announced.get(key).copied())
        }
        (initial, _) => initial,
    };
    let missing = || table.error("initial", "missing; the agent has no default for it");
    let initial = initial.ok_or_else(missing)?;
    if !(low..=high).contains(&initial) {
        let expected =
            format_args!("expected a number from low, {low}, to high, {high}; found {initial}");
        return refuse("initial", expected);
    }
    let scale = keys.scale.unwrap_or(if switch { Scale::Linear } else { usual_scale });
    let key = key.clone();
    let parameter = plan::Parameter { key, initial, low, high, scale, whole };
    if !parameter.step().is_normal() {
        return refuse("high", format_args!("the range is too wide or too narrow for its numbers"));
    }
    Ok(parameter)
}

/// Whether a number of a program is on or off: it says so, or the program's own value is.
fn is_switch(keys: &ParameterSection, agent: &AgentSpec, key: &str) -> bool {
    let own = agent.program().and_then(|program| program.numbers().get(key));
    let own = matches!(own, Some(ParameterValue::Switch(_)));
    keys.boolean.unwrap_or(own)
}
