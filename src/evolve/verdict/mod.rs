//! The verdicts of a run: the best of many starts, the winner of a stage's finalists, best against mean, and the validation.

mod comparison;
pub(super) mod finalists;
mod matches;
mod pairs;
mod screening;
mod validation;

pub(super) use comparison::check as check_comparison;
pub(crate) use comparison::compare;
pub(crate) use matches::{VerdictMatch, verdict_matches};
pub(crate) use pairs::{MatchContext, Starts};
pub(super) use screening::choose_start;
#[cfg(test)]
pub(crate) use validation::fixtures;
pub(super) use validation::validate_run;
pub(crate) use validation::{
    EndMatch, RANDOM_PLAYOUTS, matches_at_the_end, openings_of_validation, validate, validate_agent,
};
