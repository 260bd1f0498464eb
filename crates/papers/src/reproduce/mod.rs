//! The tables of the papers: the printed results, the results measured here, and whether they agree.
//!
//! A [`PaperTable`] is a data file (`experiments/*/tables/*.toml`). It says who played whom, the printed results, and what the
//! document concludes from them. A [`Reproduction`] plays it row by row; its [`TableReport`] compares the results.

mod homogeneity;
mod play;
mod read;
mod report;
mod result;
mod table;

#[doc(hidden)]
pub use self::{
    homogeneity::chi_squared_yates,
    play::{Reproduction, Sizes, TableGame},
    read::{find, read as parse_table},
    result::{
        Conclusion, MoveTime, ReductionReport, RowReport, RowTrace, Standing, TableReport, Verdict,
    },
    table::{Drawing, ENOUGH_GAMES, Figure, PaperTable, Printed, Quantity, Test},
};
