//! Evaluations of Ultimate Tic-Tac-Toe, with one file for each document.

mod amar;
mod counting;
mod deltas;
mod extended;
mod liang;
mod lifshitz;
mod lookahead;
mod macro_board;
pub mod patterns;
mod sista;
mod squares;

use crate::uttt::notation::mark;
use crate::uttt::platforms::PLATFORMS;
use crate::uttt::{Uttt, UtttMove};
use tictune_core::game::{
    Board, BoardPart, BoardSquare, EvaluatorVisitor, Extension, FixedPoint, Formulas, Game,
    GameInfo, Linear, Player, WeightLayout, WeightsError,
};

pub use counting::is_sum_over_squares;
pub use extended::{EXTENDED, Extended, ExtendedLookahead, ExtendedState};
pub use liang::{ADVANCED, COMPREHENSIVE, CONNECTING, SIMPLE};
pub use lookahead::SquareLookahead;
pub use patterns::{COUNTED_PATTERN_VALUES, PATTERN_VALUES, Patterns};
pub use squares::SquareTables;

use amar::{CELLS_WEIGHT, CellsWeight, RECURSIVE_WEIGHT, WINNING_POSSIBILITIES};
use lifshitz::{COUNT_SEQUENCES, HEUR1, HEUR2, HEUR3, HEUR4};
use sista::{GRID, GRID_MOVES, GridMoves, count_grid};

static FORMULAS: Formulas = Formulas {
    text: include_str!("formulas.txt"),
    usage: "Call evaluate with the position. The cells are 81 numbers, small board by small board and in each cell by cell, \
            both row by row from the top left: 0 for a free cell, 1 for the first player (x), 2 for the second (o). The value \
            is from the view of player 1: what is counted for player 1, less what is counted for player 2, times the weights. \
            Wins, losses and draws are not in it: look for them first.",
    arguments: &[
        (
            "target",
            "The target is the small board (0 to 8) that the player to move must play in, or -1 if the choice is free.",
        ),
        ("player", "The player is the one to move, 1 or 2."),
        ("root", "The root is the player who searches, 1 or 2."),
        (
            "last_board",
            "The last move was made in the small board last_board, on its cell last_cell.",
        ),
        (
            "cell",
            "The player makes a move in the small board `board`, on its cell `cell`; the cells are those before the move.",
        ),
    ],
    rules: "Rules: a won or full small board is closed, and being sent to it frees the choice. A drawn small board counts for \
            nobody (drawn_board=nobody). Whether a game without three boards in a row is drawn or counted (no_line) does not \
            change the value of a position.",
    tables: &[("fitted", patterns::exported_values), ("class_of", patterns::exported_classes)],
};

static INFO: GameInfo = GameInfo {
    vectors: &vectors! {
        "tictune-extended" "tictune-patterns" "tictune-patterns-count" "tictune-advanced" "tictune-comprehensive"
        "liang-simple" "liang-connecting" "liang-connecting-as-run" "liang-default" "liang-optimized" "liang-comprehensive"
        "lifshitz-heur1" "lifshitz-heur2" "lifshitz-heur3" "lifshitz-heur4"
        "sista" "sista-moves" "amar-winning" "amar-recursive" "amar-cells"
    },
    pool: &["liang-default", "liang-optimized", "liang-comprehensive"],
    // See experiments/patterns/.
    strongest: "pvs:weights=tictune-patterns",
    strongest_under: &[("no_line=most_boards", "pvs:weights=tictune-patterns-count")],
    rule_keys: crate::uttt::rules::KEYS,
    ..GameInfo::new::<Uttt>(
        "uttt",
        &[
            &EXTENDED,
            &PATTERN_VALUES,
            &COUNTED_PATTERN_VALUES,
            &ADVANCED,
            &COMPREHENSIVE,
            &CONNECTING,
            &SIMPLE,
            &HEUR1,
            &HEUR2,
            &HEUR3,
            &HEUR4,
            &GRID,
            &GRID_MOVES,
            &WINNING_POSSIBILITIES,
            &RECURSIVE_WEIGHT,
            &CELLS_WEIGHT,
        ],
    )
};

impl Game for Uttt {
    const INFO: &'static GameInfo = &INFO;

    fn centre_move() -> Option<UtttMove> {
        Some(UtttMove::CENTRE)
    }

    fn board(&self) -> Option<Board<UtttMove>> {
        let part = |board: usize| {
            let squares = (0..9).map(|cell| UtttMove::at(board, cell));
            BoardPart {
                name: format!("board {},{}", board % 3, board / 3),
                columns: 3,
                owner: Player::BOTH.into_iter().find(|&player| self.won(player) >> board & 1 == 1),
                squares: squares.map(|mv| BoardSquare { mv, mark: self.at(mv) }).collect(),
            }
        };
        Some(Board { columns: 3, parts: (0..9).map(part).collect() })
    }

    fn drawing(&self, last: Option<UtttMove>) -> String {
        last.map_or_else(|| self.to_string(), |last| mark(&self.to_string(), last))
    }

    fn extensions() -> &'static [Extension] {
        static ALL: [Extension; 2] = [&PLATFORMS, &FORMULAS];
        &ALL
    }

    fn with_evaluator<V: EvaluatorVisitor<Self>>(
        layout: &'static WeightLayout,
        values: &[f64],
        visitor: V,
    ) -> Result<V::Output, WeightsError> {
        debug_assert_eq!(layout.game, INFO.name);
        Ok(match layout.name {
            "heur2" => {
                let counts = |position: &Self| COUNT_SEQUENCES.of_position::<7>(position);
                visitor.visit(Linear::new(layout, values, counts)?)
            }
            "extended" => visitor.visit(Extended::new(values)?),
            "patterns" | "patterns-count" => visitor.visit(Patterns::new(layout, values)?),
            "grid" => visitor.visit(Linear::new(layout, values, count_grid)?),
            "grid-moves" => visitor.visit(GridMoves(FixedPoint::new(layout, values)?)),
            "cells-weight" => visitor.visit(CellsWeight(FixedPoint::new(layout, values)?)),
            _ => visitor.visit(SquareTables::new(layout, values)?),
        })
    }
}
