//! Wins by threats alone: each move makes three in a row with the fourth cell free, so that the opponent has one reply, until a
//! move makes two such lines at once.
//!
//! Source: Patashnik, "Qubic: 4x4x4 tic-tac-toe", Mathematics Magazine 53, 1980; Allis, "Searching for solutions in games and
//! artificial intelligence", 1994, proves the first player's win with searches of this kind.

use super::cube::{LINES, completing};

/// How many positions without such a win are remembered, so that threats in another order are not searched again.
const REMEMBERED: usize = 512;

/// A search for such a win.
pub(super) struct Threats {
    /// How many positions may still be visited.
    pub(super) left: u32,
    failed: [u64; REMEMBERED],
}

impl Threats {
    pub(super) fn new(most: u32) -> Self {
        Self { left: most, failed: [0; REMEMBERED] }
    }

    /// The first cell of a win for the player to move, whose marks are `own`.
    pub(super) fn win(&mut self, own: u64, other: u64) -> Option<u32> {
        let empty = !(own | other);
        let wins = completing(own) & empty;
        if wins != 0 {
            return Some(wins.trailing_zeros());
        }
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let key =
            own.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ other.wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let place = (key >> 32) as usize % REMEMBERED;
        if self.failed[place] == key {
            return None;
        }
        // The opponent's threat allows one move, and two allow none.
        let threatened = completing(other) & empty;
        let mut moves = match threatened.count_ones() {
            0 => threatening(own, other),
            1 => threatened & threatening(own, other),
            _ => 0,
        };
        while moves != 0 {
            let cell = moves.trailing_zeros();
            moves &= moves - 1;
            let own = own | 1 << cell;
            let replies = completing(own) & !(own | other);
            if replies.count_ones() > 1 || self.win(own, other | replies).is_some() {
                return Some(cell);
            }
        }
        if self.left > 0 {
            self.failed[place] = key;
        }
        None
    }
}

/// The cells that make three in a row on a line without the opponent.
fn threatening(own: u64, other: u64) -> u64 {
    let open = |mask: &u64| other & mask == 0 && (own & mask).count_ones() == 2;
    let lines = LINES.iter().map(|line| line.mask).filter(open);
    lines.fold(0, |cells, mask| cells | mask) & !own
}
