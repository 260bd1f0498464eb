//! Tests of the log.

use super::*;
use crate::arena::Fingerprint;
use crate::files::rows_in;

fn row() -> GameRow {
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
        identity: "x".into(),
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

#[test]
fn rows_round_trip() {
    let (result, forfeit, failure) = (Winner::Draw, None, String::new());
    let rows = [row(), GameRow { identity: "y".into(), result, forfeit, failure, ..row() }];
    let text = journal_text(&GameRow::header(), &rows).unwrap();
    let lines: Vec<&str> = std::str::from_utf8(&text).unwrap().lines().collect();
    assert_eq!(
        lines[1..],
        [
            "x,\"one, \"\"two\"\"\",b,3,1,18446744073709551615,b,b,error,illegal move 12,41,\
             20,300,0,1,2,1.234567,0.089000,0,0,0,0,0,0.000000,0.000000,\
             ...../...../...../...../.....,12 13",
            "y,\"one, \"\"two\"\"\",b,3,1,18446744073709551615,b,draw,,,41,\
             20,300,0,1,2,1.234567,0.089000,0,0,0,0,0,0.000000,0.000000,\
             ...../...../...../...../.....,12 13",
        ]
    );
    assert_eq!(rows_in(&text), rows.map(Some));
}

#[test]
fn forfeits_are_logged_in_one_line() {
    let task = GameTask { number: 1, seed: 2, a_first: true };
    for (winner, errors) in [(Side::B, [1, 0]), (Side::A, [0, 1])] {
        let told = GameResult::reported(Some(winner), Fingerprint::of_text(""));
        let failure = Some(Failure::Garbage("what,\n\"now\"?".into()));
        let row = GameRow::new("x".into(), &task, GameResult { failure, ..told });
        assert_eq!((row.summary().errors, row.summary().tally.games()), (errors, 1));
        let text = journal_text(&GameRow::header(), [&row]).unwrap();
        assert_eq!(text.iter().filter(|&&byte| byte == b'\n').count(), 2);
        assert!(row.failure.contains("now"));
        assert_eq!(rows_in(&text), [Some(row)]);
    }
}
