//! The optimiser: it asks for the costs of points and learns from them. It knows nothing about
//! games.
//!
//! The algorithm comes from the `cmaes` crate (CITE: Hansen, "The CMA Evolution Strategy: A
//! Tutorial", arXiv:1604.00772). The crate calls the objective function itself, point by point, and
//! has no ask and tell. But its points follow from its seed and from the state that it shows. The
//! module `sampling` therefore computes the points of a generation before the crate asks for their
//! costs. When the costs are known, [`CmaEs`] lets the crate take its step and compares every point
//! that the crate evaluates with the computed one, bit for bit. `benches/optimiser.rs` measures
//! what this costs.

mod cma_es;
mod sampling;

pub use cma_es::{CmaEs, CmaEsSettings, OptimiserError};
