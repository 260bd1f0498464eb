//! A whole run: its folder, its stages, and the matches at its end.

mod dir;
mod programs;
mod provenance;
mod vectors;
mod whole;

pub use dir::{Manifest, RunDir, StageRecord};
pub use programs::{FileRecord, ProgramRecord};
pub use vectors::{agent_file, read_vector};
pub use whole::{RunResult, run};
