//! Measuring the candidates of a generation.
//!
//! [`fitness`] plays their games, [`schedule`] lists them, [`cache`] remembers what identical vectors came to, and
//! [`coevolution`] pairs candidates that play each other.

pub(crate) mod cache;
pub mod coevolution;
pub mod fitness;
pub(crate) mod schedule;
