//! Tests of the rules on positions worked out by hand.

use crate::uttt::*;

fn play_all(rules: Rules, moves: &str) -> Uttt {
    let mut position = Uttt::start(rules);
    for text in moves.split_whitespace() {
        let mv = Uttt::parse_move(text).unwrap();
        position.play(mv).unwrap_or_else(|error| panic!("{error}:\n{position}"));
    }
    position
}

#[test]
fn a_move_sends_the_opponent_to_the_board_of_its_cell() {
    // Liang 1.3: s(6, 5) sends the opponent to b(0, 2).
    let position = play_all(Rules::default(), "6,5");
    assert_eq!(position.target(), Some(6));
    assert_eq!(position.legal_move_count(), 9);
}

#[test]
fn being_sent_to_a_closed_board_frees_the_choice() {
    // x has won b(0, 0), o has won b(0, 1); x plays s(3, 3), which sends to b(0, 0).
    let text = "xxx6/9/9/ooo6/9/9/9/9/9 x 1,1";
    let mut position = Uttt::from_notation(text, Rules::default()).unwrap();
    position.play(Uttt::parse_move("3,3").unwrap()).unwrap();
    assert_eq!(position.target(), None);
    assert_eq!(position.legal_move_count(), 81 - 18 - 1);
}

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
