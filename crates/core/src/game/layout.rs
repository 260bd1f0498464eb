//! Layouts: the named weights of an evaluation.

use std::fmt;

use thiserror::Error;

/// One weight of an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The name in files: the one in the document, in lower case.
    pub name: &'static str,
    /// What is counted: the weight is multiplied by this count.
    pub description: &'static str,
    /// The largest absolute value of the count in any position.
    pub greatest_count: u32,
}

/// The named slots of an evaluation. Their values are [`Weights`](crate::weights::Weights).
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct WeightLayout {
    /// The game's name.
    pub game: &'static str,
    /// The evaluation's name.
    pub name: &'static str,
    /// A description, with its source.
    pub description: &'static str,
    /// Its slots in order.
    pub slots: &'static [Slot],
}

impl fmt::Debug for WeightLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WeightLayout({}, {})", self.game, self.name)
    }
}

impl WeightLayout {
    /// The position of a slot by name.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.slots.iter().position(|slot| slot.name == name)
    }

    /// The number of slots.
    pub const fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether it has no slots.
    pub const fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }
}

/// Values that do not fit a layout.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct WeightsError(pub String);

impl From<WeightsError> for String {
    fn from(error: WeightsError) -> Self {
        error.0
    }
}

/// Checks that values fit a layout: as many as it has slots, each finite.
pub fn check_values(layout: &'static WeightLayout, values: &[f64]) -> Result<(), WeightsError> {
    let (evaluation, expected, found) = (layout.name, layout.len(), values.len());
    if found != expected {
        let names = layout.slots.iter().map(|slot| slot.name).collect::<Vec<_>>().join(", ");
        let message =
            format!("evaluation {evaluation} has {expected} weights ({names}), not {found}");
        return Err(WeightsError(message));
    }
    match layout.slots.iter().zip(values).find(|(_, value)| !value.is_finite()) {
        Some((slot, value)) => Err(WeightsError(format!(
            "weight {} is {value}; a weight is a finite number",
            slot.name
        ))),
        None => Ok(()),
    }
}
