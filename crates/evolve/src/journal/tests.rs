//! Tests of the rows: those of committed runs are read and written again as they were, and what contradicts itself is refused.

use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::*;
use tictune_core::files::{Journal, rows_in};
use tictune_core::stats::{Evidence, Tally};
use tictune_optimiser::{CmaEs, CmaEsSettings, Optimiser};

/// A file of a committed run; none in a package, which has no results.
fn committed(file: &str) -> Option<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(file)).ok()
}

/// The text of a journal whose rows are those of a text.
fn written_again<R: Serialize + DeserializeOwned>(text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.csv");
    let header: Vec<String> = text.lines().next().unwrap().split(',').map(String::from).collect();
    let mut journal = Journal::<R>::open(&path, &header).unwrap();
    for row in rows_in::<R>(text.as_bytes()) {
        journal.append(&row.expect("a row")).unwrap();
    }
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn logs_of_committed_runs_are_written_again_as_they_were() {
    type Again = fn(&str) -> String;
    let logs: [(Again, &[&str]); 4] = [
        (
            written_again::<GenerationRow>,
            &[
                "notebooks/sample-run/stage-3-depth-7/generations.csv",
                "experiments/chess/results/toga/generations.csv",
            ],
        ),
        (written_again::<CandidateRow>, &["notebooks/sample-run/stage-3-depth-7/evaluations.csv"]),
        (written_again::<AxesRow>, &["notebooks/sample-run/stage-3-depth-7/axes.csv"]),
        (written_again::<LoggedMatch>, &["experiments/papadam/results/lines-short/validation.csv"]),
    ];
    for (again, files) in logs {
        for text in files.iter().filter_map(|file| committed(file)) {
            assert_eq!(again(&text), text);
        }
    }
}

#[test]
fn axes_are_those_of_the_optimiser() {
    // A cost whose valley runs along x = -y, and whose walls are steepest along x = y.
    let cost = |point: &Vec<f64>| {
        let [x, y, z] = point[..] else { panic!("three coordinates") };
        0.01 * (x - y).powi(2) + 100.0 * (x + y).powi(2) + z * z
    };
    let settings =
        CmaEsSettings { initial: vec![1.0, 2.0, 3.0], sigma: 0.5, population: 12, seed: 3 };
    let mut optimiser = CmaEs::new(settings).unwrap();
    for generation in 0..120 {
        let row = AxesRow::new(generation, &optimiser.axes());
        let [longest, .., shortest] = row.lengths() else { panic!("three axes") };
        assert!((longest / shortest / optimiser.axis_ratio() - 1.0).abs() < 1e-9, "{row:?}");
        assert!(row.lengths().is_sorted_by(|a, b| a >= b), "{row:?}");
        let costs: Vec<f64> = optimiser.ask().iter().map(cost).collect();
        optimiser.tell(&costs).unwrap();
    }
    let row = AxesRow::new(120, &optimiser.axes());
    for (end, wanted) in row.ends().into_iter().zip([[0.707, -0.707, 0.0], [0.707, 0.707, 0.0]]) {
        let product: f64 = end.iter().zip(wanted).map(|(a, b)| a * b).sum();
        assert!(product.abs() > 0.98, "{row:?}");
    }
    let header = AxesRow::header(&["x", "y", "z"].map(String::from)).join(",");
    assert!(header.starts_with("generation,length_1,length_2,length_3,longest_x,"), "{header}");
}

#[test]
fn matches_are_refused_where_their_counts_contradict_each_other() {
    let counts =
        "random:4,\"a, b\",minimax:depth=3,3,10,5,2,3,0,1,1,3,0,0,1,1,2,0,9,,,,,,,,,false\n";
    let text = format!("{}\n{counts}", LoggedMatch::COLUMNS);
    let read = |text: &str| rows_in::<LoggedMatch>(text.as_bytes()).remove(0);
    let LoggedMatch(row) = read(&text).unwrap();
    assert_eq!(row.result.tally, Tally { wins: 5, draws: 2, losses: 3 });
    assert_eq!(row.result.figures.p, Evidence::Pairs([0, 1, 1, 2, 0]).p());
    for (old, new) in [
        (",10,5,2,3,", ",11,5,2,3,"),
        (",0,1,1,3,0,", ",0,2,1,3,0,"),
        (",0,1,1,3,0,", ",1,1,1,2,0,"),
        (",0,1,1,2,0,", ",0,1,1,4,0,"),
    ] {
        assert!(read(&text.replacen(old, new, 1)).is_none(), "{new}");
    }
}

#[test]
fn comparisons_of_committed_runs_follow_from_their_counts() {
    for run in [
        "notebooks/sample-run",
        "experiments/papadam/results/lines-short",
        "experiments/chess/results/glaurung",
        "experiments/chess/results/toga",
    ] {
        let Some(text) = committed(&format!("{run}/comparison.json")) else { continue };
        let read = serde_json::from_str::<Comparison>(&text).unwrap();
        assert_eq!(read.result.recomputed(read.no_result), Some(read.result), "{run}");
    }
}
