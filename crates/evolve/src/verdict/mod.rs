//! The verdicts of a run: the best of many starts, the winner of a stage's finalists, best against mean, and the validation.

pub(super) mod finalists;
mod matches;
mod screening;
mod validation;

pub(super) use matches::check_comparison;
pub use matches::{MatchContext, Starts, VerdictMatch, compare, verdict_matches};
pub(super) use screening::choose_start;
pub(super) use validation::fixtures_of_run;
pub use validation::{
    Fixture, RANDOM_PLAYOUTS, fixtures, fixtures_of_agent, matches_at_the_end, validate,
};
