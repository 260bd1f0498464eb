//! The games of tictune: [`Uttt`], [`Qubic`] and [`Chess`]. Each has a folder that contains everything specific to it.
//!
//! ```
//! use tictune_core::game::{Game, Position};
//! use tictune_core::weights::Weights;
//! use tictune_games::Uttt;
//! use tictune_games::uttt::{Rules, UtttMove};
//!
//! let position = Uttt::start(Rules::default()).after(UtttMove::CENTRE);
//! assert_eq!(position.notation(), "9/9/9/9/4x4/9/9/9/9 o 1,1");
//! assert_eq!(position.legal_moves().count(), 8);
//!
//! let weights = Weights::built_in(Uttt::INFO, "liang-comprehensive").expect("a built-in name");
//! assert_eq!(weights.values().len(), 14);
//! ```

#![warn(clippy::unwrap_used)]

/// The texts of weight files in the folder `weights/`, by name.
macro_rules! vectors {
    ($($name:literal)*) => {
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

pub use chess::Chess;
pub use qubic::Qubic;
pub use uttt::Uttt;

use tictune_core::game::{Game, GameInfo, Slot, WeightLayout};

/// The descriptions of the games of this crate; the first is the default.
pub const KNOWN: &[&GameInfo] = &[Uttt::INFO, Qubic::INFO, Chess::INFO];

const fn layout(
    game: &'static str,
    name: &'static str,
    description: &'static str,
    slots: &'static [Slot],
) -> WeightLayout {
    WeightLayout { game, name, description, slots }
}

const fn slot(name: &'static str, greatest_count: u32, description: &'static str) -> Slot {
    Slot { name, description, greatest_count }
}
