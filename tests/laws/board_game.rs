//! Ultimate Tic-Tac-Toe compared with the independent `board-game` crate, which has the default rules.
//!
//! Both number squares board by board and cell by cell, row by row. The first test checks this, so
//! that the second can compare squares by number.

use board_game::board::{Board, BoardMoves, Outcome as TheirOutcome, Player as TheirPlayer};
use board_game::games::sttt::{Coord, STTTBoard};
use internal_iterator::InternalIterator;
use rand_08::rngs::StdRng;
use rand_08::{Rng, SeedableRng};
use tictune::game::{Outcome, Player, Position};
use tictune::games::uttt::{Rules, Uttt, UtttMove};
use tictune::testing::play::in_notation;

fn ours(square: Coord) -> UtttMove {
    UtttMove::new(square.om().into(), square.os().into())
        .expect("their boards and cells are below nine")
}

fn our_player(player: TheirPlayer) -> Player {
    match player {
        TheirPlayer::A => Player::First,
        TheirPlayer::B => Player::Second,
    }
}

#[test]
fn squares_have_the_same_numbers_and_places() {
    for square in Coord::all() {
        let mv = ours(square);
        let (number, column, row): (usize, usize, usize) =
            (square.o().into(), square.x().into(), square.y().into());
        assert_eq!((mv.index(), mv.column(), mv.row()), (number, column, row), "{square}");
        assert_eq!(UtttMove::from_column_row(column, row), Some(mv), "{square}");
    }
}

/// Plays the same random game on both boards and compares them at every ply. Returns its outcome.
fn compare_a_random_game(seed: u64) -> Outcome {
    let mut random = StdRng::seed_from_u64(seed);
    let (mut position, mut board) = (Uttt::start(Rules::default()), STTTBoard::default());
    let mut played: Vec<UtttMove> = Vec::new();
    loop {
        let context = || {
            let moves = in_notation(&played);
            format!("seed {seed}, after the moves {moves}\n{position}\ntheirs:\n{board}")
        };
        let outcome = board.outcome().map(|outcome| match outcome {
            TheirOutcome::WonBy(player) => Outcome::Win(our_player(player)),
            TheirOutcome::Draw => Outcome::Draw,
        });
        assert_eq!(position.outcome(), outcome, "outcome, ours and theirs: {}", context());
        let legal: Vec<UtttMove> = position.legal_moves().collect();
        let theirs: Vec<UtttMove> =
            board.available_moves().map(|moves| moves.map(ours).collect()).unwrap_or_default();
        assert!(legal == theirs, "theirs are {}: {}", in_notation(&theirs), context());
        if let Some(outcome) = outcome {
            return outcome;
        }
        let mover = our_player(board.next_player());
        assert_eq!(position.side_to_move(), mover, "side to move, ours and theirs: {}", context());
        for player in Player::BOTH {
            let boards = (0..9_u8).filter(|&om| board.macr(om).map(our_player) == Some(player));
            let theirs = boards.fold(0, |mask, om| mask | 1 << om);
            assert_eq!(position.won(player), theirs, "boards of {player:?}: {}", context());
        }
        let mv = legal[random.gen_range(0..legal.len())];
        let number = u8::try_from(mv.index()).expect("81 squares");
        board.play(Coord::from_o(number)).expect("the move is on both lists");
        position.play_unchecked(mv);
        played.push(mv);
    }
}

#[test]
fn twenty_thousand_random_games_are_the_same_at_every_ply() {
    const GAMES: u64 = 20_000;
    let mut counts = [0_u64; 3];
    for seed in 0..GAMES {
        counts[match compare_a_random_game(seed) {
            Outcome::Win(player) => player.index(),
            Outcome::Draw => 2,
        }] += 1;
    }
    // Liang, Table 1.1: of 100,000 random games the first player won 41057 and the second 36757.
    // The tolerance is five standard deviations of the difference between Liang's sample and this
    // one.
    for (count, liang) in counts.iter().zip([41_057.0, 36_757.0, 22_186.0]) {
        let expected: f64 = liang / 1e5;
        let deviation = (expected * (1.0 - expected) * (1.0 / GAMES as f64 + 1e-5)).sqrt();
        let share = *count as f64 / GAMES as f64;
        assert!((share - expected).abs() < 5.0 * deviation, "{counts:?}, Liang {liang} of 100000");
    }
}
