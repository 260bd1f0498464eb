//! The candidates of a generation and how to measure them.

use super::coevolution::Rivals;
use crate::plan::{StagePlan, Vector};
use tictune_core::agent::AgentSpec;

/// The candidates of a generation and how to measure them: plain data, the same on any machine.
#[derive(Clone, Debug)]
pub struct Batch<'b> {
    /// The stage.
    pub stage: &'b StagePlan,
    /// The name of the game.
    pub game: &'b str,
    /// Who carries them.
    pub agent: &'b AgentSpec,
    /// The rules of the game, in their text form.
    pub rules: &'b str,
    /// The seed of the generation's games: see [`tictune_core::seed::of_run`].
    pub seed: u64,
    /// The vectors to measure.
    pub candidates: Vec<Vector>,
    /// The generation that they play, where candidates play each other.
    pub rivals: Option<Rivals>,
    /// Whether games are to be told one by one, as verdicts need them.
    pub keep_games: bool,
}
