//! Tests of the rules on positions worked out by hand.

use crate::uttt::*;

/// The outcome of a game in which all boards are closed, from what the macro board shows: X, O, D
/// (drawn).
fn finished(boards: &str, rules: Rules, side: Player) -> Option<Outcome> {
    let mut position = Uttt { side, ..Uttt::start(rules) };
    for (board, state) in boards.chars().enumerate() {
        match state {
            'X' => position.won[0] |= 1 << board,
            'O' => position.won[1] |= 1 << board,
            _ => {}
        }
        position.closed |= u16::from(state != '.') << board;
    }
    position.find_outcome(side)
}

#[test]
fn the_end_of_a_game_under_every_rule() {
    let [plain, both, most, both_most] = Rules::all();
    let x = Some(Outcome::Win(Player::First));
    let o = Some(Outcome::Win(Player::Second));
    let first = Player::First;
    assert_eq!(finished("XXX......", plain, first), x);
    assert_eq!(finished("XXD......", plain, first), None);
    assert_eq!(finished("XXD......", both, first), x);
    assert_eq!(finished("OOD......", both, first), o);
    // A drawn board that completes a line for both: the player who moved has won.
    assert_eq!(finished("XXDO.O...", both, first), x);
    assert_eq!(finished("XXD..O..O", both, Player::Second), o);
    assert_eq!(finished("XXOOOXXXO", plain, first), Some(Outcome::Draw));
    assert_eq!(finished("XXOOOXXXO", most, first), x);
    assert_eq!(finished("XXOOOXXOO", most, first), o);
    assert_eq!(finished("XXOOODXXO", both_most, first), o);
    assert_eq!(finished("XDOOOXXXO", most, first), Some(Outcome::Draw));
}
