//! Speed of evaluation in positions per second: from scratch, incrementally along a game, and one
//! move ahead, as in the last ply of a search. Also the time to build an evaluator, which is needed
//! for each candidate.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use rand::RngExt;
use tictune::game::{Evaluator, Position, Score};
use tictune::games::uttt::evaluation::SquareTables;
use tictune::games::uttt::{Rules, Uttt, UtttMove};
use tictune::seed::{Role, generator, mix};
use tictune::weights::Weights;

fn main() {
    divan::main();
}

/// The cheapest and the most expensive of Liang's four evaluations.
const WEIGHTS: [&str; 2] = ["liang-simple", "liang-comprehensive"];

fn weights(name: &str) -> Weights {
    Weights::builtin::<Uttt>(name).expect("a built-in name")
}

fn evaluator(name: &str) -> SquareTables {
    let weights = weights(name);
    SquareTables::new(weights.layout(), weights.values()).expect("its own layout")
}

/// A random game and its positions, each with the move that follows.
fn game(seed: u64) -> Vec<(Uttt, UtttMove)> {
    let mut generator = generator(mix(0, seed), Role::Opening);
    let mut position = Uttt::start(Rules::default());
    let mut game = Vec::new();
    while position.outcome().is_none() {
        let index = generator.random_range(0..position.legal_move_count() as u32);
        let mv = position.legal_moves().nth(index as usize).expect("the index is below the count");
        game.push((position, mv));
        position.play_unchecked(mv);
    }
    game
}

/// Steps of random games: a position, the move played there, and the position that follows.
fn steps() -> Vec<(Uttt, UtttMove, Uttt)> {
    let games = (0..40).flat_map(game);
    games.map(|(before, mv)| (before, mv, before.after(mv))).collect()
}

#[divan::bench(args = WEIGHTS, max_time = 1)]
fn from_scratch(bencher: Bencher<'_, '_>, name: &str) {
    let (evaluator, steps) = (evaluator(name), steps());
    bencher.counter(ItemsCount::new(steps.len())).bench_local(|| {
        for (position, ..) in &steps {
            let state = evaluator.state(black_box(position));
            black_box(evaluator.score(&state, position));
        }
    });
}

/// Updates alone; the moves are played beforehand.
#[divan::bench(args = WEIGHTS, max_time = 1)]
fn incremental(bencher: Bencher<'_, '_>, name: &str) {
    let (evaluator, steps) = (evaluator(name), steps());
    bencher.counter(ItemsCount::new(steps.len())).bench_local(|| {
        let mut state = 0;
        for (before, mv, after) in &steps {
            evaluator.update(&mut state, black_box(before), *mv, after);
            black_box(evaluator.score(&state, after));
        }
    });
}

/// Every legal move of every position, without playing it if possible.
#[divan::bench(args = WEIGHTS, max_time = 1)]
fn a_move_ahead(bencher: Bencher<'_, '_>, name: &str) {
    let (evaluator, steps) = (evaluator(name), steps());
    let states: Vec<_> = steps.iter().map(|(position, ..)| evaluator.state(position)).collect();
    let moves: usize = steps.iter().map(|(position, ..)| position.legal_move_count()).sum();
    bencher.counter(ItemsCount::new(moves)).bench_local(|| {
        let mut best = Score::LOSS;
        for ((position, ..), state) in steps.iter().zip(&states) {
            for mv in black_box(position).legal_moves() {
                best = best.max(evaluator.score_after(state, position, mv));
            }
        }
        best
    });
}

#[divan::bench(args = WEIGHTS, max_time = 1)]
fn build(bencher: Bencher<'_, '_>, name: &str) {
    let weights = weights(name);
    bencher.bench_local(|| SquareTables::new(weights.layout(), black_box(weights.values())));
}
