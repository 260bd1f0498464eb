//! The laws of positions and evaluations, on random play.
//!
//! The suite is `tictune::testing`, which is there for games of other crates, too; here each law is a test of its
//! own for each game. The modules `ultimate`, `ultimate_values` and `qubic` have what only those games have, among it rules and
//! evaluations against slow and obvious twins. `perft` and `board_game` compare the rules with pinned counts
//! and with an independent crate.
//!
//! Every game is a function of the seed that a failed law prints.

mod board_game;
mod extended;
mod own_game;
mod perft;
mod qubic;
mod ultimate;
mod ultimate_values;

/// Makes a module of tests for a game, with a test for each law.
macro_rules! laws_of {
    ([$($file:ident::$law:ident,)*] $game:ident, $position:ty) => {
        mod $game {
            $(
                #[test]
                fn $law() {
                    tictune::testing::laws::$law::<$position>();
                }
            )*
        }
    };
}

tictune::every_law!(laws_of, of_uttt, tictune::games::uttt::Uttt);
tictune::every_law!(laws_of, of_qubic, tictune::games::qubic::Qubic);
