//! Stub.
pub mod eval;
pub mod position;
pub mod search;
pub mod seed;
