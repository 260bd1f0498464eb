//! `tictune reproduce` with all tables of the documents, at small sizes.

use std::path::Path;

use serde_json::{Value, json};

use crate::common::{Folder, assert_has, read, read_json};

/// The rows of the first table that a command reports.
fn rows(folder: &Folder, line: &str) -> Vec<Value> {
    folder.json(&format!("reproduce {line} --json"))["tables"][0]["rows"]
        .as_array()
        .unwrap()
        .clone()
}

/// The tables of Lifshitz with seconds of 500 positions instead of tens of thousands, and those of Papadam with depths up to 3. The configs of learning agents are
/// taken from the folder of their table: here ones of 50 games instead of tens of thousands. A changed table has another name.
fn at_small_sizes() -> Folder {
    let (folder, [name, other_name]) = (Folder::new(), ["table = \"", "table = \"small-"]);
    let experiments = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments");
    for number in 1..=4 {
        let text = read(&experiments.join(format!("papadam/tables/{number}.toml")));
        let small =
            (4..=7).fold(text, |text, depth| text.replace(&format!("depth={depth}"), "depth=3"));
        folder.file(&format!("papadam-{number}.toml"), &small.replace(name, other_name));
    }
    let lifshitz = experiments.join("lifshitz");
    for entry in std::fs::read_dir(lifshitz.join("tables")).unwrap().map(Result::unwrap) {
        let text = read(&entry.path());
        let text = text.replace("positions_per_second = 41400", "positions_per_second = 500");
        folder.file(entry.file_name().to_str().unwrap(), &text.replace(name, other_name));
    }
    for entry in std::fs::read_dir(lifshitz).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        if name.starts_with("learn-") {
            let text = read(&entry.path());
            let short = text.lines().map(|line| match line.split_once(" = ") {
                Some((key @ ("games" | "report_every"), _)) => format!("{key} = 50\n"),
                _ => format!("{line}\n"),
            });
            folder.file(&name, &short.collect::<String>());
        }
    }
    folder
}

#[test]
fn every_table_is_listed_and_runs() {
    let folder = at_small_sizes();
    let listed = folder.json("reproduce --list --json");
    let names: Vec<&str> =
        listed.as_array().unwrap().iter().map(|table| table["table"].as_str().unwrap()).collect();
    assert_eq!(names[..10], ["1.1", "2.8", "3.2", "3.3", "3.4", "4.3", "4.4", "4.5", "4.6", "4.7"]);
    for (document, least) in [("lifshitz-", 9), ("sista-4.", 3), ("amar-", 1), ("papadam-", 4)] {
        let known = names.iter().filter(|name| name.starts_with(document)).count();
        assert!(known >= least, "{document} {known}");
    }
    // The time is that of the committed results.
    let experiments = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments");
    for table in listed.as_array().unwrap() {
        let name = table["table"].as_str().unwrap();
        let folder = match name.split_once('-') {
            Some((document, _)) => format!("{document}/results"),
            None => "liang/results/tables".into(),
        };
        let results = read_json(&experiments.join(folder).join(format!("{name}.json")));
        let rows = results["rows"].as_array().unwrap();
        let took: f64 = rows.iter().map(|row| row["seconds"].as_f64().unwrap()).sum();
        assert!((took - table["seconds"].as_f64().unwrap()).abs() < 0.051, "{name}: {took}");
    }
    assert_has(&folder.said("reproduce --list"), &["took\n", "  2 h 49 min\n"]);
    // Two games of every row with hardly any search and hardly any learning, to check that every agent of every table
    // can play.
    let tables = names.iter().map(|name| match name.strip_prefix("lifshitz-") {
        Some(own) => format!("{own}.toml"),
        None if name.starts_with("papadam-") => format!("{name}.toml"),
        None => (*name).to_string(),
    });
    let tables = tables.collect::<Vec<_>>().join(" ");
    let report =
        folder.json(&format!("reproduce --games 2 --iterations 20 --nodes 50 --json {tables}"));
    let tables = report["tables"].as_array().unwrap();
    assert_eq!(tables.len(), names.len());
    for row in tables.iter().flat_map(|table| table["rows"].as_array().unwrap()) {
        let games = ["wins", "draws", "losses"].map(|key| row["measured"][key].as_u64().unwrap());
        assert_eq!(games.iter().sum::<u64>(), 2, "{row}");
    }
}

#[test]
fn random_games_agree_with_table_1_1() {
    let row = &rows(&Folder::new(), "1.1 --games 20000")[0];
    assert_eq!(row["agrees"], true, "{row}");
    assert_eq!(row["conclusion"]["verdict"], "holds", "{row}");
    assert_eq!(row["printed"]["wins"], 41057);
    // The thesis prints "~ 0" for the first player. The p-value of the second player's wins is therefore nearly 1.
    assert!(row["printed_p"].as_f64().unwrap() > 0.999_999);
}

#[test]
fn rows_are_played_once_and_the_same_on_any_number_of_threads() {
    let folder = Folder::new();
    let play = |out: &str, selected: &str, threads: u32| {
        let line = format!("4.5 --games 20 --rows {selected} --threads {threads} --out {out}");
        rows(&folder, &line)
    };
    let (first, other) = (play("a", "1,3", 1), play("b", "1,3", 3));
    assert_eq!([&first[0]["row"], &first[1]["row"]], [1, 3]);
    for (first, other) in first.iter().zip(&other) {
        assert_eq!(first["measured"], other["measured"]);
    }
    // The rows in the file are not played again, so even their times are the same.
    let more = play("a", "1,2,3", 1);
    let times = [&more[0], &more[2]].map(|row| &row["seconds"]);
    assert_eq!(times, [&first[0]["seconds"], &first[1]["seconds"]]);
    // Rows that were not requested stay in the file.
    play("a", "2", 1);
    let saved = read_json(&folder.path("a/4.5.json"))["rows"].clone();
    assert_eq!(saved.as_array().unwrap().len(), 3);
    // Other settings are refused before any game is played.
    let of = |more: &str| format!("reproduce 4.5 --out a {more}");
    let seed = "4.5.json: row 1 was played with other settings (seed 0, not 1)";
    folder.fails(&of("--games 20 --seed 1"), 2, seed);
    let games = "(games 20, not 6); save to another folder";
    folder.fails(&of("--games 6 --rows 2"), 2, games);
    assert_eq!(read_json(&folder.path("a/4.5.json"))["rows"], saved);
}

#[test]
fn the_command_of_a_report_measures_the_same() {
    let folder = Folder::new();
    let line = "reproduce 4.5 --rows 2 --games 6 --nodes 9 --json";
    let first = folder.json(line)["tables"][0].clone();
    let command = first["command"].as_str().unwrap();
    assert_eq!(command, "tictune reproduce 4.5 --games 6 --iterations 25000 --nodes 9 --seed 0");
    let again = command.strip_prefix("tictune reproduce ").unwrap();
    let again = rows(&folder, &format!("{again} --rows 2"));
    for key in ["agents", "fingerprint", "measured", "homogeneity_p", "conclusion"] {
        assert!(!first["rows"][0][key].is_null(), "{key}");
        assert_eq!(first["rows"][0][key], again[0][key], "{key}");
    }
}

/// `configs/table.toml` is a table of a document with other conventions, next to a weight file.
#[test]
fn tables_of_users_have_conventions_and_weights_of_their_own() {
    let folder = Folder::with("nine.toml", include_str!("../configs/table.toml"));
    folder.said("export liang-default --format toml --out mine.toml");
    let line = "nine.toml --games 21 --out out";
    let row = &rows(&folder, line)[0];
    assert_eq!(row["measured"]["draws"], 0);
    assert_eq!([&row["rules"], &row["schedule"]], ["drawn_board=both,no_line=draw", "coin"]);
    assert_eq!((&row["replay_ties"], &row["timeouts"]), (&true.into(), &json!([0, 0])));
    // Minimax wins significantly more of 21 games, which the table denies.
    assert_eq!(row["conclusion"]["verdict"], "contradicted", "{row}");
    // Other weights in a file of the same name count as other settings.
    folder.said("export liang-optimized --format toml --out mine.toml");
    let refused = "of the same name with other values";
    folder.fails(&format!("reproduce {line}"), 2, refused);
}

/// `configs/round-robin.toml` is one of three players, with equal time and with seconds of a slow program.
#[test]
fn a_round_robin_is_summed_up_by_player() {
    let folder = Folder::with("r.toml", include_str!("../configs/round-robin.toml"));
    let report = folder.json("reproduce r.toml --json")["tables"][0].clone();
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 6);
    assert_eq!(rows[0]["agents"][0], "iterative:nodes=150,eval=heur3,weights=lifshitz-heur3");
    assert!(rows[0]["homogeneity_p"].is_null() && rows[0]["printed"].is_null());
    let score = |player: usize| {
        let standing = &report["standings"][player];
        let count = |key: &str| standing["measured"][key].as_f64().unwrap();
        assert_eq!(count("wins") + count("losses"), 120.0, "ties are played again");
        // The player's wins are those in its rows, from its side.
        let won = rows.iter().filter_map(|row| {
            let side =
                row["names"].as_array().unwrap().iter().position(|n| *n == standing["name"])?;
            row["measured"][["wins", "losses"][side]].as_f64()
        });
        assert_eq!(count("wins"), won.sum::<f64>());
        count("wins") / 120.0
    };
    let (strong, jumping, weak) = (score(0), score(1), score(2));
    assert!(strong > jumping && jumping > weak, "{strong} {jumping} {weak}");
    let lost = report["reductions"][0]["measured"].as_f64().unwrap();
    assert!((lost - (strong - jumping) / strong).abs() < 1e-12);
    // If rows are missing, there are no standings.
    let part = folder.json("reproduce r.toml --rows 2 --json")["tables"][0].clone();
    assert!(part["standings"].is_null(), "{part}");
    // With a time scale, seconds need no worth in positions.
    folder.edit("r.toml", "positions_per_second = 100", "");
    let rows = self::rows(&folder, "r.toml --games 2 --rows 2 --time-scale 0.0002");
    assert_eq!(rows[0]["agents"][0], "iterative:time=300us,eval=heur3,weights=lifshitz-heur3");
}

#[test]
fn equal_time_is_measured_first() {
    let folder = Folder::new();
    let line = "sista-4.2 --rows 1 --games 4 --out out";
    let measured = rows(&folder, line);
    assert_eq!(
        measured[0]["agents"][0],
        "mcts:{equal_time},c=1.4142135623730951,expansion_order=random,final=ratio,draw=0"
    );
    let given = measured[0]["equal_time"].as_f64().unwrap();
    let taken = measured[0]["milliseconds_per_move"][0].as_f64().unwrap();
    assert!(given > 0.0 && taken > 0.0, "{given} {taken}");
    // The measured time is not a setting, so the row is not played again.
    assert_eq!(rows(&folder, line), measured);
}

/// The page says what the committed results say. To write it again, run the command that it names.
#[test]
fn the_page_of_all_rows_is_that_of_the_results() {
    let folder = Folder::new();
    let experiments = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments");
    let folders = ["amar", "liang", "lifshitz", "papadam", "sista"].map(|paper| match paper {
        "liang" => "liang/results/tables".to_string(),
        _ => format!("{paper}/results"),
    });
    let files = folders.iter().flat_map(|folder| experiments.join(folder).read_dir().unwrap());
    let files = files.map(|file| file.unwrap().path().display().to_string());
    let files: Vec<String> = files.filter(|file| file.ends_with(".json")).collect();
    let page = folder.said(&format!("reproduce --report {}", files.join(" ")));
    assert_eq!(page, include_str!("../../docs/papers-tables.md"));
    // A folder stands for its files.
    let lifshitz = experiments.join("lifshitz/results");
    let page = folder.said(&format!("reproduce --report {}", lifshitz.display()));
    assert_has(&page, &["## Lifshitz\n", "`lifshitz-search --rows 1`"]);
    folder.said("reproduce 1.1 --games 2 --out own");
    assert_has(&folder.said("reproduce --report own"), &["`1.1 --rows 1`"]);
}
