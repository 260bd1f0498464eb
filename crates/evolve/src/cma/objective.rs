//! The `cmaes` crate with our objective function.

use cmaes::{CMAES, CMAESOptions, DVector};

use super::optimiser::OptimiserError;

/// An objective function as the crate expects it.
pub(super) type Objective = Box<dyn FnMut(&DVector<f64>) -> f64 + Send>;

pub(super) fn options(initial: Vec<f64>, sigma: f64, population: usize, seed: u64) -> CMAESOptions {
    CMAESOptions::new(initial, sigma).population_size(population).seed(seed)
}

pub(super) fn build(
    options: CMAESOptions,
    objective: Objective,
) -> Result<CMAES<Objective>, OptimiserError> {
    options.build(objective).map_err(|error| OptimiserError::Settings(format!("{error:?}")))
}
