//! Evolution in stages of growing depth. In each stage the optimiser proposes candidates, and their fitness comes from
//! matches.
//!
//! [`plan`] is the checked config, as data. [`measure`] measures the candidates of a generation, `journal` has the rows
//! that a run writes to its logs, `stage` is the loop of a stage, `verdict` finds what a stage or a run has shown
//! (finalists, best against mean, validation), and `run` is the whole run. Each module uses only those named before it.

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
pub use measure::results::standard_error;
pub use plan::{
    Candidate, Parameter, Plan, SIGNIFICANCE, Scale, ScoreRule, SlotPlan, Space, StagePlan, Vector,
};
pub use run::{
    FileRecord, Manifest, ProgramRecord, RunDir, RunResult, StageRecord, agent_file, read_vector,
    run,
};
pub use stage::{Observer, Scored, Silent, StageResult, StopReason};
pub use verdict::{MatchContext, RANDOM_PLAYOUTS, Trial, compare, validate};
