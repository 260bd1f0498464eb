//! Monte Carlo tree search from the start position, by its parts. The counter shows iterations per
//! second; compare the other rows with the first. `side_by_side` compares with `board-game`.
//!
//! Then random playouts. The counter shows playouts per second.

use std::sync::Arc;

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use rand::SeedableRng;
use tictune::game::{Blank, Position};
use tictune::games::uttt::evaluation::SquareTables;
use tictune::games::uttt::{Rules, Uttt};
use tictune::search::mcts::{Expansion, MctsParameters, Parallel, Playout, Tree, random_playout};
use tictune::search::{Budget, Mcts};
use tictune::seed::Generator;
use tictune::weights::Weights;

fn main() {
    divan::main();
}

const ITERATIONS: u64 = 100_000;

fn search(bencher: Bencher<'_, '_>, settings: MctsParameters) {
    let weights = Weights::builtin::<Uttt>("liang-comprehensive").expect("a built-in vector");
    let offset = Some(weights.greatest_value());
    let settings = MctsParameters { offset, ..settings };
    let start = Uttt::start(Rules::default());
    let mut generator = Generator::seed_from_u64(0);
    let bencher = bencher.counter(ItemsCount::new(ITERATIONS));
    if settings.evaluates() {
        let tables = SquareTables::new(weights.layout(), weights.values()).expect("its layout");
        let mut search = Mcts::new(settings, Arc::new(tables));
        bencher.bench_local(|| search.search(&start, Budget::of(ITERATIONS), &mut generator));
    } else {
        let mut search = Mcts::new(settings, Arc::new(Blank));
        bencher.bench_local(|| search.search(&start, Budget::of(ITERATIONS), &mut generator));
    }
}

#[divan::bench(max_time = 2)]
fn a_uct_random(bencher: Bencher<'_, '_>) {
    search(bencher, MctsParameters::default());
}

#[divan::bench(max_time = 2)]
fn uct_with_solver(bencher: Bencher<'_, '_>) {
    search(bencher, MctsParameters { solver: true, ..MctsParameters::default() });
}

#[divan::bench(max_time = 2)]
fn rave_random(bencher: Bencher<'_, '_>) {
    search(bencher, MctsParameters { tree: Tree::Rave, ..MctsParameters::default() });
}

#[divan::bench(max_time = 2)]
fn grave_random(bencher: Bencher<'_, '_>) {
    search(bencher, MctsParameters { tree: Tree::Grave, ..MctsParameters::default() });
}

#[divan::bench(max_time = 2, args = [Playout::WinFirst, Playout::Ept, Playout::Partial, Playout::Total])]
fn uct_with_playout(bencher: Bencher<'_, '_>, playout: Playout) {
    search(bencher, MctsParameters { playout, ..MctsParameters::default() });
}

#[divan::bench(max_time = 2)]
fn uct_with_heuristic_expansion(bencher: Bencher<'_, '_>) {
    search(
        bencher,
        MctsParameters { expansion: Expansion::Heuristic, ..MctsParameters::default() },
    );
}

#[divan::bench(max_time = 2, args = [Parallel::Root, Parallel::Tree, Parallel::Leaf])]
fn uct_on_two_threads(bencher: Bencher<'_, '_>, parallel: Parallel) {
    search(bencher, MctsParameters { threads: 2, parallel, ..MctsParameters::default() });
}

const PLAYOUTS: u64 = 5_000;

#[divan::bench(max_time = 2)]
fn playouts(bencher: Bencher<'_, '_>) {
    let start = Uttt::start(Rules::default());
    bencher.counter(ItemsCount::new(PLAYOUTS)).bench_local(|| {
        let mut generator = Generator::seed_from_u64(0);
        for _ in 0..PLAYOUTS {
            black_box(random_playout(black_box(&start), &mut generator));
        }
    });
}
