//! The plan of a run: a checked config with every default filled in, as plain data.

mod books;
mod coevolution;
mod coordinates;
mod evolution;
mod final_matches;
mod fitness;
mod hall;
mod named;
mod noise;
mod opponents;
mod parameter;
mod space;
mod stage;
mod start;
mod vector;
mod with_start;

#[doc(hidden)]
pub use books::Part;
pub use coevolution::{CoevolutionPlan, Distance, RingMatch};
pub use evolution::Plan;
pub use final_matches::{ComparisonPlan, ValidationPlan};
pub use fitness::{Combine, FitnessPlan, OpponentPlan, ScoreRule, Seeds, share_games};
pub use hall::HallPlan;
pub use named::{NamedNumber, NumberKind};
pub use noise::{
    BLOCKS, FinalistsPlan, HeldOutPlan, NoisePlan, ReevaluationPlan, RestartKind, RestartPlan,
    RestartStart,
};
pub use parameter::{Parameter, Scale};
pub use space::{SigmaUnit, SlotPlan, Space};
pub use stage::{StagePlan, Start, Stops};
pub use start::{LearnedStart, ScreeningPlan, least_step};
pub use vector::{Candidate, Vector};

pub(crate) use stage::MAX_POPULATION;

/// Whether it goes without saying in the JSON of a plan.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

#[cfg(test)]
pub(crate) use hall::tests::hall as hall_fixture;
