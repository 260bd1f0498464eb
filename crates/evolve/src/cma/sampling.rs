//! The points that the `cmaes` crate is about to sample.
//!
//! A point is `mean + sigma * B * D * z` (CITE: Hansen, arXiv:1604.00772, equations 38 to 40). The
//! crate shows the mean and sigma. The standard normal vectors z follow from its seed: a second
//! optimiser of the crate with the same seed stays at mean 0, sigma 1 and the identity matrix, so
//! it evaluates just these vectors. B and D come from the covariance matrix. They are decomposed as
//! in the crate, each time the crate has done so.

use std::sync::mpsc::{Receiver, channel};

use cmaes::{CMAES, CMAESOptions, DVector};
use nalgebra::{DMatrix, SymmetricEigen};

use super::cma_es::OptimiserError;

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

/// What determines the points of the next generation, besides the optimiser's state.
pub(super) struct Sampling {
    /// Draws the vectors z of a generation. It never receives a cost.
    drawer: CMAES<Objective>,
    steps: Receiver<DVector<f64>>,
    /// The eigenvalues of the current transform.
    eigenvalues: DVector<f64>,
    transform: DMatrix<f64>,
}

impl Sampling {
    /// The sampling of an optimiser that has not started.
    pub(super) fn new(
        dimensions: usize,
        population: usize,
        seed: u64,
    ) -> Result<Self, OptimiserError> {
        let (sender, steps) = channel();
        let mut drawn = 0;
        let record = move |step: &DVector<f64>| {
            let _ = sender.send(step.clone());
            drawn += 1;
            // A NaN cost makes the crate leave a generation without changing anything but its
            // generator. It is given last, when all points have been recorded.
            if drawn % population == 0 { f64::NAN } else { 0.0 }
        };
        let options = options(vec![0.0; dimensions], 1.0, population, seed);
        let drawer = build(options, Box::new(record))?;
        Ok(Self {
            drawer,
            steps,
            eigenvalues: DVector::from_element(dimensions, 1.0),
            transform: DMatrix::identity(dimensions, dimensions),
        })
    }

    /// The points that the optimiser will evaluate in its next step. Call it once for each
    /// generation. The operations have the crate's order, so that the points agree bit for bit.
    pub(super) fn next_points(&mut self, cmaes: &CMAES<Objective>) -> Vec<Vec<f64>> {
        let eigenvalues = cmaes.eigenvalues();
        if eigenvalues != self.eigenvalues {
            self.eigenvalues = eigenvalues;
            self.transform = transform(cmaes.covariance_matrix());
        }
        let _ = self.drawer.next();
        let point = |step: DVector<f64>| {
            let point = cmaes.mean() + cmaes.sigma() * &(&self.transform * step);
            point.as_slice().to_vec()
        };
        self.steps.try_iter().map(point).collect()
    }
}

/// B * D for a covariance matrix.
fn transform(covariance: &DMatrix<f64>) -> DMatrix<f64> {
    /// What the crate treats as zero.
    const EPSILON: f64 = 1e-20;
    // The crate has decomposed the same matrix, so a decomposition exists.
    let Some(mut eigen) = SymmetricEigen::try_new(covariance.clone(), EPSILON, 0) else {
        return covariance.clone();
    };
    for mut column in eigen.eigenvectors.column_iter_mut() {
        column.normalize_mut();
    }
    let scales = DMatrix::from_diagonal(&eigen.eigenvalues.map(f64::sqrt));
    &eigen.eigenvectors * &scales
}
