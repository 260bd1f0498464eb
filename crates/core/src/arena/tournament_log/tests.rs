use super::*;
use crate::arena::Fingerprint;
use crate::files::rows_in;

#[test]
fn rows_are_one_line_and_read_back() {
    let task = GameTask { number: 1, seed: u64::MAX, a_first: false };
    let (search, slowest) = (Duration::from_nanos(1_234_567_891), Duration::from_millis(89));
    let (moves, nodes, timeouts, late) = (20, 300, 1, 2);
    let side = SideStats { moves, nodes, iterations: 0, search, slowest, timeouts, late };
    for (winner, failure, ending, errors) in [
        (Some(Side::B), Some(Failure::Garbage("what,\n\"now\"?".into())), "b,error", [1, 0]),
        (Some(Side::A), Some(Failure::IllegalMove("12".into())), "a,error", [0, 1]),
        (None, None, "draw,", [0, 0]),
    ] {
        let told = GameResult::reported(winner, Fingerprint::of_text(""));
        let game = GameResult { failure, plies: 41, sides: [side, SideStats::default()], ..told };
        let row = TournamentRow::new("x".into(), &task, game);
        assert_eq!(row.summary().errors, errors);
        let row = TournamentRow { a: "one, \"two\"".into(), ..row };
        let text = journal_text(&TournamentRow::header(), [&row]).unwrap();
        let lines: Vec<&str> = std::str::from_utf8(&text).unwrap().lines().collect();
        let start = "x,\"one, \"\"two\"\"\",,0,1,18446744073709551615,b,";
        let end = ",41,20,300,0,1,2,1.234567,0.089000,0,0,0,0,0,0.000000,0.000000,,";
        assert!(
            lines.len() == 2 && lines[1].starts_with(&format!("{start}{ending},")),
            "{lines:?}"
        );
        assert!(lines[1].ends_with(end), "{lines:?}");
        assert_eq!(rows_in(&text), [Some(row)]);
    }
}
