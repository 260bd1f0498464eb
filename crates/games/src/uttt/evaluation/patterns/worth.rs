//! What the macro board makes of a small board: its worth to each player.
//!
//! Winning a board is worth the more, the closer it brings a line of the macro board to completion. There are five
//! degrees of that for each player, and so 25 pairs of them for a board.

use std::sync::LazyLock;

use crate::uttt::square::{self, LINES, PATTERNS};

/// The degrees of worth of a board to a player: no live line of the macro board runs through it; live lines without a
/// board won; one live line with one board won; several; a live line that lacks this board alone, so that
/// winning it wins the game.
pub(super) const DEGREES: usize = 5;

/// The degree of a board that wins the game.
pub(super) const DECISIVE: u8 = 4;

/// The worth of the nine boards to a player.
pub(super) type Worth = [u8; 9];

/// By the [pattern of the macro board](super::super::macro_board::pattern).
pub(super) static WORTH: LazyLock<Vec<Worth>> =
    LazyLock::new(|| (0..PATTERNS).map(|number| worth(square::masks(number))).collect());

fn worth([own, blocked]: [u16; 2]) -> Worth {
    let mut worth = [0; 9];
    for (board, worth) in worth.iter_mut().enumerate() {
        let through = LINES.iter().filter(|&line| line & blocked == 0 && line >> board & 1 == 1);
        let won = through.filter(|_| own >> board & 1 == 0).map(|line| (line & own).count_ones());
        let [mut live, mut near] = [0, 0];
        for won in won {
            live += 1;
            near += u8::from(won == 1);
            *worth = (*worth).max(if won == 2 { DECISIVE } else { 0 });
        }
        *worth = (*worth).max(if near > 0 { near.min(2) + 1 } else { live.min(1) });
    }
    worth
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_of_worth() {
        // Nothing won: every board lies on live lines.
        assert_eq!(worth([0, 0]), [1; 9]);
        // The top left board won: its neighbours lie on one line with it.
        assert_eq!(worth([1, 0]), [0, 2, 2, 2, 2, 1, 2, 1, 2]);
        // The top corners won: the board between them wins; two lines with a board won run through the middle.
        assert_eq!(worth([0b101, 0]), [0, 4, 0, 2, 3, 2, 3, 1, 3]);
        // A blocked middle board ends four lines.
        assert_eq!(worth([0, 1 << 4]), [1, 1, 1, 1, 0, 1, 1, 1, 1]);
        assert_eq!(worth([0, 0b111_111_000]), [1, 1, 1, 0, 0, 0, 0, 0, 0]);
    }
}
