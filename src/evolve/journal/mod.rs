//! What a run writes down: the rows of its journals, and the records of its verdicts.
//!
//! `evaluations.csv` of a stage is its write-ahead log: the row of a candidate is on disk before the optimiser is told
//! its cost. What else a stage knows follows from it, but for further games, which have journals of their own, and the
//! fitness of the mean vector and times, which `generations.csv` holds.

mod admission;
mod comparison;
mod evaluation;
mod finalists;
mod generation;
mod held_out;
mod numbers;
mod results;
mod validation;

pub use admission::{Admission, admissions};
pub use comparison::Comparison;
pub use evaluation::Evaluation;
pub(crate) use evaluation::RoundRow;
pub(crate) use finalists::BlockRow;
pub use finalists::{FinalistRow, Finalists, Lead};
pub use generation::GenerationRow;
pub(crate) use held_out::HeldOutRow;
pub(crate) use results::fits;
pub(crate) use validation::LoggedMatch;
pub use validation::MatchRow;
