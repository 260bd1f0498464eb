//! Measuring the candidates of a generation.
//!
//! A [`Batch`](fitness::Batch) names the candidates and their games. `schedule` lists the games, [`fitness`] plays them, and `results`
//! has the standard error of what came out.

pub mod fitness;
pub mod results;
pub mod schedule;
#[cfg(test)]
pub(crate) mod tests;
