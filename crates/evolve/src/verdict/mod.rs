//! The verdicts of a run: the best of many starts, the winner of a stage's finalists, best against mean, and the validation.

mod comparison;
pub(super) mod finalists;
mod matches;
mod pairs;
mod screening;
mod validation;

pub(super) use comparison::check as check_comparison;
#[doc(hidden)]
pub use comparison::compare;
#[doc(hidden)]
pub use matches::{VerdictMatch, verdict_matches};
#[doc(hidden)]
pub use pairs::{MatchContext, Starts};
pub(super) use screening::choose_start;
#[doc(hidden)]
pub use validation::fixtures;
pub(super) use validation::validate_run;
#[doc(hidden)]
pub use validation::{
    EndMatch, RANDOM_PLAYOUTS, matches_at_the_end, openings_of_validation, validate, validate_agent,
};
