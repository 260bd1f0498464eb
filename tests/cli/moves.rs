//! Matches move by move: the files of `match --moves` and `--games-csv`, and charts of them.

use serde_json::Value;

use crate::common::{Folder, rows};

const MATCH: &str = "match minimax:depth=2 mcts:iterations=40 --games 12 --json --moves moves.csv \
                     --games-csv games.csv";

#[test]
fn files_are_the_same_on_any_threads_but_for_times() {
    let folder = Folder::new();
    for more in ["", "--sprt elo0=0,elo1=200", "--schedule coin --replay-ties"] {
        let [one, four] = [1, 4].map(|threads| {
            folder.said(&format!("{MATCH} --threads {threads} {more}"));
            let moves = folder.lines("moves.csv");
            let moves = moves.iter().map(|row| row.rsplit_once(',').unwrap().0.to_owned());
            (moves.collect::<Vec<_>>(), folder.read("games.csv"))
        });
        assert_eq!(one, four);
    }
}

#[test]
fn files_hold_what_the_report_sums() {
    let folder = Folder::new();
    let report: Value = folder.json(MATCH);
    let moves = rows(&folder.path("moves.csv"));
    for (side, name) in ["A", "B"].iter().enumerate() {
        let of = &report["by_agent"][side];
        let rows: Vec<_> = moves.iter().filter(|row| row["agent"] == *name).collect();
        assert_eq!(of["moves"], rows.len());
        for column in ["nodes", "iterations"] {
            let sum: u64 = rows.iter().map(|row| row[column].parse::<u64>().unwrap()).sum();
            assert_eq!(of[column], sum, "{column} of {name}");
        }
        let times = rows.iter().map(|row| row["milliseconds"].parse::<f64>().unwrap());
        let difference = times.sum::<f64>() / 1e3 - of["search_seconds"].as_f64().unwrap();
        assert!(difference.abs() < 1e-4, "{difference}");
    }
    let mut games = csv::Reader::from_path(folder.path("games.csv")).unwrap();
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
fn charts_are_drawn_from_the_files() {
    let folder = Folder::new();
    folder.said(MATCH);
    for (input, name, texts) in [
        ("moves.csv", "mean-time-of-a-move", &["milliseconds per move", "A", "B"][..]),
        ("moves.csv", "time-of-each-move", &["A: mean "]),
        ("games.csv", "results-as-games-are-played", &["A: won", "drawn", "share of games (%)"]),
    ] {
        let draw = || {
            let file = format!("charts/{name}.svg");
            assert!(folder.said(&format!("report {input} --svg charts")).contains(&file));
            folder.read(&file)
        };
        let drawn = draw();
        assert_eq!(drawn, draw(), "{name} is drawn differently");
        for text in texts {
            assert!(drawn.contains(&format!(">{text}")), "{text} is not in {name}");
        }
    }
}
