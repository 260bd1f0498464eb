//! A whole run: its folder, its stages, and the matches at its end.

mod dir;
mod learned;
mod programs;
mod provenance;
mod vectors;
mod whole;

#[doc(hidden)]
pub use dir::Manifest;
pub use dir::RunDir;
#[doc(hidden)]
pub use learned::{learn_dir, learned_start, with_learned_start};
#[doc(hidden)]
pub use programs::StartedProgram;
#[doc(hidden)]
pub use vectors::{agent_file, read_vector, vector_of_agent};
#[doc(hidden)]
pub use whole::play_hash_in_words;
pub use whole::{RunResult, run};
