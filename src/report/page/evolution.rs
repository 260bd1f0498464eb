//! The charts of an evolution: fitness, the distribution, and the path of every number that is evolved.

use serde_json::{Value, json};

use super::data::{RunData, StageData};
use super::depth_of;
use crate::evolve::GenerationRow;
use crate::report::Lead;
use crate::report::charts::{Band, Line, Mark, Plot, Scale};
use crate::stats::{Z95, quantile};

/// Colours of the page's palette, by what they stand for in all charts.
pub(super) const BEST: usize = 1;
pub(super) const MEAN: usize = 0;
pub(super) const MEDIAN: usize = 2;

/// As many numbers get a chart of their own.
const MOST_PATHS: usize = 60;

/// As many points of a stage say how far the mean is ahead of the start.
const MOST_POINTS: usize = 300;

/// As many curves have a name in one chart.
const MOST_NAMED: usize = 8;

/// As many numbers are in a table of correlations.
const MOST_CORRELATED: usize = 48;

pub(super) struct Unit {
    /// What a fitness is multiplied by, by stage.
    factors: Vec<f64>,
    pub(super) label: String,
}

impl Unit {
    /// Points lost, where all stages play as many games; else of a hundred games.
    pub(super) fn of(run: &RunData) -> Self {
        let games: Vec<u64> = run.plan().stages.iter().map(|stage| stage.fitness.games).collect();
        match games.as_slice() {
            [first, rest @ ..] if rest.iter().all(|games| games == first) => Self {
                factors: vec![1.0; games.len()],
                label: format!("points lost in {first} games"),
            },
            _ => Self::percent(run),
        }
    }

    /// Points lost of a hundred games, which runs have in common.
    pub(super) fn percent(run: &RunData) -> Self {
        let stages = run.plan().stages.iter();
        Self {
            factors: stages.map(|stage| 100.0 / stage.fitness.games.max(1) as f64).collect(),
            label: "points lost (%)".into(),
        }
    }
}

/// What there is to say of every fitness.
pub(super) const FITNESS: &str = "smaller is better";

/// A curve of a column of all stages' generations, on one axis.
pub(super) fn curve(
    run: &RunData,
    name: &str,
    colour: usize,
    value: impl Fn(usize, &GenerationRow) -> f64,
) -> Line {
    let points = generations(run).map(|(at, stage, row)| (at, value(stage, row))).collect();
    Line::new(name, colour, points)
}

/// The fitness of all stages, by a unit.
pub(super) fn fitness_line(
    run: &RunData,
    unit: &Unit,
    name: &str,
    colour: usize,
    value: fn(&GenerationRow) -> f64,
) -> Line {
    curve(run, name, colour, |stage, row| unit.factors[stage] * value(row))
}

/// The generations of all stages: place on the axis, stage (0-based), row.
fn generations(run: &RunData) -> impl Iterator<Item = (f64, usize, &GenerationRow)> {
    run.stages.iter().enumerate().flat_map(|(index, stage)| {
        stage.rows.iter().map(move |row| ((stage.before + row.generation) as f64, index, row))
    })
}

fn borders(run: &RunData) -> Vec<(f64, String)> {
    let stages = &run.plan().stages;
    if stages.len() < 2 {
        return Vec::new();
    }
    let begun = run.stages.iter().enumerate().filter(|(_, stage)| !stage.rows.is_empty());
    let border = |(index, stage): (usize, &StageData)| {
        let label = depth_of(&stages[index]).unwrap_or_else(|| format!("stage {}", index + 1));
        (stage.before as f64 + 1.0, label)
    };
    begun.map(border).collect()
}

fn plot(run: &RunData, title: &str, note: &str, y_label: &str, lines: Vec<Line>) -> Plot {
    Plot { borders: borders(run), ..Plot::new(title, note, ["generation", y_label], lines) }
}

pub(super) fn plots(run: &RunData) -> Vec<Plot> {
    let mut plots = vec![fitness(run), noise(run), step_size(run), deviations(run), distinct(run)];
    if run.plan().stages.iter().any(|stage| stage.matches_against_start() > 0) {
        plots.insert(1, over_start(run));
    }
    plots
}

fn fitness(run: &RunData) -> Plot {
    let unit = Unit::of(run);
    let lines = vec![
        fitness_line(run, &unit, "mean vector", MEAN, |row| row.mean_vector_fitness),
        fitness_line(run, &unit, "median", MEDIAN, |row| row.median_fitness).marked(Mark::Dashed),
        fitness_line(run, &unit, "best", BEST, |row| row.best_fitness),
    ];
    let around = |(at, stage, row): (f64, usize, &GenerationRow)| {
        let (mean, half) = (row.mean_vector_fitness, Z95 * row.standard_error);
        (at, unit.factors[stage] * (mean - half), unit.factors[stage] * (mean + half))
    };
    let quartiles = generations(run).filter_map(|(at, stage, row)| {
        let candidates = run.stages[stage].candidates(row.generation);
        let mut fitness: Vec<f64> = candidates.map(|candidate| candidate.fitness).collect();
        fitness.sort_by(f64::total_cmp);
        let [low, high] = [0.25, 0.75].map(|q| unit.factors[stage] * quantile(&fitness, q));
        (low.is_finite() && high.is_finite()).then_some((at, low, high))
    });
    let band = |name: &str, colour, points| Band { name: name.into(), colour, points };
    let bands = vec![
        band("middle half of the candidates", MEDIAN, quartiles.collect()),
        band("95 % of the mean vector", MEAN, generations(run).map(around).collect()),
    ];
    Plot { bands, from_zero: true, ..plot(run, "Fitness", FITNESS, &unit.label, lines) }
}

/// How far the mean is ahead of the start of the run, as it was known after each generation.
fn over_start(run: &RunData) -> Plot {
    let (mut line, mut band) = (Vec::new(), Vec::new());
    for (plan, stage) in run.plan().stages.iter().zip(&run.stages) {
        let tallies: Vec<_> = stage.rows.iter().map(|row| row.against_start).collect();
        for count in (1..=tallies.len()).rev().step_by(tallies.len().div_ceil(MOST_POINTS).max(1)) {
            let lead = Lead::of(plan, &tallies[..count]);
            if let Some([elo, low, high]) = lead.and_then(|lead| lead.with_interval()) {
                let at = (stage.before + count as u64) as f64;
                line.push((at, elo));
                band.push((at, low, high));
            }
        }
    }
    line.sort_by(|a, b| a.0.total_cmp(&b.0));
    band.sort_by(|a: &(f64, f64, f64), b| a.0.total_cmp(&b.0));
    let bands = vec![Band { name: "95 % interval".into(), colour: MEAN, points: band }];
    let lines = vec![Line::new("mean against start", MEAN, line)];
    let note = "Elo of the mean over the start, in the games that both played in the later half of the generations so far";
    Plot { bands, from_zero: true, ..plot(run, "Won so far", note, "Elo", lines) }
}

fn noise(run: &RunData) -> Plot {
    let unit = Unit::of(run);
    let lines = vec![
        fitness_line(run, &unit, "spread of the candidates", MEAN, |row| row.spread),
        fitness_line(run, &unit, "standard error of one", BEST, |row| row.standard_error)
            .marked(Mark::Dashed),
    ];
    let note = "where the spread is no larger than the error, differences are noise";
    Plot { from_zero: true, ..plot(run, "Noise of the fitness", note, &unit.label, lines) }
}

fn step_size(run: &RunData) -> Plot {
    let lines = vec![
        curve(run, "sigma", MEAN, |_, row| row.sigma),
        curve(run, "axis ratio", BEST, |_, row| row.axis_ratio).marked(Mark::Dashed),
    ];
    let note = "step size, and longest over shortest axis; logarithmic";
    Plot { y_scale: Scale::Logarithmic, ..plot(run, "Step size", note, "sigma, axis ratio", lines) }
}

fn deviations(run: &RunData) -> Plot {
    let names = run.names();
    let line = |name: &str, colour, value: &dyn Fn(&[f64]) -> f64| {
        curve(run, name, colour, |stage, row| {
            value(&deviations_of(&run.stages[stage], row, names.len()))
        })
    };
    let lines = if names.len() <= MOST_NAMED {
        let of_name = |(index, name): (usize, &String)| {
            // Every other one is dashed, for those who cannot tell colours apart.
            let mark = if index % 2 == 1 { Mark::Dashed } else { Mark::Solid };
            line(name, index, &|all| all[index]).marked(mark)
        };
        names.iter().enumerate().map(of_name).collect()
    } else {
        let quantiles = [("largest", BEST, 1.0), ("median", MEAN, 0.5), ("smallest", MEDIAN, 0.0)];
        let of = |(name, colour, q)| line(name, colour, &|all| quantile_of_moving(all, q));
        quantiles.map(of).into()
    };
    let note = "of each parameter among the candidates of a generation; logarithmic";
    Plot {
        y_scale: Scale::Logarithmic,
        ..plot(run, "Standard deviations", note, "standard deviation", lines)
    }
}

/// A quantile of the standard deviations of those numbers that move.
fn quantile_of_moving(deviations: &[f64], q: f64) -> f64 {
    let mut moving: Vec<f64> = deviations.iter().copied().filter(|x| *x > 0.0).collect();
    moving.sort_by(f64::total_cmp);
    quantile(&moving, q)
}

/// The median of the standard deviations of all numbers that move.
pub(super) fn median_deviation(run: &RunData, name: &str, colour: usize) -> Line {
    let count = run.names().len();
    curve(run, name, colour, |stage, row| {
        quantile_of_moving(&deviations_of(&run.stages[stage], row, count), 0.5)
    })
}

/// The standard deviation of each number among the candidates of a generation, around the mean they were drawn with.
fn deviations_of(stage: &StageData, row: &GenerationRow, names: usize) -> Vec<f64> {
    let mut squares = vec![0.0; names];
    let mut count = 0.0;
    for candidate in stage.candidates(row.generation) {
        count += 1.0;
        for ((sum, value), mean) in squares.iter_mut().zip(&candidate.values).zip(&row.mean) {
            *sum += (value - mean).powi(2);
        }
    }
    squares.into_iter().map(|sum: f64| (sum / count).sqrt()).collect()
}

fn distinct(run: &RunData) -> Plot {
    let lines = vec![distinct_share(run, "", MEAN)];
    Plot { from_zero: true, ..plot(run, "Distinct games", DISTINCT[0], DISTINCT[1], lines) }
}

/// What there is to say of distinct games, and what the axis shows.
pub(super) const DISTINCT: [&str; 2] =
    ["of a candidate; repeated games are no evidence", "distinct games (%)"];

pub(super) fn distinct_share(run: &RunData, name: &str, colour: usize) -> Line {
    let share = |_, row: &GenerationRow| 100.0 * row.distinct_games as f64 / row.games as f64;
    curve(run, name, colour, share)
}

/// A small chart for each number: the mean of the distribution, and two standard deviations around it.
pub(super) fn paths(run: &RunData) -> Vec<Plot> {
    let names = run.names();
    let count = names.len();
    let deviations: Vec<Vec<f64>> = generations(run)
        .map(|(_, stage, row)| deviations_of(&run.stages[stage], row, count))
        .collect();
    let path = |(index, name): (usize, &String)| {
        let value = |row: &GenerationRow| mean_of(row, index);
        let band = generations(run).zip(&deviations);
        let band = band.map(|((at, _, row), all)| {
            (at, value(row) - 2.0 * all[index], value(row) + 2.0 * all[index])
        });
        let lines = vec![curve(run, "mean of the distribution", MEAN, |_, row| value(row))];
        let two = "two standard deviations of the candidates".into();
        Plot {
            bands: vec![Band { name: two, colour: MEAN, points: band.collect() }],
            small: true,
            ..plot(run, name, "", "value", lines)
        }
    };
    names.iter().enumerate().take(MOST_PATHS).map(path).collect()
}

fn mean_of(row: &GenerationRow, index: usize) -> f64 {
    row.mean.get(index).copied().unwrap_or(f64::NAN)
}

/// What the horizontal axis shows of two runs, whose stages begin where they may.
pub(super) const OVER_ALL: &str = "generation, over all stages";

/// A small chart for each number that two runs evolve: its mean in A (solid) and in B (dashed). None where they evolve
/// different numbers.
pub(super) fn paths_of_both(runs: [&RunData; 2], names: &[String; 2]) -> Vec<Plot> {
    let numbers = runs[0].names();
    if numbers != runs[1].names() {
        return Vec::new();
    }
    let path = |(index, number): (usize, &String)| {
        let line =
            |of: usize, colour| curve(runs[of], &names[of], colour, |_, row| mean_of(row, index));
        let lines = vec![line(0, MEAN), line(1, BEST).marked(Mark::Dashed)];
        let note = "mean of the distribution";
        Plot { small: true, ..Plot::new(number, note, [OVER_ALL, "value"], lines) }
    };
    numbers.iter().enumerate().take(MOST_PATHS).map(path).collect()
}

/// The correlations among the candidates of the last generations of the last stage; `None` before there are enough of
/// them, or where less than two numbers move.
pub(super) fn correlations(run: &RunData) -> Option<Value> {
    let names = run.names();
    let stage = run.stages.iter().rev().find(|stage| !stage.rows.is_empty())?;
    // As many as a correlation needs to be told from none, and no more than the later half of the stage.
    let wanted = 10 * names.len().min(MOST_CORRELATED) + 50;
    let mut samples: Vec<Vec<f64>> = Vec::new();
    let mut generations = 0;
    for row in stage.rows.iter().rev().take(stage.rows.len().div_ceil(2)) {
        if samples.len() >= wanted {
            break;
        }
        generations += 1;
        let around = |values: &[f64]| {
            let pairs = values.iter().zip(&row.mean).take(names.len());
            pairs.map(|(value, mean)| (value - mean) / row.sigma).collect::<Vec<f64>>()
        };
        samples.extend(stage.candidates(row.generation).map(|row| around(&row.values)));
    }
    if samples.len() < 20 || samples.iter().any(|sample| sample.len() < names.len()) {
        return None;
    }
    let product = |i: usize, j: usize| samples.iter().map(|x| x[i] * x[j]).sum::<f64>();
    let sizes: Vec<f64> = (0..names.len()).map(|i| product(i, i).sqrt()).collect();
    let moving = (0..names.len()).filter(|&i| sizes[i] > 0.0).take(MOST_CORRELATED);
    let moving: Vec<usize> = moving.collect();
    if moving.len() < 2 {
        return None;
    }
    let cell = |i: usize, j: usize| {
        let r = product(i, j) / (sizes[i] * sizes[j]);
        let text = format!("{r:.1}").replace("0.", ".");
        let text = if matches!(text.as_str(), ".0" | "-.0") { "·".into() } else { text };
        // From 0 (-1) over 5 (0) to 10 (+1).
        json!({ "text": text, "shade": (5.0 + 5.0 * r).round().clamp(0.0, 10.0) as usize })
    };
    let row = |&i: &usize| json!({ "name": names[i], "cells": moving.iter().map(|&j| cell(i, j)).collect::<Vec<_>>() });
    let error = 1.0 / (samples.len() as f64).sqrt();
    Some(json!({
        "about": format!(
            "Of {} candidates around their means, the last {generations} generations. The standard error of a \
             correlation is about {error:.2}.",
            samples.len(),
        ),
        "rows": moving.iter().map(row).collect::<Vec<_>>(),
        "numbers": (1..=moving.len()).collect::<Vec<_>>(),
    }))
}
