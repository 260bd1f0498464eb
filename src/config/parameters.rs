//! The numbers of the carrier that are evolved: `[[parameters]]`.

use super::Reader;
use crate::agent::AgentSpec;
use crate::evolve::plan::{Parameter, Scale};
use crate::input::{InputError, Table};

const KEYS: [&str; 7] = ["key", "initial", "low", "high", "scale", "whole", "step"];

impl Reader<'_, '_, '_> {
    /// The parameters that are evolved, checked with the agent that is to have them.
    pub(super) fn parameters(&self, agent: &AgentSpec) -> Result<Vec<Parameter>, InputError> {
        let tables = self.root.tables("parameters", &KEYS)?;
        let mut parameters: Vec<Parameter> = Vec::new();
        for table in &tables {
            let parameter = read(table, agent)?;
            if parameters.iter().any(|earlier| earlier.key == parameter.key) {
                return Err(table.error("key", format!("{} is given twice", parameter.key)));
            }
            parameters.push(parameter);
        }
        Ok(parameters)
    }
}

fn read(table: &Table<'_, '_>, agent: &AgentSpec) -> Result<Parameter, InputError> {
    let key = table.string("key")?.ok_or_else(|| {
        let keys = agent.numeric_keys().join(", ");
        table.error(
            "key",
            format!("missing; the number of the agent that is evolved, one of: {keys}"),
        )
    })?;
    let scale = table.word("scale")?.unwrap_or(Scale::Linear);
    let takes_whole = agent.takes_whole(key);
    let whole = table.boolean("whole")?.unwrap_or(takes_whole);
    let number = |name: &str| {
        let value = table.number(name)?;
        match value {
            Some(x) if whole && x.fract() != 0.0 => {
                Err(table.error(name, format!("expected a whole number, found {x}")))
            }
            _ => Ok(value),
        }
    };
    let bound = |name: &str| {
        number(name)?.ok_or_else(|| table.error(name, "missing; give the range as low and high"))
    };
    // What the agent says of a value is about the key that gives it, or of the parameter's own.
    let takes = |name: &str, value: f64| {
        let prefix = format!("{key}: ");
        agent.with_number(key, value).map(|_| ()).map_err(|error| {
            match error.message.strip_prefix(&prefix) {
                Some(rest) => table.error(name, rest),
                None => table.error("key", error.message),
            }
        })
    };
    let own = agent.number(key);
    // A key that cannot be evolved is reported before missing values.
    if let Some(value) = own.or(number("initial")?).or(number("low")?) {
        takes("initial", value)?;
    }
    let (low, high) = (bound("low")?, bound("high")?);
    takes("low", low)?;
    takes("high", high)?;
    if takes_whole && !whole {
        return Err(table.error("whole", format!("{key} is a whole number: leave whole out")));
    }
    if low >= high {
        return Err(
            table.error("high", format!("expected a number above low, {low}; found {high}"))
        );
    }
    if scale == Scale::Log && low <= 0.0 {
        let message = format!("expected a number above 0 on a logarithmic scale, found {low}");
        return Err(table.error("low", message));
    }
    let missing = || table.error("initial", "missing; the agent has no value of its own");
    let initial = number("initial")?.or(own).ok_or_else(missing)?;
    if !(low..=high).contains(&initial) {
        let message =
            format!("expected a number from low, {low}, to high, {high}; found {initial}");
        return Err(table.error("initial", message));
    }
    let length = Parameter::length(scale, whole, initial, [low, high]);
    if !length.is_normal() {
        return Err(table.error("high", "the range is too wide or too narrow for its numbers"));
    }
    let step = table.positive("step")?.unwrap_or(length);
    Ok(Parameter { key: key.into(), initial, low, high, scale, whole, step })
}
