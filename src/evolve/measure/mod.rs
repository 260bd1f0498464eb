//! Measuring the candidates of a generation.
//!
//! A [`batch`] names the candidates and their games. `schedule` lists the games, [`fitness`] plays them, and `results` adds
//! up their results. [`games`] says what of them is evidence, where a verdict rests on them. `cache` is the fitness cache: it keeps the results of identical vectors. [`coevolution`] pairs
//! candidates that play each other.

pub(crate) mod batch;
pub(crate) mod cache;
pub(crate) mod coevolution;
pub(crate) mod fitness;
pub(crate) mod games;
pub(crate) mod results;
pub(crate) mod schedule;
