//! The tables of the documents: what they printed, what is measured here, and whether the two agree.
//!
//! A [`Table`] is a data file (`experiments/*/tables/*.toml`): who played whom, the printed results, and
//! what the document concludes from them. A [`Reproduction`] plays one, row by row; its [`Report`] sets
//! both side by side.

mod any_game;
mod measurement;
mod play;
mod read;
mod report;
mod result;
mod standings;
mod table;

pub(crate) use any_game::Reproducing;
pub(crate) use measurement::RowTrace;
pub(crate) use play::{Reproduction, Sizes};
pub(crate) use read::find;
pub(crate) use result::{ReductionReport, Report, RowReport, Standing, Verdict};
pub(crate) use table::{Drawing, Figure, Printed, Quantity, Table, Test};
