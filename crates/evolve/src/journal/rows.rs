//! The rows of a stage's journals: its generations, and their candidates.

use nalgebra::{DMatrix, DVectorView};
use serde::{Deserialize, Serialize, Serializer};

use crate::measure::fitness::Measured;
use tictune_core::stats::Tally;

/// A number as short as it can be: `12`, `0.5`.
fn short<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}

/// A number that shows that it is none of the whole ones: `12.0`, `1e-300`.
fn real<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{number:?}"))
}

/// Many numbers, as [`real`] has each.
fn reals<S: Serializer>(numbers: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(numbers.iter().map(|number| format!("{number:?}")))
}

fn fixed<const DIGITS: usize, S: Serializer>(
    number: &f64,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{number:.DIGITS$}"))
}

/// The names of columns that are there in every run, and then others.
pub(crate) fn header(fixed: &str, more: impl IntoIterator<Item = String>) -> Vec<String> {
    fixed.split(',').map(String::from).chain(more).collect()
}

/// A row of `generations.csv`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GenerationRow {
    /// The generation, from 1.
    pub generation: u64,
    /// Candidates measured in the stage so far.
    pub evaluations: u64,
    #[serde(serialize_with = "short")]
    pub best_fitness: f64,
    /// The candidate that has it, from 0; the earliest of several.
    pub best_index: u64,
    #[serde(serialize_with = "short")]
    pub median_fitness: f64,
    #[serde(serialize_with = "short")]
    pub worst_fitness: f64,
    /// The fitness of the mean of the distribution that the candidates were drawn from.
    #[serde(serialize_with = "short")]
    pub mean_vector_fitness: f64,
    /// The step size of that distribution.
    #[serde(serialize_with = "real")]
    pub sigma: f64,
    /// Its longest axis over its shortest.
    #[serde(serialize_with = "real")]
    pub axis_ratio: f64,
    pub games: u64,
    /// Different games of each candidate, summed.
    pub distinct_games: u64,
    /// The standard deviation of the candidates' fitness.
    #[serde(serialize_with = "real")]
    pub spread: f64,
    /// The standard error of one fitness: the root of the mean square of the candidates'.
    #[serde(serialize_with = "real")]
    pub standard_error: f64,
    /// Wall time of playing, the mean vector's games included.
    #[serde(serialize_with = "fixed::<3, _>")]
    pub seconds: f64,
    /// Games per second, the mean vector's included.
    #[serde(serialize_with = "fixed::<1, _>")]
    pub games_per_second: f64,
    /// The mean of the distribution, in the plan's [columns](crate::Plan::columns).
    #[serde(serialize_with = "reals")]
    pub mean: Vec<f64>,
    /// What the mean scored against the start of the run, where candidates are pairs: a row of `start.csv`.
    #[serde(skip)]
    pub against_start: Tally,
}

/// A row of `start.csv`: the mean of a generation against the start of the run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct StartRow {
    pub generation: u64,
    /// From the mean's view.
    pub tally: Tally,
}

/// A row of `axes.csv`: the principal axes of the distribution that the candidates of a generation were drawn from, or, of pairs, of
/// the optimum as far as it was known then, in the optimiser's coordinates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AxesRow {
    pub generation: u64,
    /// Three times as many numbers as there are coordinates: see [`lengths`](Self::lengths) and [`ends`](Self::ends).
    #[serde(serialize_with = "reals")]
    numbers: Vec<f64>,
}

impl AxesRow {
    pub(crate) fn header(names: &[String]) -> Vec<String> {
        let lengths = (1..=names.len()).map(|axis| format!("length_{axis}"));
        let of = |end| names.iter().map(move |name| format!("{end}_{name}"));
        header("generation", lengths.chain(of("longest")).chain(of("shortest")))
    }

    /// The row of a generation whose [axes](tictune_optimiser::Optimiser::axes) are these.
    pub(crate) fn new(generation: u64, axes: &DMatrix<f64>) -> Self {
        let mut axes: Vec<_> = axes.column_iter().collect();
        axes.sort_by(|a, b| b.norm().total_cmp(&a.norm()));
        // Either way along an axis is as good. Its largest coordinate grows. An axis without a length has no direction.
        let direction = |axis: &DVectorView<'_, f64>| {
            axis / axis[axis.iamax()].signum() / axis.norm().max(f64::MIN_POSITIVE)
        };
        let ends = axes.first().into_iter().chain(axes.last()).map(direction);
        let ends: Vec<f64> = ends.flat_map(|end| end.as_slice().to_vec()).collect();
        let lengths = axes.iter().map(|axis| axis.norm());
        Self { generation, numbers: lengths.chain(ends).collect() }
    }

    /// The standard deviations along the axes, the longest first.
    pub fn lengths(&self) -> &[f64] {
        &self.numbers[..self.numbers.len() / 3]
    }

    /// The directions of the longest axis and of the shortest, as unit vectors; zeros where it has no length.
    pub fn ends(&self) -> [&[f64]; 2] {
        let count = self.lengths().len();
        [&self.numbers[count..2 * count], &self.numbers[2 * count..]]
    }
}

impl GenerationRow {
    #[doc(hidden)]
    pub fn header(columns: &[String]) -> Vec<String> {
        let fixed = "generation,evaluations,best_fitness,best_index,median_fitness,worst_fitness,\
                     mean_vector_fitness,sigma,axis_ratio,games,distinct_games,spread,standard_error,\
                     seconds,games_per_second";
        header(fixed, columns.iter().map(|column| format!("mean_{column}")))
    }
}

/// A row of `evaluations.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CandidateRow {
    pub generation: u64,
    /// The candidate in its generation, from 0.
    pub index: u64,
    #[serde(serialize_with = "short")]
    pub fitness: f64,
    pub measured: Measured,
    /// Its values in the plan's [columns](crate::Plan::columns).
    #[serde(serialize_with = "reals")]
    pub values: Vec<f64>,
}

impl CandidateRow {
    pub fn header(columns: &[String]) -> Vec<String> {
        let fixed = "generation,index,fitness,wins,draws,losses,distinct_games";
        header(fixed, columns.iter().cloned())
    }
}
