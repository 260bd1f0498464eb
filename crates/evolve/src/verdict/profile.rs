//! The profile of a run's winner: each number alone at other values, against the winner.

use super::validation::Fixture;
use crate::error::Result;
use crate::journal::MatchRow;
use crate::plan::{NamedNumber, Plan, Scale, Vector, in_four_digits, least_step, place_in_range};
use tictune_core::seed::mix;

/// A number at one value, and at that of the winner.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed {
    pub number: String,
    pub value: f64,
    pub winner: f64,
}

impl Changed {
    /// What a match of a profile was about; none where it was no such match.
    pub fn of_row(row: &MatchRow) -> Option<Self> {
        let side = |text: &str| {
            let (number, value) = text.rsplit_once(" = ")?;
            Some((number.to_owned(), value.parse::<f64>().ok()?))
        };
        let (number, value) = side(&row.search)?;
        let (other, winner) = side(&row.opponent)?;
        (number == other).then_some(Self { number, value, winner })
    }
}

/// The matches of a profile. A parameter is tried at the ends of its range and half-way to those that are not near; a weight at 0, half
/// as large, half as large again, and twice as large; one that is 0 at a hundredth of the largest, up and down.
pub fn fixtures_of_profile(
    plan: &Plan,
    winner: &Vector,
    games: u64,
    seed: u64,
) -> Result<Vec<Fixture>> {
    let values = winner.numbers();
    let weights: Vec<f64> =
        winner.weights.iter().flat_map(|weights| weights.values().to_vec()).collect();
    let evolved = &plan.comparison.agent;
    let of_winner = winner.apply_to(evolved)?;
    let mut fixtures = Vec::new();
    for number in plan.numbers() {
        let Some(place) = values.iter().position(|(name, _)| *name == number.name) else {
            continue;
        };
        for value in tried(&number, values[place].1, &weights) {
            let mut changed = values.clone();
            changed[place].1 = value;
            let changed = plan.vector_of(&winner.name, &changed)?.apply_to(evolved)?;
            let side = |value: f64| format!("{} = {value}", number.name);
            fixtures.push(Fixture {
                openings: plan.comparison.openings.clone(),
                opponent: side(values[place].1),
                search: side(value),
                depth: None,
                agents: [changed, of_winner.clone()],
                games,
                seed: mix(seed, fixtures.len() as u64),
            });
        }
    }
    Ok(fixtures)
}

/// So near an end of its range, as a share of it, a winner is tried at the end alone: half-way to it tells nothing.
const NEAR_END: f64 = 0.1;

/// The values at which a number is tried, the lowest first, with at most four digits unless it is an end of its range.
fn tried(number: &NamedNumber<'_>, winner: f64, weights: &[f64]) -> Vec<f64> {
    let [low, high] = match (number.low, number.high) {
        (Some(low), Some(high)) => [low, high],
        _ => {
            let least = least_step(weights).unwrap_or(0.0);
            let reach = if winner == 0.0 { least } else { winner.abs() };
            [winner - reach, winner + reach].map(in_four_digits)
        }
    };
    let between = |end: f64| {
        let middle = match number.scale {
            Some(Scale::Log) => winner.sqrt() * end.sqrt(),
            _ => winner.midpoint(end),
        };
        let rounded = if number.whole { middle.round() } else { in_four_digits(middle) };
        // What lies between numbers that are near each other is not rounded to one beyond them.
        let is_between = end.min(winner) <= rounded && rounded <= end.max(winner);
        if is_between { rounded } else { middle }
    };
    let place = place_in_range(winner, [low, high], number.scale);
    let below = (place > NEAR_END).then(|| between(low));
    let above = (place < 1.0 - NEAR_END).then(|| between(high));
    let mut values: Vec<f64> =
        [Some(low), below, above, Some(high)].into_iter().flatten().collect();
    // A winner at an end of its range may be the next number beside it.
    values.retain(|value| (value - winner).abs() > 1e-9 * winner.abs().max(f64::MIN_POSITIVE));
    values.dedup();
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::connecting;
    use crate::plan::{Parameter, SlotPlan};

    #[test]
    fn numbers_are_tried_below_and_above_the_winner() {
        let tried_of = |[low, high]: [f64; 2], scale, whole, winner| {
            let parameter = Parameter { key: "n".into(), initial: low, low, high, scale, whole };
            tried(&NamedNumber::of_parameter(&parameter), winner, &[])
        };
        let weight = NamedNumber::of_slot("n", SlotPlan::Free, 0.0);
        let weights = [2.0, -1.2345678, 0.0, 0.0];
        assert_eq!(tried(&weight, 2.0, &weights), [0.0, 1.0, 3.0, 4.0]);
        assert_eq!(tried(&weight, -1.2345678, &weights), [-2.469, -1.852, -0.6173, 0.0]);
        assert_eq!(tried(&weight, 0.0, &weights), [-0.02, -0.01, 0.01, 0.02]);
        assert_eq!(tried(&weight, 0.0, &[0.0]), [0.0; 0], "of nothing there is no size");
        let whole = |winner| tried_of([1.0, 8.0], Scale::Linear, true, winner);
        assert_eq!((whole(2.0), whole(8.0)), (vec![1.0, 5.0, 8.0], vec![1.0, 5.0]));
        let log = |winner| tried_of([1.0, 100.0], Scale::Log, false, winner);
        assert_eq!(log(4.0), [1.0, 2.0, 20.0, 100.0]);
        assert_eq!(log(99.999_999_999_999), [1.0, 10.0]);
        assert_eq!(log(90.0), [1.0, 9.487, 100.0]);
        assert_eq!(log(1.000_000_000_000_1), [10.0, 100.0]);
        let in_order = tried_of([10_000.1, 10_000.3], Scale::Linear, false, 10_000.2);
        assert!(in_order.len() == 4 && in_order.is_sorted(), "{in_order:?}");
    }

    #[test]
    fn each_match_changes_one_number() {
        let plan = connecting("leave_out = [\"micro_win\"]");
        let winner = plan.vector_at("winner", &plan.start_point()).unwrap();
        let fixtures = fixtures_of_profile(&plan, &winner, 10, 7).unwrap();
        assert_eq!(fixtures.len(), 4 * plan.numbers().count());
        for fixture in &fixtures {
            let [changed, of_winner] = fixture
                .agents
                .each_ref()
                .map(|agent| agent.weights().expect("weights are evolved").values().to_vec());
            assert_eq!(changed.iter().zip(&of_winner).filter(|(a, b)| a != b).count(), 1);
        }
    }
}
