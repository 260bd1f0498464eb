//! The games and the kinds of agents of tictune.

use tictune_core::agent::{CoreKinds, Known};
use tictune_games::{Chess, KNOWN, Qubic, Uttt};
use tictune_papers::WithPapers;
use tictune_programs::{ExternalSettings, RunnerSettings};

/// The games of tictune, UTTT first.
pub type BuiltInGames = ((((), Uttt), Qubic), Chess);

/// The kinds of agents of tictune.
pub type BuiltInKinds = (WithPapers<(CoreKinds, ExternalSettings)>, RunnerSettings);

/// The games and the kinds of agents of tictune by name, as configs and files of runs are read with.
#[must_use]
pub fn built_in() -> Known {
    Known::new::<BuiltInKinds>(KNOWN)
}
