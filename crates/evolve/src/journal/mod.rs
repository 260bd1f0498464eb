//! The files of a run: the rows of its journals, and the records of its verdicts.
//!
//! `evaluations.csv` of a stage is its write-ahead log: the row of a candidate is on disk before the optimiser is told
//! its cost. The state of a stage follows from this log, except that `generations.csv` holds the times and the fitness of the mean
//! vector, and `start.csv` what the mean scored against the start of the run. `axes.csv` follows from it, too, and is written for people.
//!
//! A row is one struct, whose fields are in the order of the columns. What follows from its counts (scores, intervals,
//! p-values) is written for people and computed again when a row is read.

mod rows;
#[cfg(test)]
mod tests;
mod verdicts;

pub use rows::{AxesRow, CandidateRow, GenerationRow};
pub(crate) use rows::{StartRow, header};
pub use verdicts::{Comparison, LoggedMatch, MatchRow, PairedResult};
