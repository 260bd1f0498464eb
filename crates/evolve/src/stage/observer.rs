//! Observers, which follow the progress of a run.

use super::StageResult;
use crate::journal::{Comparison, GenerationRow, MatchRow};
use crate::plan::StagePlan;

/// Follows the progress of a run. It is called from the threads that play.
pub trait Observer: Sync {
    /// A stage (0-based) begins or, on resuming, is replayed.
    fn stage_started(&self, _index: usize, _stage: &StagePlan) {}
    /// A generation (1-based) is about to play this many games, 0 when it is replayed from the log.
    fn generation_started(&self, _generation: u64, _games: u64) {}
    fn game_played(&self) {}
    /// The optimiser was told the fitness of a generation.
    fn generation_finished(&self, _row: &GenerationRow, _replayed: bool) {}
    /// A stage ended, played or replayed.
    fn stage_finished(&self, _index: usize, _result: &StageResult) {}
    /// Matches at the end of the run are about to play this many games, those included that are read from the log.
    fn matches_started(&self, _games: u64) {}
    /// One of these matches begins.
    fn match_started(&self, _label: &str) {}
    /// A match at the end of the run was played, or read from the log.
    fn match_finished(&self, _row: &MatchRow) {}
    /// The best candidate and the mean were compared, or, of pairs, the start and the mean.
    fn comparison_finished(&self, _comparison: &Comparison) {}
}

/// An observer that does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}
