//! Times of a run, as people read them.

use crate::evolve::{GenerationRow, StagePlan};

/// A duration in words, such as "2 min 05 s".
pub(crate) fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..60 => format!("{whole} s"),
        60..3600 => format!("{} min {:02} s", whole / 60, whole % 60),
        _ => format!("{} h {:02} min", whole / 3600, whole % 3600 / 60),
    }
}

/// The most seconds that a stage takes after a generation, if the others last as long.
pub(crate) fn seconds_left(stage: &StagePlan, row: &GenerationRow) -> f64 {
    let generations = stage.most_generations().saturating_sub(row.generation);
    let seconds = generations as f64 * row.seconds;
    // A limit of time ends the stage with the generation that reaches it. The generations before are taken to have lasted as
    // long as this one.
    stage.stops.max_seconds.map_or(seconds, |most| {
        let played = row.generation as f64 * row.seconds;
        seconds.min((most - played).max(0.0) + row.seconds)
    })
}

/// The share of a stage that is done with a generation, 0 to 1: of its generations, or of its time where that ends it.
pub(crate) fn share_done(stage: &StagePlan, row: &GenerationRow) -> f64 {
    let left = seconds_left(stage, row);
    let played = row.generation as f64 * row.seconds;
    let of_time = if left > 0.0 { played / (played + left) } else { 1.0 };
    of_time.clamp(row.generation as f64 / stage.most_generations().max(1) as f64, 1.0)
}
