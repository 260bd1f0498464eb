//! The loop of a stage: ask the optimiser for candidates, measure them, log their results, tell the optimiser; until a
//! stop.

mod context;
mod evolution;
mod generation;
mod hall;
mod held_out;
mod measuring;
mod observer;
mod records;
mod reevaluation;
mod restarts;
mod result;

pub(super) use context::StageContext;
pub(super) use evolution::run_stage;
pub use observer::{Observer, Silent};
pub use result::{Sample, Scored, StageResult, StopReason};
