//! The games of tictune: [`Uttt`], [`Qubic`] and [`Chess`]. Each has a folder that contains everything specific to it.
//!
//! ```
//! use tictune_core::agent::Agents;
//! use tictune_games::Uttt;
//!
//! # fn main() -> Result<(), tictune_core::input::InputError> {
//! let agent = Agents::<Uttt>::default().ready("minimax:depth=3,weights=liang-comprehensive")?;
//! assert_eq!(agent.label, "minimax:depth=3,eval=comprehensive,weights=liang-comprehensive");
//! # Ok(())
//! # }
//! ```

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

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

#[cfg(test)]
mod tests;

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
