//! The games of this crate. Each has a folder that contains everything specific to it.

/// The texts of weight files in the folder `weights/`, by name.
macro_rules! vectors {
    ($($name:literal),* $(,)?) => {
        [$(tictune_core::game::BuiltInWeights {
            name: $name,
            toml: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/weights/", $name, ".toml")),
        }),*]
    };
}

pub mod chess;
pub mod qubic;
pub mod testing;
pub mod uttt;

#[cfg(test)]
mod tests;

pub use chess::Chess;
pub use qubic::Qubic;
pub use uttt::Uttt;

use tictune_core::game::{Game, GameInfo};

/// The descriptions of the games of this crate; the first is the default.
pub const KNOWN: &[&GameInfo] = &[Uttt::INFO, Qubic::INFO, Chess::INFO];
