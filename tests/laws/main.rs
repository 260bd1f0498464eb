//! The laws of positions and evaluations, on random play.
//!
//! One suite for every game: a game joins it with an implementation of [`Lawful`], which names the few
//! things that the suite needs and the crate's traits do not offer, and one line of `laws_of!`. The
//! modules `ultimate`, `ultimate_values` and `qubic` have what only those games have, among it rules and
//! evaluations against slow and obvious twins. `perft` and `board_game` compare the rules with pinned counts
//! and with an independent crate.
//!
//! Every game is a function of the seed that a failed law prints.

mod board_game;
#[path = "../common/qubic.rs"]
mod drawn;
mod evaluations;
mod extended;
mod features;
mod lines;
mod perft;
mod play;
mod positions;
mod qubic;
mod ultimate;
mod ultimate_values;

use evaluations::*;
use features::evaluations_are_linear_in_their_slots;
use lines::lines_tell_what_playing_finds;
use positions::*;
use tictune::game::{Game, WeightLayout};
use tictune::seed::Generator;

/// What the laws ask of a game beyond [`Game`].
pub(crate) trait Lawful: Game {
    /// The number of symmetries of the board, the identity (number 0) included.
    const SYMMETRIES: usize;

    /// Every variant of the rules.
    fn every_rules() -> Vec<Self::Rules>;

    /// Every move that notation can name, legal anywhere or not, in generation order.
    fn every_move() -> Vec<Self::Move>;

    /// Moves that a random game begins with, for ends that chance alone hardly reaches.
    fn beginning(_generator: &mut Generator) -> Vec<Self::Move> {
        Vec::new()
    }

    /// The image of the position under a symmetry.
    fn image(&self, symmetry: usize) -> Self;

    /// The image of a move under a symmetry.
    fn image_of_move(mv: Self::Move, symmetry: usize) -> Self::Move;

    /// The position with each mark given to the other player and the same side to move; `None` where
    /// the numbers of marks then fit no game.
    fn with_marks_swapped(&self) -> Option<Self>;

    /// Whether a symmetry keeps the value of a position. Evaluations that weigh every square alone
    /// need not.
    fn evaluations_are_symmetric() -> bool;

    /// Whether an evaluation looks at who moves next, so that its value is not the negative when marks
    /// change places while the side to move stays.
    fn looks_at_side_to_move(_layout: &WeightLayout) -> bool {
        false
    }
}

/// Makes a module of tests for a game.
macro_rules! laws_of {
    ($game:ident, $position:ty, [$($law:ident),* $(,)?]) => {
        mod $game {
            $(
                #[test]
                fn $law() {
                    super::$law::<$position>();
                }
            )*
        }
    };
    ($game:ident, $position:ty) => {
        laws_of!($game, $position, [
            random_play_ends_in_every_way,
            listed_moves_are_the_legal_moves,
            pairs_of_moves_are_counted_as_by_playing,
            moves_have_numbers_and_plies_are_counted,
            playing_out_is_drawing_moves_to_the_end,
            play_is_play_unchecked_and_refuses_the_rest,
            winning_move_is_the_first_that_wins,
            notation_and_its_parser_are_inverse,
            playing_commutes_with_symmetry,
            keys_tell_positions_apart,
            zobrist_hashes_follow_moves,
            evaluations_obey_their_laws,
            weights_rounded_up_to_the_bound_of_scores_do_not_overflow,
            evaluations_are_linear_in_their_slots,
            lines_tell_what_playing_finds,
        ]);
    };
}

laws_of!(of_uttt, tictune::games::uttt::Uttt);
laws_of!(of_qubic, tictune::games::qubic::Qubic);
