//! Tables of what was measured, by the templates in the folder `templates`.

use minijinja::{Value, context};

use super::layout::{Width, written};
use super::{elo, repeated_games};
use crate::evolve::Comparison;
use crate::evolve::learn::RegressionSummary;
use crate::papers::reproduce::{ENOUGH_GAMES, TableReport};

pub(crate) fn comparison_table(width: Width, comparison: &Comparison) -> String {
    let f = &comparison.result.figures;
    let minus = |elo: Option<f64>| elo.map(|elo| 0.0 - elo);
    let lead = match comparison.of_start {
        true => elo(minus(f.elo), 1.0 - f.score, minus(f.elo_high), minus(f.elo_low)),
        false => elo(f.elo, f.score, f.elo_low, f.elo_high),
    };
    let values = context! { lead, ..Value::from_serialize(comparison) };
    written(width, include_str!("templates/comparison.txt"), values)
        + &repeated_games(comparison.result.distinct_games, comparison.result.games)
            .unwrap_or_default()
}

pub(crate) fn comparison_section(width: Width, comparison: &Comparison) -> String {
    let title = if comparison.of_start { "Start" } else { "Best" };
    let table = comparison_table(width, comparison);
    format!("\n{title} against mean, in games against each other\n{table}")
}

pub(crate) fn regression_table(width: Width, summary: &RegressionSummary) -> String {
    written(width, include_str!("templates/regression.txt"), summary)
}

/// A table of a paper beside what was measured, and what of its conclusions holds.
pub(crate) fn reproduced_table(width: Width, report: &TableReport) -> String {
    let distinct = report.rows.iter().map(|row| row.measurement.distinct_games).sum();
    let games = report.rows.iter().map(|row| row.measurement.measured.games()).sum();
    let values = context! { enough => ENOUGH_GAMES, ..Value::from_serialize(report) };
    written(width, include_str!("templates/reproduced.txt"), values)
        + &repeated_games(distinct, games).unwrap_or_default()
}
