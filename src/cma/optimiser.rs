//! What an optimiser does: proposes points, and is told their costs.

use thiserror::Error;

/// Proposes points, and moves its distribution towards those of low cost.
pub trait Optimiser {
    /// The points of the current generation.
    fn population(&self) -> &[Vec<f64>];

    /// Takes the costs of the current generation's points, smaller being better, and samples the
    /// next. Ties are broken in favour of the earlier point.
    ///
    /// # Errors
    /// A wrong number of costs, or one that is not a number.
    fn tell(&mut self, costs: &[f64]) -> Result<(), OptimiserError>;

    /// The centre of the distribution that the current points come from.
    fn mean(&self) -> &[f64];

    /// The step size of that distribution.
    fn sigma(&self) -> f64;

    /// The longest axis of that distribution over its shortest.
    fn axis_ratio(&self) -> f64;

    /// Why going on makes no sense numerically, if so.
    fn stop_reason(&self) -> Option<&str>;
}

/// What the optimiser cannot work with.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum OptimiserError {
    /// Settings that it refuses.
    #[error("the optimiser refuses its settings: {0}")]
    Settings(String),
    /// Costs that do not fit the population.
    #[error("expected {expected} costs that are numbers")]
    Costs {
        /// The population's size.
        expected: usize,
    },
    /// Another point was evaluated than was asked for: another version of the `cmaes` crate samples
    /// otherwise.
    #[error(
        "the optimiser evaluated another point than it had asked for: it is not the version of the \
             cmaes crate that this program was written for"
    )]
    OtherPoint,
}
