//! Numbers and times as people read them.

use crate::evolve::{GenerationRow, StagePlan};
use crate::report::{duration, seconds_left};

/// The longest time that is left of a stage: "at most 12 s left in this stage".
pub(super) fn left_in_stage(stage: &StagePlan, row: &GenerationRow) -> String {
    let generations = stage.most_generations().saturating_sub(row.generation);
    let seconds = seconds_left(stage, row);
    match generations {
        0 => "the stage is about to end".into(),
        _ if seconds < 0.5 => "less than 1 s left in this stage".into(),
        _ => format!("at most {} left in this stage", duration(seconds)),
    }
}

/// A fitness with at most two decimals.
pub(super) fn rounded(fitness: f64) -> f64 {
    (100.0 * fitness).round() / 100.0
}

/// A step size with as many digits as people read.
pub(super) fn compact(x: f64) -> String {
    if (1e-3..1e6).contains(&x) { format!("{x:.4}") } else { format!("{x:.3e}") }
}
