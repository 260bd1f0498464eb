//! The interface of an optimiser: it proposes points and takes their costs.

use thiserror::Error;

/// Proposes points and moves its distribution towards points of low cost.
pub trait Optimiser {
    /// The points of the current generation.
    fn population(&self) -> &[Vec<f64>];

    /// Takes the costs of the current generation's points and samples the next generation. Smaller
    /// costs are better. Of equal costs, the earlier point counts as better.
    ///
    /// # Errors
    /// If the number of costs is wrong, or one is NaN.
    fn tell(&mut self, costs: &[f64]) -> Result<(), OptimiserError>;

    /// The mean of the distribution that the current points come from.
    fn mean(&self) -> &[f64];

    /// The step size of that distribution.
    fn sigma(&self) -> f64;

    /// The ratio of the distribution's longest axis to its shortest.
    fn axis_ratio(&self) -> f64;

    /// Why it makes no numerical sense to continue; `None` if it does.
    fn stop_reason(&self) -> Option<&str>;
}

/// An error of the optimiser.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum OptimiserError {
    /// Settings out of range.
    #[error("the optimiser refuses its settings: {0}")]
    Settings(String),
    /// Costs that do not fit the population.
    #[error("expected {expected} costs, none of them NaN")]
    Costs {
        /// The population's size.
        expected: usize,
    },
    /// The crate evaluated a point other than the computed one. This happens if another version of
    /// the `cmaes` crate samples differently.
    #[error(
        "the optimiser evaluated a point other than the one that was computed for it: this is not \
             the version of the cmaes crate that tictune was written for"
    )]
    OtherPoint,
}
