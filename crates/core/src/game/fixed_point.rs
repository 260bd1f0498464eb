//! Weights as integers, so that evaluation is exact.
//!
//! Floating-point sums depend on the order of moves and break ties by accident. An evaluator therefore multiplies its weights
//! by 2^k once, rounds them half to even, and adds integers from then on. Here k is the largest whole number for which the
//! sum of |weight| x greatest count stays below 2^30. Divide a score by the scale to get weight units.

use crate::game::{Score, WeightLayout, WeightsError, check_values};

/// The weights of a layout in fixed point.
#[derive(Clone, Debug, PartialEq)]
pub struct FixedPoint {
    /// One integer a slot.
    pub weights: Vec<i32>,
    /// The power of two that the weights were multiplied by.
    pub exponent: i32,
}

impl FixedPoint {
    /// Converts the values of a layout.
    pub fn new(layout: &'static WeightLayout, values: &[f64]) -> Result<Self, WeightsError> {
        check_values(layout, values)?;
        let exponent = layout_exponent(layout, values);
        let integer = |&value: &f64| libm::ldexp(value, exponent).round_ties_even() as i32;
        Ok(Self { weights: values.iter().map(integer).collect(), exponent })
    }

    /// How many score units make one unit of weight: 2^k; infinite where all weights lie below about 1e-300.
    pub fn scale(&self) -> f64 {
        libm::ldexp(1.0, self.exponent)
    }
}

/// The largest k with sum |w| count 2^k < 2^30; 0 where every weight is zero.
fn layout_exponent(layout: &WeightLayout, values: &[f64]) -> i32 {
    let largest = values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    if largest == 0.0 {
        return 0;
    }
    // Brought near 1 first, exactly, so that the sum neither overflows nor vanishes.
    let shift = -libm::ilogb(largest);
    let slots = layout.slots.iter().zip(values);
    let sum: f64 = slots
        .map(|(slot, &value)| libm::ldexp(value, shift).abs() * f64::from(slot.greatest_count))
        .sum();
    if sum == 0.0 {
        return 0;
    }
    // sum lies in [2^e, 2^(e+1)): the largest k brings it into [2^29, 2^30).
    shift + Score::HEURISTIC_BOUND.trailing_zeros() as i32 - 1 - libm::ilogb(sum)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Slot;
    use super::*;

    const LAYOUT: &WeightLayout = &WeightLayout {
        game: "test",
        name: "test",
        description: "",
        slots: &[
            Slot { name: "a", description: "", greatest_count: 8 },
            Slot { name: "b", description: "", greatest_count: 1 },
        ],
    };

    #[test]
    fn known_answers() {
        // 8 x 1 + 1 x 0 = 2^3, and 2^3 x 2^27 would be 2^30: k = 26. The last two: half to even, 2^-1 below a unit.
        let large = f64::from(1 << 27);
        for (values, exponent, weights) in [
            ([1.0, 0.0], 26, [1 << 26, 0]),
            ([0.0, 0.0], 0, [0, 0]),
            ([large, 1.5], -1, [1 << 26, 1]),
            ([large, 5.0], -1, [1 << 26, 2]),
        ] {
            let fixed = FixedPoint::new(LAYOUT, &values).unwrap();
            assert_eq!((fixed.exponent, &fixed.weights[..]), (exponent, &weights[..]));
            assert_eq!(fixed.scale(), 2_f64.powi(exponent));
        }
    }

    proptest! {
        #[test]
        fn every_finite_vector_fits_with_the_largest_scale(bits in prop::array::uniform2(any::<u64>())) {
            let values = bits.map(f64::from_bits);
            prop_assume!(values.iter().all(|v| v.is_finite()));
            let fixed = FixedPoint::new(LAYOUT, &values).unwrap();
            let slots = fixed.weights.iter().zip(LAYOUT.slots);
            let greatest: i64 =
                slots.map(|(&w, s)| i64::from(w).abs() * i64::from(s.greatest_count)).sum();
            prop_assert!(greatest <= (1 << 30) + 9);
            if values.iter().any(|&v| v != 0.0) {
                prop_assert!(greatest >= (1 << 29) - 9, "{values:?} {fixed:?}");
            }
        }

        #[test]
        fn a_positive_power_of_two_changes_nothing(a in -1e3..1e3, b in -1e3..1e3, k in -40..40) {
            let fixed = FixedPoint::new(LAYOUT, &[a, b]).unwrap();
            let scaled = FixedPoint::new(LAYOUT, &[libm::ldexp(a, k), libm::ldexp(b, k)]).unwrap();
            prop_assert_eq!(fixed.weights, scaled.weights);
        }
    }
}
