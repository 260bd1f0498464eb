//! Ultimate Tic-Tac-Toe compared with the independent `board-game` crate, which has the default
//! rules.
//!
//! Both number squares board by board and cell by cell, row by row. The first test checks this, so
//! that the others can compare squares by number.

use board_game::board::{Board, BoardMoves, Outcome as TheirOutcome, Player as TheirPlayer};
use board_game::games::sttt::{Coord, STTTBoard};
use board_game::util::game_stats;
use internal_iterator::InternalIterator;
use rand_08::rngs::StdRng;
use rand_08::{Rng, SeedableRng};
use tictune::game::{Outcome, Player, Position, perft};
use tictune::games::uttt::{Rules, Uttt, UtttMove};

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

fn our_outcome(outcome: TheirOutcome) -> Outcome {
    match outcome {
        TheirOutcome::WonBy(player) => Outcome::Win(our_player(player)),
        TheirOutcome::Draw => Outcome::Draw,
    }
}

/// The legal moves of `board-game` in its order, as our squares.
fn their_moves(board: &STTTBoard) -> Vec<UtttMove> {
    match board.available_moves() {
        Ok(moves) => moves.map(ours).collect(),
        Err(_) => Vec::new(),
    }
}

#[test]
fn squares_have_the_same_numbers_and_places() {
    for square in Coord::all() {
        let number: usize = square.o().into();
        let mv = ours(square);
        assert_eq!(mv.index(), number, "the number of {square}");
        let place: (usize, usize) = (square.x().into(), square.y().into());
        assert_eq!((mv.column(), mv.row()), place, "column and row of square {number}");
        assert_eq!(
            UtttMove::from_column_row(place.0, place.1),
            Some(mv),
            "the square at {place:?}"
        );
    }
}

#[test]
fn perft_is_the_same() {
    let (position, board) = (Uttt::start(Rules::default()), STTTBoard::default());
    for depth in 1..=6 {
        let theirs = game_stats::perft(&board, depth);
        assert_eq!(
            perft(&position, depth),
            theirs,
            "perft {depth} from the start, ours and theirs"
        );
    }
}

/// Moves as text for messages of failed comparisons.
fn in_notation(moves: &[UtttMove]) -> String {
    moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// Plays the same random game on both boards and compares them at every ply. Returns its outcome.
fn compare_a_random_game(seed: u64) -> Outcome {
    let mut random = StdRng::seed_from_u64(seed);
    let (mut position, mut board) = (Uttt::start(Rules::default()), STTTBoard::default());
    let mut played: Vec<String> = Vec::new();
    loop {
        let context = || {
            let moves = played.join(" ");
            format!(
                "seed {seed}, after the moves {moves}\n\"{}\"\n{position}\ntheirs:\n{board}",
                position.notation()
            )
        };
        let outcome = board.outcome().map(our_outcome);
        assert_eq!(position.outcome(), outcome, "outcome, ours and theirs: {}", context());
        let legal: Vec<UtttMove> = position.legal_moves().collect();
        let theirs = their_moves(&board);
        assert!(
            legal == theirs,
            "legal moves: ours {}, theirs {}: {}",
            in_notation(&legal),
            in_notation(&theirs),
            context()
        );
        if let Some(outcome) = outcome {
            return outcome;
        }
        let mover = our_player(board.next_player());
        assert_eq!(position.side_to_move(), mover, "side to move, ours and theirs: {}", context());
        let theirs_won = |player: Player| {
            let boards = (0..9_u8).filter(|&om| board.macr(om).map(our_player) == Some(player));
            boards.fold(0, |mask, om| mask | 1 << om)
        };
        for player in Player::BOTH {
            assert_eq!(
                position.won(player),
                theirs_won(player),
                "boards won by {player:?}: {}",
                context()
            );
        }
        let index = random.gen_range(0..legal.len());
        let mv = legal[index];
        let number = u8::try_from(mv.index()).expect("81 squares");
        board.play(Coord::from_o(number)).expect("the move is on both lists");
        position.play_unchecked(mv);
        played.push(mv.to_string());
    }
}

#[test]
fn twenty_thousand_random_games_are_the_same_at_every_ply() {
    const GAMES: u64 = 20_000;
    let mut counts = [0_u64; 3];
    for seed in 0..GAMES {
        counts[match compare_a_random_game(seed) {
            Outcome::Win(Player::First) => 0,
            Outcome::Win(Player::Second) => 1,
            Outcome::Draw => 2,
        }] += 1;
    }
    // Liang, Table 1.1: of 100,000 random games the first player won 41057 and the second 36757.
    // The tolerance is five standard deviations of the difference between Liang's sample and this
    // one.
    for (count, liang) in counts.iter().zip([41_057.0, 36_757.0, 22_186.0]) {
        let expected: f64 = liang / 1e5;
        let games = GAMES as f64;
        let deviation = (expected * (1.0 - expected) * (1.0 / games + 1e-5)).sqrt();
        let share = *count as f64 / games;
        assert!(
            (share - expected).abs() < 5.0 * deviation,
            "first player, second player, draws: {counts:?} of {GAMES} games; Liang has 41057, 36757, 22186 of 100000"
        );
    }
}
