//! What a run has shown: best against mean, and the validation as a heat map.

use serde_json::{Value, json};

use super::data::{RunData, RunStatus};
use crate::evolve::MatchRow;
use crate::report::{distinct, merged, validation_table};
use crate::stats::MatchStatistics;
use crate::stats::sprt::score_of_elo;

/// A score with its 95 % interval, both in percent, and its shade: from 0 (no point) over 5 (half of them) to 10 (all).
pub(super) fn score_bar(figures: &MatchStatistics) -> Value {
    // What Elo hides at its open ends is no point and all points.
    let share = |elo: Option<f64>, open: f64| elo.map_or(open, score_of_elo);
    let (low, high) = (share(figures.elo_low, 0.0), share(figures.elo_high, 1.0));
    let percent = |share: f64| format!("{:.1}", 100.0 * share);
    json!({
        "score": percent(figures.score),
        "interval": format!("{} to {}", percent(low), percent(high)),
        "shade": (10.0 * figures.score).round().clamp(0.0, 10.0) as usize,
    })
}

/// A match in a heat map, with what the template tells of its row.
pub(super) fn heat_cell(row: &MatchRow) -> Value {
    merged(&[json!(row), json!({ "no_result": row.no_result }), score_bar(&row.result.figures)])
}

/// The validation: opponents and openings down, searches across.
pub(super) fn validation(run: &RunData) -> Option<Value> {
    if run.validation.is_empty() {
        return None;
    }
    let searches = distinct(run.validation.iter().map(search_of));
    let places = distinct(run.validation.iter().map(|row| (&row.opponent, &row.openings)));
    let row = |(opponent, openings): (&String, &String)| {
        let of_place = |row: &&MatchRow| row.opponent == *opponent && row.openings == *openings;
        let cell = |search: &String| {
            let mut rows = run.validation.iter().filter(of_place);
            rows.find(|row| search_of(row) == *search).map(heat_cell)
        };
        let cells: Vec<_> = searches.iter().map(cell).collect();
        json!({ "opponent": opponent, "openings": openings, "cells": cells })
    };
    let name = run.winner();
    Some(json!({
        "rows": places.into_iter().map(row).collect::<Vec<_>>(),
        "table": validation_table(None, name, &run.validation),
        // Whether matches are still to come.
        "going_on": run.state == RunStatus::Running,
        "name": name,
        "searches": searches,
    }))
}

pub(super) fn search_of(row: &MatchRow) -> String {
    row.depth.map_or_else(|| row.search.clone(), |depth| format!("depth {depth}"))
}
