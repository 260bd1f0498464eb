//! The optimiser: asks for costs of points and learns from them, knowing nothing of games.
//!
//! The algorithm is the `cmaes` crate's (CITE: Hansen, "The CMA Evolution Strategy: A Tutorial",
//! arXiv:1604.00772). The crate calls the objective itself, point by point, and so has no ask and tell.
//! But all that it samples follows from its seed and from what it shows of its state, so that [`CmaEs`]
//! knows the points of a generation before the crate asks for their costs: `sampling` computes them. When the
//! costs are told, the crate takes its step, and every point that it evaluates is compared with the
//! one that was asked for, bit for bit. `benches/optimiser.rs` measures what that costs.

mod cma_es;
mod objective;
mod optimiser;
mod sampling;

pub use cma_es::{CmaEs, CmaEsSettings};
pub use optimiser::{Optimiser, OptimiserError};
