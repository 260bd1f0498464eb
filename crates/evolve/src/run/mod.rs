//! A whole run: its folder, its stages, and the matches at its end.

mod dir;
mod evolution;
mod learned;
mod programs;
mod vectors;

pub use dir::{Manifest, RunDir};
pub use evolution::{RunResult, play_hash_in_words, run};
pub use learned::{learn_dir, learned_start, with_learned_start};
pub use programs::StartedProgram;
pub use vectors::{agent_file, read_vector, vector_of_agent};
