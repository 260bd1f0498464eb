//! The plan of a run: a checked config with every default filled in, as plain data.

mod books;
mod coevolution;
mod coordinates;
mod ending;
mod evolution;
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
pub use ending::{ComparisonPlan, ValidationPlan};
pub use evolution::Plan;
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

#[cfg(test)]
pub(crate) use hall::tests::hall as hall_fixture;
