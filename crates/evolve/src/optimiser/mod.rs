//! Optimisers with ask and tell: they ask for the costs of points and learn from them. They know nothing about games.

mod cma;
mod pairs;

pub use self::cma::{CmaEs, CmaEsSettings};
pub use self::pairs::{MirroredPairs, PairSettings, Played};
use crate::RunError;

/// An optimiser with ask and tell.
pub trait Optimiser {
    /// The points of the current generation.
    fn population(&self) -> &[Vec<f64>];

    /// Takes the costs of the current generation's points and draws the next generation. Smaller costs are better.
    ///
    /// # Errors
    /// If the number of costs is wrong, or one is none that the optimiser can learn from.
    fn tell(&mut self, costs: &[f64]) -> Result<(), RunError>;

    /// The centre of the current points.
    fn mean(&self) -> &[f64];

    /// How far from the mean it looks, or how surely it knows the optimum: each optimiser says what it counts.
    fn sigma(&self) -> f64;

    /// The ratio of its distribution's longest axis to its shortest.
    fn axis_ratio(&self) -> f64;

    /// Why it makes no numerical sense to go on; `None` if it does.
    fn stop_reason(&self) -> Option<&'static str>;
}
