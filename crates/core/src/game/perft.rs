//! Perft: the number of move sequences of a given length, which checks a move generator.

use crate::game::Searchable;

/// The number of sequences of `depth` legal moves from a position. Games that end sooner do not
/// count. The last two plies are counted without playing them, where the game can
/// ([`Searchable::legal_pair_count`]).
pub fn perft<P: Searchable>(position: &P, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.legal_move_count() as u64,
        2 => position.legal_pair_count(),
        _ => position.legal_moves().map(|mv| perft(&position.after(mv), depth - 1)).sum(),
    }
}
