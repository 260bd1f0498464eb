//! Speed of minimax in nodes per second, to fixed depths from fixed positions. The number of nodes
//! is pinned in `tests/search/twin.rs` and by `tictune bench`. A change in speed and a
//! change in the number of nodes can therefore be distinguished.

use std::fmt;

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use tictune::game::Position;
use tictune::games::uttt::evaluation::SquareTables;
use tictune::games::uttt::{Rules, Uttt};
use tictune::search::Minimax;
use tictune::weights::Weights;

fn main() {
    divan::main();
}

struct Case {
    name: &'static str,
    notation: &'static str,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

const CASES: [Case; 3] = [
    Case { name: "centre opening", notation: "9/9/9/9/4x4/9/9/9/9 o 1,1" },
    Case {
        name: "middle game",
        notation: "x2o5/ox7/o2x2x1o/4o4/1o2xx3/3x1o2o/9/2o2o1x1/x3x4 x 1,2",
    },
    Case {
        name: "late, free choice",
        notation: "x1oxoo1x1/3oxx1o1/oooox1oxx/xo2xo1o1/xo1x1ooxx/x2xxo3/ox2oxxxx/xo1oxo1o1/1xxooo1x1 o -",
    },
];

fn analyse(bencher: Bencher<'_, '_>, case: &Case, depth: u32) {
    let weights = Weights::builtin::<Uttt>("liang-comprehensive").expect("a built-in name");
    let evaluator = SquareTables::new(weights.layout(), weights.values()).expect("its own layout");
    let position =
        Uttt::from_notation(case.notation, Rules::default()).expect("a position that reads");
    let nodes = Minimax::new(&evaluator).analyse(&position, depth).nodes;
    bencher
        .counter(ItemsCount::new(nodes))
        .bench_local(|| Minimax::new(&evaluator).analyse(black_box(&position), depth));
}

#[divan::bench(args = &CASES, max_time = 1)]
fn depth_3(bencher: Bencher<'_, '_>, case: &Case) {
    analyse(bencher, case, 3);
}

#[divan::bench(args = &CASES, max_time = 1)]
fn depth_5(bencher: Bencher<'_, '_>, case: &Case) {
    analyse(bencher, case, 5);
}

#[divan::bench(args = &CASES, max_time = 2)]
fn depth_7(bencher: Bencher<'_, '_>, case: &Case) {
    analyse(bencher, case, 7);
}
