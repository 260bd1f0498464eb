//! This crate and the `board-game` crate side by side: searches to a fixed depth, random playouts, Monte Carlo
//! tree search and perft, in one run, on one machine, on one thread. Prints a table of what each does in a second
//! and the ratio:
//!
//!     cargo bench --bench side_by_side
//!     cargo bench --bench side_by_side -- minimax
//!
//! With a word, only the rows whose names hold it are measured. Both take turns, so that whatever else the machine
//! does strikes both; figures are medians of the rounds, the ratio that of each round's.
//!
//! - **minimax** searches random positions with Liang's comprehensive evaluation; a search is a whole search of one
//!   position for its value and its best moves. Nodes would not compare. Both find the same values, which every
//!   run checks before it measures. Theirs has the same tables of patterns and updates its value by what a
//!   move changes, but reads a small board square by square, the only way it is shown.
//! - **playouts** draw moves with generators of the same kind (xoshiro256++, by way of either version of `rand`): theirs
//!   by its own `play_random_available_move`, ours by `random_playout` or by the batch, many games at once in the
//!   lanes of vectors, beside theirs one by one. (`SmallRng` is a feature of `rand` 0.8 that `board-game`
//!   turns on.)
//! - **UCT** does the same number of iterations from the start position with random playouts, C = 0.5 and rewards from
//!   0 to 1. They are not the same search. Theirs always backs up proven results, which ours does in rows of
//!   their own; theirs makes and looks at all children of a node at once and tries them in random order, ours makes one at a
//!   time in the order of moves; theirs plays moves with a check of legality and computes in `f32`. Ours, as in
//!   a game, uses the memory of the last search again, while theirs allocates anew; a row that starts with no
//!   memory shows what that is worth.
//! - **perft**: theirs has two. `perft_naive` is the plain recursion, as ours is, and the row to compare with; `perft`
//!   keeps counts of positions in a hash map, which saves work where move orders meet again. All count the last ply
//!   without playing it. Theirs plays with a check of legality, the only way its trait offers.

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
use tictune::games::uttt::batch::random_playouts;
use tictune::games::uttt::{Rules, Uttt};
use tictune::search::mcts::{Settings, random_playout};
use tictune::search::{Budget, Mcts, Minimax};
use tictune::seed::{Role, generator};
use tictune::weights::Weights;

const WEIGHTS: &str = "liang-comprehensive";
/// Depths, and how many positions are searched.
const SEARCHES: [(u32, usize); 3] = [(3, 200), (5, 100), (7, 50)];
const PLAYOUTS: u64 = 10_000;
const ITERATIONS: u64 = 100_000;
const EXPLORATION: f64 = 0.5;

fn main() {
    let mut rows = Vec::new();
    rows.extend(SEARCHES.map(|(depth, positions)| minimax_row(depth, positions)));
    rows.extend([playout_row(false), playout_row(true)]);
    rows.extend([
        uct_row("UCT", false, true),
        uct_row("UCT, solver", true, true),
        uct_row("UCT, solver, new memory", true, false),
    ]);
    rows.extend([5, 6].map(|depth| perft_row("perft", depth, game_stats::perft_naive)));
    rows.push(perft_row("perft, theirs with a hash map,", 6, game_stats::perft));
    measure(rows);
}

/// The same random positions for both, from every phase of the game but its end.
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

/// A search of ours to a depth: the value for the side to move.
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

fn playout_row(batched: bool) -> Row {
    let make = move || {
        let (start, board) = (Uttt::start(Rules::default()), STTTBoard::default());
        let mut generator = generator(0, Role::AgentA);
        let mut their_generator = SmallRng::seed_from_u64(0);
        let ours = move || {
            if batched {
                black_box(random_playouts(black_box(&start), 0, 0..PLAYOUTS));
            } else {
                for _ in 0..PLAYOUTS {
                    black_box(random_playout(black_box(&start), &mut generator));
                }
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
    let name = if batched { "random playouts, batched" } else { "random playouts" };
    Row { name: name.into(), unit: "playouts", make: Box::new(make) }
}

fn uct_row(name: &str, solver: bool, reuse: bool) -> Row {
    let make = move || {
        let (start, board) = (Uttt::start(Rules::default()), STTTBoard::default());
        let settings = Settings { exploration: EXPLORATION, solver, ..Settings::default() };
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
