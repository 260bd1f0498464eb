//! The plan of a run: a checked config with every default filled in, as plain data.

mod books;
mod coordinates;
mod evolution;
mod fitness;
mod hall_of_fame;
mod noise;
mod opponents;
mod space;
mod stage;

#[doc(hidden)]
pub use books::Part;
pub use coordinates::{Candidate, NamedNumber, Vector};
pub use evolution::{ComparisonPlan, PairsPlan, Plan, ValidationPlan};
pub use fitness::{Combine, FitnessPlan, OpponentPlan, ScoreRule, Seeds, share_games};
pub use hall_of_fame::{CoevolutionPlan, HallPlan};
pub(crate) use hall_of_fame::{Distance, RingMatch};
pub use noise::{
    BLOCKS, FinalistsPlan, HeldOutPlan, NoisePlan, ReevaluationPlan, RestartKind, RestartPlan,
    RestartStart,
};
pub use space::{Parameter, Scale, SigmaUnit, SlotPlan, Space};
pub(crate) use stage::MAX_POPULATION;
pub use stage::{LearnedStart, ScreeningPlan, StagePlan, Start, Stops, least_step};

/// Whether it goes without saying in the JSON of a plan.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

#[cfg(test)]
pub(crate) use hall_of_fame::tests::hall as hall_fixture;
