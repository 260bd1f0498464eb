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

pub mod qubic;
pub mod uttt;

pub use qubic::Qubic;
pub use uttt::Uttt;

use crate::game::{Game, GameInfo};

/// The games of this crate, as they describe themselves; the first is meant where none is named.
pub const KNOWN: &[&GameInfo] = &[Uttt::INFO, Qubic::INFO];

/// Evaluates an expression with a name for the type of the game that is called so:
/// `by_game!(name, P => run::<P>(args))`. `None` if no game is.
macro_rules! by_game {
    ($name:expr, $P:ident => $body:expr) => {
        match $name {
            "uttt" => {
                type $P = $crate::games::Uttt;
                Some($body)
            }
            "qubic" => {
                type $P = $crate::games::Qubic;
                Some($body)
            }
            _ => None,
        }
    };
}

pub(crate) use by_game;

/// The names of all games; the first is meant where none is named.
pub const GAMES: &[&str] = &[Uttt::INFO.name, Qubic::INFO.name];
