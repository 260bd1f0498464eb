use super::*;

fn chess(fen: &str) -> Chess {
    Chess::from_notation(fen, Rules::default()).expect("a position")
}

fn play(mut position: Chess, moves: &str) -> Chess {
    for mv in moves.split_whitespace() {
        let mv = Chess::parse_move(mv).expect("a move");
        position.play(mv).expect("a legal move");
    }
    position
}

#[test]
fn castling_is_the_kings_move_and_nothing_else() {
    let ready = chess("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    for (mv, after) in [
        ("e1g1", "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1"),
        ("e1c1", "r3k2r/8/8/8/8/8/8/2KR3R b kq - 1 1"),
    ] {
        assert_eq!(play(ready.clone(), mv).notation(), after);
    }
    for mv in ["e1h1", "e1a1"] {
        assert!(!ready.is_legal(mv.parse().unwrap()), "{mv} is not how UCI writes castling");
    }
    // A rook's move from e1 to g1 is no castling.
    let rook = play(chess("7k/8/8/8/8/8/8/K3R3 w - - 0 1"), "e1g1");
    assert_eq!(rook.notation(), "7k/8/8/8/8/8/8/K5R1 b - - 1 1");
}

#[test]
fn games_end_as_the_rules_say() {
    let knights = "g1f3 g8f6 f3g1 f6g8 ";
    let start = Chess::start(Rules::default());
    assert_eq!(play(start.clone(), knights).ending(), None);
    let third = play(start.clone(), &knights.repeat(2));
    assert_eq!(third.ending(), Some(Ending::Repetition));
    // The same pieces with other castling rights are another position.
    let rook = "h1g1 h8g8 g1h1 g8h8 ";
    let rooks = chess("r3k2r/p7/8/8/8/8/P7/R3K2R w KQkq - 0 1");
    assert_eq!(play(rooks.clone(), &rook.repeat(2)).ending(), None);
    let third = play(rooks, &(rook.repeat(2) + "h1g1 h8g8"));
    assert_eq!(third.ending(), Some(Ending::Repetition));
    // En passant counts only where a pawn can take.
    let pushed = play(start, "e2e4 e7e5 g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1");
    assert_eq!(play(pushed, "f6g8").ending(), Some(Ending::Repetition));
    for (fen, ending) in [
        ("R5k1/5ppp/8/8/8/8/8/K7 b - - 100 80", Some(Ending::Checkmate)),
        ("R5k1/6pp/8/8/8/8/8/K7 b - - 100 80", Some(Ending::FiftyMoves)),
        ("R5k1/6pp/8/8/8/8/8/K7 b - - 99 80", None),
        ("8/8/4kb2/8/8/4K3/8/B1B5 w - - 0 1", Some(Ending::Material)),
        ("8/8/4kb2/8/8/4K3/8/1B6 w - - 0 1", None),
        ("8/8/4kn2/8/8/4KN2/8/8 w - - 0 1", None),
        ("8/8/4k3/8/8/4KNN1/8/8 w - - 0 1", None),
    ] {
        assert_eq!(chess(fen).ending(), ending, "{fen}");
    }
}

#[test]
fn epd_is_read_and_other_texts_are_errors_that_say_why() {
    let start = Chess::start(Rules::default());
    for text in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
        "  rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR  w KQkq - bm e4; id \"start 7 9\";",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 bm e4;",
    ] {
        assert_eq!(chess(text), start, "{text}");
    }
    // What other programs write, and python-chess reads as well.
    for text in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 0",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e3 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e6",
    ] {
        assert_eq!(chess(text), start, "{text}");
    }
    let real = "rnbqkbnr/pppp1ppp/8/8/3Pp3/8/PPP1PPPP/RNBQKBNR b KQkq d3 0 2";
    assert!(chess(real).is_legal(Chess::parse_move("e4d3").unwrap()), "en passant is kept");
    for (text, why) in [
        ("start", "at least four fields"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN w KQkq - 0 1", "board is invalid"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "board is invalid"),
        ("1nbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "castling"),
        ("r2k3r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "stands on its e file"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e9 0 1", "en passant"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 999 1", "half"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 9000", "this many moves"),
        ("r\u{e9}\u{e9} \u{e9} \u{e9} \u{e9}", "board is invalid"),
    ] {
        let error = Chess::from_notation(text, Rules::default()).unwrap_err().to_string();
        assert!(error.to_lowercase().contains(why), "{text}: {error}");
    }
    for text in ["", "e2", "e2e9", "e7e8k", "e7e8p", "e2e4e", "0000", "O-O", "\u{e9}\u{e9}\u{e9}"] {
        let error = Chess::parse_move(text).unwrap_err().to_string();
        assert!(error.contains("as in e2e4 or e7e8q"), "{error}");
    }
}

#[test]
fn openings_that_differ_in_counters_or_an_idle_en_passant_are_one() {
    let start = Chess::start(Rules::default());
    let [a, b] = ["g1f3 g8f6 e2e4 e7e6", "e2e4 e7e6 g1f3 g8f6"].map(|m| play(start.clone(), m));
    assert_ne!(a.notation(), b.notation());
    assert_eq!(a.canonical_key(), b.canonical_key());
    assert_ne!(a.canonical_key(), start.canonical_key());
}

#[test]
fn moves_have_standard_names() {
    let moves = ["e2e4", "d7d5", "e4d5", "d8d5", "g1f3", "c8g4", "f1e2", "b8c6", "e1g1", "e8c8"];
    let names =
        standard_moves(&Chess::start(Rules::default()).notation(), &moves.map(String::from));
    let expected = ["e4", "d5", "exd5", "Qxd5", "Nf3", "Bg4", "Be2", "Nc6", "O-O", "O-O-O"];
    let names = names.unwrap();
    assert_eq!((names.moves, names.ending), (expected.map(String::from).to_vec(), None));
    assert_eq!(standard_moves(&Chess::start(Rules::default()).notation(), &["e2e5".into()]), None);
}
