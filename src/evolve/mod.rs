//! The evolution: stages of growing depth, each a run of the optimiser whose costs are matches.
//!
//! [`plan`] says what is run, as data. [`measure`] measures a generation, `stage` is the loop, `journal` the rows that
//! are written before anything is built on them, `verdict` what the end of a stage or a run finds (finalists, best against
//! mean, validation), and `run` the whole. Each uses only those before it, `journal` standing before `stage`.

mod error;
mod journal;
pub mod measure;
pub mod plan;
mod run;
mod stage;
#[cfg(test)]
mod variety;
mod verdict;

pub use error::RunError;
pub use journal::{
    Admission, Comparison, Evaluation, FinalistRow, Finalists, GenerationRow, Lead, MatchRow,
    admissions,
};
pub use measure::batch::Batch;
pub use measure::coevolution::Rivals;
pub use measure::fitness::{Measured, measure_batch};
pub use plan::{
    Candidate, Parameter, Plan, SIGNIFICANCE, Scale, ScoreRule, SlotPlan, Space, StagePlan, Vector,
};
pub use run::{Manifest, RunDir, RunResult, StageRecord, agent_file, read_vector, run};
pub use stage::{Observer, Scored, Silent, StageResult, StopReason};
pub use verdict::{MatchContext, RANDOM_PLAYOUTS, Trial, compare, validate};
