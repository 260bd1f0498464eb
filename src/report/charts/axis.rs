//! Axes: which values they show, where their ticks are, and what these are called.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum AxisScale {
    #[default]
    Linear,
    /// Equal factors are equally long. Values that are not above 0 have no place there.
    Logarithmic,
}

impl AxisScale {
    pub(super) fn place(self, value: f64) -> Option<f64> {
        let place = match self {
            Self::Linear => value,
            Self::Logarithmic if value > 0.0 => libm::log10(value),
            Self::Logarithmic => return None,
        };
        // Beyond, a span could be wider than any number.
        (place.abs() <= 1e300).then_some(place)
    }
}

/// What an axis shows of its values, in places.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Span {
    pub(super) low: f64,
    pub(super) high: f64,
    /// Where bars stand: 0, or the lower end where there is none.
    pub(super) base: f64,
    pub(super) ticks: Vec<(f64, String)>,
}

/// About as many ticks an axis has, and one of a small chart.
pub(super) const TICKS: f64 = 8.0;
pub(super) const FEW_TICKS: f64 = 5.0;

impl Span {
    /// The span of some values, with about so many ticks; `None` where none has a place. On a linear axis `from_zero` puts 0.
    /// With `air`, curves do not touch the ends.
    pub(super) fn of(
        scale: AxisScale,
        values: impl Iterator<Item = f64>,
        ticks: f64,
        [from_zero, air]: [bool; 2],
    ) -> Option<Self> {
        let places: Vec<f64> = values.filter_map(|value| scale.place(value)).collect();
        // Nothing is between depths, turns and games.
        let whole = places.iter().all(|place| place.fract() == 0.0);
        let mut low = places.iter().copied().reduce(f64::min)?;
        let mut high = places.into_iter().reduce(f64::max)?;
        if scale == AxisScale::Linear && from_zero {
            (low, high) = (low.min(0.0), high.max(0.0));
        }
        if low == high {
            // One value: itself in the middle.
            let around = if scale == AxisScale::Linear { (0.5 * low.abs()).max(0.5) } else { 0.5 };
            (low, high) = (low - around, high + around);
        }
        if air {
            // None between the axis and 0.
            let air = 0.05 * (high - low);
            let at_zero = |end: f64| from_zero && scale == AxisScale::Linear && end == 0.0;
            high += if at_zero(high) { 0.0 } else { air };
            low -= if at_zero(low) { 0.0 } else { air };
        }
        let ticks = match scale {
            AxisScale::Linear => linear_ticks(low, high, ticks, if whole { 1.0 } else { 0.0 }),
            AxisScale::Logarithmic => logarithmic_ticks(low, high, ticks),
        };
        let base = if scale == AxisScale::Linear { 0.0_f64.clamp(low, high) } else { low };
        Some(Self { low, high, base, ticks })
    }

    /// Where a place is between the lengths that the ends of the axis are at.
    pub(super) fn between(&self, place: f64, low: f64, high: f64) -> f64 {
        low + (high - low) * (place - self.low) / (self.high - self.low)
    }
}

/// Multiples of 1, 2 or 5 times a power of ten, which is at least `least_step`.
fn linear_ticks(low: f64, high: f64, ticks: f64, least_step: f64) -> Vec<(f64, String)> {
    let raw = ((high - low) / ticks).max(least_step);
    let exponent = libm::floor(libm::log10(raw)) as i32;
    let power = power_of_ten(exponent);
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= raw).unwrap_or(10.0);
    let step = factor * power;
    let decimals = if factor == 10.0 { -exponent - 1 } else { -exponent }.clamp(0, 12) as usize;
    // An end that is a tick but for rounding is one.
    let first = (low / step - 1e-9).ceil();
    let count = ((high / step + 1e-9).floor() - first).clamp(0.0, 2.0 * ticks) as u32;
    (0..=count)
        .map(|index| (first + f64::from(index)) * step)
        // What rounding puts beside 0 is 0.
        .map(|value| if value.abs() < 1e-9 * step { 0.0 } else { value })
        .map(|value| (value, format!("{value:.decimals$}")))
        .collect()
}

/// Powers of ten; where these are few, also their threes, or doubles and fives, and where these are few, equal steps.
fn logarithmic_ticks(low: f64, high: f64, count: f64) -> Vec<(f64, String)> {
    /// Fewer do not show a scale.
    const FEW: usize = 3;
    let ticks = powers(low, high, count);
    if ticks.len() >= FEW || high - low >= 1.0 {
        return ticks;
    }
    let linear = linear_ticks(libm::pow(10.0, low), libm::pow(10.0, high), count, 0.0);
    linear.into_iter().map(|(value, label)| (libm::log10(value), label)).collect()
}

fn powers(low: f64, high: f64, count: f64) -> Vec<(f64, String)> {
    let (first, last) = (low.floor() as i32, high.ceil() as i32);
    let stride = 1 + (last - first) / (2 * count as i32);
    let factors: &[f64] = match (high - low) / count {
        ..0.25 => &[1.0, 2.0, 5.0],
        ..0.5 => &[1.0, 3.0],
        _ => &[1.0],
    };
    (first..=last)
        .step_by(stride.max(1) as usize)
        .flat_map(|exponent| factors.iter().map(move |factor| (exponent, *factor)))
        .map(|(exponent, factor)| {
            let label = match exponent {
                0..=5 => format!("{}", factor * power_of_ten(exponent)),
                // Not the product, which is beside the number.
                -4..=-1 => format!("0.{}{factor}", "0".repeat(-exponent as usize - 1)),
                _ => format!("{factor}e{exponent}"),
            };
            (f64::from(exponent) + libm::log10(factor), label)
        })
        .filter(|(place, _)| (low..=high).contains(place))
        .collect()
}

fn power_of_ten(exponent: i32) -> f64 {
    libm::pow(10.0, f64::from(exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: AxisScale, values: &[f64], from_zero: bool) -> String {
        let span = Span::of(scale, values.iter().copied(), TICKS, [from_zero; 2]).unwrap();
        let place = |value: &f64| scale.place(*value).unwrap();
        assert!(values.iter().map(place).all(|place| (span.low..=span.high).contains(&place)));
        span.ticks.into_iter().map(|(_, label)| label).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ticks_are_round_numbers() {
        use AxisScale::{Linear, Logarithmic};
        for (scale, values, expected) in [
            (Linear, &[1.0, 8.0][..], "1 2 3 4 5 6 7 8"),
            (Linear, &[0.0, 0.7], "0.0 0.1 0.2 0.3 0.4 0.5 0.6 0.7"),
            (Linear, &[0.0, 1300.0], "0 200 400 600 800 1000 1200"),
            (Linear, &[-0.3, 0.3], "-0.3 -0.2 -0.1 0.0 0.1 0.2 0.3"),
            (Linear, &[7.0], "4 5 6 7 8 9 10"),
            // Whole numbers have nothing between them.
            (Linear, &[1.0, 3.0], "1 2 3"),
            (Linear, &[1.0, 2.9], "1.0 1.5 2.0 2.5"),
            (Linear, &[0.0, 9.9], "0 2 4 6 8"),
            (Linear, &[0.0, 90000.0], "0 20000 40000 60000 80000"),
            (Logarithmic, &[0.001, 100.0], "0.001 0.01 0.1 1 10 100"),
            (Logarithmic, &[3.0, 70.0], "5 10 20 50"),
            (Logarithmic, &[0.02, 9.0], "0.03 0.1 0.3 1 3"),
            (Logarithmic, &[3.1, 4.4], "3.2 3.4 3.6 3.8 4.0 4.2 4.4"),
            (Logarithmic, &[1.0, 1e8], "1 10 100 1000 10000 100000 1e6 1e7 1e8"),
        ] {
            assert_eq!(labels(scale, values, false), expected);
        }
        assert_eq!(labels(Linear, &[3.0, 4.0], true), "0 1 2 3 4");
    }

    #[test]
    fn values_without_a_place_have_none() {
        for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(AxisScale::Logarithmic.place(value), None, "{value}");
        }
        assert_eq!(AxisScale::Linear.place(f64::NAN), None);
        assert_eq!(Span::of(AxisScale::Linear, std::iter::empty(), TICKS, [true; 2]), None);
    }

    #[test]
    fn any_span_has_few_ticks() {
        for exponent in -12..=12 {
            for width in [1.0, 1.7, 3.3, 9.99] {
                for start in [0.0, 123.456, -5e3] {
                    let high = start + width * power_of_ten(exponent);
                    if high == start {
                        continue;
                    }
                    let count = linear_ticks(start, high, TICKS, 0.0).len();
                    assert!((1..=12).contains(&count), "{start} {high}: {count}");
                }
                let count = logarithmic_ticks(-f64::from(exponent.abs()), width, TICKS).len();
                assert!(count <= 20, "{count}");
            }
        }
    }
}
