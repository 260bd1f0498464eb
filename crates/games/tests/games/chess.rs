//! Chess: rules, notation and PGN.

use tictune_core::game::{Game, Pgn, PgnError, PgnGame, Position};
use tictune_games::Chess;
use tictune_games::chess::{ChessRules, Ending};

/// Chess as PGN.
fn pgn() -> &'static Pgn {
    Chess::INFO.extension().expect("chess has PGN")
}

fn chess(fen: &str) -> Chess {
    Chess::from_notation(fen, ChessRules::default()).expect("a position")
}

fn play(mut position: Chess, moves: &str) -> Chess {
    for mv in moves.split_whitespace() {
        let mv = Chess::parse_move(mv).expect("a move");
        position.play(mv).expect("a legal move");
    }
    position
}

#[test]
fn games_end_as_the_rules_say() {
    let knights = "g1f3 g8f6 f3g1 f6g8 ";
    let start = Chess::start(ChessRules::default());
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
    let start = Chess::start(ChessRules::default());
    for text in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
        "  rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR  w KQkq - bm e4; id \"start 7 9\";",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 bm e4;",
        // What other programs write, and python-chess reads as well.
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
        let error = Chess::from_notation(text, ChessRules::default()).unwrap_err().to_string();
        assert!(error.to_lowercase().contains(why), "{text}: {error}");
    }
    for text in ["", "e2", "e2e9", "e7e8k", "e7e8p", "e2e4e", "0000", "O-O", "\u{e9}\u{e9}\u{e9}"] {
        let error = Chess::parse_move(text).unwrap_err().to_string();
        assert!(error.contains("as in e2e4 or e7e8q"), "{error}");
    }
}

#[test]
fn moves_have_standard_names() {
    let moves = ["e2e4", "d7d5", "e4d5", "d8d5", "g1f3", "c8g4", "f1e2", "b8c6", "e1g1", "e8c8"];
    let start = Chess::start(ChessRules::default()).notation();
    let names = (pgn().write)("", &start, &moves.map(String::from)).unwrap();
    let expected = ["e4", "d5", "exd5", "Qxd5", "Nf3", "Bg4", "Be2", "Nc6", "O-O", "O-O-O"];
    assert_eq!((names.moves, names.ending), (expected.map(String::from).to_vec(), None));
    assert_eq!((pgn().write)("", &start, &["e2e5".into()]), None);
}

fn read(text: &str) -> Result<Vec<PgnGame>, PgnError> {
    (pgn().read)(text, "").into_iter().collect()
}

#[test]
fn games_of_a_file_are_read_without_comments_and_variations() {
    let text = "% a comment of a program\n[Event \"a \\\"b\\\"\"]\n[White \"x\"]\n[Result \"1-0\"]\n\n\
                1.e4! {good; [or\nnot] (} e5 $1 (1... c5 2. Nf3 (2. c3) 2... d6) 2. Nf3 Nc6 ; 3. no\n\
                3. Bb5 a6 4. 0-0 1-0\n\n1. d4 *\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 30\"]\n";
    let games = read(text).unwrap();
    let found: Vec<(usize, usize, &str)> =
        games.iter().map(|game| (game.line, game.moves.len(), &*game.end)).collect();
    let castled = "r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQ1RK1 b kq - 1 4";
    let pushed = "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq d3 0 1";
    let given = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 30";
    assert_eq!(found, [(2, 7, castled), (10, 1, pushed), (11, 0, given)]);
    assert_eq!(games[0].tags["Event"], "a \"b\"");
    assert_eq!((&*games[0].tags["Result"], &*games[1].tags["Result"]), ("1-0", "*"));
    let cut_off = read("[Result \"1-0\"]\n\n1. e4 e5").unwrap();
    assert!(!cut_off[0].tags.contains_key("Result"), "a game that is cut off has no result");
    let unclaimed = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. e4 e5 1-0";
    assert_eq!(read(unclaimed).unwrap()[0].moves.len(), 10);
    for (text, line, why) in [
        ("\n1. e4 e5 2. Ke3", 2, "\"Ke3\" is not a move here, at ply 3"),
        ("[Event x]", 1, "is not a tag"),
        ("[Result \"1-0\"]\n\n1. e4 0-1", 3, "the game ends with 0-1, and its tag says 1-0"),
        ("[Variant \"Atomic\"]\n\n1. e4", 3, "atomic is not chess"),
        ("[FEN \"8/8\"]\n\n*", 3, "not a position of chess"),
    ] {
        let error = read(text).unwrap_err();
        assert_eq!(error.line, line, "{text}");
        assert!(error.error.to_string().contains(why), "{text}: {}", error.error);
    }
}

#[test]
fn a_mistake_in_a_file_costs_one_game() {
    let text = "[White \"a\"]\n\n1. e4 e5 2. Ke3 {not\n[possible]} Nf6 1-0\n1. d4 *\n\n[Round]\n[White \"b\"]\n\n\
                1. c4 e5 *\n\n[White \"c\"]\n\n1. e4 Ke7\n\n[White \"d\"]\n\n1. e4 0-1\n\n[Variant \"Atomic\"]\n\n1. e4\n";
    let games = (pgn().read)(text, "");
    let found: Vec<Result<usize, usize>> = games
        .iter()
        .map(|game| game.as_ref().map(|game| game.line).map_err(|error| error.line))
        .collect();
    assert_eq!(found, [Err(3), Ok(5), Err(7), Err(14), Ok(16), Err(22)]);
    let good = games[4].as_ref().unwrap();
    assert_eq!((&*good.tags["White"], good.moves.len()), ("d", 1));
}

#[test]
fn kings_of_chess960_castle_by_taking_their_rook() {
    let rules: ChessRules = "chess960=true".parse().unwrap();
    // X-FEN: the rook of K and k is the outermost, on g, and that of Q and q on b.
    let x_fen = "1r3krr/8/8/8/8/8/8/1R3KRR w KQkq - 0 1";
    let shredder = "1r3krr/8/8/8/8/8/8/1R3KRR w HBhb - 0 1";
    let position = Chess::from_notation(x_fen, rules).unwrap();
    assert_eq!(position, Chess::from_notation(shredder, rules).unwrap());
    assert_eq!(position.notation(), shredder);
    let inner = "1r3krr/8/8/8/8/8/8/1R3KRR w GBhb - 0 1";
    assert_eq!(Chess::from_notation(inner, rules).unwrap().notation(), inner);
    assert_eq!(play(position, "f1b1").notation(), "1r3krr/8/8/8/8/8/8/2KR2RR b hb - 1 1");
    let usual = Chess::from_notation("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", rules).unwrap();
    assert!(!usual.is_legal("e1g1".parse().unwrap()), "castling takes the rook");
    let castled = play(usual.clone(), "e1h1 e8a8");
    assert_eq!(castled.notation(), "2kr3r/8/8/8/8/8/8/R4RK1 w - - 2 2");
    let written =
        (pgn().write)("chess960=true", &usual.notation(), &["e1h1", "e8a8"].map(Into::into));
    let written = written.unwrap();
    assert_eq!(
        (written.variant, written.moves),
        (Some("Chess960"), ["O-O", "O-O-O"].map(Into::into).to_vec())
    );
    let text = format!("[Variant \"Chess960\"]\n[FEN \"{}\"]\n\n1. O-O O-O-O *", usual.notation());
    assert_eq!(read(&text).unwrap()[0].end, castled.notation());
    assert!(
        Chess::from_notation(shredder, ChessRules::default())
            .unwrap_err()
            .0
            .contains("chess960 = true")
    );
}

#[test]
fn texts_of_rules_round_trip_and_others_say_what_is_wrong() {
    for text in [
        "",
        "max_plies=400",
        "resign_score=600,resign_moves=4",
        "chess960=true,resign_score=600,resign_moves=3,resign_twosided=false",
        "draw_score=0,draw_moves=8,draw_from=0",
        "resign_score=1,resign_moves=1,draw_score=10,draw_moves=2,draw_from=3,max_plies=9",
    ] {
        assert_eq!(text.parse::<ChessRules>().unwrap().to_string(), text);
    }
    let short: ChessRules = "draw_score=10, resign_score=700".parse().unwrap();
    assert_eq!(
        short.to_string(),
        "resign_score=700,resign_moves=4,draw_score=10,draw_moves=8,draw_from=40"
    );
    for (text, expected) in [
        ("resign=600", "unknown rule \"resign\""),
        ("resign_scor=600", "did you mean \"resign_score\"?"),
        ("resign_score", "is not KEY=VALUE"),
        ("resign_score=0", "resign_score takes a whole number from 1, not \"0\""),
        ("max_plies=many", "max_plies takes a whole number from 1"),
        ("resign_moves=3", "resign_moves needs resign_score"),
        ("draw_from=3", "draw_from needs draw_score"),
        ("resign_twosided=true", "resign_twosided needs resign_score"),
        ("chess960=1", "chess960 is true or false, not \"1\""),
    ] {
        let error = text.parse::<ChessRules>().unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}
