//! Stub.
pub mod agent;
pub mod arena;
pub mod cma;
pub mod eval;
pub mod evolve;
pub mod input;
pub mod position;
pub mod search;
pub mod seed;
pub mod stats;
pub mod weights;
