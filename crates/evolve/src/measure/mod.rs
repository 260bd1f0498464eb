//! Measuring the candidates of a generation.
//!
//! A [`Batch`](fitness::Batch) names the candidates and their games. `schedule` lists the games, and [`fitness`] plays them.

pub mod fitness;
pub mod schedule;
#[cfg(test)]
pub(crate) mod tests;
