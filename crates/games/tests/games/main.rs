//! Tests of the games by their public functions: rules, notation, platforms, weights and formulas. The crate is optimised, and its
//! tests need none of its internals, so that it is compiled once. `tests/laws` has what every game obeys.

mod chess;
mod platforms;
mod qubic;
mod uttt;
mod weights;
