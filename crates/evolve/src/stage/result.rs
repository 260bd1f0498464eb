//! The result of a stage, and observers, which follow the progress of a run.

use crate::journal::{Admission, Comparison, Finalists, GenerationRow, MatchRow};
use crate::plan::{Candidate, StagePlan, Vector};

/// A vector with the fitness measured for it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scored {
    pub candidate: Candidate,
    pub fitness: f64,
    /// The generation it is from, from 1.
    pub generation: u64,
}

/// What was measured for a candidate.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    pub generation: u64,
    pub point: Vec<f64>,
    /// Its share of points, 0..=1, combined over opponents.
    pub score: f64,
    pub games: u64,
}

/// The result of a stage.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StageResult {
    /// The candidate of the lowest fitness, the earliest of several.
    pub best: Scored,
    /// The next best candidates, no vector twice; as many as may become finalists.
    pub runners_up: Vec<Scored>,
    /// The centre that each generation was drawn from, a point of the optimiser; none where there are no finalists.
    pub centres: Vec<Vec<f64>>,
    /// The centre of the distribution after the last generation, a point of the optimiser.
    pub mean: Vec<f64>,
    pub generations: u64,
    pub evaluations: u64,
    /// Why it ended, in words.
    pub stopped: String,
    /// The first generation whose fitness can be compared with the last one's: those before met another hall of fame
    /// or, where candidates play each other, other candidates.
    pub comparable_from: u64,
    /// The last means of the runs that restarts of the optimiser ended, each with the generation after which it was the mean.
    pub ended_means: Vec<(u64, Vec<f64>)>,
    /// The mean that was the best on held-out openings and its generation, where that was checked.
    pub held_out: Option<(u64, Vec<f64>)>,
    /// The candidates whose fitness can be compared; none where no model of them is asked for.
    pub samples: Vec<Sample>,
    /// The members of the hall of fame at its end, in the order of their admission.
    pub hall: Vec<Vector>,
}

/// Why a stage, or a run of its optimiser, ended.
#[derive(Clone, Debug)]
pub(super) struct StopReason {
    pub(super) words: String,
    /// Whether another start of the optimiser may help.
    pub(super) is_stall: bool,
}

impl StopReason {
    pub(super) fn stall(words: impl Into<String>) -> Self {
        Self { words: words.into(), is_stall: true }
    }

    pub(super) const fn limit(words: String) -> Self {
        Self { words, is_stall: false }
    }
}

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
    fn restarted(&self, _restart: u64, _population: usize, _reason: &str) {}
    /// A stage ended.
    fn stage_finished(&self, _index: usize, _result: &StageResult) {}
    /// The starts of the first stage were measured, or read from the log.
    fn screening_finished(&self, _starts: &Finalists) {}
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
