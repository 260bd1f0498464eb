//! The benchmarks are the other files of this folder. `cargo bench -p tictune-benches` runs them.
