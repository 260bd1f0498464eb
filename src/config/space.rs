//! Which weights of an evolution are moved, and in what units: `leave_out`, `hold` and `scale`.

use crate::evolve::SlotPlan;
use crate::evolve::plan::{SigmaUnit, least_step};
use crate::game::WeightLayout;
use crate::input::{InputError, Table, unknown};

/// What is done with each slot; empty where all are free. Slots that are held at a value get it in `initial`. Some slot
/// has to be evolved if `alone`. The start is another one if it is `learned`.
pub(super) fn slots(
    cmaes: &Table<'_, '_>,
    layout: &WeightLayout,
    initial: &mut [f64],
    alone: bool,
    learned: bool,
) -> Result<Vec<SlotPlan>, InputError> {
    let mut slots = vec![SlotPlan::Free; initial.len()];
    for name in cmaes.strings("leave_out")?.unwrap_or_default() {
        for index in slots_called(cmaes, layout, "leave_out", name)? {
            slots[index] = SlotPlan::Held;
            initial[index] = 0.0;
        }
    }
    let left_out = slots.clone();
    for (name, value) in held(cmaes)? {
        for index in slots_called(cmaes, layout, "hold", name)? {
            if left_out[index] == SlotPlan::Held {
                let message = format!("{} is left out already", layout.slots[index].name);
                return Err(cmaes.error_about("hold", name, message));
            }
            slots[index] = SlotPlan::Held;
            initial[index] = value.unwrap_or(initial[index]);
        }
    }
    steps(cmaes, initial, learned, &mut slots)?;
    if alone && slots.iter().all(|slot| *slot == SlotPlan::Held) {
        let key = if cmaes.has("hold") { "hold" } else { "leave_out" };
        return Err(cmaes.error(key, "no slot is left to evolve"));
    }
    let plain = slots.iter().all(|slot| *slot == SlotPlan::Free);
    Ok(if plain { Vec::new() } else { slots })
}

/// What sigma counts. The size of a vector says nothing about the ranges of parameters.
pub(super) fn sigma_unit(
    cmaes: &Table<'_, '_>,
    with_parameters: bool,
) -> Result<SigmaUnit, InputError> {
    let unit = cmaes.word("sigma_unit")?.unwrap_or_default();
    if unit == SigmaUnit::Start && with_parameters {
        let message = "sigma is also that of [[parameters]], whose ranges have nothing to do with the size of the weights: \
                       leave it out";
        return Err(cmaes.error("sigma_unit", message));
    }
    Ok(unit)
}

/// The names under `hold`: in a list, of slots that keep the start vector's value; in a table, with values.
fn held<'d>(cmaes: &Table<'d, '_>) -> Result<Vec<(&'d str, Option<f64>)>, InputError> {
    if let Ok(Some(names)) = cmaes.strings("hold") {
        return Ok(names.into_iter().map(|name| (name, None)).collect());
    }
    let values = cmaes.numbers("hold").map_err(|_| {
        cmaes.error("hold", "expected a list of slots, or a table of slots and their values")
    })?;
    let values = in_order_of_rank(values.unwrap_or_default());
    Ok(values.into_iter().map(|(name, value)| (name, Some(value))).collect())
}

fn steps(
    cmaes: &Table<'_, '_>,
    initial: &[f64],
    learned: bool,
    slots: &mut [SlotPlan],
) -> Result<(), InputError> {
    let set = |slot: &mut SlotPlan, step| {
        if *slot != SlotPlan::Held {
            *slot = SlotPlan::Stepped(step);
        }
    };
    match cmaes.string("scale")? {
        None | Some("none") => {}
        Some("initial") => {
            // Learned weights are not known yet: they take the place of 0, and of its steps.
            let least = least_step(initial).or(learned.then_some(1.0));
            let Some(least) = least else {
                let message = "the start vector is 0: it gives no steps";
                return Err(cmaes.error("scale", message));
            };
            for (slot, value) in slots.iter_mut().zip(initial) {
                set(slot, value.abs().max(least));
            }
        }
        Some(other) => {
            return Err(cmaes.error("scale", unknown("scale", other, &["none", "initial"])));
        }
    }
    Ok(())
}

/// The slots of a name, or of a name that ends in `*`: all that begin so.
fn slots_called(
    table: &Table<'_, '_>,
    layout: &WeightLayout,
    key: &str,
    name: &str,
) -> Result<Vec<usize>, InputError> {
    let fits = |slot: &str| match name.strip_suffix('*') {
        Some(prefix) => slot.starts_with(prefix),
        None => slot == name,
    };
    let names: Vec<&str> = layout.slots.iter().map(|slot| slot.name).collect();
    let found: Vec<usize> = (0..names.len()).filter(|&index| fits(names[index])).collect();
    if found.is_empty() {
        return Err(table.error_about(key, name, unknown("slot", name, &names)));
    }
    Ok(found)
}

/// Puts what is said of more slots before what is said of fewer, so that the latter prevails.
fn in_order_of_rank(mut entries: Vec<(&str, f64)>) -> Vec<(&str, f64)> {
    entries.sort_by_key(|(name, _)| (!name.ends_with('*'), name.len()));
    entries
}
