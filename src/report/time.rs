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

/// The time that is left of a stage, in words: "about 12 s". `None` if its last generation is over.
pub(crate) fn time_left(stage: &StagePlan, rows: &[GenerationRow]) -> Option<String> {
    let over = rows.last().map_or(0, |row| row.generation);
    let left = stage.most_generations().checked_sub(over).filter(|left| *left > 0)?;
    let seconds: Vec<f64> = rows.iter().map(|row| seconds_of(stage, row)).collect();
    let seconds = left as f64 * next_seconds(&seconds);
    let about = if stage.stops.target_fitness.is_some() { "at most about" } else { "about" };
    Some(match seconds {
        0.0..0.5 => "less than 1 s".into(),
        60.0..3600.0 => format!("{about} {:.0} min", seconds / 60.0),
        _ => format!("{about} {}", duration(seconds)),
    })
}

/// The seconds of a generation. If a resumed run has found it in part, the rate says more than its seconds; of slow games, the
/// seconds say more than the rate, which is rounded.
fn seconds_of(stage: &StagePlan, row: &GenerationRow) -> f64 {
    match row.games_per_second >= 1.0 {
        true => stage.games_of(stage.population) as f64 / row.games_per_second,
        false => row.seconds,
    }
}

/// What a further generation is expected to take, from the seconds of those before: their exponential moving average. It follows
/// games that become longer and a machine that becomes busier, and does not jump with every generation.
fn next_seconds(before: &[f64]) -> f64 {
    const KEPT: f64 = 0.7;
    let add = |(sum, weight), seconds| (KEPT * sum + seconds, KEPT * weight + 1.0);
    let (sum, weight) = before.iter().fold((0.0, 0.0), add);
    if weight > 0.0 { sum / weight } else { 0.0 }
}

/// The share of a stage that is done with a generation, 0 to 1.
pub(crate) fn share_done(stage: &StagePlan, row: &GenerationRow) -> f64 {
    (row.generation as f64 / stage.most_generations().max(1) as f64).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_generation_follows_those_before() {
        // Of two candidates that take long, one is in every third generation.
        let noisy: Vec<f64> = (0..99).map(|i| [0.7, 0.7, 1.6][i % 3]).collect();
        let busy_at_last: Vec<f64> = (0..60).map(|i| if i < 50 { 1.0 } else { 3.0 }).collect();
        for (seconds, expected) in [(noisy, 0.85..1.35), (busy_at_last, 2.7..3.0)] {
            let next = next_seconds(&seconds);
            assert!(expected.contains(&next), "{next}");
        }
        assert_eq!(next_seconds(&[]), 0.0);
    }
}
