//! Iterative deepening to fixed depths, with a table and without, on the same positions in one run. `direct` is fixed-depth
//! minimax, without the smaller depths before it.

use std::sync::Arc;

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use rand::RngExt;
use tictune::game::{Position, Searchable};
use tictune::games::uttt::evaluation::SquareTables;
use tictune::games::uttt::{Rules, Uttt};
use tictune::search::{Budget, Iterative, Minimax};
use tictune::seed::{Role, generator};
use tictune::weights::Weights;

fn main() {
    divan::main();
}

const DEPTHS: [u32; 2] = [9, 11];
const UNLIMITED: Budget<'_> = Budget::of(u64::MAX);

/// Positions after 4, 12 and 20 random plies.
fn positions() -> Vec<Uttt> {
    (0..24)
        .map(|seed| {
            let mut generator = generator(seed, Role::Opening);
            let mut position = Uttt::start(Rules::default());
            for _ in 0..4 + seed % 3 * 8 {
                position.play_drawn(|count| generator.random_range(0..count));
            }
            position
        })
        .filter(|position| position.outcome().is_none())
        .collect()
}

fn evaluator() -> Arc<SquareTables> {
    let weights = Weights::builtin::<Uttt>("liang-comprehensive").expect("a built-in vector");
    Arc::new(SquareTables::new(weights.layout(), weights.values()).expect("its own layout"))
}

#[divan::bench(args = DEPTHS, consts = [0, 16], max_time = 3)]
fn with_table_of_mib<const MIB: u32>(bencher: Bencher<'_, '_>, depth: u32) {
    let (positions, evaluator) = (positions(), evaluator());
    let search = |position: &Uttt| {
        Iterative::new(Arc::clone(&evaluator), Some(depth), (MIB > 0).then_some(MIB))
            .search(position, UNLIMITED)
    };
    let nodes: u64 = positions.iter().map(|p| search(p).analysis.nodes).sum();
    bencher.counter(ItemsCount::new(nodes)).bench_local(|| {
        for position in &positions {
            black_box(search(black_box(position)));
        }
    });
}

#[divan::bench(args = DEPTHS, max_time = 3)]
fn direct(bencher: Bencher<'_, '_>, depth: u32) {
    let (positions, evaluator) = (positions(), evaluator());
    let search = |position: &Uttt| Minimax::new(&*evaluator).analyse(position, depth);
    let nodes: u64 = positions.iter().map(|p| search(p).nodes).sum();
    bencher.counter(ItemsCount::new(nodes)).bench_local(|| {
        for position in &positions {
            black_box(search(black_box(position)));
        }
    });
}
