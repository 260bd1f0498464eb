//! A finalist.

use crate::evolve::plan::Candidate;

/// A vector that may be a stage's winner.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::evolve::verdict) struct Finalist {
    /// What it is, as in `best-2`, `mean`, `mean-after-50`.
    pub(in crate::evolve::verdict) name: String,
    /// The generation that it is from, where it is from one.
    pub(in crate::evolve::verdict) generation: Option<u64>,
    /// The fitness that was measured for it in the stage, where one was.
    pub(in crate::evolve::verdict) fitness: Option<f64>,
    /// The vector.
    pub(in crate::evolve::verdict) candidate: Candidate,
}
