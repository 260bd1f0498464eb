//! Measuring the candidates of a generation.
//!
//! [`batch`] is what is asked, [`fitness`] plays the games, `schedule` lists them, `cache` remembers what identical vectors came to,
//! [`coevolution`] pairs candidates that play each other, and `results` adds up what was measured.

pub mod batch;
pub(crate) mod cache;
pub mod coevolution;
pub mod fitness;
pub(crate) mod results;
pub(crate) mod schedule;
