//! Measuring the candidates of a generation.
//!
//! A [`Batch`](fitness::Batch) names the candidates and their games. `schedule` lists the games, [`fitness`] plays them, and `results` adds
//! up their results and says what of them is evidence, where a verdict rests on them. `cache` is the fitness cache: it keeps the
//! results of identical vectors. [`coevolution`] pairs candidates that play each other.

pub mod cache;
pub(crate) mod cells;
pub mod coevolution;
pub mod fitness;
pub mod results;
pub mod schedule;
#[cfg(test)]
pub(crate) mod tests;
