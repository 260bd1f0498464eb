//! The verdicts of a run: the winner of a stage's finalists, best against mean, and the validation.

mod comparison;
pub(super) mod finalists;
mod pairs;
mod validation;

pub use comparison::compare;
pub use pairs::MatchContext;
#[cfg(test)]
pub(super) use validation::fixtures;
pub(super) use validation::validate_run;
pub use validation::{RANDOM_PLAYOUTS, Trial, validate, validate_agent};
