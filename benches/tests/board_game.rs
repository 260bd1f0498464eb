//! Ultimate Tic-Tac-Toe and chess compared with the `board-game` crate, which is independent of this project:
//! `cargo test -p tictune-benches`.

use std::collections::HashMap;

use board_game::board::{Board, BoardMoves, Outcome as TheirOutcome, Player as TheirPlayer};
use board_game::games::chess::{ChessBoard, Rules as ChessRules};
use board_game::games::sttt::{Coord, STTTBoard};
use internal_iterator::InternalIterator;
use rand_08::rngs::StdRng;
use rand_08::{Rng, SeedableRng};
use tictune::game::{Outcome, Player, Position};
use tictune::games::Chess;
use tictune::games::chess::ChessRules as Endings;
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

fn our_outcome(theirs: TheirOutcome) -> Outcome {
    match theirs {
        TheirOutcome::WonBy(player) => Outcome::Win(our_player(player)),
        TheirOutcome::Draw => Outcome::Draw,
    }
}

/// Both number squares board by board and cell by cell, row by row, so that games can be compared by number.
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
        let outcome = board.outcome().map(our_outcome);
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
    // The tolerance is five standard deviations of the difference between Liang's sample and this one.
    for (count, liang) in counts.iter().zip([41_057.0, 36_757.0, 22_186.0]) {
        let expected: f64 = liang / 1e5;
        let deviation = (expected * (1.0 - expected) * (1.0 / GAMES as f64 + 1e-5)).sqrt();
        let share = *count as f64 / GAMES as f64;
        assert!((share - expected).abs() < 5.0 * deviation, "{counts:?}, Liang {liang} of 100000");
    }
}

/// Their rules come from another move generator. Mates and stalemates are theirs; the other draws are counted here, by FENs and lists of moves.
#[test]
fn random_games_of_chess_are_the_same_at_every_ply() {
    let mut ends = [0; 2];
    for seed in 0..150 {
        let mut random = StdRng::seed_from_u64(seed);
        let (mut ours, mut theirs) = (
            Chess::start(Endings::default()),
            ChessBoard::default_with_rules(ChessRules::unlimited()),
        );
        let mut seen: HashMap<(String, Vec<String>), u32> = HashMap::new();
        loop {
            let mut moves: Vec<String> = Vec::new();
            if let Ok(available) = theirs.available_moves() {
                available.for_each(|mv| moves.push(mv.to_string()));
            }
            moves.sort_unstable();
            let fen = ours.notation();
            let fields: Vec<&str> = fen.split(' ').collect();
            let times = seen.entry((fields[..3].join(" "), moves.clone())).or_default();
            *times += 1;
            let pieces: String = fields[0].chars().filter(|c| c.is_alphabetic()).collect();
            // A second minor piece may leave a draw, depending on squares: a unit test has those.
            let bare = pieces.len() <= 3 && !pieces.contains(['p', 'P', 'r', 'R', 'q', 'Q']);
            let quiet = theirs.non_pawn_or_capture_moves() >= 100;
            let outcome = theirs.outcome().map(our_outcome);
            let outcome = outcome.or((*times >= 3 || quiet || bare).then_some(Outcome::Draw));
            let bishops = pieces.to_lowercase().chars().all(|piece| "kb".contains(piece));
            if bishops && !bare && outcome.is_none() && ours.outcome().is_some() {
                break;
            }
            assert_eq!(ours.outcome(), outcome, "seed {seed}: {ours:?}");
            if let Some(outcome) = outcome {
                ends[usize::from(outcome == Outcome::Draw)] += 1;
                break;
            }
            let mut legal: Vec<String> = ours.legal_moves().map(|mv| mv.to_string()).collect();
            legal.sort_unstable();
            assert_eq!(legal, moves, "seed {seed}: {ours:?}");
            let mv = &legal[random.gen_range(0..legal.len())];
            let their_move = theirs.parse_move(mv).expect("the move is on both lists");
            theirs.play(their_move).expect("the move is on both lists");
            ours.play(Chess::parse_move(mv).expect("a move")).expect("a legal move");
        }
    }
    assert!(ends.iter().all(|count| *count > 5), "mates and draws: {ends:?}");
}
