//! The standard error of a fitness.

use super::fitness::Measured;
use crate::plan::FitnessPlan;
use tictune_core::stats::Tally;

/// The standard error of a candidate's fitness, from the variance among its games. Games that were played several times
/// count once. 0 without games.
///
/// The games are treated as independent draws from one distribution. The true error is usually smaller, because sides are
/// swapped within a pair and every opponent has a fixed share of the games.
pub fn standard_error(fitness: &FitnessPlan, measured: &Measured) -> f64 {
    let Measured { tally, distinct_games } = measured;
    let games = tally.games();
    if games == 0 {
        return 0.0;
    }
    let costs = [Tally::WIN, Tally::DRAW, Tally::LOSS].map(|game| fitness.score.fitness(&game));
    let counts = [tally.wins, tally.draws, tally.losses];
    // Half a game is added to each count: one result in all games does not show that there is no noise.
    let smoothed = counts.map(|count| count as f64 + 0.5);
    let total: f64 = smoothed.iter().sum();
    let each = || smoothed.iter().zip(costs);
    let mean = each().map(|(count, cost)| count * cost).sum::<f64>() / total;
    let variance = each().map(|(count, cost)| count * (cost - mean).powi(2)).sum::<f64>() / total;
    let distinct = (*distinct_games).clamp(1, games);
    let of_all = games as f64 * (variance / distinct as f64).sqrt();
    of_all * fitness.games as f64 / games as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::tests::stage;
    use tictune_core::arena::Schedule;

    #[test]
    fn the_error_is_that_of_the_games_of_a_fitness() {
        let fitness = stage(Schedule::Paired, &[("random", 400)]).fitness;
        let error = |wins, losses, distinct_games| {
            let tally = Tally { wins, draws: 0, losses };
            standard_error(&fitness, &Measured { tally, distinct_games })
        };
        // 400 tosses of a coin: the number of heads has a standard deviation of 10.
        for (found, expected) in [
            (error(200, 200, 400), 9.96..10.04),
            (error(200, 200, 100), 19.96..20.04),
            // Four times the games have half the error, in the units of a fitness.
            (error(4 * 190, 4 * 210, 1600), 4.95..5.05),
            (error(400, 0, 400), 0.1..1.5),
            (error(0, 0, 0), 0.0..f64::MIN_POSITIVE),
        ] {
            assert!(expected.contains(&found), "{found}");
        }
    }
}
