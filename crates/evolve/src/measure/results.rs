//! The standard error of a fitness.

use super::fitness::Measured;
use crate::plan::FitnessPlan;
use tictune_core::stats::Tally;
use tictune_core::stats::paired::standard_error_of_cost;

/// The standard error of a candidate's fitness, by the games that differ.
pub fn standard_error(fitness: &FitnessPlan, measured: &Measured) -> f64 {
    let cost = |tally| fitness.score.fitness(&tally);
    let costs = [
        cost(Tally { wins: 1, draws: 0, losses: 0 }),
        cost(Tally { wins: 0, draws: 1, losses: 0 }),
        cost(Tally { wins: 0, draws: 0, losses: 1 }),
    ];
    let Measured { tally, distinct_games } = measured;
    standard_error_of_cost(tally, costs, (*distinct_games).max(1)) * fitness.games as f64
        / tally.games().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::tests::stage;
    use tictune_core::arena::Schedule;

    #[test]
    fn the_error_is_that_of_the_games_of_a_fitness() {
        let fitness = stage(Schedule::Paired, &[("random", 400)]).fitness;
        // 400 tosses of a coin; four times the games have half the error, in the units of a fitness.
        for (rounds, expected) in [(1, 9.95..10.05), (4, 4.95..5.05)] {
            let tally = Tally { wins: 190 * rounds, draws: 0, losses: 210 * rounds };
            let measured = Measured { tally, distinct_games: 400 * rounds };
            let error = standard_error(&fitness, &measured);
            assert!(expected.contains(&error), "{error}");
        }
    }
}
