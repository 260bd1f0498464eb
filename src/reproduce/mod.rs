//! The tables of the documents: what they printed, what is measured here, and whether the two agree.
//!
//! A table is a data file (`experiments/*/tables/*.toml`): who played whom, the printed results, and
//! what the document concludes from them. [`play`] plays one, row by row.

mod play;
mod table;

pub use play::{Conclusion, Report, RowReport, SIGNIFICANCE, Sizes, play};
pub use table::{Claim, Row, Table, Winner, find, read};
