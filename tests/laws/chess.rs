//! Chess against published counts. `benches/tests` compares it with another crate.

use tictune::game::{Position, perft};
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
