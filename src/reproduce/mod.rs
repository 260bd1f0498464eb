//! The tables of the documents: the printed results, the results measured here, and whether they
//! agree.
//!
//! A [`Table`] is a data file (`experiments/*/tables/*.toml`). It says who played whom, the printed
//! results, and what the document concludes from them. A [`Reproduction`] plays a table row by row,
//! and its [`Report`] compares the printed and the measured results.

mod any_game;
mod measurement;
mod play;
mod read;
mod report;
mod result;
mod standings;
mod table;

pub(crate) use any_game::Reproducing;
pub(crate) use measurement::{MoveTime, RowTrace};
pub(crate) use play::{Reproduction, Sizes};
pub(crate) use read::find;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use read::read as parse_table;
pub(crate) use result::{ReductionReport, Report, RowReport, Standing, Verdict};
pub(crate) use table::{Drawing, ENOUGH_GAMES, Figure, Printed, Quantity, Table, Test};
