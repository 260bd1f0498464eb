//! Tests that are specific to Ultimate Tic-Tac-Toe.

use tictune::game::{Position, Searchable};
use tictune::games::uttt::{Rules, Uttt, UtttMove};
use tictune::testing::play::on_random_play;

#[test]
fn moves_of_uttt_are_known_to_close_boards_and_to_free_the_choice() {
    on_random_play::<Uttt>(3000, |step| {
        for mv in step.position.legal_moves() {
            let after = step.position.after(mv);
            let closes = after.closed() != step.position.closed();
            assert_eq!(step.position.closes_board(mv), closes, "closes_board of {mv} in\n{step}");
            let frees = after.target().is_none();
            assert_eq!(step.position.order(mv), -i8::from(frees), "order of {mv} in\n{step}");
            assert!(
                after.target().is_none_or(|board| board == mv.cell()),
                "{mv} sends elsewhere in\n{step}"
            );
        }
    });
}

#[test]
fn openings_of_two_plies_are_102_without_symmetry() {
    // DESIGN, "Openings": 720 openings, 102 up to symmetry.
    let start = Uttt::start(Rules::default());
    let replies = |first: UtttMove| {
        let position = start.after(first);
        position.legal_moves().map(move |second| position.after(second))
    };
    let positions: Vec<Uttt> = start.legal_moves().flat_map(replies).collect();
    let count = |key: fn(&Uttt) -> u64| {
        positions.iter().map(key).collect::<std::collections::HashSet<u64>>().len()
    };
    assert_eq!((positions.len(), count(Uttt::key), count(Uttt::canonical_key)), (720, 720, 102));
}
