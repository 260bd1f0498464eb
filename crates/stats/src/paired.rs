//! Estimates from weighted units, such as blocks of games, and comparisons of two players that played the same units.

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::{Tally, wilson_interval};

/// The value of a unit and its weight: the number of games that it stands for.
pub type Unit = (f64, f64);

/// The mean of independent units with its standard error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The weighted mean.
    pub mean: f64,
    /// Its standard error: 0 if all units have the same value.
    pub standard_error: f64,
    /// The number of units.
    pub units: u64,
}

impl Estimate {
    /// The estimate from units whose variance is inversely proportional to their weight. `None` for fewer than two units.
    pub fn of(units: &[Unit]) -> Option<Self> {
        let total: f64 = units.iter().map(|(_, weight)| weight).sum();
        if units.len() < 2 || total <= 0.0 {
            return None;
        }
        let mean = units.iter().map(|(value, weight)| value * weight).sum::<f64>() / total;
        let squares: f64 =
            units.iter().map(|(value, weight)| weight * (value - mean).powi(2)).sum();
        let standard_error = (squares / (units.len() as f64 - 1.0) / total).sqrt();
        Some(Self { mean, standard_error, units: units.len() as u64 })
    }

    /// The 95 % interval of a share of points, 0 to 1. If all units have the same value, it is the Wilson interval over `games`.
    pub fn interval_of_share(&self, games: u64) -> (f64, f64) {
        let student = StudentsT::new(0.0, 1.0, self.units as f64 - 1.0);
        let half = student.map_or(f64::INFINITY, |t| t.inverse_cdf(0.975) * self.standard_error);
        if half > 0.0 {
            ((self.mean - half).max(0.0), (self.mean + half).min(1.0))
        } else {
            wilson_interval(self.mean, games)
        }
    }
}

/// The most units for which all directions are tried.
const MOST_UNITS: usize = 16;

/// The two-sided p-value of the sum of units, each its value times its weight: the probability of a sum at least as far from 0,
/// if a coin decides the sign of each. Exact up to 16 units; beyond, from 65,535 draws that are the same every time. 1 without
/// units.
///
/// CITE: Fisher, "The Design of Experiments", 1935, section 21; Phipson and Smyth, "Permutation P-values should never be
/// zero", Stat. Appl. Genet. Mol. Biol. 9, 2010.
pub fn p_of_signs(units: &[Unit]) -> f64 {
    let parts: Vec<f64> = units.iter().map(|(value, weight)| value * weight).collect();
    let sum = |signs: &dyn Fn(usize) -> bool| {
        let signed = parts.iter().enumerate().map(|(i, part)| if signs(i) { *part } else { -part });
        signed.sum::<f64>().abs()
    };
    // Sums that are equal but for rounding are as far.
    let seen = sum(&|_| true) - 1e-9 * parts.iter().map(|part| part.abs()).sum::<f64>();
    if parts.len() <= MOST_UNITS {
        let all = 1_u32 << parts.len();
        let extreme = (0..all).filter(|signs| sum(&|i| signs >> i & 1 == 1) >= seen).count();
        return extreme as f64 / f64::from(all);
    }
    const DRAWS: u32 = u16::MAX as u32;
    let mut coins = Xoshiro256PlusPlus::seed_from_u64(0);
    let extreme = (0..DRAWS).filter(|_| {
        let tosses: Vec<u64> = (0..parts.len().div_ceil(64)).map(|_| coins.next_u64()).collect();
        sum(&|i| tosses[i / 64] >> (i % 64) & 1 == 1) >= seen
    });
    (extreme.count() as f64 + 1.0) / (f64::from(DRAWS) + 1.0)
}

/// The standard error of the total cost of games, from the variance among them. `costs` are the costs of a win, a draw and a
/// loss. Games that were played several times count once: `distinct` is the number of different games. 0 without games.
///
/// The games are treated as independent draws from one distribution. The true error is usually smaller, because sides are
/// swapped within a pair and every opponent has a fixed share of the games.
pub fn standard_error_of_cost(tally: &Tally, costs: [f64; 3], distinct: u64) -> f64 {
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
    use crate::tests::close;

    #[test]
    fn estimates_of_known_answers() {
        // Student's sleep data (1908): ten paired differences, mean 1.58, t = 4.0621. Nine go one way, one is 0.
        let sleep = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4];
        let units = sleep.map(|hours| (hours, 1.0));
        let estimate = Estimate::of(&units).unwrap();
        close(estimate.mean, 1.58, 1e-12);
        close(estimate.mean / estimate.standard_error, 4.0621, 5e-5);
        close(p_of_signs(&units), 0.5_f64.powi(8), 1e-12);
        let scaled = Estimate::of(&sleep.map(|hours| (hours, 20.0))).unwrap();
        close(scaled.standard_error, estimate.standard_error, 1e-12);
        // A unit of twice the weight is not two units.
        let two = Estimate::of(&[(0.25, 2.0), (0.75, 1.0)]).unwrap();
        assert_eq!((two.mean * 12.0, two.units), (5.0, 2));
        assert_eq!(Estimate::of(&[(0.5, 10.0)]), None);
        assert_eq!(Estimate::of(&[(0.5, 0.0), (0.5, 0.0)]), None);
        let all_won = Estimate::of(&[(1.0, 2.0); 10]).unwrap();
        assert_eq!(all_won.interval_of_share(20), wilson_interval(1.0, 20));
        close(p_of_signs(&[(1.0, 2.0); 10]), 0.5_f64.powi(9), 1e-15);
        assert_eq!((p_of_signs(&[(0.0, 2.0); 10]), p_of_signs(&[])), (1.0, 1.0));
    }

    #[test]
    fn draws_of_signs_come_near_all_of_them() {
        // The same units once with a unit of value 0 more than can be tried one by one.
        let mut units: Vec<Unit> = (0..16).map(|i| (0.4 - f64::from(i % 3) * 0.3, 1.0)).collect();
        let exact = p_of_signs(&units);
        units.push((0.0, 1.0));
        let drawn = p_of_signs(&units);
        assert!((drawn - exact).abs() < 0.01 && exact > 0.1 && exact < 0.9, "{drawn} {exact}");
        assert_eq!(p_of_signs(&units), drawn);
    }

    #[test]
    fn intervals_hold_the_true_share_nineteen_times_in_twenty() {
        // Twelve blocks of tosses of a fair coin, of two sizes.
        let mut coins = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut toss = || (coins.next_u64() >> 63) as f64;
        let mut holds = || {
            let mut share = |size: u32| (0..size).map(|_| toss()).sum::<f64>() / f64::from(size);
            let sizes = [10, 10, 10, 10, 10, 10, 20, 20, 20, 20, 20, 20];
            let units = sizes.map(|size| (share(size), size.into()));
            let (low, high) = Estimate::of(&units).unwrap().interval_of_share(180);
            low <= 0.5 && 0.5 <= high
        };
        let held = (0..2000).filter(|_| holds()).count();
        assert!((1860..1940).contains(&held), "{held} of 2000");
    }

    #[test]
    fn the_error_of_a_cost_is_that_of_its_games() {
        // 400 coins: the number of heads has a standard deviation of 10.
        let (even, costs) = (Tally { wins: 200, draws: 0, losses: 200 }, [0.0, 0.5, 1.0]);
        close(standard_error_of_cost(&even, costs, 400), 10.0, 0.02);
        close(standard_error_of_cost(&even, costs, 100), 20.0, 0.04);
        let sweep = Tally { wins: 400, draws: 0, losses: 0 };
        assert!((0.1..1.5).contains(&standard_error_of_cost(&sweep, costs, 400)));
        assert_eq!(standard_error_of_cost(&Tally::default(), costs, 0), 0.0);
    }
}
