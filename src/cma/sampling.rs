//! The points that the `cmaes` crate is about to sample.
//!
//! A point is `mean + sigma * B * D * z` (CITE: Hansen, arXiv:1604.00772, equations 38 to 40). The mean and
//! sigma are what the crate shows. The standard normal z are those of its seed: a second optimiser of
//! the crate, which stays at mean 0, sigma 1 and the identity matrix, evaluates them and nothing else.
//! B and D are decomposed from the covariance matrix as the crate does it, whenever it has done so.

use std::sync::mpsc::{Receiver, channel};

use cmaes::{CMAES, DVector};
use nalgebra::{DMatrix, SymmetricEigen};

use super::objective::{Objective, build, options};
use super::optimiser::OptimiserError;

/// What the points of the next generation follow from, beside the optimiser's state.
pub(super) struct Sampling {
    /// Draws the steps of a generation, and is never told a cost.
    drawer: CMAES<Objective>,
    steps: Receiver<DVector<f64>>,
    /// The eigenvalues that the transform belongs to.
    eigenvalues: DVector<f64>,
    /// B * D.
    transform: DMatrix<f64>,
}

impl Sampling {
    /// The sampling of an optimiser that has not begun.
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
            // At a cost that is no number the crate leaves a generation and changes nothing but its
            // generator: here at the last cost, when it has shown all its points.
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

    /// The points that an optimiser will evaluate when it is asked for its next step; to be called
    /// once a generation. The order of the operations is the crate's, so that they agree bit for bit.
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

/// B * D of a covariance matrix.
fn transform(covariance: &DMatrix<f64>) -> DMatrix<f64> {
    /// What the crate takes for zero.
    const EPSILON: f64 = 1e-20;
    // It has decomposed this very matrix, so that there is a decomposition.
    let Some(mut eigen) = SymmetricEigen::try_new(covariance.clone(), EPSILON, 0) else {
        return covariance.clone();
    };
    for mut column in eigen.eigenvectors.column_iter_mut() {
        column.normalize_mut();
    }
    let scales = DMatrix::from_diagonal(&eigen.eigenvalues.map(f64::sqrt));
    &eigen.eigenvectors * &scales
}
