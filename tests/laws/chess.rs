//! Chess against published counts and against the independent `board-game` crate, whose rules come from another move
//! generator.

use std::collections::HashMap;

use board_game::board::{Board, BoardMoves, Outcome as TheirOutcome, Player as TheirPlayer};
use board_game::games::chess::{ChessBoard, Rules};
use internal_iterator::InternalIterator;
use rand_08::rngs::StdRng;
use rand_08::{Rng, SeedableRng};
use tictune::game::{Outcome, Player, Position, perft};
use tictune::games::Chess;
use tictune::games::chess::ChessRules as Endings;

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// Source: the perft results of the Chess Programming Wiki.
#[test]
fn perft_is_as_published() {
    let chess = |fen: &str| Chess::from_notation(fen, Endings::default()).expect("a position");
    for (position, counts) in [
        (Chess::start(Endings::default()), vec![20, 400, 8_902, 197_281]),
        (chess(KIWIPETE), vec![48, 2_039, 97_862]),
        (chess("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"), vec![14, 191, 2_812, 43_238]),
        (
            chess("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"),
            vec![6, 264, 9_467],
        ),
        (chess("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8"), vec![44, 1486, 62379]),
    ] {
        for (depth, count) in (1..).zip(counts) {
            assert_eq!(perft(&position, depth), count, "depth {depth} of\n{position}");
        }
    }
}

/// Mates and stalemates are theirs; the other draws are counted here, by FENs and lists of moves.
#[test]
fn random_games_are_the_same_at_every_ply() {
    let mut ends = [0; 2];
    for seed in 0..150 {
        let mut random = StdRng::seed_from_u64(seed);
        let (mut ours, mut theirs) =
            (Chess::start(Endings::default()), ChessBoard::default_with_rules(Rules::unlimited()));
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
            let outcome = match theirs.outcome() {
                Some(TheirOutcome::WonBy(TheirPlayer::A)) => Some(Outcome::Win(Player::First)),
                Some(TheirOutcome::WonBy(TheirPlayer::B)) => Some(Outcome::Win(Player::Second)),
                Some(TheirOutcome::Draw) => Some(Outcome::Draw),
                None => (*times >= 3 || quiet || bare).then_some(Outcome::Draw),
            };
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
