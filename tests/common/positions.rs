//! Positions for tests of searches.
#![allow(dead_code, unreachable_pub, reason = "each test crate uses a part")]

use rand::RngExt;
use tictune::game::{Position, Searchable};
use tictune::games::uttt::{Rules, Uttt, UtttMove};
use tictune::seed::{Generator, Role, generator};

/// The position after this many random plies, or `None` if the game is over by then.
pub fn after_random_plies<P: Searchable>(
    rules: P::Rules,
    plies: u32,
    generator: &mut Generator,
) -> Option<P> {
    let mut position = P::start(rules);
    for _ in 0..plies {
        if position.outcome().is_some() {
            return None;
        }
        position.play_drawn(|moves| generator.random_range(0..moves));
    }
    position.outcome().is_none().then_some(position)
}

/// Positions that are not over and leave a choice. The variants of the rules take turns, and each
/// position is from a random phase of the game.
pub fn positions(seed: u64) -> impl Iterator<Item = Uttt> {
    let mut generator = generator(seed, Role::Opening);
    (0..).map(move |number: usize| {
        loop {
            let plies = generator.random_range(0..72);
            let found: Option<Uttt> =
                after_random_plies(Rules::all()[number % 4], plies, &mut generator);
            if let Some(position) = found.filter(|position| position.legal_move_count() > 1) {
                return position;
            }
        }
    })
}

/// The squares of boards that are not closed.
pub fn open_squares(position: &Uttt) -> u32 {
    let open = (0..81_usize).filter(|square| {
        let mv = UtttMove::new(square / 9, square % 9).expect("a square of the board");
        position.closed() >> mv.board() & 1 == 0 && position.at(mv).is_none()
    });
    open.count() as u32
}

/// Late positions that leave a choice and have at most `most_squares` squares to play on.
pub fn late_positions(seed: u64, most_squares: u32) -> impl Iterator<Item = Uttt> {
    positions(seed).filter(move |position| open_squares(position) <= most_squares)
}

/// Describes a position in the message of a failed comparison.
pub fn describe(position: &Uttt) -> String {
    format!("rules {}, \"{}\"\n{position}", position.rules(), position.notation())
}
