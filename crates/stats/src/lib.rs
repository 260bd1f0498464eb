//! Statistics of match results: pure functions of counts.
//!
//! A [`Tally`] counts games, and [`Evidence`] what of them is evidence: distinct pairs of games from one opening with sides
//! swapped. [`MatchStatistics`] is what follows: score, Elo with its interval, p-values. [`sprt`] decides while a match is played,
//! [`rating`] rates many players together, and [`regression`] fits
//! weights to results.
//!
//! ```
//! use tictune_stats::{Evidence, MatchStatistics, Tally};
//!
//! // 40 pairs of games, by the points of the first player: 0, 1/2, 1, 3/2, 2.
//! let pairs = Evidence::Pairs([2, 5, 12, 11, 10]);
//! let games = Tally { wins: 42, draws: 18, losses: 20 };
//! let found = MatchStatistics::of(&games, &pairs);
//! assert!(found.p.unwrap() < 0.01 && found.elo_low.unwrap() > 0.0);
//! ```

mod evidence;
pub mod rating;
pub mod regression;
pub mod sprt;

use serde::{Deserialize, Serialize};
use statrs::distribution::{Binomial, DiscreteCDF};

pub use evidence::Evidence;

/// Differences with a p-value below this are called shown.
pub const SIGNIFICANCE: f64 = 0.05;

/// Why there is no verdict of games that repeat others: see [`MatchStatistics::p`].
#[doc(hidden)]
pub const DIFFERENT_SIDES: &str =
    "all games together and those that repeat no other point to different sides";

/// Counts of games from one side's view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Tally {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Tally {
    /// One game, which was won.
    pub const WIN: Self = Self { wins: 1, draws: 0, losses: 0 };
    /// One game, which was drawn.
    pub const DRAW: Self = Self { wins: 0, draws: 1, losses: 0 };
    /// One game, which was lost.
    pub const LOSS: Self = Self { wins: 0, draws: 0, losses: 1 };

    /// The number of games; counts that nobody could play stay at the greatest number.
    pub const fn games(&self) -> u64 {
        self.wins.saturating_add(self.draws).saturating_add(self.losses)
    }

    /// The share of points, 0 to 1, where a draw is half a point. NaN without games.
    pub fn score(&self) -> f64 {
        (self.wins as f64 + 0.5 * self.draws as f64) / self.games() as f64
    }

    /// The same games from the other side's view.
    #[must_use]
    pub const fn reversed(&self) -> Self {
        Self { wins: self.losses, draws: self.draws, losses: self.wins }
    }

    /// The sum of both counts.
    #[must_use]
    pub const fn plus(&self, other: &Self) -> Self {
        Self {
            wins: self.wins.saturating_add(other.wins),
            draws: self.draws.saturating_add(other.draws),
            losses: self.losses.saturating_add(other.losses),
        }
    }
}

/// A difference in strength in Elo with its 95 % interval; `None` stands for infinity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Elo {
    /// The estimate.
    pub elo: Option<f64>,
    /// The lower end.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

/// The 97.5 % quantile of the standard normal distribution.
pub const Z95: f64 = 1.959_963_984_540_054;

/// The Elo difference that gives an expected score s: 400 log10(s / (1 - s)). `None` unless 0 < s < 1.
pub fn elo_of_score(score: f64) -> Option<f64> {
    (score > 0.0 && score < 1.0).then(|| 400.0 * (score / (1.0 - score)).log10())
}

/// The 95 % Wilson score interval of a share of trials, whose number may be a fraction, above 0.
pub fn wilson_interval(share: f64, n: f64) -> (f64, f64) {
    let z2 = Z95 * Z95;
    let centre = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = Z95 / (1.0 + z2 / n) * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    // At the ends the formula gives 0 and 1 only up to rounding.
    let low = if share <= 0.0 { 0.0 } else { (centre - half).max(0.0) };
    let high = if share >= 1.0 { 1.0 } else { (centre + half).min(1.0) };
    (low, high)
}

/// Liang's p-value (Table 2.8 and later tables): the probability of strictly more wins than observed if each decisive game were
/// a coin toss. Draws are ignored. `None` without decisive games.
pub fn p_of_liang(tally: &Tally) -> Option<f64> {
    let decisive = tally.wins + tally.losses;
    (decisive > 0).then(|| upper_tail(decisive, tally.wins + 1))
}

/// Lifshitz's p-value: the two-sided binomial test of one half over all games, of wins and half the draws, rounded down.
pub fn p_of_lifshitz(tally: &Tally) -> Option<f64> {
    let games = tally.games();
    let wins = tally.wins + tally.draws / 2;
    // The coin is symmetric, so both tails together are twice the smaller one.
    (games > 0).then(|| (2.0 * upper_tail(games, wins.max(games - wins))).min(1.0))
}

/// Holm's correction: p-values that can each be compared with the significance level of the whole family.
///
/// Source: Holm, "A simple sequentially rejective multiple test procedure", 1979.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut largest: f64 = 0.0;
    for (rank, &index) in order.iter().enumerate() {
        largest = largest.max((p_values.len() - rank) as f64 * p_values[index]).min(1.0);
        adjusted[index] = largest;
    }
    adjusted
}

/// A p-value as people read it. One too small for a float is not printed as zero, which no p-value is.
#[doc(hidden)]
pub fn p_in_words(value: Option<f64>) -> String {
    match value {
        None => "none".into(),
        Some(p) if p < 1e-300 => "< 1e-300".into(),
        Some(p) if p < 0.001 => format!("{p:.1e}"),
        Some(p) => format!("{p:.3}"),
    }
}

/// A p-value with its sign: "p = 0.031", "p < 1e-300".
#[doc(hidden)]
pub fn p_equals(p: f64) -> String {
    let text = p_in_words(Some(p));
    if text.starts_with('<') { format!("p {text}") } else { format!("p = {text}") }
}

/// P(X >= k) for n tosses of a fair coin.
fn upper_tail(n: u64, k: u64) -> f64 {
    match (k, Binomial::new(0.5, n)) {
        (0, _) => 1.0,
        (_, Ok(tosses)) if k <= n => tosses.sf(k - 1),
        _ => 0.0,
    }
}

/// The statistics of a match.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchStatistics {
    /// The share of points in all games, 0 to 1.
    pub score: f64,
    /// The Elo difference by the evidence; null if it is infinite.
    pub elo: Option<f64>,
    /// The lower end of its 95 % interval.
    pub elo_low: Option<f64>,
    /// The upper end.
    pub elo_high: Option<f64>,
    /// Likelihood of superiority: see [`Evidence::los`].
    pub los: f64,
    /// Liang's p-value of all games: see [`p_of_liang`].
    pub p_value: Option<f64>,
    /// Lifshitz's p-value of all games: see [`p_of_lifshitz`].
    pub p_value_two_sided: Option<f64>,
    /// The two-sided p-value that decides: see [`Evidence::p`]. Null where there is no verdict: without evidence, and where
    /// all games together and the evidence point to different sides.
    pub p: Option<f64>,
}

impl MatchStatistics {
    /// The statistics of a match: results of all games, and what of them is evidence.
    pub fn of(tally: &Tally, evidence: &Evidence) -> Self {
        let Elo { elo, low, high } = evidence.elo();
        let (all, distinct) = (tally.score() - 0.5, evidence.score() - 0.5);
        let agree = all * distinct >= 0.0;
        Self {
            score: tally.score(),
            elo,
            elo_low: low,
            elo_high: high,
            los: evidence.los(),
            p_value: p_of_liang(tally),
            p_value_two_sided: p_of_lifshitz(tally),
            p: evidence.p().filter(|_| agree),
        }
    }

    /// The same without p-values, for games that are no evidence.
    #[must_use]
    pub const fn without_p_values(self) -> Self {
        Self { p_value: None, p_value_two_sided: None, p: None, ..self }
    }
}

/// The quantile of sorted values at a share `q` (0 to 1), interpolated linearly. NaN without values.
pub fn quantile(sorted: &[f64], q: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let at = q.clamp(0.0, 1.0) * last as f64;
    let (low, high) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    low + (high - low) * at.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn tally(wins: u64, draws: u64, losses: u64) -> Tally {
        Tally { wins, draws, losses }
    }

    pub(crate) fn close(value: f64, expected: f64, tolerance: f64) {
        assert!((value - expected).abs() <= tolerance, "{value}, expected {expected}");
    }

    #[test]
    fn known_answers_of_p_values() {
        for (tally, expected, tolerance) in [
            // Liang's Table 1.1: about 0. Tables 3.4 and 4.5: wins of A2.
            (tally(41057, 22186, 36757), 0.0, 1e-12),
            (tally(123, 236, 141), 0.852_290, 5e-7),
            (tally(175, 72, 253), 0.999_904_776, 5e-10),
            (tally(277, 97, 126), 8.881_78e-15, 1e-15),
            (tally(255, 80, 165), 4.153_38e-6, 5e-12),
            // More than three wins of three are impossible.
            (tally(3, 0, 0), 0.0, 0.0),
            (tally(2, 0, 1), 0.125, 1e-12),
            (tally(0, 0, 3), 0.875, 1e-12),
        ] {
            close(p_of_liang(&tally).unwrap(), expected, tolerance);
        }
        assert_eq!(p_of_liang(&tally(0, 10, 0)), None);
        for (tally, expected, tolerance) in [
            (tally(43, 1, 56), 0.1933, 5e-5),
            (tally(52, 1, 47), 0.7644, 5e-5),
            (tally(50, 0, 50), 1.0, 0.0),
            (tally(0, 0, 3), 0.25, 1e-12),
        ] {
            close(p_of_lifshitz(&tally).unwrap(), expected, tolerance);
        }
        assert_eq!(p_of_lifshitz(&tally(0, 0, 0)), None);
    }

    #[test]
    fn known_answers_of_elo_holm_and_quantiles() {
        close(elo_of_score(0.75).unwrap(), 190.848_501_9, 1e-6);
        assert_eq!(elo_of_score(0.5), Some(0.0));
        for (value, expected) in holm(&[0.01, 0.04, 0.03, 0.5]).iter().zip([0.04, 0.09, 0.09, 0.5])
        {
            close(*value, expected, 1e-12);
        }
        assert!(holm(&[]).is_empty());
        let values = [1.0, 2.0, 3.0, 10.0];
        for (q, expected) in [(0.0, 1.0), (0.5, 2.5), (1.0, 10.0)] {
            assert_eq!(quantile(&values, q), expected);
        }
        assert!(quantile(&[], 0.5).is_nan());
    }
}
