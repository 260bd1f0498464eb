//! A whole run: its folder, its stages, and the matches at its end.

mod dir;
mod learned;
mod programs;
mod provenance;
mod vectors;
mod whole;

pub(crate) use dir::Manifest;
pub use dir::RunDir;
pub(crate) use learned::{learn_dir, learned_start, with_learned_start};
pub(crate) use programs::StartedProgram;
pub(crate) use vectors::{agent_file, read_vector, vector_of_agent};
pub(crate) use whole::play_hash_in_words;
pub use whole::{RunResult, run};
