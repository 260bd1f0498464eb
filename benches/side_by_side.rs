//! Perft and random playouts: this crate and the `board-game` crate in one run, on one machine.
//!
//! `board-game` has two perfts. Its `perft` keeps counts of positions in a hash map, which saves work
//! where move orders meet again and costs memory; its `perft_naive` is the plain recursion, as ours is,
//! and the row to compare with. Both count the last ply without playing it. Theirs plays with a check of
//! legality, the only way its trait offers.
//!
//! Playouts draw moves with generators of the same kind (xoshiro256++, by way of either version of
//! `rand`): theirs by its own `play_random_available_move`, ours by index into the list of legal moves.
//! (`SmallRng` is a feature of `rand` 0.8 that `board-game` turns on.)

use board_game::board::Board;
use board_game::games::sttt::STTTBoard;
use board_game::util::game_stats;
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use rand::RngExt;
use rand_08::SeedableRng;
use rand_08::rngs::SmallRng;
use tictune::position::{Position, Rules, Uttt, perft};
use tictune::seed::{Role, generator};

fn main() {
    divan::main();
}

const DEPTHS: [u32; 2] = [5, 6];
const PLAYOUTS: u32 = 1000;

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
        let mut generator = generator(0, Role::AgentA);
        bencher.counter(ItemsCount::new(PLAYOUTS)).bench_local(|| {
            for _ in 0..PLAYOUTS {
                let mut position = Uttt::start(Rules::default());
                while position.outcome().is_none() {
                    let index = generator.random_range(0..position.legal_move_count() as u32);
                    let mv = position.legal_moves().nth(index as usize);
                    position.play_unchecked(mv.expect("the index is below the count"));
                }
                black_box(position.outcome());
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
