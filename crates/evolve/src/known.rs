//! What the tests of this crate share: the games and the kinds of agents that they play with, and plans from text.

use std::path::Path;

use crate::Plan;
use crate::config::{Overrides, parse};
use tictune_core::agent::{CoreKinds, Known};
use tictune_core::input::Result;
use tictune_programs::{ExternalSettings, RunnerSettings};

pub(crate) fn built_in() -> Known {
    Known::new::<((CoreKinds, ExternalSettings), RunnerSettings)>(tictune_games::KNOWN)
}

pub(crate) fn read(text: &str) -> Result<Plan> {
    parse(text, Path::new("c.toml"), Overrides::default(), &built_in())
}

/// A plan of the connecting evaluation, from (1, 20, 0.5), with more lines in `[cmaes]` and after it.
pub(crate) fn connecting(lines: &str) -> Plan {
    let text = format!(
        "evaluation = \"connecting\"\n[cmaes]\nsigma = 1\ninitial = [1, 20, 0.5]\n{lines}\n[fitness]\n\
         [[opponents]]\nagent = \"random\"\n[[stages]]\ndepth = 1\n"
    );
    read(&text).unwrap()
}
