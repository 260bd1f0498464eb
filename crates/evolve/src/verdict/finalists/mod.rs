//! The finalists of a stage: the re-evaluation of its best candidates, its means, its start vector
//! and, where the config asks for it, the optimum of a model of all its evaluations.
//!
//! The lowest fitness measured is the lowest of many noisy numbers: the winner's curse. Finalists therefore play new
//! games, the same ones for all, against the stage's opponents, in rounds of successive halving. Each round has twice
//! the games of the one before, and the better half of the finalists goes on, until one is shown to lead or the rounds
//! are over (CITE: Karnin, Koren, Somekh, "Almost optimal exploration in
//! multi-armed bandits", ICML 2013). A round is played in blocks, which are the units of the paired test. Every
//! block's results are on disk before the next is played.

mod gather;
mod model;
mod rounds;
mod scores;
#[cfg(test)]
pub(crate) mod tests;

pub(super) use gather::{Finalist, add};
pub(crate) use rounds::choose_winner;
pub(super) use rounds::{Rounds, measure};
