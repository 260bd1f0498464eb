//! The law that learning needs: every evaluation is linear in its slots.

use rand::RngExt;

use super::Lawful;
use super::play::{Playout, playouts};
use crate::game::{Features, WeightLayout, valuation};
use crate::seed::{Role, generator};

fn check<P: Lawful>(
    layout: &'static WeightLayout,
    weights: &[f64],
    near: f64,
    games: &[Playout<P>],
) {
    let features = Features::<P>::new(layout).expect("a layout of the game");
    let valuation = valuation::<P>(layout, weights).expect("a layout of the game");
    let of_position_alone = P::INFO.of_position_alone(layout);
    for step in games.iter().flat_map(Playout::steps) {
        let is_sum = |value: f64, counts: &[f64]| {
            let sum: f64 = weights.iter().zip(counts).map(|(weight, count)| weight * count).sum();
            let fits = (value - sum).abs() <= near;
            let what = format_args!("{} {weights:?} in\n{step}", layout.name);
            assert!(
                fits,
                "Evaluator::score is {value}, but weights times counts are {sum}: {what}"
            );
        };
        let position = &step.position;
        let view = position.side_to_move();
        let counts = features.of(position, view);
        is_sum(valuation.of(position, view), &counts);
        for (slot, count) in layout.slots.iter().zip(counts) {
            let (name, greatest) = (slot.name, slot.greatest_count);
            assert_eq!(count.fract(), 0.0, "{name} is not whole: Evaluator::scale?\n{step}");
            let fits = count.abs() <= f64::from(greatest);
            assert!(fits, "{name}: {count} is above Slot::greatest_count, {greatest}\n{step}");
        }
        let moves: Vec<P::Move> =
            position.legal_moves().filter(|&mv| position.after(mv).outcome().is_none()).collect();
        let rows = features.after(position, &moves);
        let mut values = vec![0.0; moves.len()];
        valuation.after(position, &moves, &mut values, 1);
        for ((&mv, row), value) in moves.iter().zip(rows.chunks(layout.len())).zip(values) {
            if of_position_alone {
                let what = format_args!("counts after {mv}");
                step.same(what, row, &features.of(&position.after(mv), view));
            }
            is_sum(value, row);
        }
    }
}

pub fn evaluations_are_linear_in_their_slots<P: Lawful>() {
    let games: Vec<Playout<P>> = playouts(75).collect();
    let mut generator = generator(8, Role::AgentA);
    for layout in P::INFO.layouts {
        let mut random = || (0..layout.len()).map(|_| generator.random_range(-9.0..9.0)).collect();
        let any: Vec<f64> = random();
        let counts: f64 = layout.slots.iter().map(|slot| f64::from(slot.greatest_count)).sum();
        // In fixed point a weight is rounded by at most half a unit, of which there are 2^29 or more in
        // the greatest value, and counted as often as its slot says.
        let unit = 9.0 * counts / f64::from(1 << 29);
        check(layout, &any, 0.5 * unit * counts, &games);
        let whole: Vec<f64> = random().into_iter().map(f64::round).collect();
        check(layout, &whole, 0.0, &games);
    }
}
