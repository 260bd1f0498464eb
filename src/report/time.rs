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

/// The most seconds that a stage takes after a generation, if the others are played as fast. Of a generation that a resumed run has
/// found in part, the rate says more than its seconds; of slow games, the seconds say more than the rate, which is rounded.
pub(crate) fn seconds_left(stage: &StagePlan, row: &GenerationRow) -> f64 {
    let of_generation = match row.games_per_second >= 1.0 {
        true => stage.games_of(stage.population) as f64 / row.games_per_second,
        false => row.seconds,
    };
    stage.most_generations().saturating_sub(row.generation) as f64 * of_generation
}

/// The share of a stage that is done with a generation, 0 to 1.
pub(crate) fn share_done(stage: &StagePlan, row: &GenerationRow) -> f64 {
    (row.generation as f64 / stage.most_generations().max(1) as f64).min(1.0)
}
