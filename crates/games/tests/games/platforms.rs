//! The protocols of bot platforms, and the bots that are exported for one.

use std::time::Duration;

use rand::RngExt;
use tictune_core::agent::ClockTime;
use tictune_core::game::{Player, Position};
use tictune_core::seed::{Role, generator};
use tictune_games::Uttt;
use tictune_games::uttt::evaluation::PATTERN_VALUES;
use tictune_games::uttt::platforms::PLATFORMS;
use tictune_games::uttt::platforms::codingame::source::{BotParts, source};
use tictune_games::uttt::{Rules, UtttMove};
use tictune_programs::{Bot, Host, Protocol, Query};

const TIMES: ClockTime =
    ClockTime { left: Duration::from_secs(10), increment: Duration::from_millis(500) };

fn host_of(protocol: Protocol, player: Player, times: ClockTime) -> Box<dyn Host<Uttt>> {
    (PLATFORMS.host)(protocol, player, times).expect("a protocol with hosts")
}

fn bot_of(protocol: Protocol, rules: Rules) -> Box<dyn Bot<Uttt>> {
    (PLATFORMS.bot)(protocol, rules).expect("a protocol with bots")
}

/// Feeds a bot lines of which the last asks for a move.
fn query_of(bot: &mut dyn Bot<Uttt>, lines: &str) -> Query<Uttt> {
    let mut queries: Vec<_> =
        lines.lines().map(|line| bot.read(line).unwrap_or_else(|e| panic!("{e}"))).collect();
    let query = queries.pop().flatten().expect("the last line asks for a move");
    assert!(queries.iter().all(Option::is_none), "{lines}");
    query
}

/// What decides the rest of a game. With one open board left, a forced board and a free choice mean the same.
fn facts(position: &Uttt) -> (String, Vec<UtttMove>) {
    let notation = position.notation();
    let (marks_and_side, _) = notation.rsplit_once(' ').unwrap();
    (marks_and_side.into(), position.legal_moves().collect())
}

/// Plays random games in which a protocol transmits the moves of one player.
fn round_trip(protocol: Protocol) {
    for (number, rules) in Rules::all().into_iter().cycle().take(80).enumerate() {
        let mut generator = generator(number as u64, Role::AgentA);
        let player = Player::BOTH[number % 2];
        let mut host = host_of(protocol, player, TIMES);
        let mut bot = bot_of(protocol, rules);
        let mut position = Uttt::start(rules);
        let mut last_move = None;
        while position.outcome().is_none() {
            let index = generator.random_range(0..position.legal_move_count() as u32);
            let mv = position.nth_legal_move(index as usize);
            if position.side_to_move() == player {
                let time = Duration::from_millis(100 + u64::from(index));
                let lines = host.request(&position, last_move, time);
                let query = query_of(&mut *bot, &lines);
                assert_eq!(query.problems, [""; 0], "{lines}");
                assert_eq!(facts(&query.position.expect(&lines)), facts(&position));
                assert!(position.legal_moves().eq(query.allowed));
                match protocol {
                    Protocol::TheAiGames => assert_eq!(query.time_left, Some(time)),
                    Protocol::CodinGame => assert_eq!(query.last_move, last_move),
                    Protocol::Uci => panic!("UCI has no bots"),
                }
                assert_eq!(host.read_answer(&bot.answer(mv)), Some(mv));
            }
            position.play_unchecked(mv);
            last_move = Some(mv);
        }
    }
}

#[test]
fn protocols_carry_random_games_under_every_rule() {
    [Protocol::TheAiGames, Protocol::CodinGame].into_iter().for_each(round_trip);
}

#[test]
fn answers_that_are_not_moves_are_refused_and_words_after_a_move_ignored() {
    for (protocol, moves, others) in [
        (
            Protocol::TheAiGames,
            ["place_move 7 2 depth 11", " place_move 7 2 "],
            &["", "7 2", "place_move 9 0", "place_move 7", "place_move 7 x", "no_moves"][..],
        ),
        (
            Protocol::CodinGame,
            ["2 7 0.5699 513024", "2 7"],
            &["", "2,7", "place_move 7 2", "2 9", "-1 -1", "2 x 7", "99999999999999999999 0"],
        ),
    ] {
        let host = host_of(protocol, Player::First, TIMES);
        for line in moves {
            assert_eq!(host.read_answer(line), UtttMove::from_column_row(7, 2), "{line}");
        }
        for line in others {
            assert_eq!(host.read_answer(line), None, "{line}");
        }
    }
}

#[test]
fn codingames_list_counts() {
    let mut bot = bot_of(Protocol::CodinGame, Rules::default());
    assert_eq!(query_of(&mut *bot, "4 4\n2\n3 3\n0 0\n").allowed.len(), 2);
    // After a move that the rules do not allow, the bot can only use the platform's list.
    assert_eq!(bot.answer(UtttMove::from_column_row(0, 0).unwrap()), "0 0");
    let query = query_of(&mut *bot, "8 8\n1\n6 6\n");
    assert_eq!((query.position, query.allowed.len()), (None, 1));
    assert_eq!(query_of(&mut *bot, "8 8\n0\n").allowed, []);
    // A first move starts a new game.
    assert!(query_of(&mut *bot, "-1 -1\n1\n0 0\n").position.is_some());
}

#[test]
fn bad_lines_of_codingame_are_refused_and_change_nothing() {
    let mut bot = bot_of(Protocol::CodinGame, Rules::default());
    let mut refused = |line: &str| bot.read(line).unwrap_err();
    assert!(refused("hello").contains("the opponent's last move"));
    assert!(refused("9 9").contains("found \"9 9\""));
    assert!(refused("-1 4").contains("-1 -1"));
    assert_eq!(bot.read("4 4"), Ok(None));
    for line in ["x", "82", "-1", "1 2", "99999999999999999999"] {
        assert!(bot.read(line).unwrap_err().contains("the number of legal moves"), "{line}");
    }
    assert_eq!(bot.read("1"), Ok(None));
    assert!(bot.read("4").unwrap_err().contains("a legal move as ROW COLUMN"));
    assert!(matches!(bot.read("3 3"), Ok(Some(_))));
}

/// A field from nine rows of `.`, `x` (id 1) and `o` (id 2).
fn field(rows: &str) -> String {
    let value = |c: char| "xo".find(c).map_or(0, |index| index + 1);
    let values = rows.split_whitespace().flat_map(|row| row.chars().map(value));
    let values = values.map(|value| value.to_string()).collect::<Vec<_>>().join(",");
    format!("update game field {values}")
}

fn ask(lines: &[&str]) -> Query<Uttt> {
    let mut bot = bot_of(Protocol::TheAiGames, Rules::default());
    for line in lines {
        assert_eq!(bot.read(line), Ok(None), "{line}");
    }
    bot.read("action move 1234").unwrap().unwrap()
}

fn macro_board(values: &str) -> String {
    format!("update game macroboard {values}")
}

const CENTRE: &str =
    "......... ......... ......... ......... ....x.... ......... ......... ......... .........";
/// Id 1 has won board 0 and is to move; board 1 is drawn.
const DRAWN: &str =
    "xxxxox... ...xoo... ...oxx... ......... o.oo..... ......... ...o.x... ......... o........";

#[test]
fn a_request_is_written_as_the_platform_writes_it() {
    let [left, increment] = [10_000, 500].map(Duration::from_millis);
    let clock = ClockTime { left, increment };
    let mut host = host_of(Protocol::TheAiGames, Player::Second, clock);
    let position = Uttt::start(Rules::default()).after(UtttMove::CENTRE);
    let updates = format!(
        "update game round 1\nupdate game move 2\n{}\n\
         update game macroboard 0,0,0,0,-1,0,0,0,0\naction move ",
        field(CENTRE)
    );
    let settings = "settings timebank 10000\nsettings time_per_move 500\n\
         settings player_names player1,player2\nsettings your_bot player2\nsettings your_botid 2\n";
    let ask = |host: &mut dyn Host<Uttt>, ms| {
        host.request(&position, Some(UtttMove::CENTRE), Duration::from_millis(ms))
    };
    assert_eq!(ask(&mut *host, 10_000), format!("{settings}{updates}10000\n"));
    assert_eq!(ask(&mut *host, 500), format!("{updates}500\n"), "settings are sent once");
}

#[test]
fn whoever_moves_first_is_the_first_player_whatever_the_ids() {
    let centre = macro_board("0,0,0,0,-1,0,0,0,0");
    let of = |settings: &str, rows: &str| {
        ask(&[settings, &field(rows), &centre]).position.map(|p| p.side_to_move())
    };
    for (rows, mover, other) in [(CENTRE, '1', '2'), (&CENTRE.replace('x', "o"), '2', '1')] {
        assert_eq!(of("", rows), Some(Player::Second));
        assert_eq!(of(&format!("settings your_botid {other}"), rows), Some(Player::Second));
        assert_eq!(of(&format!("settings your_botid {mover}"), rows), None, "it has moved");
    }
}

#[test]
fn the_platforms_playable_boards_count() {
    let boards = |query: &Query<Uttt>| {
        let mut boards: Vec<_> = query.allowed.iter().map(|mv| mv.board()).collect();
        boards.dedup();
        boards
    };
    for (macro_values, allowed, target, problem) in [
        ("1,0,-1,0,0,0,0,0,0", vec![2], Some(2), ""),
        // Playable boards that the rules would not let a player choose between.
        ("1,0,-1,-1,0,0,0,0,0", vec![2, 3], None, "the field it is 1,0,-1,-1,-1,-1,-1,-1,-1"),
        // No playable board: the bot may choose any open one.
        ("1,0,0,0,0,0,0,0,0", vec![2, 3, 4, 5, 6, 7, 8], None, "macroboard: 1,0,0,0"),
        // A macro board with a wrong winner.
        ("1,2,-1,0,0,0,0,0,0", vec![2], Some(2), "1,2,-1"),
        ("0,0,-1,0,0,0,0,0,0", vec![2], Some(2), "by the field it is 1,0,-1"),
        // A won board that may be played in.
        ("-1,0,0,0,0,0,0,0,0", vec![0], None, "macroboard: -1,0"),
    ] {
        let query = ask(&[&field(DRAWN), &macro_board(macro_values)]);
        assert_eq!(boards(&query), allowed, "{macro_values}");
        assert_eq!(query.position.map(|p| p.target()), Some(target), "{macro_values}");
        let said = query.problems.join("; ");
        assert!(said.contains(problem) && said.is_empty() == problem.is_empty(), "{said}");
    }
}

#[test]
fn bad_lines_of_theaigames_are_refused_and_change_nothing() {
    let mut bot = bot_of(Protocol::TheAiGames, Rules::default());
    bot.read(&field(CENTRE)).unwrap();
    bot.read(&macro_board("0,0,0,0,-1,0,0,0,0")).unwrap();
    let short = field(&CENTRE[1..]);
    for (line, problem) in [
        (short.as_str(), "field: expected 81 values"),
        ("update game macroboard 0,0,0", "macroboard: expected 9 values"),
        ("update game macroboard 0,0,0,0,-2,0,0,0,0", "9 values"),
        ("settings your_botid 3", "unknown line"),
        ("update game", "unknown line"),
    ] {
        let error = bot.read(line).unwrap_err();
        assert!(error.contains(problem), "{line}: {error}");
    }
    let query = bot.read("action move").unwrap().unwrap();
    assert_eq!(query.problems, ["action move: expected milliseconds"]);
    assert_eq!((query.time_left, query.allowed.len()), (None, 8));
    let late = bot.read("action move -20").unwrap().unwrap();
    assert_eq!(late.time_left, Some(Duration::ZERO));
}

#[test]
fn a_game_that_the_rules_have_ended_has_no_position_but_moves() {
    let rows =
        "xxxxxxxxx ......... ......... o.oo.oo.o ......... ......... o..o..o.. ......... .........";
    let query = ask(&[&field(rows), &macro_board("1,1,1,-1,-1,-1,-1,-1,-1")]);
    assert_eq!(query.position, None);
    assert!(query.problems[0].contains("the game is over"), "{:?}", query.problems);
    assert_eq!(query.allowed.len(), 54 - 9);
}

#[test]
fn comments_stay_comments_and_long_files_are_refused() {
    let layout = &PATTERN_VALUES;
    let about = "a\n\nb\\\nc\r\u{202e}\u{2028}d";
    let bot = BotParts { about, layout, weights: &[1.0; 9], function: None, search: &[] };
    assert!(source(&bot).unwrap().contains("// a\n//\n// b_\n// c___d\n"));
    let about = "x".repeat(100_000);
    let bot = BotParts { about: &about, ..bot };
    let error = source(&bot).unwrap_err().to_string();
    assert!(error.contains("takes less than 100000"), "{error}");
    let bot = BotParts { weights: &[1.0; 3], ..bot };
    assert!(source(&bot).unwrap_err().to_string().contains("9 weights"));
}
