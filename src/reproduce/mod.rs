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

pub use any_game::Reproducing;
pub use measurement::{Measurement, RowSettings, RowTrace};
pub use play::{Reproduction, Sizes};
pub use read::{find, read};
pub use result::{Conclusion, ReductionReport, Report, RowReport, Standing, Verdict};
pub use table::{
    Claim, Contestant, Drawing, Figure, Printed, Quantity, Reduction, Row, SIGNIFICANCE, Table,
    Test, Winner,
};
