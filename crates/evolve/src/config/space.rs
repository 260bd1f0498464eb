//! Which weights of an evolution are moved, and in what units: `leave_out`, `hold` and `scale`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Reader, Result};
use crate::SlotPlan;
use crate::plan::{SigmaUnit, least_step};
use tictune_core::game::WeightLayout;
use tictune_core::input::{Table, unknown};

/// Weights that are held: at their initial values, or at values.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(extend("x-takes" = "a list of weights, or a table of weights and their values"))]
pub(super) enum Hold {
    Names(Vec<String>),
    Values(BTreeMap<String, f64>),
}

impl Hold {
    /// What is said of more slots comes before what is said of fewer, so that the latter prevails.
    fn entries(&self) -> Vec<(&str, Option<f64>)> {
        match self {
            Self::Names(names) => names.iter().map(|name| (name.as_str(), None)).collect(),
            Self::Values(values) => {
                let mut entries: Vec<_> =
                    values.iter().map(|(name, x)| (&**name, Some(*x))).collect();
                entries.sort_by_key(|(name, _)| (!name.ends_with('*'), name.len()));
                entries
            }
        }
    }
}

/// The size of one step of a weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Steps {
    /// 1, in weight units
    #[default]
    None,
    /// The size of its initial value, at least a hundredth of the largest one
    Initial,
}

impl Reader<'_, '_, '_> {
    /// What is done with each slot; empty where all are free. Slots that are held at a value get it in `initial`. Some
    /// slot has to be evolved if `alone`.
    pub(super) fn slots(
        &self,
        layout: &WeightLayout,
        initial: &mut [f64],
        alone: bool,
    ) -> Result<Vec<SlotPlan>> {
        let (keys, cmaes) = (&self.config.cmaes, self.section("cmaes"));
        let mut slots = vec![SlotPlan::Free; initial.len()];
        for name in &keys.leave_out {
            for index in slots_called(&cmaes, layout, "leave_out", name)? {
                slots[index] = SlotPlan::Held;
                initial[index] = 0.0;
            }
        }
        let left_out = slots.clone();
        for (name, value) in keys.hold.iter().flat_map(Hold::entries) {
            for index in slots_called(&cmaes, layout, "hold", name)? {
                if left_out[index] == SlotPlan::Held {
                    let message = format!("{} is left out already", layout.slots[index].name);
                    return Err(cmaes.error_about("hold", name, message));
                }
                slots[index] = SlotPlan::Held;
                initial[index] = value.unwrap_or(initial[index]);
            }
        }
        let usual =
            self.in_pairs() && self.starts_from_weights() && !initial.iter().all(|x| *x == 0.0);
        if keys.scale == Steps::Initial || usual {
            // Learned weights are not known yet: they take the place of 0, and of its steps.
            let least = least_step(initial).or(self.config.learn.is_some().then_some(1.0));
            let no_steps = || cmaes.error("scale", "the start vector is 0: it defines no steps");
            let least = least.ok_or_else(no_steps)?;
            let steps = slots.iter_mut().zip(initial).filter(|(slot, _)| **slot != SlotPlan::Held);
            steps.for_each(|(slot, value)| *slot = SlotPlan::Stepped(value.abs().max(least)));
        }
        if alone && slots.iter().all(|slot| *slot == SlotPlan::Held) {
            let key = if cmaes.has("hold") { "hold" } else { "leave_out" };
            return Err(cmaes.error(key, "no weight is left to evolve"));
        }
        let plain = slots.iter().all(|slot| *slot == SlotPlan::Free);
        Ok(if plain { Vec::new() } else { slots })
    }

    /// What sigma counts. The size of a vector says nothing about the ranges of parameters.
    pub(super) fn sigma_unit(&self, with_parameters: bool) -> Result<SigmaUnit> {
        let unit = self.config.cmaes.sigma_unit;
        if unit == SigmaUnit::Start && with_parameters {
            let message = "sigma also applies to [[parameters]], whose ranges do not depend on the size of the weights: \
                           leave it out";
            return Err(self.section("cmaes").error("sigma_unit", message));
        }
        Ok(unit)
    }
}

/// The slots of a name, or of a name that ends in `*`: all that begin so.
fn slots_called(
    table: &Table<'_, '_>,
    layout: &WeightLayout,
    key: &str,
    name: &str,
) -> Result<Vec<usize>> {
    let fits = |slot: &str| match name.strip_suffix('*') {
        Some(prefix) => slot.starts_with(prefix),
        None => slot == name,
    };
    let names: Vec<&str> = layout.slots.iter().map(|slot| slot.name).collect();
    let found: Vec<usize> = (0..names.len()).filter(|&index| fits(names[index])).collect();
    if found.is_empty() {
        return Err(table.error_about(key, name, unknown("weight", name, &names)));
    }
    Ok(found)
}
