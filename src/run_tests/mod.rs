//! Tests of whole runs, from a config to the files of the run, that look at more than the binary shows.
//!
//! They read configs, and so stand above `config`, which uses `evolve`.

mod agents;
mod repeats;
mod variety;
