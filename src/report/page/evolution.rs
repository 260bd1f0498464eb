//! The charts of an evolution: fitness, the distribution, and the path of every number that is evolved.

use serde_json::{Value, json};

use super::data::{RunData, StageData};
use super::depth_of;
use super::view::{Axis, GAP};
use crate::evolve::GenerationRow;
use crate::report::Lead;
use crate::report::charts::{Band, Line, Mark, Plot, Scale};
use crate::stats::{Z95, quantile};

/// Colours of the page's palette, by what they stand for in all charts of a run.
const MEAN: usize = 0;
const BEST: usize = 1;
/// The candidates of a generation: their median, their spread.
const CANDIDATES: usize = 2;
const ERROR: usize = 3;
const SIGMA: usize = 4;
const AXIS_RATIO: usize = 5;

/// As many numbers get a chart of their own.
pub(super) const MOST_PATHS: usize = 60;

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

/// A curve of a column of all stages' generations, on one axis. It is broken where a stage begins.
pub(super) fn curve(
    run: &RunData,
    name: &str,
    colour: usize,
    value: impl Fn(usize, &GenerationRow) -> f64,
) -> Line {
    Line::new(name, colour, points(run, GAP, |at, stage, row| (at, value(stage, row))))
}

/// A point for each generation of all stages, and a gap between two stages.
fn points<T: Clone>(
    run: &RunData,
    gap: T,
    point: impl Fn(f64, usize, &GenerationRow) -> T,
) -> Vec<T> {
    let all = generations(run);
    let stages = all.chunk_by(|a, b| a.1 == b.1);
    let of_stage = |rows: &[(f64, usize, &GenerationRow)]| {
        rows.iter().map(|(at, stage, row)| point(*at, *stage, row)).collect::<Vec<T>>()
    };
    stages.map(of_stage).collect::<Vec<_>>().join(&gap)
}

fn band(
    run: &RunData,
    name: &str,
    colour: usize,
    ends: impl Fn(usize, &GenerationRow) -> [f64; 2],
) -> Band {
    let point = |at, stage, row: &_| {
        let [low, high] = ends(stage, row);
        (at, low, high)
    };
    let points = points(run, (f64::NAN, f64::NAN, f64::NAN), point);
    Band { name: name.into(), colour, points }
}

/// The fitness of all stages, by a unit, as smooth as the reader wants it.
pub(super) fn fitness_line(
    run: &RunData,
    unit: &Unit,
    name: &str,
    colour: usize,
    value: fn(&GenerationRow) -> f64,
) -> Line {
    let line = curve(run, name, colour, |stage, row| unit.factors[stage] * value(row));
    Line { points: run.view.smoothed(&line.points), ..line }
}

/// The generations of all stages: place on the axis, stage (0-based), row.
fn generations(run: &RunData) -> Vec<(f64, usize, &GenerationRow)> {
    let (mut at, mut all) = (0.0, Vec::new());
    for (index, stage) in run.stages.iter().enumerate() {
        let mut measured = 0;
        for row in &stage.rows {
            at += match run.view.x {
                Axis::Generation => 1.0,
                Axis::Evaluations => row.evaluations.saturating_sub(measured) as f64,
                Axis::Games => row.games as f64,
            };
            measured = row.evaluations;
            all.push((at, index, row));
        }
    }
    all
}

fn borders(run: &RunData) -> Vec<(f64, String)> {
    let stages = &run.plan().stages;
    if stages.len() < 2 {
        return Vec::new();
    }
    let label =
        |index: usize| depth_of(&stages[index]).unwrap_or_else(|| format!("stage {}", index + 1));
    let all = generations(run);
    all.chunk_by(|a, b| a.1 == b.1).map(|rows| (rows[0].0, label(rows[0].1))).collect()
}

fn plot(run: &RunData, title: &str, note: &str, y_label: &str, lines: Vec<Line>) -> Plot {
    let axes = [run.view.x_label(), y_label];
    let range = run.view.range();
    Plot { borders: borders(run), range, ..Plot::new(title, note, axes, lines) }
}

pub(super) fn plots(run: &RunData) -> Vec<Plot> {
    let mut plots = vec![fitness(run), noise(run), step_size(run), deviations(run)];
    if !is_distinct(run) {
        plots.push(distinct(run));
    }
    if run.plan().stages.iter().any(|stage| stage.matches_against_start() > 0) {
        plots.insert(1, over_start(run));
    }
    plots
}

fn fitness(run: &RunData) -> Plot {
    let unit = Unit::of(run);
    let lines = vec![
        fitness_line(run, &unit, "mean vector", MEAN, |row| row.mean_vector_fitness),
        fitness_line(run, &unit, "median", CANDIDATES, |row| row.median_fitness)
            .marked(Mark::Dashed),
        fitness_line(run, &unit, "best", BEST, |row| row.best_fitness),
    ];
    let around = |stage: usize, row: &GenerationRow| {
        let (mean, half) = (row.mean_vector_fitness, Z95 * row.standard_error);
        [mean - half, mean + half].map(|end| unit.factors[stage] * end)
    };
    let quartiles = |stage: usize, row: &GenerationRow| {
        let candidates = run.stages[stage].candidates(row.generation);
        let mut fitness: Vec<f64> = candidates.map(|candidate| candidate.fitness).collect();
        fitness.sort_by(f64::total_cmp);
        [0.25, 0.75].map(|q| unit.factors[stage] * quantile(&fitness, q))
    };
    let bands = vec![
        band(run, "middle half of the candidates", CANDIDATES, quartiles),
        band(run, "95 % of the mean vector", MEAN, around),
    ];
    let note = run.view.about_fitness();
    Plot { bands, from_zero: true, ..plot(run, "Fitness", &note, &unit.label, lines) }
}

/// How far the mean is ahead of the start of the run, as it was known after each generation.
fn over_start(run: &RunData) -> Plot {
    let (mut line, mut band) = (Vec::new(), Vec::new());
    let all = generations(run);
    for rows in all.chunk_by(|a, b| a.1 == b.1) {
        let plan = &run.plan().stages[rows[0].1];
        let tallies: Vec<_> = rows.iter().map(|(_, _, row)| row.against_start).collect();
        let stride = rows.len().div_ceil(MOST_POINTS);
        for (index, (at, ..)) in rows.iter().enumerate() {
            let is_kept = (rows.len() - 1 - index).is_multiple_of(stride);
            let lead = is_kept.then(|| Lead::of(plan, &tallies[..=index])).flatten();
            if let Some([elo, low, high]) = lead.and_then(|lead| lead.with_interval()) {
                line.push((*at, elo));
                band.push((*at, low, high));
            }
        }
        line.push(GAP);
        band.push((f64::NAN, f64::NAN, f64::NAN));
    }
    let bands = vec![Band { name: "95 % interval".into(), colour: MEAN, points: band }];
    let lines = vec![Line::new("mean against start", MEAN, line)];
    let note = "Elo of the mean over the start, in the games that both played in the later half of the generations so far";
    Plot { bands, from_zero: true, ..plot(run, "Won so far", note, "Elo", lines) }
}

fn noise(run: &RunData) -> Plot {
    let unit = Unit::of(run);
    let lines = vec![
        fitness_line(run, &unit, "spread of the candidates", CANDIDATES, |row| row.spread),
        fitness_line(run, &unit, "standard error of one", ERROR, |row| row.standard_error)
            .marked(Mark::Dashed),
    ];
    let note = "where the spread is no larger than the error, differences are noise";
    Plot { from_zero: true, ..plot(run, "Noise of the fitness", note, &unit.label, lines) }
}

fn step_size(run: &RunData) -> Plot {
    let lines = vec![
        curve(run, "sigma", SIGMA, |_, row| row.sigma),
        curve(run, "axis ratio", AXIS_RATIO, |_, row| row.axis_ratio).marked(Mark::Dashed),
    ];
    let note = "step size, and longest over shortest axis; logarithmic";
    Plot { y_scale: Scale::Logarithmic, ..plot(run, "Step size", note, "sigma, axis ratio", lines) }
}

fn deviations(run: &RunData) -> Plot {
    let names = run.names();
    let lines = if names.len() <= MOST_NAMED {
        let of_name = |(index, name): (usize, &String)| {
            // Every other one is dashed, for those who cannot tell colours apart.
            let mark = if index % 2 == 1 { Mark::Dashed } else { Mark::Solid };
            let value = |stage: usize, row: &_| deviation_of(&run.stages[stage], row, index);
            curve(run, name, index, value).marked(mark)
        };
        names.iter().enumerate().map(of_name).collect()
    } else {
        let of = |name, q| quantile_of_deviations(run, name, CANDIDATES, q);
        let [largest, smallest] =
            [("largest", 1.0), ("smallest", 0.0)].map(|(name, q)| of(name, q).marked(Mark::Dashed));
        vec![largest, of("median", 0.5), smallest]
    };
    let note = "of each parameter among the candidates of a generation; logarithmic";
    Plot {
        y_scale: Scale::Logarithmic,
        ..plot(run, "Standard deviations", note, "standard deviation", lines)
    }
}

/// A quantile of the standard deviations of all numbers that move.
pub(super) fn quantile_of_deviations(run: &RunData, name: &str, colour: usize, q: f64) -> Line {
    let count = run.names().len();
    curve(run, name, colour, |stage, row| {
        let all = (0..count).map(|index| deviation_of(&run.stages[stage], row, index));
        let mut moving: Vec<f64> = all.filter(|deviation| *deviation > 0.0).collect();
        moving.sort_by(f64::total_cmp);
        quantile(&moving, q)
    })
}

/// The standard deviation of a number among the candidates of a generation, around the mean they were drawn with.
fn deviation_of(stage: &StageData, row: &GenerationRow, index: usize) -> f64 {
    let values = stage.candidates(row.generation).filter_map(|one| one.values.get(index));
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| {
        (sum + (value - mean_of(row, index)).powi(2), count + 1.0)
    });
    (sum / count).sqrt()
}

fn distinct(run: &RunData) -> Plot {
    let lines = vec![distinct_share(run, "", MEAN)];
    Plot { from_zero: true, ..plot(run, "Distinct games", DISTINCT[0], DISTINCT[1], lines) }
}

/// Whether no game repeats another, which needs no chart.
pub(super) fn is_distinct(run: &RunData) -> bool {
    run.stages.iter().flat_map(|stage| &stage.rows).all(|row| row.distinct_games == row.games)
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
    let path = |(index, name): (usize, &String)| {
        // The colour that a parameter has among the standard deviations, if it has one there.
        let colour = if count <= MOST_NAMED { index } else { MEAN };
        let ends = |stage: usize, row: &GenerationRow| {
            let deviation = deviation_of(&run.stages[stage], row, index);
            [-2.0, 2.0].map(|factor| mean_of(row, index) + factor * deviation)
        };
        let lines =
            vec![curve(run, "mean of the distribution", colour, |_, row| mean_of(row, index))];
        Plot {
            bands: vec![band(run, "two standard deviations of the candidates", colour, ends)],
            small: true,
            ..plot(run, name, "", "value", lines)
        }
    };
    names.iter().enumerate().take(MOST_PATHS).map(path).collect()
}

pub(super) fn mean_of(row: &GenerationRow, index: usize) -> f64 {
    row.mean.get(index).copied().unwrap_or(f64::NAN)
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
