//! The laws of positions and evaluations, checked on random play.
//!
//! The suite is `tictune::testing`, which games of other crates can use too. Here each law is a
//! separate test for each game. The modules `ultimate`, `ultimate_values` and `qubic` test what is
//! specific to these games, including a comparison of rules and evaluations with slow and simple
//! implementations. `perft` and `board_game` compare the rules with pinned counts and with an
//! independent crate.
//!
//! Every game depends only on the seed that a failed law prints.

mod board_game;
mod chess;
mod extended;
mod own_game;
mod perft;
mod qubic;
mod ultimate;
mod ultimate_values;

/// Makes a module of tests for a game.
macro_rules! laws_of {
    ($game:ident, $position:ty, [$($law:ident),* $(,)?]) => {
        mod $game {
            $(
                #[test]
                fn $law() {
                    tictune::testing::laws::$law::<$position>();
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
            look_ahead_finds_what_playing_finds,
        ]);
    };
}

laws_of!(of_uttt, tictune::games::uttt::Uttt);
laws_of!(of_qubic, tictune::games::qubic::Qubic);
laws_of!(of_chess, tictune::games::Chess);
