//! The built-in games by name. What plays Qubic and chess is compiled here, and what plays UTTT in `tictune-registry`: nothing else
//! takes as long to compile, and two crates are compiled at the same time.

use tictune_games::{Chess, Qubic};
use tictune_registry::{BuiltInKinds, Registry};

/// The built-in games and kinds of agents. This function is not generic, so that the games are compiled here and nowhere else.
#[must_use]
pub fn registry() -> Registry {
    let mut registry = Registry::uttt();
    registry.add::<Qubic, BuiltInKinds>();
    registry.add::<Chess, BuiltInKinds>();
    registry
}
