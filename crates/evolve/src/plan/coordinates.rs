//! Points of the optimiser, the vectors that they stand for, and the numbers of these by name: for optimisers of other people, and
//! for programs.

use std::fmt;

use serde::Serialize;

use super::evolution::Plan;
use super::space::{Parameter, Scale, SigmaUnit, SlotPlan};
use tictune_core::agent::AgentSpec;
use tictune_core::game::WeightLayout;
use tictune_core::input::{InputError, Result, few, unknown};
use tictune_core::weights::Weights;

/// What is evolved, in words, as in "6 of the 8 weights of `advanced`, and c".
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// More names are hard to read in a line.
        const MOST: usize = 12;
        let keys: Vec<&str> = self.space.parameters.iter().map(|p| p.key.as_str()).collect();
        let Some(layout) = self.layout() else { return f.write_str(&few(&keys, MOST)) };
        let (all, held) = (layout.len(), self.held().count());
        if held > 0 {
            write!(f, "{} of ", all - held)?;
        }
        write!(f, "the {all} weights of `{}`", layout.name)?;
        if keys.is_empty() { Ok(()) } else { write!(f, ", and {}", few(&keys, MOST)) }
    }
}

/// A number that candidates play with: a slot of the evaluation, or a parameter of the agent. In JSON it is for drivers that do not
/// read the config.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[doc(hidden)]
pub struct NamedNumber<'p> {
    pub name: &'p str,
    /// `weight` or `parameter`.
    pub kind: &'static str,
    pub initial: f64,
    /// What a step of 1 of tictune's own optimiser is, in the number's unit, or on a logarithmic scale as a natural logarithm.
    pub step: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<Scale>,
    pub whole: bool,
    #[serde(skip)]
    of: Of<'p>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Of<'p> {
    Slot(SlotPlan),
    Parameter(&'p Parameter),
}

impl<'p> NamedNumber<'p> {
    pub(crate) fn of_slot(name: &'p str, slot: SlotPlan, initial: f64) -> Self {
        let (kind, step, whole, of) = ("weight", slot.step(), false, Of::Slot(slot));
        Self { name, kind, initial, step, low: None, high: None, scale: None, whole, of }
    }

    pub(crate) fn of_parameter(parameter: &'p Parameter) -> Self {
        let Parameter { key, initial, low, high, scale, whole } = parameter;
        Self {
            name: key,
            kind: "parameter",
            initial: *initial,
            step: parameter.step(),
            low: Some(*low),
            high: Some(*high),
            scale: Some(*scale),
            whole: *whole,
            of: Of::Parameter(parameter),
        }
    }

    fn is_held(&self) -> bool {
        self.of == Of::Slot(SlotPlan::Held)
    }

    /// Whether it has a coordinate that is another number than itself.
    const fn is_stepped(&self) -> bool {
        matches!(self.of, Of::Parameter(_) | Of::Slot(SlotPlan::Stepped(_)))
    }

    fn value(&self, next: impl FnOnce() -> f64) -> f64 {
        match self.of {
            Of::Parameter(parameter) => parameter.value(next()),
            Of::Slot(SlotPlan::Free) => next(),
            Of::Slot(SlotPlan::Stepped(step)) => self.initial + step * next(),
            Of::Slot(SlotPlan::Held) => self.initial,
        }
    }
}

impl Plan {
    /// Every number that candidates play with: the slots, then the parameters.
    fn all_numbers(&self) -> impl Iterator<Item = NamedNumber<'_>> {
        let slots =
            self.slots().map(|(name, slot, initial)| NamedNumber::of_slot(name, slot, initial));
        slots.chain(self.space.parameters.iter().map(NamedNumber::of_parameter))
    }

    /// The slots of the start vector: name, what is done with it, value.
    pub(super) fn slots(&self) -> impl Iterator<Item = (&'static str, SlotPlan, f64)> {
        let named =
            |weights: &Weights| weights.layout().slots.iter().zip(weights.values().to_vec());
        let slots = self.initial.iter().flat_map(named).enumerate();
        slots.map(|(index, (slot, value))| (slot.name, self.space.slot(index), value))
    }

    /// The coordinates of the start vector.
    pub fn start_point(&self) -> Vec<f64> {
        self.numbers().map(|one| if one.is_stepped() { 0.0 } else { one.initial }).collect()
    }

    /// The step size of an optimiser that starts from a point, in the coordinates' own units. Where step sizes count the size of
    /// the start, that many times the root mean square of the weights that are evolved, each counted in its step; but once
    /// where it has none, such as 0.
    pub fn sigma_from(&self, sigma: f64, start: &[f64]) -> f64 {
        if self.space.sigma_unit == SigmaUnit::Weight {
            return sigma;
        }
        let slots = self.slots().zip(self.played(start));
        let evolved = slots.filter(|((_, slot, _), _)| *slot != SlotPlan::Held);
        let steps: Vec<f64> = evolved.map(|((_, slot, _), value)| value / slot.step()).collect();
        let squares: f64 = steps.iter().map(|step| step * step).sum();
        let size = (squares / steps.len().max(1) as f64).sqrt();
        if size.is_normal() { sigma * size } else { sigma }
    }

    /// The slots that are held.
    pub fn held(&self) -> impl Iterator<Item = &'static str> {
        self.slots().filter(|(_, slot, _)| *slot == SlotPlan::Held).map(|(name, ..)| name)
    }

    /// What a point of the optimiser stands for; `name` is what its weights are called.
    ///
    /// # Errors
    /// A value that is no finite number.
    pub fn vector_at(&self, name: &str, point: &[f64]) -> Result<Vector> {
        let values = self.played(point);
        if values.iter().all(|value| value.is_finite()) {
            return self.vector(name, values);
        }
        Err(InputError::new(format!("the point {point:?} stands for no finite numbers")))
    }

    /// The vector of values that are finite: of every slot, then of the parameters.
    fn vector(&self, name: &str, mut values: Vec<f64>) -> Result<Vector> {
        let numbers = values.split_off(self.layout().map_or(0, WeightLayout::len));
        let weights = self.layout().map(|layout| Weights::new(name, layout, values));
        let weights = weights.transpose().map_err(InputError::new)?;
        let keys = self.space.parameters.iter().map(|parameter| parameter.key.clone());
        Ok(Vector { name: name.into(), weights, parameters: keys.zip(numbers).collect() })
    }

    /// The candidate of a point that the optimiser asks about.
    ///
    /// # Errors
    /// As [`vector_at`](Self::vector_at).
    pub fn candidate(&self, point: &[f64]) -> Result<Candidate> {
        let values = self.vector_at("candidate", point).map_err(|error| {
            error.context(
                "the optimiser asks for values that are not finite; lower sigma or the start",
            )
        })?;
        Ok(Candidate { point: point.to_vec(), values })
    }

    /// The numbers that are evolved, in the order of the optimiser's coordinates. Held slots are not among them.
    #[doc(hidden)]
    pub fn numbers(&self) -> impl Iterator<Item = NamedNumber<'_>> {
        self.all_numbers().filter(|number| !number.is_held())
    }

    /// The vector of numbers by name, in any order. Held slots may be left out.
    ///
    /// # Errors
    /// A name that is unknown or missing; a value that is no finite number, out of its range, not whole where it has to be, or
    /// not the one at which its slot is held; an agent that does not take it.
    pub fn vector_of(&self, name: &str, numbers: &[(&str, f64)]) -> Result<Vector> {
        let refuse = |message: String| Err(InputError::new(message));
        let known: Vec<&str> = self.all_numbers().map(|number| number.name).collect();
        if let Some((number, _)) = numbers.iter().find(|(number, _)| !known.contains(number)) {
            return refuse(unknown("weight or parameter", number, &known));
        }
        let (mut values, mut missing) = (Vec::new(), Vec::new());
        for number in self.all_numbers() {
            let given = numbers.iter().find(|(name, _)| *name == number.name);
            let NamedNumber { name, initial, .. } = number;
            match given.map(|(_, value)| *value) {
                Some(found) if number.is_held() && found != initial => {
                    return refuse(format!(
                        "{name}: the config holds it at {initial}: leave it out; found {found}"
                    ));
                }
                None if !number.is_held() => missing.push(name),
                given => values.push(given.unwrap_or(initial)),
            }
        }
        if !missing.is_empty() {
            let missing = missing.join(", ");
            return refuse(format!(
                "missing: {missing}; give every weight and parameter that is evolved"
            ));
        }
        let vector = self.vector(name, values)?;
        for (parameter, (key, value)) in self.space.parameters.iter().zip(&vector.parameters) {
            let Parameter { low, high, whole, .. } = parameter;
            if (*whole && value.fract() != 0.0) || !(*low..=*high).contains(value) {
                let expected = if *whole { "a whole number" } else { "a number" };
                return refuse(format!(
                    "{key}: expected {expected} from {low} to {high}, found {value}"
                ));
            }
        }
        // An agent may refuse what the range allows.
        vector.apply_to(&self.agent)?;
        Ok(vector)
    }

    fn played(&self, point: &[f64]) -> Vec<f64> {
        let mut coordinates = point.iter();
        let mut next = || coordinates.next().copied().unwrap_or(f64::NAN);
        self.all_numbers().map(|number| number.value(&mut next)).collect()
    }

    /// The point that is played for one within the [limits](Self::limits): another one where numbers have to be whole.
    pub fn played_point(&self, point: &[f64]) -> Vec<f64> {
        let mut played = point.to_vec();
        let first = played.len().saturating_sub(self.space.parameters.len());
        for (x, parameter) in played[first..].iter_mut().zip(&self.space.parameters) {
            *x = parameter.played(*x);
        }
        played
    }

    /// The least and greatest of each coordinate, infinite for weights.
    pub fn limits(&self) -> Vec<[f64; 2]> {
        let slots = self.slots().filter(|(_, slot, _)| *slot != SlotPlan::Held);
        let slots = slots.map(|_| [f64::NEG_INFINITY, f64::INFINITY]);
        slots.chain(self.space.parameters.iter().map(Parameter::limits)).collect()
    }

    /// The columns in which logs hold a point: each slot and parameter by name, then `x_NAME` for each coordinate that
    /// is not the value itself.
    pub fn columns(&self) -> Vec<String> {
        let others = self.all_numbers().filter(NamedNumber::is_stepped);
        let others = others.map(|number| format!("x_{}", number.name));
        self.all_numbers().map(|number| number.name.into()).chain(others).collect()
    }

    /// The values of a point in the order of the [columns](Self::columns).
    pub fn values_at(&self, point: &[f64]) -> Vec<f64> {
        let others =
            self.numbers().zip(point).filter(|(number, _)| number.is_stepped()).map(|(_, x)| *x);
        self.played(point).into_iter().chain(others).collect()
    }
}

/// Values as they are played: what an agent gets from a candidate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vector {
    /// What it is called; its weights are called so too.
    pub name: String,
    /// The weights of its evaluation, every slot of them; none where none are evolved.
    pub weights: Option<Weights>,
    /// The numbers of the agent that are evolved, by key.
    pub parameters: Vec<(String, f64)>,
}

impl Vector {
    /// Weights alone.
    pub fn of_weights(weights: Weights) -> Self {
        Self { name: weights.name.clone(), weights: Some(weights), parameters: Vec::new() }
    }

    /// The same under another name.
    pub fn named(mut self, name: &str) -> Self {
        self.name = name.into();
        self.weights.iter_mut().for_each(|weights| weights.name = name.into());
        self
    }

    /// An agent with what the vector holds.
    ///
    /// # Errors
    /// An agent that does not have one of the numbers, or not with this value.
    pub fn apply_to(&self, agent: &AgentSpec) -> Result<AgentSpec> {
        let numbers = self.parameters.iter().map(|(key, value)| (key.as_str(), *value));
        let agent = agent.with_numbers(numbers)?;
        Ok(match &self.weights {
            Some(weights) => agent.with_weights(weights.clone()),
            None => agent,
        })
    }

    /// Its values by name: every slot, then the parameters.
    pub fn numbers(&self) -> Vec<(&str, f64)> {
        let slots = self.weights.iter().flat_map(|weights| {
            weights.layout().slots.iter().map(|slot| slot.name).zip(weights.values().to_vec())
        });
        slots.chain(self.parameters.iter().map(|(key, value)| (key.as_str(), *value))).collect()
    }

    /// The parameters as an agent's text has them: `KEY=VALUE`.
    pub fn pairs(&self) -> impl Iterator<Item = String> {
        self.parameters.iter().map(|(key, value)| format!("{key}={value}"))
    }
}

/// A vector under trial, from the optimiser's `ask` to its `tell`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Candidate {
    /// Its point, for the optimiser.
    pub point: Vec<f64>,
    /// Its values as they are played.
    pub values: Vector,
}

#[cfg(test)]
mod tests {
    use crate::known::connecting as plan;

    #[test]
    fn sigma_counts_weights_or_the_size_of_the_start() {
        assert_eq!(plan("").sigma_from(0.3, &[50.0, 50.0, 50.0]), 0.3);
        // Of weights that are all 0 there is no size. At the initial vector every weight is one step large.
        for (lines, start, expected) in [
            ("", &[4.0, -4.0, 4.0][..], 1.0),
            ("", &[0.0; 3], 0.25),
            ("leave_out = [\"micro_win\"]", &[8.0, 8.0], 2.0),
            ("scale = \"initial\"", &[0.0; 3], 0.25),
            ("scale = \"initial\"", &[2.0, 2.0, 2.0], 0.75),
        ] {
            let plan = plan(&format!("sigma_unit = \"start\"\n{lines}"));
            assert_eq!(plan.sigma_from(0.25, start), expected, "{lines} {start:?}");
        }
    }

    #[test]
    fn numbers_come_in_any_order_and_held_slots_keep_their_value() {
        const GOOD: [(&str, f64); 4] = [
            ("boundary", 0.2),
            ("micro_win", 7.0),
            ("threshold", 12.0),
            ("micro_connecting", -1.5),
        ];
        let plan = plan(
            "hold = [\"macro_connecting\"]\n[agent]\nkind = \"mcts\"\nplayout = \"ept\"\niterations = 10\n\
             [[parameters]]\nkey = \"threshold\"\ninitial = 30\nlow = 0\nhigh = 80\n\
             [[parameters]]\nkey = \"boundary\"\nlow = 0.1\nhigh = 10\nscale = \"log\"\n",
        );
        let vector = plan.vector_of("v", &GOOD).unwrap();
        assert_eq!(vector.weights.unwrap().values(), [7.0, 20.0, -1.5]);
        assert_eq!(vector.parameters, [("threshold".into(), 12.0), ("boundary".into(), 0.2)]);
        let held = [&GOOD[..], &[("macro_connecting", 20.0)]].concat();
        assert!(plan.vector_of("v", &held).is_ok());
        // A point of the optimiser and the numbers that it stands for are the same vector.
        let start: Vec<_> = plan.numbers().map(|number| (number.name, number.initial)).collect();
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
