//! The files of a run: the rows of its journals, and the records of its verdicts.
//!
//! `evaluations.csv` of a stage is its write-ahead log: the row of a candidate is on disk before the optimiser is told
//! its cost. The state of a stage follows from this log, with two exceptions. Further games have journals of their own,
//! and `generations.csv` holds the times and the fitness of the mean vector.

mod admission;
mod comparison;
mod evaluation;
mod finalists;
mod generation;
mod held_out;
mod numbers;
mod results;
mod validation;

pub use admission::Admission;
pub(crate) use admission::admissions;
pub use comparison::Comparison;
pub(crate) use evaluation::{Evaluation, RoundRow};
pub use finalists::Finalists;
pub(crate) use finalists::{BlockRow, FinalistRow, Lead};
pub use generation::GenerationRow;
pub(crate) use held_out::HeldOutRow;
#[cfg(test)]
pub(in crate::evolve) use results::check_of_played;
pub(crate) use results::{fits, games_fit};
pub use validation::MatchRow;
pub(crate) use validation::{LoggedMatch, are_among, pairs_fit};
