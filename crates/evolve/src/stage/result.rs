//! The result of a stage.

use std::fmt;

use crate::plan::{Candidate, Vector};

/// A vector with the fitness measured for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Scored {
    /// The vector.
    pub candidate: Candidate,
    /// Its fitness.
    pub fitness: f64,
    /// The generation it is from, from 1.
    pub generation: u64,
}

/// What was measured for a candidate.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Its generation, from 1.
    pub generation: u64,
    /// Its point, for the optimiser.
    pub point: Vec<f64>,
    /// Its share of points, 0..=1, combined over opponents.
    pub score: f64,
    /// Its games.
    pub games: u64,
}

/// The result of a stage.
#[derive(Clone, Debug, PartialEq)]
pub struct StageResult {
    /// The candidate of the lowest fitness, the earliest of several.
    pub best: Scored,
    /// The next best candidates, no vector twice; as many as may become finalists.
    pub runners_up: Vec<Scored>,
    /// The centre that each generation was drawn from, a point of the optimiser; none where there are no finalists.
    pub centres: Vec<Vec<f64>>,
    /// The centre of the distribution after the last generation, a point of the optimiser.
    pub mean: Vec<f64>,
    /// Generations.
    pub generations: u64,
    /// Candidates measured.
    pub evaluations: u64,
    /// Why it ended.
    pub stopped: StopReason,
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

/// Why a stage ended.
#[derive(Clone, Debug, PartialEq)]
pub enum StopReason {
    /// A candidate reached the target fitness.
    TargetFitness(f64),
    /// The most generations were played.
    MaxGenerations(u64),
    /// The most candidates were measured.
    MaxEvaluations(u64),
    /// The time is up.
    MaxSeconds(f64),
    /// Neither best nor median improved for this many generations.
    Stagnation(u64),
    /// The optimiser cannot go on.
    Optimiser(String),
    /// So many checks of the mean on held-out openings in a row brought nothing better.
    HeldOut(u64),
    /// A restart with a small population has measured as many candidates as it may.
    SmallRun(u64),
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TargetFitness(target) => write!(f, "target fitness {target} reached"),
            Self::MaxGenerations(most) => write!(f, "{most} generations done"),
            Self::MaxEvaluations(most) => write!(f, "{most} evaluations done"),
            Self::MaxSeconds(most) => write!(f, "{most} seconds are up"),
            Self::Stagnation(generations) => {
                write!(f, "neither best nor median improved in {generations} generations")
            }
            Self::Optimiser(reason) => f.write_str(reason),
            Self::HeldOut(checks) => {
                write!(f, "the mean did not improve on held-out openings in {checks} checks")
            }
            Self::SmallRun(most) => write!(f, "{most} evaluations of a small population done"),
        }
    }
}

impl StopReason {
    /// Whether another start of the optimiser may help.
    pub(super) const fn is_stall(&self) -> bool {
        matches!(
            self,
            Self::Stagnation(_) | Self::Optimiser(_) | Self::HeldOut(_) | Self::SmallRun(_)
        )
    }
}
