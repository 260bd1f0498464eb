//! Tests of the rows: they are written as they always were, and read back bit for bit.

use std::fmt::Debug;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::*;
use crate::measure::fitness::{Measured, tests::stage};
use crate::plan::Combine;
use tictune_core::arena::Schedule;
use tictune_core::files::{Found, Journal, LogError, rows_in};
use tictune_core::stats::{Evidence, MatchStatistics, Tally};

fn columns() -> [String; 3] {
    ["a", "b", "x_b"].map(String::from)
}

/// Writes rows and reads them again; gives the lines.
fn round_trip<R>(header: &[String], rows: &[R]) -> String
where
    R: Serialize + DeserializeOwned + PartialEq + Debug,
{
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.csv");
    let mut journal = Journal::open(&path, header).unwrap();
    rows.iter().for_each(|row| journal.append(row).unwrap());
    let read = Journal::<R>::open(&path, header).unwrap().take_all("is no such row").unwrap();
    assert_eq!(read, rows);
    let text = std::fs::read_to_string(&path).unwrap();
    text.strip_prefix(&format!("{}\n", header.join(","))).unwrap().into()
}

#[test]
fn candidates_round_trip_with_and_without_results_by_opponent() {
    let mut fitness = stage(Schedule::Paired, &[("random", 20), ("reflex", 6)]).fitness;
    let mut row = CandidateRow {
        generation: 3,
        index: 0,
        fitness: 12.5,
        measured: Measured {
            tally: Tally { wins: 10, draws: 5, losses: 10 },
            distinct_games: 24,
            ..Measured::default()
        },
        values: vec![0.1, -1e-300, 3.0],
    };
    for (combine, line) in [
        (Combine::Mean, "3,0,12.5,10,5,10,24,0.1,-1e-300,3.0\n"),
        (Combine::Worst, "3,0,12.5,10,5,10,24,10-3-7 0-2-3,0.1,-1e-300,3.0\n"),
    ] {
        fitness.combine = combine;
        let header = CandidateRow::header(&columns(), &fitness);
        assert_eq!(round_trip(&header, std::slice::from_ref(&row)), line);
        row.measured.by_opponent = [[10, 3, 7], [0, 2, 3]]
            .map(|[wins, draws, losses]| Tally { wins, draws, losses })
            .into();
    }
}

#[test]
fn generations_round_trip() {
    let row = GenerationRow {
        generation: 1,
        best_fitness: 1.5,
        worst_fitness: 9.0,
        sigma: 0.1 + 0.2,
        axis_ratio: 1.0,
        standard_error: 1.0 / 3.0,
        seconds: 1.5,
        games_per_second: 350.0,
        mean: vec![0.1, 0.2, 0.3],
        ..GenerationRow::default()
    };
    let line = "1,0,1.5,0,0,9,0,0.30000000000000004,1.0,0,0,0.0,0.3333333333333333,0,1.500,350.0,0.1,0.2,0.3\n";
    assert_eq!(round_trip(&GenerationRow::header(&columns()), &[row]), line);
}

#[test]
fn admissions_round_trip() {
    let evidence = Evidence::Pairs([3, 3, 4, 4, 10]);
    let row = Admission {
        generation: 40,
        members: 2,
        games: 50,
        tally: Tally { wins: 30, draws: 4, losses: 16 },
        distinct_games: 49,
        evidence,
        score: 0.64,
        p: evidence.p(),
        entered: true,
        left: Some("stage-1-generation-10".into()),
        values: vec![0.1 + 0.2, -1e-300, 3.0],
    };
    let rows = [Admission { left: None, entered: false, ..row.clone() }, row];
    let lines = round_trip(&Admission::header(&columns()), &rows);
    assert!(lines.starts_with("40,2,50,30,4,16,49,3-3-4-4-10,0.64,0.06"), "{lines}");
    assert!(lines.contains(",false,,0.30000000000000004,-1e-300,3.0\n"), "{lines}");
}

#[test]
fn matches_round_trip_and_are_refused_where_their_counts_contradict_each_other() {
    let (tally, distinct_pairs) = (Tally { wins: 5, draws: 2, losses: 3 }, [0, 1, 1, 2, 0]);
    let result = PairedResult {
        games: 10,
        tally,
        pairs: [0, 1, 1, 3, 0],
        distinct_pairs,
        distinct_games: 9,
        figures: MatchStatistics::of(&tally, &Evidence::Pairs(distinct_pairs)),
    };
    let row = MatchRow {
        openings: "random:4:held-out".into(),
        opponent: "a, b".into(),
        search: "minimax:depth=3".into(),
        depth: Some(3),
        result,
        no_result: false,
        p_value_holm: None,
    };
    let without = PairedResult { figures: result.figures.without_p_values(), ..result };
    let forfeited = MatchRow { result: without, no_result: true, ..row.clone() };
    let lines = round_trip(&LoggedMatch::header(), &[row, forfeited].map(LoggedMatch));
    let start = "random:4:held-out,\"a, b\",minimax:depth=3,3,10,5,2,3,0,1,1,3,0,0,1,1,2,0,9,0.6,";
    assert!(lines.starts_with(start), "{lines}");
    let text = format!("{}\n{lines}", LoggedMatch::header().join(","));
    for (old, new) in [
        (",10,5,2,3,", ",11,5,2,3,"),
        (",0,1,1,3,0,", ",0,2,1,3,0,"),
        (",0,1,1,3,0,", ",1,1,1,2,0,"),
        (",0,1,1,2,0,", ",0,1,1,4,0,"),
    ] {
        let rows = rows_in::<LoggedMatch>(text.replacen(old, new, 1).as_bytes());
        assert!(rows[0].is_none() && rows[1].is_some(), "{new}");
    }
}

/// A file of a committed run; none in a package, which has no results.
fn committed(file: &str) -> Option<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(file)).ok()
}

#[test]
fn records_of_committed_runs_follow_from_their_counts() {
    if let Some(text) = committed("experiments/papadam/results/lines-short/validation.csv") {
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("validation.csv");
        std::fs::write(&copy, text).unwrap();
        let mut journal = Journal::<LoggedMatch>::open(&copy, &LoggedMatch::header()).unwrap();
        while journal.has_next() {
            let check = |found: Found<'_>| {
                let row: LoggedMatch = found.read().ok_or("is no match")?;
                found.is(&row).then_some(row).ok_or_else(|| "does not follow".into())
            };
            let row: Result<_, LogError> = journal.next(check, || unreachable!());
            assert!(row.is_ok(), "{row:?}");
        }
    }
    for run in [
        "notebooks/sample-run",
        "experiments/papadam/results/lines-short",
        "experiments/chess/results/glaurung",
        "experiments/chess/results/toga",
    ] {
        let Some(text) = committed(&format!("{run}/comparison.json")) else { continue };
        let read = serde_json::from_str::<Comparison>(&text).unwrap();
        let PairedResult { games, tally, pairs, distinct_pairs, distinct_games, .. } = read.result;
        let counts = (games, tally, distinct_games);
        let expected = PairedResult::of_counts(counts, [pairs, distinct_pairs], read.no_result);
        assert_eq!(Some(read.result), expected, "{run}");
    }
}
