//! Laws of every evaluation.

use std::fmt;

use rand::RngExt;

use super::Lawful;
use super::play::{RandomGame, playouts};
use crate::game::{
    Evaluator, EvaluatorVisitor, Features, Game, Score, WeightLayout, score_by_playing, valuation,
};
use crate::seed::{Role, generator};
use crate::weights::Weights;

/// An evaluation with weights.
#[derive(Debug)]
pub struct Case {
    pub name: String,
    pub layout: &'static WeightLayout,
    pub values: Vec<f64>,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "evaluation {}, weights {} {:?}", self.layout.name, self.name, self.values)
    }
}

/// Every evaluation of a game with weights that try it in different ways.
pub fn every_case<P: Lawful>() -> Vec<Case> {
    let mut generator = generator(5, Role::AgentA);
    let mut cases = Vec::new();
    for &layout in P::INFO.layouts {
        let mut add = |name: &str, values| cases.push(Case { name: name.into(), layout, values });
        for vector in P::INFO.vectors {
            let weights = Weights::builtin::<P>(vector.name).expect("a built-in name");
            if weights.layout() == layout {
                add(vector.name, weights.values().to_vec());
            }
        }
        let mut random = |value: &dyn Fn(f64) -> f64| -> Vec<f64> {
            (0..layout.len()).map(|_| value(generator.random_range(-1.0..1.0))).collect()
        };
        add("random", random(&|x| x));
        add("random of many magnitudes", random(&|x| x.signum() * 10_f64.powf(8.0 * x)));
        add("random huge", random(&|x| 1e300 * x));
        add("small whole numbers", random(&|x| (2.5 * x).round()));
        add("zero", vec![0.0; layout.len()]);
    }
    cases
}

/// Every evaluation of a game with every weight alone.
pub fn cases_of_one_weight<P: Lawful>(value: fn(usize) -> f64) -> impl Iterator<Item = Case> {
    P::INFO.layouts.iter().flat_map(move |&layout| {
        (0..layout.len()).map(move |slot| {
            let mut values = vec![0.0; layout.len()];
            values[slot] = value(slot);
            Case { name: format!("slot {slot} alone"), layout, values }
        })
    })
}

struct EvaluatorLaws<'c, P: Game> {
    case: &'c Case,
    playouts: &'c [RandomGame<P>],
}

impl<P: Lawful> EvaluatorVisitor<P> for EvaluatorLaws<'_, P> {
    type Output = ();

    fn visit<E: Evaluator<P>>(self, evaluator: E) {
        let case = self.case;
        let from_scratch = |position: &P| evaluator.score(&evaluator.state(position), position);
        let slots = case.layout.slots.iter();
        let rounding = slots.map(|slot| slot.greatest_count as i32).sum::<i32>() / 2 + 1;
        for playout in self.playouts {
            let mut state = evaluator.state(&P::start(playout.rules));
            for step in playout.steps() {
                let position = &step.position;
                if E::OF_POSITION_ALONE {
                    let what = format_args!("Evaluator::update (expected: state) of {case}");
                    step.same(what, state, evaluator.state(position));
                }
                let Some(next_move) = step.next_move() else { break };
                let score = evaluator.score(&state, position);
                let is_heuristic = score.0.abs() <= Score::HEURISTIC_BOUND + rounding;
                assert!(is_heuristic, "Evaluator::score too large, {score:?}: {case}\n{step}");
                for mv in position.legal_moves() {
                    let found = evaluator.score_after(&state, position, mv);
                    let played = score_by_playing(&evaluator, &state, position, mv);
                    let what =
                        format_args!("Evaluator::score_after of {mv} (expected: score) of {case}");
                    step.same(what, found, played);
                }
                let symmetric = P::evaluations_are_symmetric() && E::OF_POSITION_ALONE;
                for symmetry in (0..P::SYMMETRIES).filter(|_| symmetric) {
                    let image = from_scratch(&position.image(symmetry));
                    let what = format_args!("Evaluator::score of Lawful::image {symmetry}, {case}");
                    step.same(what, image, score);
                }
                if let Some(swapped) = position.with_marks_swapped()
                    && !P::looks_at_side_to_move(case.layout)
                {
                    let what = format_args!(
                        "Evaluator::score of Lawful::with_marks_swapped (or looks_at_side_to_move), {case}"
                    );
                    step.same(what, from_scratch(&swapped), -score);
                }
                evaluator.update(&mut state, position, next_move, &position.after(next_move));
            }
        }
    }
}

fn check<P: Lawful>(case: &Case, playouts: &[RandomGame<P>]) {
    P::with_evaluator(case.layout, &case.values, EvaluatorLaws { case, playouts })
        .unwrap_or_else(|error| panic!("{case}: {error}"));
}

pub fn evaluations_obey_their_laws<P: Lawful>() {
    let playouts: Vec<RandomGame<P>> = playouts(30).collect();
    every_case::<P>().iter().for_each(|case| check(case, &playouts));
}

/// A single weight just below a power of two is rounded up to the bound of scores itself. The sums on
/// the way to a score must have room for that.
pub fn weights_rounded_up_to_the_bound_of_scores_do_not_overflow<P: Lawful>() {
    let playouts: Vec<RandomGame<P>> = playouts(2).collect();
    cases_of_one_weight::<P>(|_| 1.0_f64.next_down()).for_each(|case| check(&case, &playouts));
}

/// Vectors of weights, each with how near values come to their sums.
fn check_linear<P: Lawful>(
    layout: &'static WeightLayout,
    vectors: &[(Vec<f64>, f64)],
    games: &[RandomGame<P>],
) {
    let features = Features::<P>::new(layout).expect("a layout of the game");
    let valuations = vectors.iter().map(|(weights, _)| valuation::<P>(layout, weights));
    let valuations: Vec<_> = valuations.map(|made| made.expect("a layout of the game")).collect();
    let of_position_alone = P::INFO.of_position_alone(layout);
    for step in games.iter().flat_map(RandomGame::steps) {
        let is_sum = |(weights, near): &(Vec<f64>, f64), value: f64, counts: &[f64]| {
            let sum: f64 = weights.iter().zip(counts).map(|(weight, count)| weight * count).sum();
            let fits = (value - sum).abs() <= *near;
            let what = format_args!("{} {weights:?} in\n{step}", layout.name);
            assert!(
                fits,
                "Evaluator::score is {value}, but weights times counts are {sum}: {what}"
            );
        };
        let position = &step.position;
        let view = position.side_to_move();
        let counts = features.of(position, view);
        for (slot, count) in layout.slots.iter().zip(&counts) {
            let (name, greatest) = (slot.name, slot.greatest_count);
            assert_eq!(count.fract(), 0.0, "{name} is not whole: Evaluator::scale?\n{step}");
            let fits = count.abs() <= f64::from(greatest);
            assert!(fits, "{name} is {count}, but its Slot::greatest_count {greatest}\n{step}");
        }
        let moves: Vec<P::Move> =
            position.legal_moves().filter(|&mv| position.after(mv).outcome().is_none()).collect();
        let rows = features.after(position, &moves);
        for (&mv, row) in moves.iter().zip(rows.chunks(layout.len())).filter(|_| of_position_alone)
        {
            let what = format_args!("counts after {mv}");
            step.same(what, row, &features.of(&position.after(mv), view));
        }
        for (vector, valuation) in vectors.iter().zip(&valuations) {
            is_sum(vector, valuation.of(position, view), &counts);
            let mut values = vec![0.0; moves.len()];
            valuation.after(position, &moves, &mut values, 1);
            for (row, value) in rows.chunks(layout.len()).zip(values) {
                is_sum(vector, value, row);
            }
        }
    }
}

/// The law that learning needs.
pub fn evaluations_are_linear_in_their_slots<P: Lawful>() {
    let games: Vec<RandomGame<P>> = playouts(30).collect();
    let mut generator = generator(8, Role::AgentA);
    for layout in P::INFO.layouts {
        let mut random = || (0..layout.len()).map(|_| generator.random_range(-9.0..9.0)).collect();
        let any: Vec<f64> = random();
        let counts: f64 = layout.slots.iter().map(|slot| f64::from(slot.greatest_count)).sum();
        // In fixed point a weight is rounded by at most half a unit, of which there are 2^29 or more in
        // the greatest value, and counted as often as its slot says.
        let unit = 9.0 * counts / f64::from(1 << 29);
        let whole = random().into_iter().map(f64::round).collect();
        check_linear(layout, &[(any, 0.5 * unit * counts), (whole, 0.0)], &games);
    }
}
