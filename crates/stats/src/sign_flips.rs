//! Fisher's exact test of signs that a coin decides, for units that are one or two steps from the middle.

use statrs::function::factorial::ln_binomial;

/// The probability that the sum of steps is at least `sum` away from 0, up or down, where a coin decides for each unit whether
/// its steps go up or down. So many units are one and two steps long.
pub(super) fn chance_of_points([ones, twos]: [u64; 2], sum: f64) -> f64 {
    if sum == 0.0 {
        return 1.0;
    }
    let tails = tails(ones);
    let up = chances(twos).into_iter().enumerate().map(|(up, chance)| {
        let of_twos = 2.0 * (2.0 * up as f64 - twos as f64);
        // How many of the others have to go up, for the sum to be reached.
        let needed = ((sum - of_twos + ones as f64) / 2.0).ceil().max(0.0) as usize;
        chance * tails.get(needed).copied().unwrap_or(0.0)
    });
    (2.0 * up.sum::<f64>()).min(1.0)
}

/// How probable each number of heads is, in so many tosses of a coin.
fn chances(tosses: u64) -> Vec<f64> {
    let middle = tosses / 2;
    let mut chances = vec![0.0; tosses as usize + 1];
    // From the middle outwards, where the ratio of neighbours is exact and nothing overflows.
    let mut chance =
        libm::exp(ln_binomial(tosses, middle) - tosses as f64 * std::f64::consts::LN_2);
    for heads in middle..=tosses {
        chances[heads as usize] = chance;
        chances[(tosses - heads) as usize] = chance;
        chance *= (tosses - heads) as f64 / (heads + 1) as f64;
    }
    chances
}

/// How probable at least each number of heads is, in so many tosses of a coin.
fn tails(tosses: u64) -> Vec<f64> {
    let mut tails = chances(tosses);
    for heads in (0..tosses as usize).rev() {
        tails[heads] += tails[heads + 1];
    }
    tails
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All ways in which the coins may fall, one by one.
    fn twin(ones: u32, twos: u32, sum: i64) -> f64 {
        let all = 1_u64 << (ones + twos);
        let extreme = (0..all).filter(|coins| {
            let steps = |toss: u32| if toss < ones { 1 } else { 2 };
            let signed =
                |toss: u32| if coins >> toss & 1 == 1 { steps(toss) } else { -steps(toss) };
            (0..ones + twos).map(signed).sum::<i64>().abs() >= sum
        });
        extreme.count() as f64 / all as f64
    }

    #[test]
    fn chances_are_those_of_all_ways_in_which_the_coins_fall() {
        for (ones, twos) in [(0, 0), (1, 0), (0, 1), (5, 0), (0, 6), (4, 5), (7, 3), (1, 9)] {
            for sum in 0..=i64::from(ones + 2 * twos) {
                let chance = chance_of_points([ones.into(), twos.into()], sum as f64);
                let expected = twin(ones, twos, sum);
                assert!(
                    (chance - expected).abs() < 1e-12,
                    "{ones} {twos} {sum}: {chance}, {expected}"
                );
            }
        }
    }

    #[test]
    fn many_units_come_near_the_normal_distribution() {
        use statrs::distribution::{ContinuousCDF, Normal};
        // Two standard deviations; the sums are two apart, so that half of a step of two is added.
        for (ones, twos) in [(10_000, 5_000), (1_000_000, 0), (2_000, 2_000_000)] {
            let deviation = (ones as f64 + 4.0 * twos as f64).sqrt();
            let sum = (deviation).ceil() * 2.0;
            let expected = 2.0 * Normal::standard().sf((sum - 1.0) / deviation);
            let chance = chance_of_points([ones, twos], sum);
            assert!((chance / expected - 1.0).abs() < 1e-3, "{chance}, {expected}");
        }
        assert_eq!(chance_of_points([0, 5_000], 10_000.0), 0.0, "too small for a float");
    }
}
