//! A whole run: its folder, its stages, and the matches at its end.

mod dir;
mod evolution;
mod learned;
mod programs;
mod provenance;
mod vectors;

#[doc(hidden)]
pub use dir::Manifest;
pub use dir::RunDir;
#[doc(hidden)]
pub use evolution::play_hash_in_words;
pub use evolution::{RunResult, run};
#[doc(hidden)]
pub use learned::{learn_dir, learned_start, with_learned_start};
#[doc(hidden)]
pub use programs::StartedProgram;
#[doc(hidden)]
pub use vectors::{agent_file, read_vector, vector_of_agent};
