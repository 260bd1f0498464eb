//! The game of `examples/own_game.rs`, checked in the way that other crates check theirs.

use tictune::testing::{Lawful, check};

#[path = "../../examples/own_game.rs"]
#[allow(dead_code, reason = "its main is not called here")]
mod example;

impl Lawful for example::ConnectFour {}

#[test]
fn the_example_is_lawful() {
    check::<example::ConnectFour>();
}
