//! Measuring the candidates of a generation.
//!
//! A [`batch`] names the candidates and their games. `schedule` lists the games, [`fitness`] plays them, and `results` adds
//! up their results. [`games`] says what of them is evidence, where a verdict rests on them. `cache` is the fitness cache: it keeps the results of identical vectors. [`coevolution`] pairs
//! candidates that play each other.

#[doc(hidden)]
pub mod batch;
#[doc(hidden)]
pub mod cache;
#[doc(hidden)]
pub mod coevolution;
#[doc(hidden)]
pub mod fitness;
#[doc(hidden)]
pub mod games;
#[doc(hidden)]
pub mod results;
#[doc(hidden)]
pub mod schedule;
