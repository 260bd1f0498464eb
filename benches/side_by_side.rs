//! Compares this crate with the `board-game` crate: searches to a fixed depth, random playouts,
//! Monte Carlo tree search and perft. Everything runs on one machine and on one thread. The
//! benchmark prints a table of units per second of each crate and their ratio:
//!
//!     cargo bench -p tictune-benches --bench side_by_side
//!     cargo bench -p tictune-benches --bench side_by_side -- minimax
//!
//! With a word, only rows whose names contain it are measured. The two crates take turns, so that
//! other load on the machine affects both. The figures are medians over the rounds, and the ratio
//! is the median of the rounds' ratios. "Ours" is this crate, "theirs" is `board-game`.
//!
//! - **minimax** searches random positions with Liang's comprehensive evaluation. The unit is a
//!   whole search of one position for its value and best moves, since nodes are not comparable.
//!   Both crates find the same values; every run checks that before it measures. Theirs uses the
//!   same tables of patterns and updates the value incrementally, but it has to read a small board
//!   square by square.
//! - **playouts** draw moves with the same kind of generator (xoshiro256++, through either version
//!   of `rand`). Theirs uses its own `play_random_available_move`. Ours uses `random_playout`.
//!   (`SmallRng` is a feature of `rand` 0.8 that `board-game` enables.)
//! - **UCT** runs the same number of iterations from the start position with random playouts, C =
//!   0.5 and rewards from 0 to 1. The searches differ. Theirs always backs up proven results; ours
//!   does so in separate rows. Theirs adds all children of a node at once and tries them in random
//!   order; ours adds one at a time in generation order. Theirs checks the legality of moves and
//!   computes in `f32`. Ours reuses the memory of the last search, as in a game; theirs allocates
//!   again. One row of ours starts without memory and shows the difference.
//! - **perft**: theirs has two versions. `perft_naive` is plain recursion like ours and is the one
//!   to compare with. `perft` stores counts of positions in a hash map, which saves work if
//!   different move orders reach the same position. All versions count the last ply without playing
//!   it. Theirs checks the legality of moves, since its trait has no other way to play them.

#![allow(clippy::print_stdout, reason = "a table is what it is for")]

mod side_by_side {
    pub(crate) mod evaluation;
    pub(crate) mod timing;
}

use std::hint::black_box;
use std::sync::Arc;

use board_game::ai::mcts::mcts_build_tree;
use board_game::ai::minimax::minimax_all_moves;
use board_game::board::Board;
use board_game::games::sttt::{Coord, STTTBoard};
use board_game::util::game_stats;
use rand::RngExt;
use rand_08::SeedableRng;
use rand_08::rngs::SmallRng;
use side_by_side::evaluation::Comprehensive;
use side_by_side::timing::{Row, Side, measure};
use tictune::game::{Blank, Evaluator, EvaluatorVisitor, Game, Position, perft};
use tictune::games::uttt::{Rules, Uttt};
use tictune::search::mcts::{MctsParameters, random_playout};
use tictune::search::{Budget, Mcts, Minimax};
use tictune::seed::{Role, generator};
use tictune::weights::Weights;

const WEIGHTS: &str = "liang-comprehensive";
/// The depths, and the number of positions that are searched.
const SEARCHES: [(u32, usize); 3] = [(3, 200), (5, 100), (7, 50)];
const PLAYOUTS: u64 = 10_000;
const ITERATIONS: u64 = 100_000;
const EXPLORATION: f64 = 0.5;

fn main() {
    let mut rows = Vec::new();
    rows.extend(SEARCHES.map(|(depth, positions)| minimax_row(depth, positions)));
    rows.push(playout_row());
    rows.extend([
        uct_row("UCT", false, true),
        uct_row("UCT, solver", true, true),
        uct_row("UCT, solver, new memory", true, false),
    ]);
    rows.extend([5, 6].map(|depth| perft_row("perft", depth, game_stats::perft_naive)));
    rows.push(perft_row("perft, theirs with a hash map,", 6, game_stats::perft));
    measure(rows);
}

/// The same random positions for both crates, from every phase of the game but its end.
fn positions(count: usize) -> Vec<(Uttt, STTTBoard)> {
    let mut generator = generator(1, Role::Opening);
    let mut found = Vec::new();
    while found.len() < count {
        let plies = generator.random_range(0..40);
        let (mut position, mut board) = (Uttt::start(Rules::default()), STTTBoard::default());
        for _ in 0..plies {
            if position.outcome().is_none() {
                let count = position.legal_move_count() as u32;
                let mv = position.nth_legal_move(generator.random_range(0..count) as usize);
                position.play_unchecked(mv);
                board.play(Coord::from_o(mv.index() as u8)).expect("a legal move");
            }
        }
        if position.outcome().is_none() {
            found.push((position, board));
        }
    }
    found
}

/// One of our searches to a depth. It gives the value for the side to move.
type Search = Box<dyn Fn(&Uttt, u32) -> i32>;

struct Searching;

impl EvaluatorVisitor<Uttt> for Searching {
    type Output = Search;

    fn visit<E: Evaluator<Uttt>>(self, evaluator: E) -> Search {
        Box::new(move |position, depth| {
            black_box(Minimax::new(&evaluator).analyse(position, depth)).score.0
        })
    }
}

fn minimax_row(depth: u32, count: usize) -> Row {
    let make = move || {
        let weights = Weights::builtin::<Uttt>(WEIGHTS).expect("built in");
        let ours = Uttt::with_evaluator(weights.layout(), weights.values(), Searching);
        let (ours, theirs) = (ours.expect("they fit"), Comprehensive::new(&weights));
        let (positions, boards): (Vec<_>, Vec<_>) = positions(count).into_iter().unzip();
        for (position, board) in positions.iter().zip(&boards) {
            let value = minimax_all_moves(board, &theirs, depth).value;
            assert_eq!(ours(position, depth), value, "ours and theirs of\n{position}");
        }
        let ours = move || {
            for position in &positions {
                black_box(ours(position, depth));
            }
            count as u64
        };
        let theirs = move || {
            for board in &boards {
                black_box(minimax_all_moves(board, &theirs, depth));
            }
            count as u64
        };
        [Box::new(ours) as Side, Box::new(theirs)]
    };
    Row { name: format!("minimax, depth {depth}"), unit: "searches", make: Box::new(make) }
}

fn playout_row() -> Row {
    let make = move || {
        let (start, board) = (Uttt::start(Rules::default()), STTTBoard::default());
        let mut generator = generator(0, Role::AgentA);
        let mut their_generator = SmallRng::seed_from_u64(0);
        let ours = move || {
            for _ in 0..PLAYOUTS {
                black_box(random_playout(black_box(&start), &mut generator));
            }
            PLAYOUTS
        };
        let theirs = move || {
            for _ in 0..PLAYOUTS {
                let mut board = black_box(&board).clone();
                while board.outcome().is_none() {
                    let played = board.play_random_available_move(&mut their_generator);
                    played.expect("the game is not over");
                }
                black_box(board.outcome());
            }
            PLAYOUTS
        };
        [Box::new(ours) as Side, Box::new(theirs)]
    };
    Row { name: "random playouts".into(), unit: "playouts", make: Box::new(make) }
}

fn uct_row(name: &str, solver: bool, reuse: bool) -> Row {
    let make = move || {
        let (start, board) = (Uttt::start(Rules::default()), STTTBoard::default());
        let settings =
            MctsParameters { exploration: EXPLORATION, solver, ..MctsParameters::default() };
        let new = move || Mcts::new(settings.clone(), Arc::new(Blank));
        let mut search = new();
        let mut generator = generator(0, Role::AgentA);
        let mut their_generator = SmallRng::seed_from_u64(0);
        let ours = move || {
            if !reuse {
                search = new();
            }
            let budget = Budget::of(ITERATIONS);
            black_box(search.search(black_box(&start), budget, &mut generator));
            ITERATIONS
        };
        let theirs = move || {
            let exploration = EXPLORATION as f32;
            let board = black_box(&board);
            let tree = mcts_build_tree(board, ITERATIONS, exploration, &mut their_generator);
            black_box(tree);
            ITERATIONS
        };
        [Box::new(ours) as Side, Box::new(theirs)]
    };
    Row { name: name.into(), unit: "iterations", make: Box::new(make) }
}

fn perft_row(name: &str, depth: u32, their_perft: fn(&STTTBoard, u32) -> u64) -> Row {
    let make = move || {
        let (start, board) = (Uttt::start(Rules::default()), STTTBoard::default());
        let ours = move || perft(black_box(&start), depth);
        let theirs = move || their_perft(black_box(&board), depth);
        [Box::new(ours) as Side, Box::new(theirs)]
    };
    Row { name: format!("{name} {depth}"), unit: "leaves", make: Box::new(make) }
}
