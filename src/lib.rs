//! Stub.
pub mod eval;
pub mod position;
pub mod seed;
