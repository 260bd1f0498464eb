//! Tests of the log.

use super::*;
use crate::agent::{Agent, AgentFactory, Choice, Failure, Turn};
use crate::arena::{Contest, Detail, MatchSettings, Openings, Schedule};
use crate::files::rows_in;
use crate::search::Stop;
use crate::testing::toy::{Rules, Toy};

fn row(identity: &str) -> GameRow {
    let side = SideStats {
        moves: 20,
        nodes: 300,
        iterations: 0,
        search: Duration::from_micros(1_234_567),
        slowest: Duration::from_micros(89_000),
        timeouts: 1,
        late: 2,
    };
    GameRow {
        identity: identity.into(),
        a: "one, \"two\"".into(),
        b: "b".into(),
        game: 3,
        number: 1,
        seed: u64::MAX,
        first: Side::B,
        result: Winner::B,
        forfeit: Some(Forfeit::Error),
        failure: "illegal move 12".into(),
        plies: 41,
        side_a: side,
        side_b: SideStats::default(),
        start: "...../...../...../...../.....".into(),
        moves: "12 13".into(),
    }
}

fn drawn(identity: &str) -> GameRow {
    GameRow {
        first: Side::A,
        result: Winner::Draw,
        forfeit: None,
        failure: String::new(),
        plies: 0,
        side_a: SideStats::default(),
        ..row(identity)
    }
}

#[test]
fn rows_round_trip() {
    let rows = [row("x"), drawn("y")];
    let text = journal_text(&GameRow::header(), &rows).unwrap();
    let lines: Vec<&str> = std::str::from_utf8(&text).unwrap().lines().collect();
    assert_eq!(
        lines[1..],
        [
            "x,\"one, \"\"two\"\"\",b,3,1,18446744073709551615,b,b,error,illegal move 12,41,\
             20,300,0,1,2,1.234567,0.089000,0,0,0,0,0,0.000000,0.000000,\
             ...../...../...../...../.....,12 13",
            "y,\"one, \"\"two\"\"\",b,3,1,18446744073709551615,a,draw,,,0,\
             0,0,0,0,0,0.000000,0.000000,0,0,0,0,0,0.000000,0.000000,\
             ...../...../...../...../.....,12 13",
        ]
    );
    assert_eq!(rows_in(&text), rows.map(Some));
}

#[test]
fn forfeits_are_logged_in_one_line() {
    struct Broken;
    impl Agent<Toy> for Broken {
        fn choose(&mut self, _: &Turn<'_, Toy>) -> Result<Choice<u8>, Failure> {
            Err(Failure::Garbage("what,\n\"now\"?".into()))
        }
    }
    let broken = AgentFactory::custom("broken", |_| Broken);
    let rules = Rules::default();
    let contest = Contest { a: &broken, b: &broken, rules, openings: &Openings::None };
    let settings =
        MatchSettings { games: 2, seed: 0, schedule: Schedule::Paired, replay_ties: false };
    for (index, errors) in [(0, [1, 0]), (1, [0, 1])] {
        let played =
            settings.play(&contest, 0, index, Detail::Moves, &|| true, Stop::NEVER).unwrap();
        let row = GameRow::new("x".into(), &settings.schedule.task(0, 0, index, 2), played);
        assert_eq!((row.summary().errors, row.summary().tally.games()), (errors, 1));
        let text = journal_text(&GameRow::header(), [&row]).unwrap();
        assert_eq!(text.iter().filter(|&&byte| byte == b'\n').count(), 2);
        assert!(row.failure.contains("now"));
        assert_eq!(rows_in(&text), [Some(row)]);
    }
}

#[test]
fn rows_with_wrong_fields_are_no_games() {
    let header = GameRow::header();
    let row = GameRow { a: "a".into(), moves: String::new(), ..drawn("x") };
    let text = String::from_utf8(journal_text(&header, [&row]).unwrap()).unwrap();
    assert_eq!(rows_in(text.as_bytes()), [Some(row)]);
    let line = text.lines().nth(1).unwrap();
    for (column, value) in [(7, "c"), (8, "late"), (6, ""), (10, "-1"), (16, "inf"), (3, "x")] {
        let mut fields: Vec<&str> = line.split(',').collect();
        fields[column] = value;
        let text = text.replacen(line, &fields.join(","), 1);
        assert_eq!(rows_in::<GameRow>(text.as_bytes()), [None], "{column}");
    }
}

#[test]
fn games_are_put_in_order_and_others_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.csv");
    let log = GameLog::open(&path).unwrap();
    for row in [row("c"), drawn("other"), row("a"), row("c")] {
        log.append(&row).unwrap();
    }
    log.sync().unwrap();
    let log = GameLog::open(&path).unwrap();
    assert_eq!(log.len(), 3);
    log.append(&drawn("b")).unwrap();
    log.arrange(&[row("a"), drawn("b"), row("c")]).unwrap();
    let log = GameLog::open(&path).unwrap();
    let order: Vec<_> = log.order.iter().map(|(identity, _)| identity).collect();
    assert_eq!(order, ["a", "b", "c", "other"]);
    assert_eq!(log.find("b"), Some(&drawn("b")));
}
