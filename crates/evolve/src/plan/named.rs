//! What is evolved, by name: for optimisers of other people, and for programs that get their numbers by name.

use serde::Serialize;

use super::coordinates::{Number, Vector};
use super::evolution::Plan;
use super::space::{Parameter, Scale, SlotPlan};
use tictune_core::input::{InputError, unknown};

/// A number that is evolved.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NamedNumber {
    /// Its name: that of a slot of the evaluation, or the key of a parameter.
    pub name: String,
    /// What it is.
    pub kind: NumberKind,
    /// Its value in the start vector.
    pub initial: f64,
    /// What a step of 1 of tictune's own optimiser is, in the number's unit, or on a logarithmic scale as a natural
    /// logarithm.
    pub step: f64,
    /// The least value of a parameter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// The greatest value of a parameter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// The scale on which a parameter is moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<Scale>,
    /// Whether it is a whole number.
    pub whole: bool,
}

/// What a number that is evolved is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum NumberKind {
    /// A weight of the evaluation.
    Weight,
    /// A number of the agent.
    Parameter,
}

impl Plan {
    /// The numbers that are evolved, in the order of the optimiser's coordinates. Held slots are not among them.
    pub fn numbers(&self) -> impl Iterator<Item = NamedNumber> {
        let evolved = self.slots().filter(|(_, slot, _)| *slot != SlotPlan::Held);
        let slots = evolved.map(|(name, slot, initial)| {
            let (name, kind, step) = (name.into(), NumberKind::Weight, slot.step());
            NamedNumber {
                name,
                kind,
                initial,
                step,
                low: None,
                high: None,
                scale: None,
                whole: false,
            }
        });
        let parameters = self.space.parameters.iter().map(|parameter| {
            let Parameter { key: name, initial, low, high, scale, whole } = parameter.clone();
            let (kind, step) = (NumberKind::Parameter, parameter.step());
            let (low, high, scale) = (Some(low), Some(high), Some(scale));
            NamedNumber { name, kind, initial, step, low, high, scale, whole }
        });
        slots.chain(parameters)
    }

    /// The vector of numbers by name, in any order. Held slots may be left out.
    ///
    /// # Errors
    /// A name that is unknown or missing; a value that is no finite number, out of its range, not whole where it has to be, or
    /// not the one at which its slot is held; an agent that does not take it.
    pub fn vector_of(&self, name: &str, numbers: &[(&str, f64)]) -> Result<Vector, InputError> {
        let refuse = |message: String| Err(InputError::new(message));
        let known: Vec<&str> = self.all_numbers().map(Number::name).collect();
        if let Some((number, _)) = numbers.iter().find(|(number, _)| !known.contains(number)) {
            return refuse(unknown("number", number, &known));
        }
        let (mut values, mut missing) = (Vec::new(), Vec::new());
        for number in self.all_numbers() {
            let given = numbers.iter().find(|(name, _)| *name == number.name());
            let found = given.map(|(_, value)| *value);
            match (number, found) {
                (Number::Slot(name, SlotPlan::Held, held_at), Some(found)) if found != held_at => {
                    return refuse(format!(
                        "{name}: the config holds it at {held_at}: leave it out; found {found}"
                    ));
                }
                (Number::Slot(_, SlotPlan::Held, held_at), _) => values.push(held_at),
                (number, None) => missing.push(number.name()),
                (_, Some(value)) => values.push(value),
            }
        }
        if !missing.is_empty() {
            let missing = missing.join(", ");
            return refuse(format!(
                "missing: {missing}; every number that is evolved has to be given"
            ));
        }
        let vector = self.vector(name, values)?;
        for (parameter, (_, value)) in self.space.parameters.iter().zip(&vector.parameters) {
            parameter.check(*value)?;
        }
        // An agent may refuse what the range allows.
        vector.carried_by(&self.agent)?;
        Ok(vector)
    }
}

impl super::Parameter {
    /// Checks that a value is one that the optimiser could ask for.
    fn check(&self, value: f64) -> Result<(), InputError> {
        let Self { key, low, high, whole, .. } = self;
        let expected = if *whole { "a whole number" } else { "a number" };
        if (*whole && value.fract() != 0.0) || !(*low..=*high).contains(&value) {
            let message = format!("{key}: expected {expected} from {low} to {high}, found {value}");
            return Err(InputError::new(message));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        crate::known::connecting(
            "hold = [\"macro_connecting\"]\n[agent]\nkind = \"mcts\"\nplayout = \"ept\"\niterations = 10\n\
             [[parameters]]\nkey = \"threshold\"\ninitial = 30\nlow = 0\nhigh = 80\n\
             [[parameters]]\nkey = \"boundary\"\nlow = 0.1\nhigh = 10\nscale = \"log\"\n",
        )
    }

    const GOOD: [(&str, f64); 4] =
        [("boundary", 0.2), ("micro_win", 7.0), ("threshold", 12.0), ("micro_connecting", -1.5)];

    #[test]
    fn numbers_come_in_any_order_and_held_slots_keep_their_value() {
        let plan = plan();
        let vector = plan.vector_of("v", &GOOD).unwrap();
        assert_eq!(vector.weights.unwrap().values(), [7.0, 20.0, -1.5]);
        assert_eq!(vector.parameters, [("threshold".into(), 12.0), ("boundary".into(), 0.2)]);
        let held = [&GOOD[..], &[("macro_connecting", 20.0)]].concat();
        assert!(plan.vector_of("v", &held).is_ok());
        // A point of the optimiser and the numbers that it stands for are the same vector.
        let start: Vec<NamedNumber> = plan.numbers().collect();
        let start: Vec<_> = start.iter().map(|number| (&*number.name, number.initial)).collect();
        let at = plan.vector_at("v", &plan.start_point());
        assert_eq!(plan.vector_of("v", &start), at);
        for (place, value, expected) in [
            (2, 0.5, "expected a whole number from 0 to 80"),
            (0, 11.0, "expected a number from 0.1 to 10, found 11"),
        ] {
            let mut numbers = GOOD;
            numbers[place].1 = value;
            let error = plan.vector_of("v", &numbers).unwrap_err().message;
            assert!(error.contains(expected), "{error}");
        }
    }
}
