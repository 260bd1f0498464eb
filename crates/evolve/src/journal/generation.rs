//! The rows of generations.

use serde::{Deserialize, Serialize};

use super::cells::{real, reals, seconds, short, tenths};

/// A row of `generations.csv`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GenerationRow {
    /// The generation, from 1.
    pub generation: u64,
    /// Candidates measured in the stage so far.
    pub evaluations: u64,
    /// The lowest fitness of the generation.
    #[serde(serialize_with = "short")]
    pub best_fitness: f64,
    /// The candidate that has it, from 0; the earliest of several.
    pub best_index: u64,
    /// The median fitness.
    #[serde(serialize_with = "short")]
    pub median_fitness: f64,
    /// The highest fitness.
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
    /// Games of the candidates.
    pub games: u64,
    /// Different games of each candidate, summed.
    pub distinct_games: u64,
    /// The standard deviation of the candidates' fitness.
    #[serde(serialize_with = "real")]
    pub spread: f64,
    /// The standard error of one fitness: the root of the mean square of the candidates'.
    #[serde(serialize_with = "real")]
    pub standard_error: f64,
    /// Restarts of the optimiser before this generation.
    pub restart: u64,
    /// Wall time of playing, the mean vector's games included.
    #[serde(serialize_with = "seconds")]
    pub seconds: f64,
    /// Games a second, the mean vector's included, and those that were found in the cache.
    #[serde(serialize_with = "tenths")]
    pub games_per_second: f64,
    /// The mean of the distribution, in the plan's [columns](crate::Plan::columns).
    #[serde(serialize_with = "reals")]
    pub mean: Vec<f64>,
}

impl GenerationRow {
    #[doc(hidden)]
    pub fn header(columns: &[String]) -> Vec<String> {
        let fixed = "generation,evaluations,best_fitness,best_index,median_fitness,worst_fitness,\
                     mean_vector_fitness,sigma,axis_ratio,games,distinct_games,spread,\
                     standard_error,restart,seconds,games_per_second";
        let values = columns.iter().map(|column| format!("mean_{column}"));
        fixed.split(',').map(String::from).chain(values).collect()
    }
}
