//! Speed of move generation in perft leaves per second. The last ply is counted, not played.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use tictune::game::{Position, perft};
use tictune::games::uttt::{Rules, Uttt};

fn main() {
    divan::main();
}

fn count(bencher: Bencher<'_, '_>, position: &Uttt, depth: u32) {
    let leaves = perft(position, depth);
    bencher
        .counter(ItemsCount::new(leaves))
        .bench_local(|| perft(black_box(position), black_box(depth)));
}

#[divan::bench(args = [4, 5, 6], max_time = 2)]
fn from_the_start(bencher: Bencher<'_, '_>, depth: u32) {
    count(bencher, &Uttt::start(Rules::default()), depth);
}

/// From a late position, where the choice is free, boards close and games end.
#[divan::bench(args = [4, 5, 6], max_time = 2)]
fn late(bencher: Bencher<'_, '_>, depth: u32) {
    let notation =
        "x1oxoo1x1/3oxx1o1/oooox1oxx/xo2xo1o1/xo1x1ooxx/x2xxo3/ox2oxxxx/xo1oxo1o1/1xxooo1x1 o -";
    let position = Uttt::from_notation(notation, Rules::default())
        .expect("a position of tests/data/perft.csv");
    count(bencher, &position, depth);
}
