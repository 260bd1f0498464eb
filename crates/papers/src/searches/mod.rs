//! Searches that only a document needs, as kinds of agents.
//!
//! - [`plain`]: minimax in generation order, with alpha-beta or without (Liang's program, Lifshitz IV), and Liang's table of
//!   values
//! - [`selective`]: sorted moves, of which only the most promising are tried (Papadam), and quiescence search (Liang 5.2)
//! - [`remembering`]: iterative deepening with a bounded memory (Lifshitz VII)
//! - [`tabular`]: Monte Carlo tree search with its statistics in a table (Sista, Appendix A)

mod order;
pub mod plain;
pub mod remembering;
pub mod selective;
pub mod tabular;
mod widths;

pub use order::Sorting;
pub use plain::{EvaluationCache, PlainSettings};
pub use remembering::RememberingSettings;
pub use selective::SelectiveSettings;
pub use tabular::TabularSettings;
pub use widths::Widths;
