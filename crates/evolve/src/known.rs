//! The games and the kinds of agents that the tests of this crate play with.

use tictune_core::agent::{CoreKinds, Known};
use tictune_programs::{ExternalSettings, RunnerSettings};

pub(crate) type BuiltInKinds = ((CoreKinds, ExternalSettings), RunnerSettings);

pub(crate) fn built_in() -> Known {
    Known::new::<BuiltInKinds>(tictune_games::KNOWN)
}
