//! What a game is: rules, evaluations, and how it describes itself.
//!
//! [`Position`] has the rules, [`Evaluator`] gives a [`Score`] to a position by the numbers of a [`WeightLayout`], and [`Game`] ties
//! both together. Everything above this module is generic over these traits. A game may live in any crate.

mod description;
mod evaluator;
mod extensions;
pub mod features;
pub mod fixed_point;
mod layout;
pub mod lookahead;
#[doc(hidden)]
pub mod notation;
mod position;
mod score;
mod searchable;
pub(crate) mod stable_hash;
#[doc(hidden)]
pub mod zobrist;

pub use description::{
    Adjudication, BuiltInWeights, DrawAgreed, EvaluatorVisitor, Extension, Game, GameInfo, Resign,
    RuleKey, StartPosition, Typed,
};
#[doc(hidden)]
pub use evaluator::score_by_playing;
pub use evaluator::{Blank, Evaluator, Linear};
pub use extensions::{
    Board, BoardPart, BoardSquare, FormulaTable, Formulas, Pgn, PgnError, PgnGame, PgnMoves,
};
pub use features::{Features, Valuation, valuation};
pub use fixed_point::FixedPoint;
pub use layout::{Slot, WeightLayout, WeightsError, check_values};
pub use lookahead::{First, Lookahead, OnePly, Second, SideToMove};
pub use position::{
    IllegalMove, MOVES_ON_STACK, MoveList, NoRules, NotationError, OpeningSet, Outcome, Player,
    Position,
};
pub use score::Score;
#[doc(hidden)]
pub use searchable::try_all_for_win;
pub use searchable::{Searchable, perft};
#[doc(hidden)]
pub use stable_hash::StableHasher;
