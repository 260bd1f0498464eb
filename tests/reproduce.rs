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
    assert_eq!(row["conclusion"]["verdict"], "holds", "{row}");
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
fn saved_rows_are_neither_lost_nor_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().display().to_string();
    let played = |games: &str, extra: [&str; 2]| {
        run(&["reproduce", "4.5", "--out", &out, "--games", games, extra[0], extra[1]])
    };
    let saved = || -> Value {
        let text = std::fs::read_to_string(folder.path().join("4.5.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    assert!(played("4", ["--rows", "3"]).status.success());
    let third = saved()["rows"][0].clone();
    // Rows that are not asked for stay in the file.
    assert!(played("4", ["--rows", "1"]).status.success());
    let before = saved();
    let rows = before["rows"].as_array().unwrap();
    assert_eq!(rows.iter().map(|row| row["row"].clone()).collect::<Vec<_>>(), [1, 3]);
    assert_eq!(rows[1]["seconds"], third["seconds"]);
    // Other settings are refused before anything is played.
    let refused = played("4", ["--seed", "1"]);
    assert_fails(&refused, 2, "4.5.json: row 1 was played with other settings (seed 0, not 1)");
    let refused = played("6", ["--rows", "2"]);
    assert_fails(&refused, 2, "(games 4, not 6); save to another folder");
    assert_eq!(saved()["rows"], before["rows"]);
}

#[test]
fn the_command_of_a_report_measures_the_same() {
    let args = ["reproduce", "4.5", "--rows", "2", "--games", "6", "--nodes", "9", "--json"];
    let first = json_of(&args)["tables"][0].clone();
    let command = first["command"].as_str().unwrap();
    assert_eq!(command, "tictune reproduce 4.5 --games 6 --iterations 25000 --nodes 9 --seed 0");
    let mut again: Vec<&str> = command.split(' ').skip(1).collect();
    again.extend(["--rows", "2", "--json"]);
    let again = json_of(&again)["tables"][0].clone();
    for key in ["agents", "fingerprint", "measured", "homogeneity_p", "conclusion"] {
        assert!(!first["rows"][0][key].is_null(), "{key}");
        assert_eq!(first["rows"][0][key], again["rows"][0][key], "{key}");
    }
}

/// A table of a document with other conventions, beside a weight file.
const OTHER: &str = r#"document = "D"
table = "9"
title = "T"
games = 5
openings = "none"
schedule = "coin"
replay_ties = true
test = "two-sided"
rules = "drawn_board=both"
[[rows]]
a = "Minimax 2"
b = "Random"
agents = ["minimax:depth=2,weights=mine.toml", "random"]
printed = { a_wins = 5, b_wins = 0, ties = 0 }
claim = "none"
"#;

#[test]
fn tables_of_users_have_conventions_and_weights_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (table, out) = (path("nine.toml"), path("out"));
    std::fs::write(&table, OTHER).unwrap();
    let export = |weights: &str| {
        let mine = path("mine.toml");
        run(&["export", weights, "--format", "toml", "--out", &mine])
    };
    assert!(export("liang-default").status.success());
    let args = ["reproduce", &table, "--games", "21", "--out", &out, "--json"];
    let row = json_of(&args)["tables"][0]["rows"][0].clone();
    assert_eq!(
        (&row["measured"]["draws"], &row["rules"]),
        (&0.into(), &"drawn_board=both,no_line=draw".into())
    );
    assert_eq!((&row["replay_ties"], &row["schedule"]), (&true.into(), &"coin".into()));
    assert_eq!(row["timeouts"], serde_json::json!([0, 0]));
    // Minimax wins more of 21 games than chance allows, which the table denies.
    assert_eq!(row["conclusion"]["verdict"], "contradicted", "{row}");
    // Other weights in the file of the same name are other settings.
    assert!(export("liang-optimized").status.success());
    assert_fails(&run(&args), 2, "of the same name with other values");
    std::fs::write(&table, OTHER.replace("random\"]", "rnd\"]")).unwrap();
    assert_fails(&run(&args[..4]), 2, "table 9: row 1: agent \"rnd\"");
}

#[test]
fn wrong_tables_rows_and_sizes_are_named() {
    for (args, expected) in [
        (&["reproduce", "4.55"][..], "did you mean \"4.5\"?"),
        (&["reproduce", "none.toml"], "none.toml: cannot be read"),
        (&["reproduce", "4.5", "--rows", "9", "--games", "2"], "table 4.5 has rows 1 to 7, not 9"),
        (&["reproduce", "4.5", "4.6", "--rows", "1"], "--rows goes with a single table"),
        // Before the first game of any table.
        (&["reproduce", "1.1", "4.5", "--games", "3"], "table 4.5: a half-and-half match needs"),
        (&["reproduce", "1.1", "1.1", "--games", "2", "--out", "x"], "two tables 1.1"),
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
