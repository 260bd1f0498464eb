use super::*;

fn announced() -> Announced {
    let mut announced = Announced::default();
    for line in [
        "Some Engine 1.0 by somebody",
        "id name Some Engine 1.0",
        "id author Somebody",
        "",
        "option name Hash type spin default 16 min 4 max 1024",
        "option name OwnBook type check default true",
        "option name Clear Hash type button",
        "option name King Safety (max) min type spin default 0 min -400 max 400",
        "option name NullMove Pruning type combo default Fail High var Always var Fail High var Never",
        "option name Book File type string default book one.bin",
        "option name Bare type spin",
        "option name Odd type matrix default 1",
        "option type spin",
        "option",
    ] {
        announced.read(line);
    }
    announced
}

#[test]
fn options_are_read_as_engines_announce_them() {
    let announced = announced();
    assert_eq!(announced.name, "Some Engine 1.0");
    let names: Vec<&str> = announced.options.iter().map(|option| option.name.as_str()).collect();
    let expected =
        "Hash, OwnBook, Clear Hash, King Safety (max) min, NullMove Pruning, Book File, Bare";
    assert_eq!(names.join(", "), expected);
    let default = |name| announced.option(name).unwrap().default_number();
    assert_eq!([default("Hash"), default("OwnBook")], [Some(16.0), Some(1.0)]);
    assert_eq!([default("Clear Hash"), default("Bare"), default("Book File")], [None; 3]);
    for (name, value, line) in [
        ("hash", "64", "setoption name Hash value 64"),
        ("OwnBook", "false", "setoption name OwnBook value false"),
        ("Clear Hash", "", "setoption name Clear Hash"),
        ("King Safety (max) min", "-400", "setoption name King Safety (max) min value -400"),
        ("NullMove Pruning", "Fail High", "setoption name NullMove Pruning value Fail High"),
        ("Book File", "other book.bin", "setoption name Book File value other book.bin"),
        ("Bare", "-9", "setoption name Bare value -9"),
    ] {
        assert_eq!(announced.set(name, value).as_deref(), Ok(line));
    }
}

#[test]
fn wrong_options_are_errors_that_say_what_is_right() {
    for (name, value, expected) in [
        ("Hsh", "64", "unknown option \"Hsh\"; did you mean \"Hash\"?"),
        ("Hash", "2", "option \"Hash\" takes a whole number from 4 to 1024, not \"2\""),
        ("Hash", "16.5", "(parameters with whole = true are rounded)"),
        ("Hash", "much", "takes a whole number from 4 to 1024, not \"much\""),
        ("OwnBook", "0", "takes true or false, not \"0\""),
        ("Clear Hash", "now", "takes no value (it is a button)"),
        ("NullMove Pruning", "Often", "takes Always or Fail High or Never"),
        ("Book File", "a\nquit", "takes a text in one line"),
    ] {
        let error = announced().set(name, value).unwrap_err();
        assert!(error.contains(expected), "{name}={value}: {error}");
    }
    assert_eq!(Announced::default().set("a", "b").unwrap_err(), "the engine announces no options");
}

#[test]
fn the_last_exact_value_of_the_best_line_counts() {
    let mut report = Report::default();
    for line in [
        "info depth 1 score cp 13 nodes 20 pv e2e4 e7e5",
        "info depth 2 multipv 2 score cp -500 nodes 90 pv a2a3",
        "info depth 2 score cp 900 upperbound nodes 95 pv h2h3",
        "info depth 3 seldepth 5 score cp -25 time 3 nodes 123 nps 9 pv d2d4 d7d5 c2c4",
        "info currmove e2e4 currmovenumber 1",
        "info string score cp 9999 pv h2h4",
        "info score cp what pv a2a4",
        "info nodes 150",
        "bestmove d2d4",
    ] {
        report.read(line);
    }
    assert_eq!(report.value, Some(-25.0));
    assert_eq!(report.line, ["d2d4", "d7d5", "c2c4"]);
    assert_eq!(report.nodes, 150);
    for (text, value) in [("3", MATE - 3.0), ("-2", 2.0 - MATE), ("0", -MATE)] {
        let mut report = Report::default();
        report.read(&format!("info score mate {text}"));
        assert_eq!(report.value, Some(value));
    }
}

#[test]
fn a_best_move_is_the_word_after_it_and_a_reply_may_follow() {
    for (line, expected) in [
        ("bestmove e7e8q ponder a2a3", Some(("e7e8q", Some("a2a3")))),
        ("bestmove e2e4 x", Some(("e2e4", None))),
        ("  bestmove (none)", Some(("(none)", None))),
        ("bestmove", Some(("", None))),
        ("bestmoves e2e4", None),
        ("info pv e2e4", None),
    ] {
        assert_eq!(best_move(line), expected);
    }
}
