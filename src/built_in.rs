//! The games and the kinds of agents of this crate.

use crate::agent::{CoreKinds, Known};
use crate::games::{Chess, KNOWN, Qubic, Uttt};
use crate::papers::WithPapers;
use crate::programs::{ExternalSettings, RunnerSettings};

/// The games of this crate, UTTT first.
pub type BuiltInGames = ((((), Uttt), Qubic), Chess);

/// The kinds of agents of this crate.
pub type BuiltInKinds = (WithPapers<(CoreKinds, ExternalSettings)>, RunnerSettings);

/// The games and the kinds of agents of this crate by name, as configs and files of runs are read with.
#[must_use]
pub fn built_in() -> Known {
    Known::new::<BuiltInKinds>(KNOWN)
}
