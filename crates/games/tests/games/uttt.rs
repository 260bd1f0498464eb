//! UTTT: rules, notation, and drawn boards that count for both.

use tictune_core::game::{Game, Player, Position, valuation};
use tictune_core::testing::play::RandomGame;
use tictune_games::Uttt;
use tictune_games::uttt::evaluation::{COUNTED_PATTERN_VALUES, EXTENDED, PATTERN_VALUES};
use tictune_games::uttt::{Rules, UtttMove};

#[test]
fn texts_of_rules_round_trip_and_errors_list_what_is_known() {
    for rules in Rules::all() {
        assert_eq!(rules.to_string().parse(), Ok(rules));
    }
    for (text, expected) in [
        ("no_line=win", "no_line is \"draw\" or \"most_boards\", not \"win\""),
        ("no_line", "\"no_line\" is not KEY=VALUE with a key of drawn_board, no_line"),
    ] {
        assert_eq!(text.parse::<Rules>().unwrap_err().to_string(), expected);
    }
}

#[test]
fn squares_are_read_in_both_forms() {
    for text in ["4,4", "s(4, 4)"] {
        assert_eq!(text.parse(), Ok(UtttMove::CENTRE));
    }
    for bad in ["", "4", "9,0", "4,4,4", "s(4,4", "a,b", "-1,3"] {
        assert!(bad.parse::<UtttMove>().is_err(), "{bad}");
    }
}

#[test]
fn positions_that_cannot_be_are_refused_with_the_reason() {
    let read = |text: &str| Uttt::from_notation(text, Rules::default()).map_err(|e| e.to_string());
    assert_eq!(read("9/9/9/9/9/9/9/9/9 x -"), Ok(Uttt::start(Rules::default())));
    for (text, reason) in [
        ("9/9/9/9/9/9/9/9 x -", "nine rows"),
        ("9/9/9/9/9/9/9/9/99 x -", "row 8"),
        ("9/9/9/9/z8/9/9/9/9 x -", "'z'"),
        ("9/9/9/9/4x4/9/9/9/9 x 1,1", "x is to move"),
        ("9/9/9/9/4x4/9/9/9/9 o -", "no board is closed"),
        ("9/9/9/9/4x4/9/9/9/9 o 3,1", "COLUMN,ROW"),
        ("9/9/9/9/4x4/9/9/9/9 o", "three fields"),
        ("xxx6/9/9/ooo6/9/9/9/9/9 x 0,0", "closed"),
        ("xxx6/ooo6/9/9/9/9/9/9/9 x 1,0", "both players"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.contains(reason), "{text}: {error}");
    }
}

#[test]
fn the_last_move_is_in_parentheses() {
    for (square, row) in [
        ("3,4", "4   . . . |(x)"),
        ("4,4", "4         | .(x). |             . . ."),
        ("8,3", "3         |       |    (x)"),
    ] {
        let mv = square.parse().unwrap();
        let after = Uttt::start(Rules::default()).after(mv);
        let drawing = after.drawing(Some(mv));
        let line = drawing.lines().find(|line| line.contains('(')).unwrap();
        assert!(line.starts_with(row), "{drawing}");
        // Nothing else is moved or changed.
        let without = drawing.replace(['(', ')'], " ").replace("x \n", "x\n");
        assert_eq!([&without, &after.drawing(None)], [&after.to_string(); 2]);
    }
}

/// The twin of a position under this rule: drawn boards are won by both players, and nothing is shared. Formulas of exports
/// show its value.
#[test]
fn a_drawn_board_that_counts_for_both_is_as_won_by_both() {
    let rules: Rules = "drawn_board=both".parse().unwrap();
    for layout in [&EXTENDED, &PATTERN_VALUES, &COUNTED_PATTERN_VALUES] {
        let values: Vec<f64> = (1..=layout.len()).map(|slot| (slot as f64).sqrt()).collect();
        let valuation = valuation::<Uttt>(layout, &values).unwrap();
        let value = |position: &Uttt| valuation.of(position, Player::First);
        let mut drawn_boards = 0;
        for playout in (0..200).map(|seed| RandomGame::<Uttt>::new(rules, seed)) {
            for step in playout.steps().filter(|step| step.next_move().is_some()) {
                let position = &step.position;
                let won = Player::BOTH.map(|player| position.won(player));
                drawn_boards += (position.closed() & !(won[0] | won[1])).count_ones();
                let twin = position.with_drawn_boards_won_by_both();
                step.same("the value of the twin", value(position), value(&twin));
            }
        }
        assert!(drawn_boards > 100, "{drawn_boards}");
    }
}
