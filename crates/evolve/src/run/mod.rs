//! A whole run: its folder, its stages, and the matches at its end.

mod dir;
mod evolution;
mod programs;
mod vectors;

pub use dir::{Manifest, RunDir};
pub use evolution::{RunResult, play_hash_in_words, run};
pub use programs::StartedProgram;
pub use vectors::{
    INFORMATION, agent_file, learn_dir, learned_start, read_vector, vector_of_agent,
    with_learned_start,
};
