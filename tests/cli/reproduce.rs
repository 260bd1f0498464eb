//! `tictune reproduce` with all tables of the documents, at small sizes.

use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::common::{assert_fails, run, stdout_of};

fn json_of(args: &[&str]) -> Value {
    serde_json::from_str(&stdout_of(args)).unwrap()
}

/// The tables of Lifshitz with seconds of 500 positions instead of tens of thousands. The configs of learning agents are
/// taken from the folder of their table: here ones of 50 games instead of tens of thousands.
fn lifshitz_at_small_sizes() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let lifshitz = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments/lifshitz");
    for entry in std::fs::read_dir(lifshitz.join("tables")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let text = text.replace("positions_per_second = 41400", "positions_per_second = 500");
        std::fs::write(folder.path().join(path.file_name().unwrap()), text).unwrap();
    }
    for entry in std::fs::read_dir(lifshitz).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.starts_with("learn-") {
            let text = std::fs::read_to_string(&path).unwrap();
            let line = |line: &str| match line.split(' ').next() {
                Some("games" | "report_every") => {
                    line.split(' ').next().unwrap().to_owned() + " = 50\n"
                }
                _ => format!("{line}\n"),
            };
            std::fs::write(folder.path().join(name), text.lines().map(line).collect::<String>())
                .unwrap();
        }
    }
    folder
}

#[test]
fn every_table_is_listed_and_runs() {
    let listed = json_of(&["reproduce", "--list", "--json"]);
    let names: Vec<&str> =
        listed.as_array().unwrap().iter().map(|table| table["table"].as_str().unwrap()).collect();
    assert_eq!(names[..10], ["1.1", "2.8", "3.2", "3.3", "3.4", "4.3", "4.4", "4.5", "4.6", "4.7"]);
    for (document, least) in [("lifshitz-", 9), ("sista-4.", 3), ("amar-", 1), ("papadam-", 4)] {
        let known = names.iter().filter(|name| name.starts_with(document)).count();
        assert!(known >= least, "{document} {known}");
    }
    // Two games of every row with hardly any search and hardly any learning, to check that every agent of every table
    // can play.
    let lifshitz = lifshitz_at_small_sizes();
    let tables = names.iter().map(|name| match name.strip_prefix("lifshitz-") {
        Some(own) => lifshitz.path().join(own).with_extension("toml").display().to_string(),
        None => (*name).to_string(),
    });
    let tables: Vec<String> = tables.collect();
    let mut args =
        vec!["reproduce", "--games", "2", "--iterations", "20", "--nodes", "50", "--json"];
    args.extend(tables.iter().map(String::as_str));
    let tables = json_of(&args)["tables"].clone();
    assert_eq!(tables.as_array().unwrap().len(), names.len());
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
    // The thesis prints "~ 0" for the first player. The p-value of the second player's wins is
    // therefore nearly 1.
    assert!(row["printed_p"].as_f64().unwrap() > 0.999_999);
}

#[test]
fn two_games_conclude_nothing() {
    let args = ["reproduce", "2.8", "3.2", "--games", "2", "--nodes", "50", "--iterations", "20"];
    let report = json_of(&[&args[..], &["--json"]].concat());
    let rows =
        report["tables"].as_array().unwrap().iter().flat_map(|t| t["rows"].as_array().unwrap());
    for row in rows {
        assert!(row["two_sided_p"].as_f64().is_none_or(|p| p >= 0.5), "{row}");
        assert!(
            row["conclusion"].is_null() || row["conclusion"]["verdict"] == "not-shown",
            "{row}"
        );
    }
    assert_eq!(report["tables"][1]["sweep"]["verdict"], "too-few-games", "{report}");
    let text = stdout_of(&args);
    for expected in [
        "too few games",
        "\"A2 is stronger\" is not shown here: no difference shown (two-sided p = ",
        "Liang's p of A2",
        "0 of 6 rows agree with what was printed",
        "6 rows have fewer than 100 games, too few to agree",
        "\"50 is best\" is not tested by so few games",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    assert!(!text.contains(" agrees ") && !text.contains(" holds "), "{text}");
    // Two wins of two are no evidence in a match either.
    let text = stdout_of(&["match", "minimax:depth=3", "reflex", "--games", "2"]);
    assert!(text.contains("p = 1.000") && !text.contains("Liang"), "{text}");
}

#[test]
fn a_handicap_is_played() {
    let scan =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments/liang/scans/3.4-handicap.toml");
    let args =
        ["reproduce", scan.to_str().unwrap(), "--games", "2", "--iterations", "30", "--json"];
    let rows = json_of(&args)["tables"][0]["rows"].clone();
    for (row, iterations) in [(0, 30), (3, 12), (5, 8)] {
        let [a, b] = [0, 1].map(|side| rows[row]["agents"][side].as_str().unwrap());
        assert!(a.contains("iterations=30"), "{a}");
        assert!(b.contains(&format!("iterations={iterations}")), "{b}");
    }
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
    // The rows in the file are not played again, so even their times are the same.
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
    // Rows that were not requested stay in the file.
    assert!(played("4", ["--rows", "1"]).status.success());
    let before = saved();
    let rows = before["rows"].as_array().unwrap();
    assert_eq!(rows.iter().map(|row| row["row"].clone()).collect::<Vec<_>>(), [1, 3]);
    assert_eq!(rows[1]["seconds"], third["seconds"]);
    // Other settings are refused before any game is played.
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

/// A table of a document with other conventions, next to a weight file.
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
    // Minimax wins significantly more of 21 games, which the table denies.
    assert_eq!(row["conclusion"]["verdict"], "contradicted", "{row}");
    // Other weights in a file of the same name count as other settings.
    assert!(export("liang-optimized").status.success());
    assert_fails(&run(&args), 2, "of the same name with other values");
    std::fs::write(&table, OTHER.replace("random\"]", "rnd\"]")).unwrap();
    let line = 1 + OTHER.lines().position(|line| line == "[[rows]]").unwrap();
    let expected = format!("nine.toml:{line}: table 9: row 1: agent \"rnd\"");
    assert_fails(&run(&args[..4]), 2, &expected);
}

#[test]
fn wrong_tables_rows_and_sizes_are_named() {
    for (args, expected) in [
        (&["reproduce", "4.55"][..], "did you mean \"4.5\"?"),
        (&["reproduce", "none.toml"], "none.toml: cannot be read"),
        (&["reproduce", "4.5", "--rows", "9", "--games", "2"], "table 4.5 has rows 1 to 7, not 9"),
        (&["reproduce", "4.5", "4.6", "--rows", "1"], "--rows needs a single table"),
        // These errors come before the first game of any table.
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
    // A folder that cannot be created is reported before the first game.
    let out = folder.path().join("4.7.json").display().to_string();
    let no_folder = run(&["reproduce", "1.1", "--games", "2", "--out", &out]);
    assert_fails(&no_folder, 2, "4.7.json: is a file; name a folder");
    assert!(!String::from_utf8_lossy(&no_folder.stderr).contains("row 1"));
}

/// A round robin of three players, with equal time and with seconds of a slow program.
const ROUND_ROBIN: &str = r#"document = "D"
table = "r"
title = "T"
games = 30
openings = "none"
schedule = "first"
replay_ties = true
positions_per_second = 100
[[players]]
name = "strong"
agent = "iterative:{seconds:1.5},weights=lifshitz-heur3"
score = 0.9
milliseconds = 100
[[players]]
name = "jumping"
agent = "iterative:{seconds:1.5},weights=lifshitz-heur3,jump=5"
score = 0.5
[[players]]
name = "weak"
agent = "random"
[[reductions]]
name = "lost by jumps"
quantity = "score"
pairs = ["strong > jumping"]
printed = 0.1
"#;

#[test]
fn a_round_robin_is_summed_up_by_player() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.toml").display().to_string();
    std::fs::write(&path, ROUND_ROBIN).unwrap();
    let report = json_of(&["reproduce", &path, "--json"])["tables"][0].clone();
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 6);
    assert_eq!(rows[0]["agents"][0], "iterative:nodes=150,eval=heur3,weights=lifshitz-heur3");
    assert!(rows[0]["homogeneity_p"].is_null() && rows[0]["printed"].is_null());
    let standings = report["standings"].as_array().unwrap();
    let score = |player: usize| {
        let count = |key: &str| standings[player]["measured"][key].as_f64().unwrap();
        assert_eq!(count("wins") + count("losses"), 120.0, "ties are played again");
        // The player's wins are those in its rows, from its side.
        let won: f64 = rows
            .iter()
            .filter_map(|row| {
                let name = standings[player]["name"].as_str().unwrap();
                let side = row["names"].as_array().unwrap().iter().position(|n| n == name)?;
                row["measured"][["wins", "losses"][side]].as_f64()
            })
            .sum();
        assert_eq!(count("wins"), won);
        won / 120.0
    };
    let (strong, jumping, weak) = (score(0), score(1), score(2));
    assert!(strong > jumping && jumping > weak, "{strong} {jumping} {weak}");
    let lost = report["reductions"][0]["measured"].as_f64().unwrap();
    assert!((lost - (strong - jumping) / strong).abs() < 1e-12);
    // If rows are missing, there are no standings.
    let part = json_of(&["reproduce", &path, "--rows", "2", "--json"])["tables"][0].clone();
    assert!(part["standings"].is_null(), "{part}");
}

#[test]
fn equal_time_is_measured_first() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().display().to_string();
    let args = ["reproduce", "sista-4.2", "--rows", "1", "--games", "4", "--out", &out, "--json"];
    let row = json_of(&args)["tables"][0]["rows"][0].clone();
    assert_eq!(
        row["agents"][0],
        "mcts:{equal_time},c=1.4142135623730951,expansion_order=random,final=ratio,draw=0"
    );
    let given = row["equal_time"].as_f64().unwrap();
    let taken = row["milliseconds_per_move"][0].as_f64().unwrap();
    assert!(given > 0.0 && taken > 0.0, "{given} {taken}");
    // The measured time is not a setting, so the row is not played again.
    let again = json_of(&args)["tables"][0]["rows"][0].clone();
    assert_eq!(again, row);
}

#[test]
fn seconds_of_a_program_need_a_worth() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.toml").display().to_string();
    for (from, to, expected) in [
        ("positions_per_second = 100", "", "the table has no positions_per_second"),
        ("{seconds:1.5}", "{seconds:x}", "{seconds:X} has a number of seconds"),
        ("strong > jumping", "strong > jumpy", "did you mean \"jumping\"?"),
        ("strong > jumping", "strong", "pairs as in"),
        ("score = 0.9", "score = 90", "expected a share from 0 to 1"),
        ("quantity = \"score\"", "quantity = \"x\"", "expected one of score, milliseconds, work"),
    ] {
        std::fs::write(&path, ROUND_ROBIN.replace(from, to)).unwrap();
        assert_fails(&run(&["reproduce", &path, "--games", "2"]), 2, expected);
    }
    // With a time scale no such value is needed.
    std::fs::write(&path, ROUND_ROBIN.replace("positions_per_second = 100", "")).unwrap();
    let args =
        ["reproduce", &path, "--games", "2", "--rows", "2", "--time-scale", "0.0002", "--json"];
    let row = json_of(&args)["tables"][0]["rows"][0].clone();
    assert_eq!(row["agents"][0], "iterative:time=300us,eval=heur3,weights=lifshitz-heur3");
}
