//! Perft, random playouts and Monte Carlo tree search: this crate and the `board-game` crate in one run, on
//! one machine.
//!
//! `board-game` has two perfts. Its `perft` keeps counts of positions in a hash map, which saves work
//! where move orders meet again and costs memory; its `perft_naive` is the plain recursion, as ours is,
//! and the row to compare with. Both count the last ply without playing it. Theirs plays with a check of
//! legality, the only way its trait offers.
//!
//! Playouts draw moves with generators of the same kind (xoshiro256++, by way of either version of
//! `rand`): theirs by its own `play_random_available_move`, ours by `random_playout`. (`SmallRng` is a feature
//! of `rand` 0.8 that `board-game` turns on.)
//!
//! Tree searches do the same number of iterations from the start position with random playouts, C = 0.5 and
//! rewards from 0 to 1, on one thread. They are not the same search. Theirs always backs up proven results,
//! which ours does in a row of its own; theirs makes and looks at all children of a node at once and tries
//! them in random order, ours makes one at a time in the order of moves; theirs plays moves with a check of
//! legality and computes in `f32`. Both grow their trees as they go, but ours, as in a game, uses the memory
//! of the last search again, while theirs allocates anew; freeing it is not timed. A row that starts with no
//! memory shows what that is worth.

use std::sync::Arc;

use board_game::ai::mcts::mcts_build_tree;
use board_game::board::Board;
use board_game::games::sttt::STTTBoard;
use board_game::util::game_stats;
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use rand_08::SeedableRng;
use rand_08::rngs::SmallRng;
use tictune::eval::Blank;
use tictune::position::{Position, Rules, Uttt, perft};
use tictune::search::mcts::{Settings, random_playout};
use tictune::search::{Budget, Mcts};
use tictune::seed::{Role, generator};

fn main() {
    divan::main();
}

const DEPTHS: [u32; 2] = [5, 6];
const PLAYOUTS: u32 = 1000;
const ITERATIONS: u64 = 100_000;
const EXPLORATION: f64 = 0.5;

fn leaves(depth: u32) -> ItemsCount {
    ItemsCount::new(perft(&Uttt::start(Rules::default()), depth))
}

mod perft_from_the_start {
    use super::*;

    #[divan::bench(args = DEPTHS, max_time = 1)]
    fn tictune(bencher: Bencher<'_, '_>, depth: u32) {
        let start = Uttt::start(Rules::default());
        bencher.counter(leaves(depth)).bench_local(|| perft(black_box(&start), depth));
    }

    #[divan::bench(args = DEPTHS, max_time = 2)]
    fn board_game_plain(bencher: Bencher<'_, '_>, depth: u32) {
        let start = STTTBoard::default();
        bencher
            .counter(leaves(depth))
            .bench_local(|| game_stats::perft_naive(black_box(&start), depth));
    }

    #[divan::bench(args = DEPTHS, max_time = 2)]
    fn board_game_with_hash_map(bencher: Bencher<'_, '_>, depth: u32) {
        let start = STTTBoard::default();
        bencher.counter(leaves(depth)).bench_local(|| game_stats::perft(black_box(&start), depth));
    }
}

mod random_playouts {
    use super::*;

    #[divan::bench(max_time = 1)]
    fn tictune(bencher: Bencher<'_, '_>) {
        let start = Uttt::start(Rules::default());
        let mut generator = generator(0, Role::AgentA);
        bencher.counter(ItemsCount::new(PLAYOUTS)).bench_local(|| {
            for _ in 0..PLAYOUTS {
                black_box(random_playout(black_box(&start), &mut generator));
            }
        });
    }

    #[divan::bench(max_time = 1)]
    fn board_game(bencher: Bencher<'_, '_>) {
        let mut generator = SmallRng::seed_from_u64(0);
        bencher.counter(ItemsCount::new(PLAYOUTS)).bench_local(|| {
            for _ in 0..PLAYOUTS {
                let mut board = STTTBoard::default();
                while board.outcome().is_none() {
                    board.play_random_available_move(&mut generator).expect("the game is not over");
                }
                black_box(board.outcome());
            }
        });
    }
}

mod tree_search {
    use super::*;

    fn search(bencher: Bencher<'_, '_>, solver: bool) {
        let start = Uttt::start(Rules::default());
        let settings = Settings { exploration: EXPLORATION, solver, ..Settings::default() };
        let mut search = Mcts::new(settings, Arc::new(Blank));
        let mut generator = generator(0, Role::AgentA);
        bencher.counter(ItemsCount::new(ITERATIONS)).bench_local(|| {
            search.search(black_box(&start), Budget::of(ITERATIONS), &mut generator)
        });
    }

    #[divan::bench(max_time = 2)]
    fn tictune(bencher: Bencher<'_, '_>) {
        search(bencher, false);
    }

    #[divan::bench(max_time = 2)]
    fn tictune_with_solver(bencher: Bencher<'_, '_>) {
        search(bencher, true);
    }

    #[divan::bench(max_time = 2)]
    fn tictune_with_solver_and_new_memory(bencher: Bencher<'_, '_>) {
        let start = Uttt::start(Rules::default());
        let settings = Settings { exploration: EXPLORATION, solver: true, ..Settings::default() };
        let mut generator = generator(0, Role::AgentA);
        bencher.counter(ItemsCount::new(ITERATIONS)).bench_local(|| {
            let mut search = Mcts::new(settings.clone(), Arc::new(Blank));
            let found = search.search(black_box(&start), Budget::of(ITERATIONS), &mut generator);
            (search, found)
        });
    }

    #[divan::bench(max_time = 2)]
    fn board_game(bencher: Bencher<'_, '_>) {
        let start = STTTBoard::default();
        let mut generator = SmallRng::seed_from_u64(0);
        bencher.counter(ItemsCount::new(ITERATIONS)).bench_local(|| {
            mcts_build_tree(black_box(&start), ITERATIONS, EXPLORATION as f32, &mut generator)
        });
    }
}
