//! The games of this crate as the [laws](tictune_core::testing) see them, and what their tests share.

mod chess;
pub mod qubic;
mod uttt;
