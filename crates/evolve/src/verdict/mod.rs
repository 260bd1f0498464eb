//! The verdicts of a run: best against mean, and the validation.

mod matches;
mod profile;
mod validation;

pub(super) use matches::check_comparison;
pub use matches::{MatchContext, Starts, compare};
pub use profile::{Changed, fixtures_of_profile};
pub(super) use validation::fixtures_of_run;
pub use validation::{
    Fixture, RANDOM_PLAYOUTS, fixtures, fixtures_of_agent, matches_at_the_end, validate,
};
