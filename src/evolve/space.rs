//! What of a plan the optimiser moves: its coordinates, and the weights that they stand for.
//!
//! By default every slot of the evaluation is a coordinate, in weight units. A slot may be held at its value in the
//! start vector; then it is none. A slot may have a step of its own; then its coordinate counts steps from the start
//! vector, so that one step size of the optimiser suits weights of very different sizes.

use serde::{Deserialize, Serialize};

use super::plan::Plan;
use crate::weights::Weights;

/// What is done with a slot of the evaluation that is evolved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SlotPlan {
    /// It is a coordinate, in weight units.
    #[default]
    Free,
    /// It is the start vector's value plus as many steps of this size, in weight units, as its coordinate says.
    Stepped(f64),
    /// It keeps the start vector's value.
    Held,
}

impl SlotPlan {
    /// Where a slot's coordinate begins; `None` where it is held.
    const fn start(self, initial: f64) -> Option<f64> {
        match self {
            Self::Free => Some(initial),
            Self::Stepped(_) => Some(0.0),
            Self::Held => None,
        }
    }
}

/// What the optimiser moves.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Space {
    /// What is done with each slot, in the order of the layout; empty where all are free.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slots: Vec<SlotPlan>,
}

impl Space {
    /// Whether it is the default: every slot is a coordinate.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }

    /// How many coordinates there are from a start vector.
    #[must_use]
    pub fn dimensions(&self, initial: &[f64]) -> usize {
        (0..initial.len()).filter(|&index| self.slot(index) != SlotPlan::Held).count()
    }

    fn slot(&self, index: usize) -> SlotPlan {
        self.slots.get(index).copied().unwrap_or_default()
    }
}

impl Plan {
    /// The slots of the start vector: name, what is done with it, value.
    fn slots(&self) -> impl Iterator<Item = (&'static str, SlotPlan, f64)> {
        let slots = self.initial.layout().slots.iter().zip(self.initial.values());
        slots.enumerate().map(|(index, (slot, &value))| (slot.name, self.space.slot(index), value))
    }

    /// The coordinates of the start vector.
    #[must_use]
    pub fn start_point(&self) -> Vec<f64> {
        self.slots().filter_map(|(_, slot, initial)| slot.start(initial)).collect()
    }

    /// The slots that are held.
    pub fn held(&self) -> impl Iterator<Item = &'static str> {
        self.slots().filter(|(_, slot, _)| *slot == SlotPlan::Held).map(|(name, ..)| name)
    }

    /// The weights that a point of the optimiser stands for: every slot, the held ones included.
    ///
    /// # Errors
    /// A value that is no finite number.
    pub fn weights_at(
        &self,
        name: &str,
        point: &[f64],
    ) -> Result<Weights, crate::eval::WeightsError> {
        Weights::new(name, self.layout(), self.slot_values(point))
    }

    fn slot_values(&self, point: &[f64]) -> Vec<f64> {
        let mut coordinates = point.iter();
        let mut next = || coordinates.next().copied().unwrap_or(f64::NAN);
        let value = |(_, slot, initial): (_, SlotPlan, f64)| match slot {
            SlotPlan::Free => next(),
            SlotPlan::Stepped(step) => initial + step * next(),
            SlotPlan::Held => initial,
        };
        self.slots().map(value).collect()
    }

    /// The columns in which logs hold a point: each slot by name, then `x_NAME` for each coordinate that is not its
    /// slot's value.
    #[must_use]
    pub fn columns(&self) -> Vec<String> {
        let stepped = |slot| matches!(slot, SlotPlan::Stepped(_));
        let slots = self.slots().map(|(name, ..)| name.to_string());
        let others = self.slots().filter(|(_, slot, _)| stepped(*slot));
        slots.chain(others.map(|(name, ..)| format!("x_{name}"))).collect()
    }

    /// The values of a point in the order of the [columns](Self::columns).
    #[must_use]
    pub fn values_at(&self, point: &[f64]) -> Vec<f64> {
        let mut values = self.slot_values(point);
        let coordinates = self.slots().filter(|(_, slot, _)| *slot != SlotPlan::Held).zip(point);
        let others = coordinates.filter(|((_, slot, _), _)| *slot != SlotPlan::Free);
        values.extend(others.map(|(_, x)| *x));
        values
    }

    /// The point whose [values](Self::values_at) these are.
    #[must_use]
    pub fn point_of(&self, values: &[f64]) -> Vec<f64> {
        let mut others = values.iter().skip(self.initial.values().len());
        let mut coordinate = |(slot, &value): (SlotPlan, &f64)| match slot {
            SlotPlan::Free => Some(value),
            SlotPlan::Stepped(_) => others.next().copied(),
            SlotPlan::Held => None,
        };
        self.slots().map(|(_, slot, _)| slot).zip(values).filter_map(&mut coordinate).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Overrides, parse};
    use std::path::Path;

    /// A plan of the connecting evaluation, from (1, 20, 0.5), with more lines in `[cmaes]`.
    fn plan(lines: &str) -> Plan {
        let text = format!(
            "evaluation = \"connecting\"\n[cmaes]\nsigma = 1\ninitial = [1, 20, 0.5]\n{lines}\n[fitness]\n\
             [[opponents]]\nagent = \"random\"\n[[stages]]\ndepth = 1\n"
        );
        parse(&text, Path::new("c.toml"), Overrides::default()).unwrap()
    }

    #[test]
    fn every_slot_is_a_coordinate_by_default() {
        let plan = plan("");
        assert!(plan.space.is_plain());
        assert_eq!(plan.start_point(), [1.0, 20.0, 0.5]);
        assert_eq!(
            plan.columns(),
            ["micro_win", "macro_connecting", "micro_connecting"].map(String::from)
        );
        let point = [-0.0, 1e-300, 3.5];
        let weights = plan.weights_at("w", &point).unwrap();
        let bits = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(weights.values()), bits(&point));
        assert_eq!(bits(&plan.values_at(&point)), bits(&point));
    }

    #[test]
    fn held_slots_are_in_the_weights_and_no_coordinates() {
        let plan = plan("leave_out = [\"micro_win\"]\nhold = { \"macro*\" = 7 }");
        assert_eq!(plan.start_point(), [0.5]);
        assert_eq!(plan.space.dimensions(plan.initial.values()), 1);
        assert_eq!(plan.held().count(), 2);
        assert_eq!(plan.weights_at("w", &[2.0]).unwrap().values(), [0.0, 7.0, 2.0]);
        assert_eq!(plan.values_at(&[2.0]), [0.0, 7.0, 2.0]);
        assert_eq!(plan.point_of(&[0.0, 7.0, 2.0]), [2.0]);
        assert_eq!(plan.stages[0].population, 4, "4 + 3 ln 1");
    }

    #[test]
    fn steps_are_counted_from_the_start_vector() {
        let plan = plan(
            "scale = \"initial\"\nhold = [\"macro_connecting\"]\nsteps = { micro_connecting = 0.25 }",
        );
        assert_eq!(plan.start_point(), [0.0, 0.0]);
        let start = plan.weights_at("w", &plan.start_point()).unwrap();
        assert_eq!(start.values(), plan.initial.values());
        assert_eq!(plan.weights_at("w", &[-2.0, 2.0]).unwrap().values(), [-1.0, 20.0, 1.0]);
        assert_eq!(plan.columns()[3..], ["x_micro_win", "x_micro_connecting"]);
        assert_eq!(plan.values_at(&[-2.0, 2.0]), [-1.0, 20.0, 1.0, -2.0, 2.0]);
        assert_eq!(plan.point_of(&[-1.0, 20.0, 1.0, -2.0, 2.0]), [-2.0, 2.0]);
    }

    #[test]
    fn points_that_are_no_weights_are_errors() {
        assert!(plan("").weights_at("w", &[f64::INFINITY, 1.0, 1.0]).is_err());
        assert!(plan("").weights_at("w", &[1.0]).is_err());
        let stepped = plan("scale = \"initial\"");
        assert!(stepped.weights_at("w", &[f64::MAX, f64::MAX, 0.0]).is_err());
    }
}
