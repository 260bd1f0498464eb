//! The macro board as one player sees it: what our own evaluations weigh small boards by.

use std::array::from_fn;
use std::sync::LazyLock;

use crate::uttt::square::{self, LINES, PATTERNS, completing};
use crate::uttt::{DrawnBoard, Uttt, UtttMove};
use tictune_core::game::{Player, Position};

/// The pattern of a player's own boards and those that it cannot win any more. A drawn board counts for both players where
/// the rules say so. An open board in which the opponent has blocked every line counts as one that cannot be won.
#[inline]
pub(super) fn pattern(position: &Uttt, player: Player) -> usize {
    let closed = position.closed();
    let won = position.won(player);
    let own = match position.rules().drawn_board {
        DrawnBoard::Both => won | closed & !position.won(player.other()),
        DrawnBoard::Nobody => won,
    };
    let hopeless = (0..9)
        .filter(|&board| !square::leaves_a_line(position.marks(player.other(), board)))
        .fold(0, |set, board| set | 1 << board);
    square::pattern(own, (closed | hopeless) & !own)
}

/// The pattern of the boards that only the first player has won, and of those that only the second has.
#[inline]
pub(super) fn won(position: &Uttt) -> usize {
    let [first, second] = Player::BOTH.map(|player| position.won(player));
    square::pattern(first & !second, second & !first)
}

/// The worth of an open board to a player: 1, the number of live macro lines through it, the number of these with one board
/// won, and 1 if it would win the game. All are 0 for a board that the player cannot win.
pub(super) type Worth = [u8; 4];

/// The worth of the nine boards by this pattern.
pub(super) static WORTH: LazyLock<Vec<[Worth; 9]>> =
    LazyLock::new(|| (0..PATTERNS).map(|pattern| worth(square::masks(pattern))).collect());

fn worth([own, blocked]: [u16; 2]) -> [Worth; 9] {
    let mut all = from_fn(|board| [u8::from((own | blocked) >> board & 1 == 0), 0, 0, 0]);
    for line in LINES.into_iter().filter(|line| line & blocked == 0) {
        let won = (line & own).count_ones();
        for board in square::cells(line & !own) {
            let [_, live, near, game]: &mut Worth = &mut all[board];
            *live += 1;
            *near += u8::from(won == 1);
            *game |= u8::from(won == 2);
        }
    }
    all
}

/// Whether a move changes these patterns: it closes its board, or blocks the opponent's last line in it.
#[inline]
pub(super) fn is_changed_by(position: &Uttt, mv: UtttMove) -> bool {
    let own = position.marks(position.side_to_move(), mv.board());
    position.closes_board(mv) || square::blocking(own) >> mv.cell() & 1 == 1
}

/// The cells of a small board with these marks where a move would change the patterns.
#[inline]
pub(super) fn changing_cells(own: u16, empty: u16) -> u16 {
    let fills = if empty & (empty - 1) == 0 { empty } else { 0 };
    completing(own) | fills | square::blocking(own)
}
