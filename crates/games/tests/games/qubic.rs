//! Qubic: notation, openings and forced wins.

use tictune_core::game::{Game, NoRules, OpeningSet, Outcome, Player, Position, Searchable};
use tictune_core::testing::play::RandomGame;
use tictune_games::Qubic;
use tictune_games::qubic::QubicMove;

const START: &str = "4/4/4/4|4/4/4/4|4/4/4/4|4/4/4/4 x";

#[test]
fn cells_are_read_with_commas_and_spaces() {
    let corner = QubicMove::new(3, 3, 0);
    for text in ["4,4,1", "4 4 1", " 4, 4 ,1 "] {
        assert_eq!(text.parse().ok(), corner, "{text}");
    }
    for bad in ["", "4", "4,4", "0,1,1", "1,1,5", "1,1,1,1", "1 1", "1,1 1", "a,b,c", "-1,1,1"] {
        assert!(bad.parse::<QubicMove>().is_err(), "{bad}");
    }
}

#[test]
fn positions_that_cannot_be_are_refused_with_the_reason() {
    let read = |text: &str| Qubic::from_notation(text, NoRules).map_err(|error| error.to_string());
    assert_eq!(read(START), Ok(Qubic::start(NoRules)));
    for (text, reason) in [
        ("4/4/4/4|4/4/4/4|4/4/4/4 x", "four layers of four rows"),
        ("4/4/4|4/4/4/4|4/4/4/4|4/4/4/4 x", "four layers of four rows"),
        ("4/4/4/4|4/4/5/4|4/4/4/4|4/4/4/4 x", "row 3 of layer 2"),
        ("4/4/4/4|4/4/1z2/4|4/4/4/4|4/4/4/4 x", "'z'"),
        ("x3/4/4/4|4/4/4/4|4/4/4/4|4/4/4/4 x", "x is to move with 1 marks of x"),
        ("4/4/4/4|4/4/4/4|4/4/4/4|4/4/4/4 z", "x or o"),
        ("4/4/4/4|4/4/4/4|4/4/4/4|4/4/4/4", "two fields"),
        ("xxxx/oooo/4/4|4/4/4/4|4/4/4/4|4/4/4/4 x", "x has four in a row and is to move"),
        ("xxxx/xxxx/ooo1/ooo1|o3/4/4/4|4/4/4/4|4/4/4/4 o", "no single move"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.contains(reason), "{text}: {error}");
    }
    // Two lines that share a cell, so one move can have made both.
    let both = read("xxxx/x3/x3/x3|ooo1/ooo1/4/4|4/4/4/4|4/4/4/4 o").unwrap();
    assert_eq!(both.outcome(), Some(Outcome::Win(Player::First)));
}

#[test]
fn the_drawing_shows_four_layers() {
    let position = Qubic::from_notation("x2o/4/4/4|4/4/4/4|4/4/2x1/4|4/4/4/4 o", NoRules).unwrap();
    assert_eq!(
        position.to_string(),
        "   Layer 1    Layer 2    Layer 3    Layer 4\n   \
         1 2 3 4    1 2 3 4    1 2 3 4    1 2 3 4\n\
         1  x . . o    . . . .    . . . .    . . . .\n\
         2  . . . .    . . . .    . . . .    . . . .\n\
         3  . . . .    . . . .    . . x .    . . . .\n\
         4  . . . .    . . . .    . . . .    . . . .\n\
         o to move"
    );
    let marked = |cell: &str| position.drawing(Some(cell.parse().unwrap()));
    for (cell, row) in [
        ("3,3,3", "3  . . . .    . . . .    . .(x).    . . . ."),
        ("1,1,1", "1 (x). . o    . . . .    . . . .    . . . ."),
        ("1,1,4", "1  x . .(o)   . . . .    . . . .    . . . ."),
    ] {
        assert!(marked(cell).lines().any(|line| line == row), "{}", marked(cell));
    }
    assert!(marked("4,4,4").contains("    . . .(.)\no to move"), "{}", marked("4,4,4"));
}

#[test]
fn the_opening_sets_are_the_rich_cells() {
    let [corners, inner] = Qubic::opening_sets() else { panic!("two sets") };
    let mask =
        |set: &OpeningSet<QubicMove>| set.moves.iter().fold(0, |all, mv| all | 1_u64 << mv.index());
    let masks = [mask(corners), mask(inner)];
    assert_eq!(masks, [0x9009_0000_0000_9009, 0x0660_0660_0000]);
}

/// Whether the side to move wins whatever is replied, if it plays on as the search says.
fn wins(position: &Qubic) -> bool {
    let Some(mv) = position.forced_win(10_000, &mut 0) else { return false };
    let after = position.after(mv);
    after.outcome().is_some()
        || after.legal_moves().all(|reply| {
            let next = after.after(reply);
            next.outcome().is_none() && wins(&next)
        })
}

#[test]
fn a_forced_win_is_one_whatever_is_replied() {
    let (mut at_once, mut longer) = (0, 0);
    for playout in (0..400).map(|seed| RandomGame::<Qubic>::new(NoRules, seed)) {
        for step in playout.steps() {
            let position = &step.position;
            if position.outcome().is_some() {
                break;
            }
            if position.forced_win(10_000, &mut 0).is_some() {
                assert!(wins(position), "{step}");
                let is_at_once = position.winning_move().is_some();
                at_once += u32::from(is_at_once);
                longer += u32::from(!is_at_once);
                break;
            }
        }
    }
    assert!(at_once > 10 && longer > 100, "{at_once} at once, {longer} longer");
}
