//! Matches move by move: the files of `match --moves` and `--games-csv`, written by the real
//! binary.

use std::path::Path;

use serde_json::Value;

use crate::common::{assert_fails, run, stdout_of};

fn play(folder: &Path, threads: &str, more: &[&str]) -> [String; 3] {
    let files = ["moves.csv", "games.csv"].map(|name| folder.join(name).display().to_string());
    let args = ["match", "minimax:depth=2", "mcts:iterations=40", "--games", "12", "--json"];
    let files_of = ["--moves", &files[0], "--games-csv", &files[1], "--threads", threads];
    let report = stdout_of(&[&args[..], &files_of, more].concat());
    let [moves, games] = files.map(|file| std::fs::read_to_string(file).unwrap());
    [report, moves, games]
}

fn without_milliseconds(moves: &str) -> String {
    moves.lines().map(|line| line.rsplit_once(',').unwrap().0.to_string() + "\n").collect()
}

#[test]
fn files_are_the_same_on_any_threads_but_for_times() {
    let folder = tempfile::tempdir().unwrap();
    for more in [&[][..], &["--sprt", "elo0=0,elo1=200"], &["--schedule", "coin", "--replay-ties"]]
    {
        let [_, moves, games] = play(folder.path(), "1", more);
        let [_, moves_4, games_4] = play(folder.path(), "4", more);
        assert_eq!(games, games_4);
        assert_eq!(without_milliseconds(&moves), without_milliseconds(&moves_4));
    }
}

#[test]
fn files_hold_what_the_report_sums() {
    let folder = tempfile::tempdir().unwrap();
    let [report, moves, games] = play(folder.path(), "2", &[]);
    let report: Value = serde_json::from_str(&report).unwrap();
    let mut moves = csv::Reader::from_reader(moves.as_bytes());
    let heads = moves.headers().unwrap().clone();
    let field = |row: &csv::StringRecord, name: &str| {
        row[heads.iter().position(|head| head == name).unwrap()].to_string()
    };
    let rows: Vec<_> = moves.records().map(Result::unwrap).collect();
    for (side, name) in ["A", "B"].iter().enumerate() {
        let of = &report["by_agent"][side];
        let rows: Vec<_> = rows.iter().filter(|row| field(row, "agent") == *name).collect();
        assert_eq!(of["moves"], rows.len());
        for column in ["nodes", "iterations"] {
            let sum: u64 = rows.iter().map(|row| field(row, column).parse::<u64>().unwrap()).sum();
            assert_eq!(of[column], sum, "{column} of {name}");
        }
        let times = rows.iter().map(|row| field(row, "milliseconds").parse::<f64>().unwrap());
        let difference = times.sum::<f64>() / 1e3 - of["search_seconds"].as_f64().unwrap();
        assert!(difference.abs() < 1e-4, "{difference}");
    }
    let mut games = csv::Reader::from_reader(games.as_bytes());
    let (mut wins, mut plies) = (0, 0);
    for (index, row) in games.records().map(Result::unwrap).enumerate() {
        assert_eq!(row[0], index.to_string());
        assert_eq!(row[1], (index / 2).to_string());
        assert_eq!(&row[2], if index % 2 == 0 { "A" } else { "B" });
        assert_eq!(row[7].split(' ').count().to_string(), row[4]);
        wins += u64::from(&row[3] == "win");
        plies += row[4].parse::<u64>().unwrap();
    }
    assert_eq!((&report["wins"], &report["plies"]), (&wins.into(), &plies.into()));
}

#[test]
fn a_file_without_a_folder_is_refused_before_any_game() {
    let missing = "no-such-folder/moves.csv";
    let args = ["match", "random", "random", "--games", "10000000", "--moves", missing];
    assert_fails(
        &run(&args),
        2,
        "--moves no-such-folder/moves.csv: the folder of the file does not exist",
    );
    // A folder cannot be written as a file.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().display().to_string();
    assert_fails(
        &run(&["match", "random", "random", "--games", "2", "--games-csv", &path]),
        2,
        "is a folder; name a file",
    );
}

#[test]
fn charts_are_drawn_from_the_files() {
    let folder = tempfile::tempdir().unwrap();
    play(folder.path(), "2", &[]);
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (moves, games, charts) = (path("moves.csv"), path("games.csv"), path("charts"));
    for (input, name, texts) in [
        (&moves, "mean-time-of-a-move", &["milliseconds a move", "A", "B"][..]),
        (&moves, "time-of-each-move", &["A: mean "]),
        (&games, "results-as-games-are-played", &["A: won", "drawn", "share of games (%)"]),
    ] {
        let draw = || {
            let file = format!("{charts}/{name}.svg");
            assert!(stdout_of(&["report", input, "--svg", &charts]).contains(&file));
            std::fs::read_to_string(file).unwrap()
        };
        let drawn = draw();
        assert_eq!(drawn, draw(), "{name} is drawn differently");
        for text in texts {
            assert!(drawn.contains(&format!(">{text}")), "{text} is not in {name}");
        }
    }
    let fails = |args: &[&str], expected: &str| {
        assert_fails(&run(&[&["report"], args].concat()), 2, expected);
    };
    fails(&[&games], "holds no run: it is a file");
    fails(&[&games, "--svg", &charts, "--out", &path("x.html")], "cannot be used with");
    fails(&[&games, &moves, "--svg", &charts], "holds no run: it is a file");
    fails(
        &[&games, "--svg", &moves],
        "moves.csv: is a file; name a folder for the results with --svg",
    );
    let below = format!("{moves}/charts");
    assert_fails(&run(&["report", &games, "--svg", &below]), 1, "charts: cannot be written");
    fails(&[&path("none.csv"), "--svg", &charts], "there is no such folder");
    std::fs::write(&games, "a,b\n").unwrap();
    fails(&[&games, "--svg", &charts], "games.csv:1: expected a column \"ply\"");
    std::fs::write(&games, "result\n").unwrap();
    fails(&[&games, "--svg", &path("new")], "games.csv: has no charts yet");
    assert!(!folder.path().join("new").exists());
}
