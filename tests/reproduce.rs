//! `tictune reproduce`: the tables of the documents, at small sizes.

mod common;

use common::{assert_fails, run, stdout_of};
use serde_json::Value;

fn json_of(args: &[&str]) -> Value {
    serde_json::from_str(&stdout_of(args)).unwrap()
}

#[test]
fn every_table_is_listed_and_runs() {
    let listed = json_of(&["reproduce", "--list", "--json"]);
    let names: Vec<&str> =
        listed.as_array().unwrap().iter().map(|table| table["table"].as_str().unwrap()).collect();
    assert_eq!(names, ["1.1", "2.8", "3.2", "3.3", "3.4", "4.3", "4.4", "4.5", "4.6", "4.7"]);
    // Two games of every row, with hardly any search: that every agent of every table can play.
    let mut args =
        vec!["reproduce", "--games", "2", "--iterations", "20", "--nodes", "50", "--json"];
    args.extend(&names);
    let tables = json_of(&args)["tables"].clone();
    assert_eq!(tables.as_array().unwrap().len(), 10);
    for table in tables.as_array().unwrap() {
        for row in table["rows"].as_array().unwrap() {
            let measured = &row["measured"];
            let games = ["wins", "draws", "losses"].map(|key| measured[key].as_u64().unwrap());
            assert_eq!(games.iter().sum::<u64>(), 2, "{row}");
        }
    }
}

#[test]
fn random_games_agree_with_table_1_1() {
    let report = json_of(&["reproduce", "1.1", "--games", "20000", "--json"]);
    let row = &report["tables"][0]["rows"][0];
    assert_eq!(row["agrees"], true, "{row}");
    assert_eq!(row["conclusion"]["holds"], true, "{row}");
    assert_eq!(row["printed"]["wins"], 41057);
    // The thesis prints "~ 0" for the first player: of the second player's wins it is one.
    assert!(row["printed_p"].as_f64().unwrap() > 0.999_999);
}

#[test]
fn rows_are_played_once_and_the_same_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let results = |threads: &str, rows: &str, out: &str| {
        let out = path(out);
        let args = [
            "reproduce",
            "4.5",
            "--games",
            "20",
            "--rows",
            rows,
            "--threads",
            threads,
            "--out",
            &out,
            "--json",
        ];
        json_of(&args)["tables"][0]["rows"].clone()
    };
    let first = results("1", "1,3", "a");
    assert_eq!((&first[0]["row"], &first[1]["row"]), (&1.into(), &3.into()));
    let other = results("3", "1,3", "b");
    for index in 0..2 {
        assert_eq!(first[index]["measured"], other[index]["measured"]);
    }
    // The rows in the file are not played again: even their times are the same.
    let more = results("1", "1,2,3", "a");
    assert_eq!(more[0]["seconds"], first[0]["seconds"]);
    assert_eq!(more[2]["seconds"], first[1]["seconds"]);
    assert_eq!(more[1]["measured"]["wins"].as_u64().map(|wins| wins <= 20), Some(true));
}

#[test]
fn wrong_tables_rows_and_sizes_are_named() {
    for (args, expected) in [
        (&["reproduce", "4.55"][..], "did you mean \"4.5\"?"),
        (&["reproduce", "none.toml"], "none.toml: cannot be read"),
        (&["reproduce", "4.5", "--rows", "9", "--games", "2"], "table 4.5 has rows 1 to 7, not 9"),
        (&["reproduce", "4.5", "4.6", "--rows", "1"], "--rows goes with a single table"),
        (&["reproduce", "4.5", "--games", "3"], "an even number of games"),
        (&["reproduce", "4.6", "--time-scale", "0", "--games", "2"], "time_scale"),
    ] {
        assert_fails(&run(args), 2, expected);
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("4.7.json"), "{}").unwrap();
    let out = folder.path().display().to_string();
    let broken = run(&["reproduce", "4.7", "--games", "2", "--out", &out]);
    assert_fails(&broken, 2, "4.7.json: is no report of a table");
}
