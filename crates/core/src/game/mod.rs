//! What a game is: rules, evaluations, and how it describes itself.
//!
//! [`Position`] has the rules, [`Evaluator`] gives a [`Score`] to a position by the numbers of a
//! [`WeightLayout`], and [`Game`] ties both together. Everything above this module is generic over these
//! traits. A game may live in any crate.

mod adjudication;
mod blank;
mod board;
mod description;
mod evaluator;
pub mod features;
pub mod fixed_point;
mod layout;
mod linear;
pub mod lookahead;
#[doc(hidden)]
pub mod notation;
mod one_ply;
pub mod perft;
mod position;
mod score;
mod stable_hash;
#[doc(hidden)]
pub mod text;
#[doc(hidden)]
pub mod zobrist;

pub use adjudication::{Adjudication, DrawAgreed, Resign};
pub use blank::Blank;
pub use board::{Board, BoardPart, BoardSquare};
pub use description::{
    BuiltInWeights, EvaluatorVisitor, FormulaTable, Formulas, Game, GameInfo, RuleKey,
    StandardGame, StandardMoves, Start, Typed,
};
pub use evaluator::Evaluator;
pub use features::{Features, Valuation, valuation};
pub use fixed_point::FixedPoint;
pub use layout::{Slot, WeightLayout, WeightsError, check_values};
pub use linear::Linear;
pub use lookahead::{First, Lookahead, Second, Side};
pub use one_ply::OnePly;
pub use perft::perft;
#[doc(hidden)]
pub use position::try_all_for_win;
pub use position::{
    IllegalMove, MOVES_ON_STACK, MoveList, NoRules, NotationError, OpeningSet, Outcome, Player,
    Position,
};
pub use score::Score;
#[doc(hidden)]
pub use stable_hash::StableHasher;
