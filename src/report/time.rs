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

/// The time that is left of a stage, in words: "about 12 s". `None` if its last generation is over, or less than two are: the first
/// one has begun programs, and some games of the second.
pub(crate) fn time_left(stage: &StagePlan, rows: &[GenerationRow]) -> Option<String> {
    let left = stage.most_generations().checked_sub(rows.last()?.generation);
    let left = left.filter(|left| *left > 0 && rows.len() > 1)?;
    let seconds = left as f64 * next_seconds(&seconds_of(stage, &rows[1..]), left);
    let about = if stage.stops.target_fitness.is_some() { "at most about" } else { "about" };
    Some(match seconds {
        0.0..0.5 => "less than 1 s".into(),
        600.0..3600.0 => format!("{about} {:.0} min", seconds / 60.0),
        _ => format!("{about} {}", duration(seconds)),
    })
}

/// The seconds of generations. If a resumed run has found one in part, the rate says more than its seconds; of slow games, the
/// seconds say more than the rate, which is rounded.
fn seconds_of(stage: &StagePlan, rows: &[GenerationRow]) -> Vec<f64> {
    let of = |row: &GenerationRow| match row.games_per_second >= 1.0 {
        true => stage.games_of(stage.population) as f64 / row.games_per_second,
        false => row.seconds,
    };
    rows.iter().map(of).collect()
}

/// What each of the generations that are left is expected to take: the mean of the last ones, half as many as are left but five at
/// least. Looking back half as far as ahead, it follows games that become longer, and a machine that is busy every other moment
/// does not make it jump.
fn next_seconds(before: &[f64], left: u64) -> f64 {
    const LEAST: usize = 5;
    let count = LEAST.max(left as usize / 2).min(before.len());
    let last = &before[before.len() - count..];
    last.iter().sum::<f64>() / (count.max(1) as f64)
}

/// The games per second of the last five generations: of those that overlap, one alone says little.
pub(crate) fn games_a_second(stage: &StagePlan, rows: &[GenerationRow]) -> f64 {
    stage.games_of(stage.population) as f64 / next_seconds(&seconds_of(stage, rows), 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_generation_follows_those_before() {
        // Of two candidates that take long, one is in every third generation; the machine is busy in every other ten generations, or
        // in the last ones.
        let every_third: Vec<f64> = (0..99).map(|i| [0.7, 0.7, 1.6][i % 3]).collect();
        let by_turns: Vec<f64> = (0..60).map(|i| if i / 10 % 2 == 0 { 1.0 } else { 2.0 }).collect();
        let busy_at_last: Vec<f64> = (0..60).map(|i| if i < 50 { 1.0 } else { 3.0 }).collect();
        for (seconds, left, expected) in [
            (every_third, 50, 0.9..1.1),
            (by_turns, 60, 1.3..1.7),
            (busy_at_last.clone(), 20, 3.0..3.01),
            (busy_at_last, 200, 1.3..1.4),
        ] {
            let next = next_seconds(&seconds, left);
            assert!(expected.contains(&next), "{next}");
        }
        assert_eq!(next_seconds(&[], 3), 0.0);
    }
}
