//! The standard error of a fitness.

use super::fitness::Measured;
use crate::plan::FitnessPlan;
use tictune_core::stats::Tally;

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

/// The standard error of the total cost of games, from the variance among them. `costs` are the costs of a win, a draw and a
/// loss. Games that were played several times count once: `distinct` is the number of different games. 0 without games.
///
/// The games are treated as independent draws from one distribution. The true error is usually smaller, because sides are
/// swapped within a pair and every opponent has a fixed share of the games.
fn standard_error_of_cost(tally: &Tally, costs: [f64; 3], distinct: u64) -> f64 {
    let games = tally.games() as f64;
    if games == 0.0 || distinct == 0 {
        return 0.0;
    }
    let counts = [tally.wins, tally.draws, tally.losses];
    // Half a game is added to each count: one result in all games does not show that there is no noise.
    let smoothed = counts.map(|count| count as f64 + 0.5);
    let total: f64 = smoothed.iter().sum();
    let each = || smoothed.iter().zip(costs);
    let mean = each().map(|(count, cost)| count * cost).sum::<f64>() / total;
    let variance = each().map(|(count, cost)| count * (cost - mean).powi(2)).sum::<f64>() / total;
    games * (variance / distinct.min(tally.games()) as f64).sqrt()
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

    #[test]
    fn the_error_of_a_cost_is_that_of_its_games() {
        // 400 coins: the number of heads has a standard deviation of 10.
        let (even, costs) = (Tally { wins: 200, draws: 0, losses: 200 }, [0.0, 0.5, 1.0]);
        let close =
            |games, error: f64| (standard_error_of_cost(&even, costs, games) - error).abs() < 0.04;
        assert!(close(400, 10.0) && close(100, 20.0));
        let sweep = Tally { wins: 400, draws: 0, losses: 0 };
        assert!((0.1..1.5).contains(&standard_error_of_cost(&sweep, costs, 400)));
        assert_eq!(standard_error_of_cost(&Tally::default(), costs, 0), 0.0);
    }
}
