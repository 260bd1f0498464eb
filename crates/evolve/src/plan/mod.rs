//! The plan of a run: a checked config with every default filled in, as plain data.

mod books;
mod coordinates;
mod evolution;
mod fitness;
mod space;
mod stage;

#[doc(hidden)]
pub use books::Part;
pub use coordinates::{Candidate, NamedNumber, Vector};
pub use evolution::{ComparisonPlan, PairsPlan, Plan, TimedBudget, ValidationPlan};
pub use fitness::{FitnessPlan, OpponentPlan, ScoreRule, Seeds, SelfPlayPlan, share_games};
pub(crate) use space::in_four_digits;
pub use space::{Parameter, Scale, SigmaUnit, SlotPlan, Space, place_in_range};
pub(crate) use stage::MAX_POPULATION;
pub use stage::{LearnedStart, StagePlan, Start, Stops, least_step};

/// Whether it goes without saying in the JSON of a plan.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
