//! The files of a run: the rows of its journals, and the records of its verdicts.
//!
//! `evaluations.csv` of a stage is its write-ahead log: the row of a candidate is on disk before the optimiser is told
//! its cost. The state of a stage follows from this log, with two exceptions. Further games have journals of their own,
//! and `generations.csv` holds the times and the fitness of the mean vector.

mod admission;
mod candidate;
mod comparison;
mod finalists;
mod generation;
mod held_out;
mod numbers;
mod results;
mod validation;

pub use admission::Admission;
#[doc(hidden)]
pub use admission::admissions;
#[doc(hidden)]
pub use candidate::{CandidateRow, RoundRow};
pub use comparison::Comparison;
pub use finalists::Finalists;
#[doc(hidden)]
pub use finalists::{BlockRow, FinalistRow, Lead};
pub use generation::GenerationRow;
#[doc(hidden)]
pub use held_out::HeldOutRow;
#[cfg(test)]
pub(crate) use results::check_of_played;
pub(crate) use results::{fits, games_fit};
#[doc(hidden)]
pub use validation::LoggedMatch;
pub use validation::MatchRow;
pub(crate) use validation::{are_among, pairs_fit};
