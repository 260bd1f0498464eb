//! The macro board as one player sees it: what our own evaluations weigh small boards by.

use crate::uttt::square::{self, completing};
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uttt::Rules;

    #[test]
    fn a_drawn_board_is_everyones_or_nobodys() {
        // The first board is drawn; in the second, o has blocked every line of x.
        let text = "xoxo5/xoo1oo3/oxx1o4/x2x2x2/9/9/9/9/9 x 1,1";
        for (rules, marks) in
            [("", [[0, 0b11], [0, 0b1]]), ("drawn_board=both", [[1, 0b10], [1, 0]])]
        {
            let position = Uttt::from_notation(text, rules.parse::<Rules>().unwrap()).unwrap();
            let expected = marks.map(|[own, blocked]| square::pattern(own, blocked));
            assert_eq!(Player::BOTH.map(|player| pattern(&position, player)), expected, "{rules}");
        }
    }
}
