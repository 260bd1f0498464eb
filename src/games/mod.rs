//! The games: a folder each, with all that is only about it.

/// The texts of weight files of the folder `weights/`, by their names.
macro_rules! vectors {
    ($($name:literal),* $(,)?) => {
        [$($crate::game::Vector {
            name: $name,
            toml: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/weights/", $name, ".toml")),
        }),*]
    };
}

pub mod chess;
pub mod qubic;
pub mod uttt;

pub use chess::Chess;
pub use qubic::Qubic;
pub use uttt::Uttt;

use crate::game::{Game, GameInfo};

/// The descriptions of the games of this crate; the first is the default.
pub const KNOWN: &[&GameInfo] = &[Uttt::INFO, Qubic::INFO, Chess::INFO];
