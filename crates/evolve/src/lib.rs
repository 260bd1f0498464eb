//! Evolution in stages of growing depth. In each stage the optimiser proposes candidates, and their fitness comes from matches.
//!
//! [`config`] reads the config of an evolution. [`plan`] is the checked config, as data. `measure` measures the candidates of a generation, `journal` has the rows
//! that a run writes to its logs, `stage` is the loop of a stage, `verdict` finds what a stage or a run has shown
//! (best against mean, validation), and `run` is the whole run.
//! [`learn`] fits weights to positions.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

pub mod config;
mod error;
// Most of it is shared among the crates only, and what is not has its docs.
#[allow(missing_docs)]
mod journal;
#[cfg(test)]
mod known;
#[allow(missing_docs)]
pub mod learn;
#[doc(hidden)]
pub mod measure;
pub mod plan;
mod run;
#[allow(missing_docs)]
mod stage;
#[allow(missing_docs)]
mod verdict;

pub use error::RunError;
pub use journal::{Comparison, GenerationRow, MatchRow, PairedResult};
pub use plan::{Candidate, Parameter, Plan, Scale, ScoreRule, SlotPlan, Space, StagePlan, Vector};
pub use run::{RunDir, RunResult, run};
pub use stage::{Observer, Scored, Silent, StageResult, ended_by_games};
#[doc(inline)]
pub use tictune_optimiser as optimiser;
#[doc(hidden)]
pub use {
    journal::{AxesRow, CandidateRow, LoggedMatch},
    measure::fitness::{Batch, Measured, measure_batch, standard_error},
    run::{
        INFORMATION, Manifest, StartedProgram, agent_file, learn_dir, learned_start,
        play_hash_in_words, read_vector, vector_of_agent, with_learned_start,
    },
    verdict::{
        Changed, Fixture, MatchContext, RANDOM_PLAYOUTS, Starts, compare, fixtures,
        fixtures_of_agent, fixtures_of_profile, matches_at_the_end, validate,
    },
};
