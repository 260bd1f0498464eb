//! Runs side by side.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::data::RunData;
use super::drawn;
use super::evolution::{
    DISTINCT, FitnessUnit, MOST_PATHS, OVER_START, curve, distinct_share, fitness_line,
    has_fitness, is_distinct, lead, mean_of, median_deviation, plays_start,
};
use super::results::{heat_cell, search_of};
use super::status::Status;
use super::weights::beside;
use crate::evolve::{GenerationRow, MatchRow};
use crate::report::charts::{AxisScale, ChartLine, Mark, Plot};
use crate::report::{differences, distinct};
use crate::weights::Weights;

const MOST_DIFFERENCES: usize = 60;

pub(crate) fn compare_view(runs: &[RunData]) -> Value {
    let differences = differences(&runs.iter().map(RunData::plan).collect::<Vec<_>>());
    let names = names(runs);
    let run = |(index, run): (usize, &RunData)| json!({ "letter": letter(index), "name": names[index], "status": Status::of(run) });
    json!({
        "runs": runs.iter().enumerate().map(run).collect::<Vec<_>>(),
        "names": names,
        "charts": drawn(&distributions(runs)),
        "has_fitness": runs.iter().any(has_fitness),
        "distinct": runs.iter().all(is_distinct),
        // The path of every number, where all evolve the same.
        "paths": drawn(&paths(runs)),
        "differences": differences.iter().take(MOST_DIFFERENCES).collect::<Vec<_>>(),
        "more": differences.len().saturating_sub(MOST_DIFFERENCES),
        "validation": validation(runs),
        "weights": weights(runs),
    })
}

/// What distinguishes runs: their names; where some are alike, their folders, with as many of those above as it takes.
pub(super) fn names(runs: &[RunData]) -> Vec<String> {
    const HIGHEST: usize = 5;
    let folders = |count: usize| -> Vec<String> {
        let last = |run: &RunData| {
            let parts: Vec<_> = run.folder.iter().collect();
            let last = parts[parts.len().saturating_sub(count)..].iter().collect::<PathBuf>();
            last.display().to_string()
        };
        runs.iter().map(last).collect()
    };
    let names = runs.iter().map(|run| run.plan().name.clone()).collect();
    let mut ways = std::iter::once(names).chain((1..=HIGHEST).map(folders));
    // Only a run beside itself has no other name.
    ways.find(|names| distinct(names).len() == names.len()).unwrap_or_else(|| folders(1))
}

/// What the run at a place is called for short: A to Z, AA to ZZ and so on.
fn letter(index: usize) -> String {
    let before = if index < 26 { String::new() } else { letter(index / 26 - 1) };
    before + &char::from(b'A' + (index % 26) as u8).to_string()
}

/// A line for each run, with its letter and name, in a colour or dash of its own in all charts.
fn lines(runs: &[RunData], line: impl Fn(&RunData) -> ChartLine) -> Vec<ChartLine> {
    let of_run = |(place, (run, name)): (usize, (&RunData, String))| {
        let mark = if (place + place / 8).is_multiple_of(2) { Mark::Solid } else { Mark::Dashed };
        let name = format!("{}: {name}", letter(place));
        ChartLine { name, colour: place % 8, mark, ..line(run) }
    };
    runs.iter().zip(names(runs)).enumerate().map(of_run).collect()
}

fn plot(runs: &[RunData], title: &str, note: &str, y_label: &str, lines: Vec<ChartLine>) -> Plot {
    let view = &runs[0].view;
    let axes = [view.x_label(), y_label];
    Plot { range: view.range(), ..Plot::new(title, note, axes, lines) }
}

pub(super) fn plots(runs: &[RunData]) -> Vec<Plot> {
    distributions(runs).into_iter().chain(paths(runs)).collect()
}

/// A small chart for each number that all runs evolve: its mean in each. None where they evolve different numbers.
fn paths(runs: &[RunData]) -> Vec<Plot> {
    let numbers = runs[0].names();
    if runs.iter().any(|run| run.names() != numbers) {
        return Vec::new();
    }
    let path = |(index, number): (usize, &String)| {
        let lines = lines(runs, |run| curve(run, "", 0, |_, row| mean_of(row, index)));
        let note = "mean of the distribution";
        Plot { small: true, ..plot(runs, number, note, "value", lines) }
    };
    numbers.iter().enumerate().take(MOST_PATHS).map(path).collect()
}

fn distributions(runs: &[RunData]) -> Vec<Plot> {
    // The same axis for all: a hundred games.
    let fitness = |value: fn(&GenerationRow) -> f64| {
        lines(runs, |run| fitness_line(run, FitnessUnit::PERCENT, "", 0, value))
    };
    let column = |value: fn(&GenerationRow) -> f64| {
        lines(runs, |run| curve(run, "", 0, |_, row| value(row)))
    };
    let from_zero = |title: &str, note: &str, y_label: &str, lines| Plot {
        from_zero: true,
        ..plot(runs, title, note, y_label, lines)
    };
    let logarithmic = |title: &str, note: &str, lines| Plot {
        y_scale: AxisScale::Logarithmic,
        ..plot(runs, title, note, &title.to_lowercase(), lines)
    };
    let points = FitnessUnit::PERCENT.label();
    let about = runs[0].view.about_fitness();
    let axes = "longest over shortest axis; logarithmic";
    let deviations = "median of all parameters among the candidates; logarithmic";
    let deviation = lines(runs, median_deviation);
    let mut plots = Vec::new();
    if runs.iter().any(plays_start) {
        let leads = lines(runs, |run| lead(run).0);
        plots.push(from_zero("Won so far", OVER_START, "Elo", leads));
    }
    if runs.iter().any(has_fitness) {
        let mean = fitness(|row| row.mean_vector_fitness);
        let best = fitness(|row| row.best_fitness);
        plots.push(from_zero("Fitness of the mean vector", &about, &points, mean));
        plots.push(from_zero("Best fitness", &about, &points, best));
    }
    plots.extend([
        logarithmic("Sigma", "logarithmic", column(|row| row.sigma)),
        logarithmic("Axis ratio", axes, column(|row| row.axis_ratio)),
        logarithmic("Standard deviation", deviations, deviation),
    ]);
    if !runs.iter().all(is_distinct) {
        let shares = lines(runs, distinct_share);
        plots.push(from_zero("Distinct games", DISTINCT[0], DISTINCT[1], shares));
    }
    plots
}

/// The matches that several of the winners played, and how many each played alone, in words.
fn validation(runs: &[RunData]) -> Option<Value> {
    fn place(row: &MatchRow) -> (&str, &str, String) {
        (&row.opponent, &row.openings, search_of(row))
    }
    let mut alone = vec![0; runs.len()];
    let mut rows = Vec::new();
    for at in distinct(runs.iter().flat_map(|run| &run.validation).map(place)) {
        let found = runs.iter().map(|run| run.validation.iter().find(|row| place(row) == at));
        let found: Vec<_> = found.collect();
        let mut players = (0..runs.len()).filter(|run| found[*run].is_some());
        match (players.next(), players.next()) {
            (Some(only), None) => alone[only] += 1,
            _ => {
                let scores: Vec<_> = found.into_iter().map(|row| row.map(heat_cell)).collect();
                let (opponent, openings, search) = at;
                rows.push(json!({ "opponent": opponent, "openings": openings, "search": search, "scores": scores }));
            }
        }
    }
    let alone = alone.into_iter().enumerate().filter(|(_, count)| *count > 0);
    let alone: Vec<_> = alone.map(|(run, count)| format!("{count} by {}", letter(run))).collect();
    (!rows.is_empty() || !alone.is_empty())
        .then(|| json!({ "rows": rows, "alone": alone.join(", ") }))
}

/// The winners' weights, where all have the same evaluation.
fn weights(runs: &[RunData]) -> Option<Value> {
    let winner = |(index, run): (usize, &RunData)| -> Option<Weights> {
        let found = run.vectors.iter().find(|weights| weights.name == run.winner());
        let mut weights = found.or(run.vectors.first())?.clone();
        weights.name = letter(index);
        Some(weights)
    };
    let winners: Vec<Weights> = runs.iter().enumerate().map(winner).collect::<Option<_>>()?;
    let layout = winners[0].layout();
    winners.iter().all(|one| one.layout() == layout).then(|| beside(layout, &winners))
}
