//! Tests of whole runs, from a config to the files of the run, that look at more than the binary shows, and of agents of every
//! kind of the program.

mod agents;
mod variety;
