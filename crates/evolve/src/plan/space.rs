//! What of a plan the optimiser moves.
//!
//! By default every slot of the evaluation is a coordinate, in weight units. A slot may be held at its value in the
//! start vector; then it is none. A slot may have a step of its own; then its coordinate counts steps from the start
//! vector, so that one step size of the optimiser suits weights of very different sizes. [Parameters](Parameter) of the
//! agent come after the slots, or alone.
//!
//! CMA-ES knows no bounds. A coordinate counts steps from the number's initial value, and what leaves the range is
//! mirrored back into it at its ends, as often as needed: the number played is always in the range, is a continuous
//! function of the coordinate, and inside the range is not bent at all. (The mirroring of Hansen's pycma,
//! `BoundTransform`, without its rounded corners; "reflection" in Biedrzycki, "Handling bound constraints in CMA-ES",
//! Swarm and Evolutionary Computation 52, 2020.) On a logarithmic scale the steps are of the number's logarithm. Whole
//! numbers are rounded last; each has an equal part of the coordinate, those at the ends of the range too.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    pub const fn step(&self) -> f64 {
        match self {
            Self::Stepped(step) => *step,
            Self::Free | Self::Held => 1.0,
        }
    }
}

/// What the step size at the beginning of a stage counts.
///
/// Minimax ignores the scale of a vector, so weights may grow a hundredfold within a stage. A step size in weight
/// units then moves nothing in the next stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("x-word" = "unit"))]
#[serde(rename_all = "lowercase")]
pub enum SigmaUnit {
    /// Weight units, or steps of the weights that have them.
    #[default]
    Weight,
    /// The size of the vector from which the optimiser starts, in steps.
    Start,
}

impl SigmaUnit {
    /// A step size at the beginning of a stage, as a config has it, with its unit.
    pub fn in_words(self, sigma: f64) -> String {
        let sigma = in_four_digits(sigma);
        match self {
            Self::Weight => format!("{sigma:?}"),
            Self::Start => format!("{sigma:?} times the size of its start"),
        }
    }
}

/// A number with as many digits as people read.
pub(crate) fn in_four_digits(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
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
    /// The directions in which the optimiser looks, one a column, with the length of a step along each, in coordinates: where
    /// positions have told how far each number moves values. Step sizes then count these steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axes: Option<Vec<Vec<f64>>>,
}

impl Space {
    /// How many coordinates there are with an evaluation of so many slots.
    pub fn dimensions(&self, slots: usize) -> usize {
        let free = (0..slots).filter(|&index| self.slot(index) != SlotPlan::Held).count();
        free + self.parameters.len()
    }

    /// What is done with a slot of the layout.
    pub fn slot(&self, index: usize) -> SlotPlan {
        self.slots.get(index).copied().unwrap_or_default()
    }
}

/// The scale on which a number is moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Equal steps add the same amount.
    #[default]
    Linear,
    /// Equal steps multiply by the same factor.
    Log,
    /// The initial value is in the middle of the range: steps are small near the end that is nearer to it, and grow by the same factor
    /// away from there. With a budget, this is the default.
    Centred,
}

/// A number of the agent that is evolved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its key in the agent's text form.
    pub key: String,
    /// Where it begins, within the range.
    pub initial: f64,
    /// The least value.
    pub low: f64,
    /// The greatest value, above the least.
    pub high: f64,
    /// How it is moved.
    pub scale: Scale,
    /// Whether it is rounded to whole numbers.
    pub whole: bool,
}

/// Where a value lies within a range: 0 at its low end, 1 at its high one.
pub fn place_in_range(value: f64, [low, high]: [f64; 2], scale: Option<Scale>) -> f64 {
    let on_scale = |value: f64| if scale == Some(Scale::Log) { libm::log(value) } else { value };
    (on_scale(value) - on_scale(low)) / (on_scale(high) - on_scale(low))
}

/// The nearest that [`Scale::Centred`] takes an initial value to be to an end of its range, as a part of the range.
const NEAREST_END: f64 = 0.1;

impl Parameter {
    /// The ends of the range; whole numbers have half of what they stand for beyond them.
    fn ends(&self) -> [f64; 2] {
        let margin = if self.whole { 0.5 } else { 0.0 };
        [self.low - margin, self.high + margin]
    }

    /// Of a centred scale, how far the initial value lies from the point around which the scale is logarithmic, which is beyond the nearer
    /// end; `None` where it is in the middle of the range.
    fn centred(&self) -> Option<f64> {
        let [low, high] = self.ends();
        let place = ((self.initial - low) / (high - low)).clamp(NEAREST_END, 1.0 - NEAREST_END);
        // The ratio of the steps at the two ends is that of the two sides, squared.
        let [below, above] = [place, 1.0 - place];
        let beyond = |shorter: f64, longer: f64| {
            (high - low) * shorter * shorter / (longer * longer - shorter * shorter)
        };
        if below < above {
            Some(self.initial - low + beyond(below, above))
        } else if below > above {
            Some(self.initial - high - beyond(above, below))
        } else {
            None
        }
    }

    /// How far a value lies from the initial one on the scale.
    fn moved(&self, value: f64) -> f64 {
        match (self.scale, self.centred()) {
            (Scale::Log, _) => libm::log(value / self.initial),
            (Scale::Centred, Some(from)) => {
                from.signum() * libm::log1p((value - self.initial) / from)
            }
            (Scale::Linear | Scale::Centred, _) => value - self.initial,
        }
    }

    /// How far the ends of the range lie from the initial value on the scale, downwards and upwards.
    fn reach(&self) -> [f64; 2] {
        self.ends().map(|end| self.moved(end))
    }

    /// What a coordinate of 1 stands for, in the number's own unit, or on a logarithmic scale in natural logarithms: the
    /// length of the range, so that sigma is a part of it.
    pub fn step(&self) -> f64 {
        let [down, up] = self.reach();
        up - down
    }

    /// The coordinates of the ends of the range.
    pub fn limits(&self) -> [f64; 2] {
        self.reach().map(|end| end / self.step())
    }

    /// The coordinate of the value that is played for one within the range: another one where the value has to be whole.
    pub fn played(&self, coordinate: f64) -> f64 {
        if !self.whole {
            return coordinate;
        }
        self.moved(self.value(coordinate)) / self.step()
    }

    /// The value that a coordinate stands for, always within the range; not a number where the coordinate is none. The
    /// coordinate 0 stands for the initial value, bit for bit.
    pub fn value(&self, coordinate: f64) -> f64 {
        let Self { initial, low, high, scale, whole, .. } = *self;
        let [down, up] = self.reach();
        let moved = mirrored((up - down) * coordinate, down, up);
        let value = match (scale, self.centred()) {
            (Scale::Log, _) => initial * libm::exp(moved),
            (Scale::Centred, Some(from)) => initial + from * libm::expm1(from.signum() * moved),
            (Scale::Linear | Scale::Centred, _) => initial + moved,
        };
        // The sum makes a negative zero, which is no whole number in text, a zero.
        if whole { value.round() } else { value }.clamp(low, high) + 0.0
    }
}

/// A number folded into a range by mirrors at both ends.
fn mirrored(x: f64, low: f64, high: f64) -> f64 {
    if (low..=high).contains(&x) {
        return x;
    }
    let length = high - low;
    let folded = (x - low).rem_euclid(2.0 * length);
    low + if folded > length { 2.0 * length - folded } else { folded }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parameter(initial: f64, [low, high]: [f64; 2], scale: Scale, whole: bool) -> Parameter {
        Parameter { key: "c".into(), initial, low, high, scale, whole }
    }

    #[test]
    fn numbers_are_mirrored_at_the_ends_of_the_range() {
        let places = [0.0, 2.0, 2.5, -1.25, 5.0, 5.5, 8.0, -4.0, -4.5, 6e6 + 0.5];
        let expected = [0.0, 2.0, 1.5, -0.75, -1.0, -0.5, 2.0, 2.0, 1.5, 0.5];
        assert_eq!(places.map(|x| mirrored(x, -1.0, 2.0)), expected);
        assert!([f64::NAN, f64::INFINITY].iter().all(|x| mirrored(*x, -1.0, 2.0).is_nan()));
    }

    #[test]
    fn whole_numbers_have_equal_parts_of_the_coordinate() {
        let dice = parameter(3.0, [1.0, 6.0], Scale::Linear, true);
        // There and back again.
        let mut counts = [0; 7];
        for x in 0..12_000 {
            counts[dice.value((f64::from(x) + 0.5) / 6000.0) as usize] += 1;
        }
        assert_eq!(counts, [0, 2000, 2000, 2000, 2000, 2000, 2000]);
        for (initial, range, scale) in
            [(10.0, [0.0, 80.0], Scale::Linear), (8.0, [1.0, 64.0], Scale::Log)]
        {
            let whole = parameter(initial, range, scale, true);
            for x in -1000..1000 {
                // As the text of an agent has it, where -0 is none.
                let value: u32 = whole.value(f64::from(x) / 99.0).to_string().parse().unwrap();
                assert!((range[0]..=range[1]).contains(&value.into()), "{value}");
            }
        }
    }

    proptest! {
        #[test]
        fn values_are_in_the_range_and_start_at_the_initial_one(
            low in 1e-6..1e3_f64, length in 1e-3..1e6_f64, at in 0.0..=1.0_f64, x in -1e9..1e9_f64, scale in 0..3_usize,
        ) {
            let scale = [Scale::Linear, Scale::Log, Scale::Centred][scale];
            let high = low + length;
            let initial = (low + at * length).clamp(low, high);
            let parameter = parameter(initial, [low, high], scale, false);
            prop_assert_eq!(parameter.value(0.0), initial);
            let (value, near) = (parameter.value(x), parameter.value(x + 1e-7));
            prop_assert!((low..=high).contains(&value), "{}", value);
            let most = 1e-3 * length.max(initial);
            prop_assert!((value - near).abs() <= most, "a small step is a small change");
            prop_assert!(parameter.value(f64::NAN).is_nan());
            let [down, up] = parameter.limits();
            if scale == Scale::Centred && (0.1..=0.9).contains(&at) {
                prop_assert!((down + up).abs() < 1e-6, "{} {} are not as far", down, up);
            }
        }
    }
}
