//! Evolution in stages of growing depth. In each stage the optimiser proposes candidates, and their fitness comes from
//! matches.
//!
//! [`plan`] is the checked config, as data. `measure` measures the candidates of a generation, `journal` has the rows
//! that a run writes to its logs, `stage` is the loop of a stage, `verdict` finds what a stage or a run has shown
//! (finalists, best against mean, validation), and `run` is the whole run. Each module uses only those named before it.

mod error;
mod journal;
pub(crate) mod measure;
pub mod plan;
mod run;
mod stage;
mod verdict;

pub use error::RunError;
pub use journal::{Admission, Comparison, Finalists, GenerationRow, MatchRow};
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use journal::{BlockRow, HeldOutRow, LoggedMatch, RoundRow};
pub(crate) use journal::{Evaluation, FinalistRow, Lead, admissions};
pub(crate) use measure::batch::Batch;
pub(crate) use measure::fitness::{Measured, measure_batch};
pub(crate) use measure::results::standard_error;
pub use plan::{Candidate, Parameter, Plan, Scale, ScoreRule, SlotPlan, Space, StagePlan, Vector};
pub(crate) use run::{
    Manifest, StartedProgram, agent_file, learn_dir, learned_start, play_hash_in_words,
    read_vector, vector_of_agent, with_learned_start,
};
pub use run::{RunDir, RunResult, run};
pub use stage::{Observer, Sample, Scored, Silent, StageResult, StopReason};
#[cfg(test)]
pub(crate) use verdict::fixtures;
pub(crate) use verdict::{
    EndMatch, MatchContext, RANDOM_PLAYOUTS, Starts, VerdictMatch, compare, matches_at_the_end,
    openings_of_validation, validate, validate_agent, verdict_matches,
};
