//! A finalist.

use crate::plan::Candidate;

/// A vector that may be a stage's winner.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::verdict) struct Finalist {
    /// What it is, as in `best-2`, `mean`, `mean-after-50`.
    pub(in crate::verdict) name: String,
    /// The generation that it is from, where it is from one.
    pub(in crate::verdict) generation: Option<u64>,
    /// The fitness that was measured for it in the stage, where one was.
    pub(in crate::verdict) fitness: Option<f64>,
    /// The vector.
    pub(in crate::verdict) candidate: Candidate,
}
