//! The evidence of a match: how often its independent units came out which way, and what follows from that.
//!
//! Where games are paired, a unit is a pair of games from one opening with sides swapped. The games of a pair share their
//! opening, and often luck, so that they are not independent of each other. Where games are not paired, a unit is a game.
//!
//! The p-value is exact. If both sides are equally strong, each unit might as well have come out the other way round: the
//! results of units are symmetric around one half. The two-sided p-value is the probability of points at least as far from
//! one half of them, if each unit keeps the size of its result and a coin decides its direction. The 95 % interval of the
//! score is Wilson's, for as many games as the variance among the units says that they are worth. It agrees with the p-value:
//! it contains one half if and only if p is at least 0.05.
//!
//! Normalised Elo, the likelihood of superiority and the errors of [`Evidence::normal_errors`] are the normal approximations
//! that fastchess and fishtest print, so that figures can be compared.
//!
//! Source: Fisher, "The Design of Experiments", 1935, section 21 (the test); Wilson, "Probable inference, the law of
//! succession, and statistical inference", J. Am. Stat. Assoc. 22, 1927; Van den Bergh, "Normalized Elo"
//! (cantate.be/Fishtest/normalized_elo_practical.pdf).

use std::array;

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal};
use statrs::function::factorial::ln_binomial;

use super::{Elo, SIGNIFICANCE, Z95, elo_of_score, wilson_interval};

/// How often the units of a match came out which way, the worst result first, from one side's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// Pairs of games that scored 0, 1/2, 1, 3/2 and 2 points.
    Pairs([u64; 5]),
    /// Games that were lost, drawn and won.
    Games([u64; 3]),
}

impl Evidence {
    /// The counts, worst first.
    pub const fn counts(&self) -> &[u64] {
        match self {
            Self::Pairs(counts) => counts,
            Self::Games(counts) => counts,
        }
    }

    /// The counts of both. Of different units, those of the first alone.
    pub fn plus(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Pairs(a), Self::Pairs(b)) => Self::Pairs(array::from_fn(|i| a[i] + b[i])),
            (Self::Games(a), Self::Games(b)) => Self::Games(array::from_fn(|i| a[i] + b[i])),
            (first, _) => *first,
        }
    }

    /// The number of units.
    pub fn units(&self) -> u64 {
        self.counts().iter().sum()
    }

    /// The counts of the pairs, where games are paired.
    pub const fn pairs(&self) -> Option<[u64; 5]> {
        match self {
            Self::Pairs(pairs) => Some(*pairs),
            Self::Games(_) => None,
        }
    }

    /// The number of games.
    pub fn games(&self) -> u64 {
        self.units() * self.games_of_unit() as u64
    }

    pub(super) const fn games_of_unit(&self) -> f64 {
        match self {
            Self::Pairs(_) => 2.0,
            Self::Games(_) => 1.0,
        }
    }

    /// The share of points of each result, 0 to 1, with its count.
    pub(super) fn shares(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let best = (self.counts().len() - 1) as f64;
        self.counts().iter().enumerate().map(move |(i, &count)| (i as f64 / best, count as f64))
    }

    /// The share of points, 0 to 1. NaN without units.
    pub fn score(&self) -> f64 {
        self.shares().map(|(share, count)| share * count).sum::<f64>() / self.units() as f64
    }

    /// The variance of the score of a unit, with `lost` and `won` units added at the ends.
    fn variance(&self, lost: f64, won: f64) -> f64 {
        let units = self.units() as f64 + lost + won;
        let all = || self.shares().chain([(0.0, lost), (1.0, won)]);
        let mean = all().map(|(share, count)| share * count).sum::<f64>() / units;
        all().map(|(share, count)| (share - mean).powi(2) * count).sum::<f64>() / units
    }

    /// The standard error of the score, by the variance among the units.
    pub fn standard_error(&self) -> f64 {
        (self.variance(0.0, 0.0) / self.units() as f64).sqrt()
    }

    /// The two-sided p-value of a difference between both sides. `None` without units.
    pub fn p(&self) -> Option<f64> {
        let middle = self.counts().len() / 2;
        let (worse, better) = (&self.counts()[..middle], &self.counts()[middle + 1..]);
        // How many units are one step from the middle, and two; and how many steps the sum is.
        let (mut distances, mut sum) = ([0; 2], 0.0);
        for (steps, (lost, won)) in worse.iter().rev().zip(better).enumerate() {
            distances[steps] = lost + won;
            sum += (steps as f64 + 1.0) * (*won as f64 - *lost as f64);
        }
        (self.units() > 0).then(|| chance_of_points(distances, sum.abs()))
    }

    /// The 95 % interval of the score, 0 to 1. It contains one half if and only if [`p`](Self::p) is at least [`SIGNIFICANCE`].
    ///
    /// A variance of 0 is no certainty that all further units are identical. So one unit more is thought of for the variance,
    /// half lost and half won. In simulations the interval then holds the true score in 93.6 % of cases or more.
    pub fn interval(&self) -> (f64, f64) {
        let Some(p) = self.p() else { return (0.0, 1.0) };
        let (score, units) = (self.score(), self.units() as f64);
        let smoothed = (score * units + 0.5) / (units + 1.0);
        // Trials that are won or lost have the largest variance, share x (1 - share).
        let trials = units * smoothed * (1.0 - smoothed) / self.variance(0.5, 0.5);
        let (low, high) = wilson_interval(score, trials);
        match (p < SIGNIFICANCE, score > 0.5) {
            (true, true) => (low.max(0.5_f64.next_up()), high),
            (true, false) => (low, high.min(0.5_f64.next_down())),
            (false, _) => (low.min(0.5), high.max(0.5)),
        }
    }

    /// The Elo difference with its 95 % interval, that of [`interval`](Self::interval).
    pub fn elo(&self) -> Elo {
        let (low, high) = self.interval();
        Elo { elo: elo_of_score(self.score()), low: elo_of_score(low), high: elo_of_score(high) }
    }

    /// Likelihood of superiority: the probability that this side is the stronger one, by the normal approximation. Where all
    /// units came out alike, it is that of the [p-value](Self::p). One half without units.
    pub fn los(&self) -> f64 {
        let (Some(p), lead) = (self.p(), self.score() - 0.5) else { return 0.5 };
        let error = self.standard_error();
        if error > 0.0 {
            return Normal::standard().cdf(lead / error);
        }
        if lead >= 0.0 { 1.0 - p / 2.0 } else { p / 2.0 }
    }

    /// A score in normalised Elo: the lead in standard deviations of a game's score. `None` where all units came out alike.
    fn normalised(&self, score: f64) -> Option<f64> {
        // The score of a pair is the mean of two games.
        let deviation = (self.variance(0.0, 0.0) * self.games_of_unit()).sqrt();
        (deviation > 0.0).then(|| (score - 0.5) / deviation * NELO_PER_DEVIATION)
    }

    /// The normalised Elo difference with its 95 % interval, as fastchess prints it.
    pub fn normalised_elo(&self) -> Elo {
        let (score, half) = (self.score(), Z95 * self.standard_error());
        let [elo, low, high] = [0.0, -half, half].map(|by| self.normalised(score + by));
        Elo { elo, low, high }
    }

    /// Half the widths of the 95 % intervals of Elo and of normalised Elo, by the normal approximation of the score: what
    /// fastchess prints behind `+/-`. `None` where an interval is open, or where all units came out alike.
    pub fn normal_errors(&self) -> [Option<f64>; 2] {
        let (score, half) = (self.score(), Z95 * self.standard_error());
        let width =
            |at: &dyn Fn(f64) -> Option<f64>| Some((at(score + half)? - at(score - half)?) / 2.0);
        [width(&|score| elo_of_score(score)), width(&|score| self.normalised(score))]
    }
}

pub(super) const NELO_PER_DEVIATION: f64 = 800.0 / std::f64::consts::LN_10;

/// How likely the sum of steps is at least `sum` away from 0, if a coin turns each of so many steps of 1 and of 2.
fn chance_of_points([ones, twos]: [u64; 2], sum: f64) -> f64 {
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
pub(super) mod tests;
