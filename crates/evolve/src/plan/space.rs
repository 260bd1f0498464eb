//! What of a plan the optimiser moves.
//!
//! By default every slot of the evaluation is a coordinate, in weight units. A slot may be held at its value in the
//! start vector; then it is none. A slot may have a step of its own; then its coordinate counts steps from the start
//! vector, so that one step size of the optimiser suits weights of very different sizes. [Parameters](Parameter) of the
//! agent come after the slots, or alone.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::parameter::Parameter;

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
    /// What a step of 1 of its coordinate is, in weight units.
    #[must_use]
    pub const fn step(&self) -> f64 {
        match self {
            Self::Stepped(step) => *step,
            Self::Free | Self::Held => 1.0,
        }
    }
}

/// What the step size at the beginning of a stage counts.
///
/// Minimax does not see the scale of a vector, so that weights may grow a hundredfold within a stage. A step size in weight
/// units then moves nothing in the next stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("x-word" = "unit"))]
#[serde(rename_all = "lowercase")]
pub enum SigmaUnit {
    /// Weight units, or steps of the slots that have them.
    #[default]
    Weight,
    /// The size of the vector from which the optimiser starts, in steps.
    Start,
}

impl SigmaUnit {
    /// A step size at the beginning of a stage, as a config has it, with its unit.
    #[must_use]
    pub fn in_words(self, sigma: f64) -> String {
        match self {
            Self::Weight => format!("{sigma:?}"),
            Self::Start => format!("{sigma:?} times the size of its start"),
        }
    }
}

/// What the optimiser moves.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Space {
    /// What is done with each slot, in the order of the layout; empty where all are free.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slots: Vec<SlotPlan>,
    /// The numbers of the agent that are moved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<Parameter>,
    /// What step sizes count.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub sigma_unit: SigmaUnit,
}

impl Space {
    /// How many coordinates there are with an evaluation of so many slots.
    #[must_use]
    pub fn dimensions(&self, slots: usize) -> usize {
        let free = (0..slots).filter(|&index| self.slot(index) != SlotPlan::Held).count();
        free + self.parameters.len()
    }

    /// What is done with a slot of the layout.
    #[must_use]
    pub fn slot(&self, index: usize) -> SlotPlan {
        self.slots.get(index).copied().unwrap_or_default()
    }
}
