//! The laws of positions and evaluations, checked on random play.
//!
//! The suite is `tictune::testing`, which games of other crates can use too. Here each law is a separate test for each game, which
//! depends only on the seed that a failed law prints. The modules `uttt`, `qubic` and `chess` test what is specific to these games:
//! their rules against pinned counts and slow, simple implementations. `benches/tests` compares UTTT and chess with another crate.

/// Tests begin in the order of their names, and this one's laws take the longest.
#[path = "../../examples/uttt_variant/winner_chooses.rs"]
mod a_variant_of_uttt;
mod chess;
#[path = "../../examples/fit_patterns/fit.rs"]
#[allow(dead_code, reason = "the example says how the loss falls")]
mod fit;
mod null;
#[path = "../../examples/own_game/connect_four.rs"]
mod own_game;
mod qubic;
mod uttt;

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
tictune::every_law!(laws_of, of_chess, tictune::games::Chess);
