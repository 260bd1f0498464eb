//! Numbers and times as people read them.

use crate::evolve::{GenerationRow, StagePlan};

/// A duration in words, such as "2 min 05 s".
pub(super) fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..60 => format!("{whole} s"),
        60..3600 => format!("{} min {:02} s", whole / 60, whole % 60),
        _ => format!("{} h {:02} min", whole / 3600, whole % 3600 / 60),
    }
}

/// The longest time that is left of a stage: "at most 12 s left in this stage".
pub(super) fn left_in_stage(stage: &StagePlan, row: &GenerationRow) -> String {
    let generations = stage.most_generations().saturating_sub(row.generation);
    let seconds = generations as f64 * row.seconds;
    // A limit of time ends the stage with the generation that reaches it. The generations before are taken to have lasted as
    // long as this one.
    let seconds = stage.stops.max_seconds.map_or(seconds, |most| {
        let played = row.generation as f64 * row.seconds;
        seconds.min((most - played).max(0.0) + row.seconds)
    });
    match generations {
        0 => "the stage is about to end".into(),
        _ if seconds < 0.5 => "less than 1 s left in this stage".into(),
        _ => format!("at most {} left in this stage", duration(seconds)),
    }
}

/// Why the games of a generation tell candidates apart badly or not at all.
pub(super) fn uninformative(stage: &StagePlan, row: &GenerationRow) -> Option<&'static str> {
    /// The score beyond which candidates win nearly all games, or lose them.
    const SATURATED: f64 = 0.97;
    let lost = row.median_fitness / stage.fitness.games as f64;
    match lost {
        _ if row.spread == 0.0 => Some("all candidates scored the same"),
        _ if is_one_pair_repeated(stage, row) => {
            Some("the pairs of a candidate all came out alike: does a program ignore its seeds?")
        }
        _ if lost < 1.0 - SATURATED => Some("nearly all games won: stronger opponents tell more"),
        _ if lost > SATURATED => Some("nearly all games lost: weaker opponents tell more"),
        _ => None,
    }
}

/// Whether every fitness of a generation is one that a single pair of games could give, repeated.
fn is_one_pair_repeated(stage: &StagePlan, row: &GenerationRow) -> bool {
    /// With fewer games it may be chance.
    const ENOUGH: u64 = 40;
    let games = stage.fitness.games;
    // A pair gives 0, 0.5, 1, 1.5 or 2 points.
    let repeated = |fitness: &f64| (4.0 * fitness / games as f64).fract() == 0.0;
    let fitness = [row.best_fitness, row.worst_fitness, row.mean_vector_fitness];
    games >= ENOUGH && row.best_fitness < row.worst_fitness && fitness.iter().all(repeated)
}

/// A fitness with at most two decimals.
pub(super) fn rounded(fitness: f64) -> f64 {
    (100.0 * fitness).round() / 100.0
}

/// A step size with as many digits as people read.
pub(super) fn compact(x: f64) -> String {
    if (1e-3..1e6).contains(&x) { format!("{x:.4}") } else { format!("{x:.3e}") }
}
