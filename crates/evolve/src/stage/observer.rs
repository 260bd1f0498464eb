//! Observers, which follow the progress of a run.

use super::result::{StageResult, StopReason};
use crate::journal::{Admission, Comparison, Finalists, GenerationRow, MatchRow};
use crate::plan::StagePlan;

/// Follows the progress of a run. It is called from the threads that play.
pub trait Observer: Sync {
    /// A stage (0-based) begins or, on resuming, is replayed.
    fn stage_started(&self, _index: usize, _stage: &StagePlan) {}
    /// A generation (1-based) is about to play this many games, 0 when it is replayed from the log.
    fn generation_started(&self, _generation: u64, _games: u64) {}
    /// A game was played.
    fn game_played(&self) {}
    /// The optimiser was told the fitness of a generation.
    fn generation_finished(&self, _stage: &StagePlan, _row: &GenerationRow, _replayed: bool) {}
    /// The mean after a generation was measured on held-out openings, or read from the log: its share of points, and
    /// whether it is the best so far.
    fn held_out_checked(&self, _generation: u64, _score: f64, _better: bool) {}
    /// The optimiser stalled and was restarted, for the nth time, with a population.
    fn restarted(&self, _restart: u64, _population: usize, _reason: &StopReason) {}
    /// A stage ended.
    fn stage_finished(&self, _index: usize, _result: &StageResult) {}
    /// The starts of a stage were measured, or read from the log.
    fn screening_finished(&self, _index: usize, _starts: &Finalists) {}
    /// The finalists of a stage were measured, or read from the log.
    fn finalists_finished(&self, _index: usize, _finalists: &Finalists) {}
    /// A match at the end of the run is about to play this many games.
    fn match_started(&self, _label: &str, _games: u64) {}
    /// A match at the end of the run was played, or read from the log.
    fn match_finished(&self, _row: &MatchRow) {}
    /// An admission match of the hall of fame was played, or read from the log.
    fn admission_finished(&self, _admission: &Admission) {}
    /// Best and mean were compared.
    fn comparison_finished(&self, _comparison: &Comparison) {}
}

/// An observer that does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}
