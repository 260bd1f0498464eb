//! The games of this crate as the [laws](crate::testing) see them, and what their tests share.

mod chess;
pub mod qubic;
pub mod uttt;
