//! Optimisers with ask and tell: they ask for the costs of points and learn from them. They know nothing about games.
//!
//! - [`MirroredPairs`] is the default of tictune, for games within pairs of points.
//! - [`CmaEs`] is CMA-ES.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

mod cma;
mod pairs;

pub use self::cma::{CmaEs, CmaEsSettings};
pub use self::pairs::{MirroredPairs, PairSettings, PlayPoints};
use nalgebra::DMatrix;

use thiserror::Error;

/// Why an optimiser cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct OptimiserError(pub(crate) String);

/// An optimiser with ask and tell.
pub trait Optimiser {
    /// The points of the next generation, drawn from all measurements so far.
    fn ask(&mut self) -> Vec<Vec<f64>>;

    /// Whether it may be asked for a generation while the one before is not told yet, so that the games of the two overlap.
    fn looks_ahead(&self) -> bool {
        false
    }

    /// Takes the costs of the points of a generation: the first that it was asked for and not told. Smaller costs are better.
    ///
    /// # Errors
    /// If the number of costs is wrong, or one is none that the optimiser can learn from.
    fn tell(&mut self, costs: &[f64]) -> Result<(), OptimiserError>;

    /// The centre of the points that it would be asked for now.
    fn mean(&self) -> &[f64];

    /// How far from the mean it looks, or how surely it knows the optimum: each optimiser says what it counts.
    fn sigma(&self) -> f64;

    /// The ratio of its distribution's longest axis to its shortest.
    fn axis_ratio(&self) -> f64;

    /// The principal axes of the normal distribution that it draws points from, or of what it knows of the optimum, as columns in no
    /// order, each as long as the standard deviation along it.
    fn axes(&self) -> DMatrix<f64>;

    /// Why it makes no numerical sense to go on; `None` if it does.
    fn stop_reason(&self) -> Option<&'static str> {
        None
    }
}
