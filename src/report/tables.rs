//! Tables of what was measured, by the templates in the folder `templates`.

use minijinja::{Value, context};

use super::layout::{Width, written};
use super::repeated_games;
use crate::evolve::Comparison;
use crate::evolve::learn::RegressionSummary;
use crate::papers::reproduce::{ENOUGH_GAMES, TableReport};

pub(crate) fn comparison_table(width: Width, comparison: &Comparison) -> String {
    written(width, include_str!("templates/comparison.txt"), comparison)
        + &repeated_games(comparison.result.distinct_games, comparison.result.games)
}

/// The comparison at the end of a run, under its title.
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
        + &repeated_games(distinct, games)
}
