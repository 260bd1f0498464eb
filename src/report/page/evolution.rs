//! The charts of an evolution: fitness, the distribution by generation, and the path of every number that is evolved.

use super::data::{RunData, StageData};
use super::depth_of;
use super::view::{Axis, GAP};
use crate::evolve::{GenerationRow, StagePlan};
use crate::report::charts::{AxisScale, Band, ChartLine, Mark, Plot};
use crate::report::{Lead, distinct};
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

/// Points lost in so many games, where all stages play as many; else in a hundred games, which runs have in common.
#[derive(Clone, Copy)]
pub(super) struct FitnessUnit(Option<u64>);

impl FitnessUnit {
    pub(super) const PERCENT: Self = Self(None);

    fn of(run: &RunData) -> Self {
        let games = distinct(run.plan().stages.iter().map(|stage| stage.fitness.games));
        if let [games] = games[..] { Self(Some(games)) } else { Self::PERCENT }
    }

    pub(super) fn label(self) -> String {
        self.0.map_or("points lost (%)".into(), |games| format!("points lost in {games} games"))
    }

    /// What a fitness of a stage is multiplied by.
    fn factor(self, run: &RunData, stage: usize) -> f64 {
        let games = run.plan().stages[stage].fitness.games.max(1);
        if self.0.is_some() { 1.0 } else { 100.0 / games as f64 }
    }
}

/// A curve of a column of all stages' generations, on one axis. It is broken where a stage begins.
pub(super) fn curve(
    run: &RunData,
    name: &str,
    colour: usize,
    value: impl Fn(usize, &GenerationRow) -> f64,
) -> ChartLine {
    ChartLine::new(name, colour, points(run, GAP, |at, stage, row| (at, value(stage, row))))
}

/// A point for each generation of all stages, and a gap between two stages.
fn points<T: Clone>(run: &RunData, gap: T, of: impl Fn(f64, usize, &GenerationRow) -> T) -> Vec<T> {
    let of_stage = |(stage, rows): &(usize, Vec<(f64, &GenerationRow)>)| {
        rows.iter().map(|(at, row)| of(*at, *stage, row)).collect::<Vec<T>>()
    };
    generations(run).iter().map(of_stage).collect::<Vec<_>>().join(&gap)
}

fn band(
    run: &RunData,
    name: &str,
    colour: usize,
    ends: impl Fn(usize, &GenerationRow) -> [f64; 2],
) -> Band {
    let points = points(run, (f64::NAN, [f64::NAN; 2]), |at, stage, row| (at, ends(stage, row)));
    Band { name: name.into(), colour, points }
}

/// The fitness of all stages, by a unit, as smooth as the reader wants it.
pub(super) fn fitness_line(
    run: &RunData,
    unit: FitnessUnit,
    name: &str,
    colour: usize,
    value: fn(&GenerationRow) -> f64,
) -> ChartLine {
    let line = curve(run, name, colour, |stage, row| unit.factor(run, stage) * value(row));
    ChartLine { points: run.view.smoothed(&line.points), ..line }
}

/// The stages (0-based) that have generations, with these: place on the axis, row.
fn generations(run: &RunData) -> Vec<(usize, Vec<(f64, &GenerationRow)>)> {
    let (mut at, mut all) = (0.0, Vec::new());
    for (index, (stage, plan)) in run.stages.iter().zip(&run.plan().stages).enumerate() {
        let (mut measured, mut rows) = (0, Vec::new());
        for row in &stage.rows {
            at += match run.view.x {
                Axis::Generation => 1.0,
                Axis::Evaluations => row.evaluations.saturating_sub(measured) as f64,
                // A row counts the games of a pair against each other for both.
                Axis::Games => plan.games_of(plan.population) as f64,
            };
            measured = row.evaluations;
            rows.push((at, row));
        }
        all.push((index, rows));
    }
    all.retain(|(_, rows)| !rows.is_empty());
    all
}

fn borders(run: &RunData) -> Vec<(f64, String)> {
    let stages = &run.plan().stages;
    if stages.len() < 2 {
        return Vec::new();
    }
    let label =
        |index: usize| depth_of(&stages[index]).unwrap_or_else(|| format!("stage {}", index + 1));
    generations(run).into_iter().map(|(stage, rows)| (rows[0].0, label(stage))).collect()
}

fn plot(run: &RunData, title: &str, note: &str, y_label: &str, lines: Vec<ChartLine>) -> Plot {
    let axes = [run.view.x_label(), y_label];
    let range = run.view.range();
    Plot { borders: borders(run), range, ..Plot::new(title, note, axes, lines) }
}

pub(super) fn plots(run: &RunData) -> Vec<Plot> {
    let mut plots = if has_fitness(run) { vec![fitness(run), noise(run)] } else { Vec::new() };
    plots.extend([step_size(run), deviations(run)]);
    plots.extend(axes(run));
    if !is_distinct(run) {
        let lines = vec![distinct_share(run)];
        let plot = plot(run, "Distinct games", DISTINCT[0], DISTINCT[1], lines);
        plots.push(Plot { from_zero: true, ..plot });
    }
    if plays_start(run) {
        plots.insert(0, over_start(run));
    }
    plots
}

/// Whether fitness is worth a chart: it is not where candidates have few games, and the mean's lead over the start says more.
pub(super) fn has_fitness(run: &RunData) -> bool {
    !plays_start(run) || !run.plan().stages.iter().all(StagePlan::has_few_games)
}

fn fitness(run: &RunData) -> Plot {
    let unit = FitnessUnit::of(run);
    let lines = vec![
        fitness_line(run, unit, "mean vector", MEAN, |row| row.mean_vector_fitness),
        fitness_line(run, unit, "median", CANDIDATES, |row| row.median_fitness)
            .marked(Mark::Dashed),
        fitness_line(run, unit, "best", BEST, |row| row.best_fitness),
    ];
    let around = |stage: usize, row: &GenerationRow| {
        let (mean, half) = (row.mean_vector_fitness, Z95 * row.standard_error);
        let plan = &run.plan().stages[stage].fitness;
        let greatest = plan.score.greatest(plan.games);
        [mean - half, mean + half].map(|end| unit.factor(run, stage) * end.clamp(0.0, greatest))
    };
    let quartiles = |stage: usize, row: &GenerationRow| {
        let candidates = run.stages[stage].candidates(row.generation);
        let mut fitness: Vec<f64> = candidates.map(|candidate| candidate.fitness).collect();
        fitness.sort_by(f64::total_cmp);
        [0.25, 0.75].map(|q| unit.factor(run, stage) * quantile(&fitness, q))
    };
    let bands = vec![
        band(run, "middle half of the candidates", CANDIDATES, quartiles),
        band(run, "95 % of the mean vector", MEAN, around),
    ];
    let note = run.view.about_fitness();
    Plot { bands, from_zero: true, ..plot(run, "Fitness", &note, &unit.label(), lines) }
}

pub(super) const OVER_START: &str = "Elo of the mean over the start, in the games that both played in the later half of the generations so far";

/// Whether the mean plays the start of the run, so that it is known how far it is ahead.
pub(super) fn plays_start(run: &RunData) -> bool {
    run.plan().stages.iter().any(|stage| stage.matches_against_start() > 0)
}

fn over_start(run: &RunData) -> Plot {
    let (line, points) = lead(run);
    let bands = vec![Band { name: "95 % interval".into(), colour: MEAN, points }];
    Plot { bands, from_zero: true, ..plot(run, "Won so far", OVER_START, "Elo", vec![line]) }
}

/// How far the mean is ahead of the start of the run, as it was known after each generation; and the ends of its intervals.
pub(super) fn lead(run: &RunData) -> (ChartLine, Vec<(f64, [f64; 2])>) {
    let (mut line, mut band) = (Vec::new(), Vec::new());
    for (stage, rows) in generations(run) {
        let (plan, so_far) = (&run.plan().stages[stage], &run.stages[stage].rows);
        let stride = rows.len().div_ceil(MOST_POINTS);
        for (index, (at, _)) in rows.iter().enumerate() {
            let is_kept = (rows.len() - 1 - index).is_multiple_of(stride);
            let lead = is_kept.then(|| Lead::of(plan, &so_far[..=index])).flatten();
            if let Some([elo, low, high]) = lead.and_then(|lead| lead.with_interval()) {
                line.push((*at, elo));
                band.push((*at, [low, high]));
            }
        }
        line.push(GAP);
        band.push((f64::NAN, [f64::NAN; 2]));
    }
    (ChartLine::new("mean against start", MEAN, line), band)
}

fn noise(run: &RunData) -> Plot {
    let unit = FitnessUnit::of(run);
    let lines = vec![
        fitness_line(run, unit, "spread of the candidates", CANDIDATES, |row| row.spread),
        fitness_line(run, unit, "standard error of one", ERROR, |row| row.standard_error)
            .marked(Mark::Dashed),
    ];
    let note = "where the spread is no larger than the error, differences are noise";
    Plot { from_zero: true, ..plot(run, "Noise of the fitness", note, &unit.label(), lines) }
}

fn step_size(run: &RunData) -> Plot {
    let lines = vec![
        curve(run, "sigma", SIGMA, |_, row| row.sigma),
        curve(run, "axis ratio", AXIS_RATIO, |_, row| row.axis_ratio).marked(Mark::Dashed),
    ];
    let (title, sigma) = match run.plan().pairs.is_some() {
        true => ("Uncertainty", "how surely the optimum is known, in steps"),
        false => ("Step size", "step size"),
    };
    let note = &format!("{sigma}, and longest over shortest axis; logarithmic");
    let plot = plot(run, title, note, "sigma, axis ratio", lines);
    Plot { y_scale: AxisScale::Logarithmic, ..plot }
}

fn deviations(run: &RunData) -> Plot {
    let of = |stage: usize, row: &_, index| deviation_of(&run.stages[stage], row, index);
    let note = "of each parameter among the candidates of a generation; logarithmic";
    several_deviations(run, "Standard deviations", note, CANDIDATES, &run.names(), &of)
}

/// The lengths of the principal axes; `None` where an older version played the run.
fn axes(run: &RunData) -> Option<Plot> {
    let count = run.stages.iter().flat_map(|stage| &stage.axes).next()?.lengths().len();
    let names: Vec<String> = (1..=count).map(|axis| format!("axis {axis}")).collect();
    let of = |stage: usize, row: &GenerationRow, index| {
        let axes = &run.stages[stage].axes;
        let at = axes.binary_search_by_key(&row.generation, |axes| axes.generation).ok();
        at.and_then(|at| axes[at].lengths().get(index).copied()).unwrap_or(f64::NAN)
    };
    let note = match run.plan().pairs.is_some() {
        true => {
            "how surely the optimum is known along each axis, as a standard deviation; logarithmic"
        }
        false => "standard deviation along each axis of the distribution; logarithmic",
    };
    Some(several_deviations(run, "Principal axes", note, AXIS_RATIO, &names, &of))
}

/// Standard deviations by stage, generation and index: a curve of each; or, of more than have a name, of the largest, the
/// median and the smallest, in one colour.
fn several_deviations(
    run: &RunData,
    title: &str,
    note: &str,
    colour: usize,
    names: &[String],
    of: &dyn Fn(usize, &GenerationRow, usize) -> f64,
) -> Plot {
    let lines = if names.len() <= MOST_NAMED {
        let of_name = |(index, name): (usize, &String)| {
            // Every other one is dashed, for colour-blind readers.
            let mark = if index % 2 == 1 { Mark::Dashed } else { Mark::Solid };
            curve(run, name, index, |stage, row| of(stage, row, index)).marked(mark)
        };
        names.iter().enumerate().map(of_name).collect()
    } else {
        let quantile = |name, q| {
            curve(run, name, colour, |stage, row| {
                quantile_that_moves((0..names.len()).map(|index| of(stage, row, index)), q)
            })
        };
        let [largest, smallest] = [("largest", 1.0), ("smallest", 0.0)]
            .map(|(name, q)| quantile(name, q).marked(Mark::Dashed));
        vec![largest, quantile("median", 0.5), smallest]
    };
    let y_scale = AxisScale::Logarithmic;
    Plot { y_scale, ..plot(run, title, note, "standard deviation", lines) }
}

/// A quantile of the standard deviations that are above 0.
fn quantile_that_moves(deviations: impl Iterator<Item = f64>, q: f64) -> f64 {
    let mut moving: Vec<f64> = deviations.filter(|deviation| *deviation > 0.0).collect();
    moving.sort_by(f64::total_cmp);
    quantile(&moving, q)
}

/// The median of the standard deviations of all numbers that move.
pub(super) fn median_deviation(run: &RunData) -> ChartLine {
    let count = run.names().len();
    curve(run, "", 0, |stage, row| {
        let all = (0..count).map(|index| deviation_of(&run.stages[stage], row, index));
        quantile_that_moves(all, 0.5)
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

/// Whether no game repeats another, which needs no chart.
pub(super) fn is_distinct(run: &RunData) -> bool {
    run.stages.iter().flat_map(|stage| &stage.rows).all(|row| row.distinct_games == row.games)
}

/// What there is to say of distinct games, and what the axis shows.
pub(super) const DISTINCT: [&str; 2] =
    ["of a candidate; repeated games are no evidence", "distinct games (%)"];

pub(super) fn distinct_share(run: &RunData) -> ChartLine {
    curve(run, "", MEAN, |_, row| 100.0 * row.distinct_games as f64 / row.games as f64)
}

/// A small chart for each number: the mean of the distribution, and two standard deviations around it, within its range.
pub(super) fn paths(run: &RunData) -> Vec<Plot> {
    let names = run.names();
    let count = names.len();
    let range = |name: &str| {
        let number = run.plan().numbers().find(|number| number.name == name)?;
        number.low.zip(number.high)
    };
    let path = |(index, name): (usize, &String)| {
        // The colour that a parameter has among the standard deviations, if it has one there.
        let colour = if count <= MOST_NAMED { index } else { MEAN };
        let ends = |stage: usize, row: &GenerationRow| {
            let deviation = deviation_of(&run.stages[stage], row, index);
            let (low, high) = range(name).unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
            [-2.0, 2.0].map(|factor| (mean_of(row, index) + factor * deviation).clamp(low, high))
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
