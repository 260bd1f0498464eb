//! Statistics of match results: pure functions of counts.

mod homogeneity;
mod normalised;
pub mod paired;
pub mod rating;
pub mod regression;
pub mod sprt;

use serde::{Deserialize, Serialize};
use statrs::distribution::{Binomial, ContinuousCDF, DiscreteCDF, Normal};

pub use homogeneity::{chi_squared_yates, holm, homogeneity, p_value_of_lead};
pub use normalised::normalised_elo;

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
    /// The number of games.
    #[must_use]
    pub const fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Whether these are so many games, whatever the counts are.
    #[must_use]
    pub(crate) fn has_games(&self, games: u64) -> bool {
        let sum = self.wins.checked_add(self.draws).and_then(|sum| sum.checked_add(self.losses));
        sum == Some(games)
    }

    /// The share of points, 0 to 1, where a draw is half a point. NaN without games.
    #[must_use]
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
const Z95: f64 = 1.959_963_984_540_054;

/// The Elo difference that gives an expected score s: 400 log10(s / (1 - s)). `None` unless 0 < s <
/// 1.
#[must_use]
pub fn elo_of_score(score: f64) -> Option<f64> {
    (score > 0.0 && score < 1.0).then(|| 400.0 * (score / (1.0 - score)).log10())
}

/// The 95 % interval of a score. `values` holds the scores of independent units and how often each
/// occurred.
///
/// It is the normal approximation with the sample variance. If the sample has no variance (only
/// wins, say), that interval would have length zero, and the Wilson interval over `games` is used
/// instead.
fn score_interval(values: &[(f64, u64)], games: u64) -> (f64, f64) {
    let units: u64 = values.iter().map(|(_, count)| count).sum();
    let n = units as f64;
    let mean = values.iter().map(|(value, count)| value * *count as f64).sum::<f64>() / n;
    let squares = values.iter().map(|(v, count)| (v - mean).powi(2) * *count as f64).sum::<f64>();
    let half = Z95 * (squares / n / n).sqrt();
    if half > 0.0 { (mean - half, mean + half) } else { wilson_interval(mean, games) }
}

/// The 95 % Wilson score interval of a share of `n` trials; 0 to 1 without trials.
#[must_use]
pub fn wilson_interval(share: f64, n: u64) -> (f64, f64) {
    if n == 0 {
        return (0.0, 1.0);
    }
    let (n, z2) = (n as f64, Z95 * Z95);
    let centre = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = Z95 / (1.0 + z2 / n) * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    // At the ends the formula gives 0 and 1 only up to rounding.
    let low = if share <= 0.0 { 0.0 } else { (centre - half).max(0.0) };
    let high = if share >= 1.0 { 1.0 } else { (centre + half).min(1.0) };
    (low, high)
}

/// The Elo difference of a match. `pairs` counts the pairs of games that scored 0, 1/2, 1, 3/2 and
/// 2 points. With it, the interval is computed from pairs, since the two games of a pair share
/// their opening and are not independent. Without it, the interval is computed from single games.
#[must_use]
pub fn elo(tally: &Tally, pairs: Option<&[u64; 5]>) -> Elo {
    if tally.games() == 0 {
        return Elo { elo: None, low: None, high: None };
    }
    let (low, high) = match pairs {
        Some(pairs) => {
            let values: Vec<(f64, u64)> = pairs
                .iter()
                .enumerate()
                .map(|(points, &count)| (points as f64 / 4.0, count))
                .collect();
            score_interval(&values, tally.games())
        }
        None => score_interval(
            &[(0.0, tally.losses), (0.5, tally.draws), (1.0, tally.wins)],
            tally.games(),
        ),
    };
    Elo { elo: elo_of_score(tally.score()), low: elo_of_score(low), high: elo_of_score(high) }
}

/// Likelihood of superiority: the probability that the side with these results is the stronger one,
/// by the normal approximation over decisive games. One half without decisive games.
#[must_use]
pub fn los(tally: &Tally) -> f64 {
    let decisive = (tally.wins + tally.losses) as f64;
    if decisive == 0.0 {
        return 0.5;
    }
    Normal::standard().cdf((tally.wins as f64 - tally.losses as f64) / decisive.sqrt())
}

/// Liang's p-value (Table 2.8 and later tables): the probability of strictly more wins than
/// observed if each decisive game were a coin toss. Draws are ignored. `None` without decisive
/// games.
#[must_use]
pub fn p_value(tally: &Tally) -> Option<f64> {
    let decisive = tally.wins + tally.losses;
    (decisive > 0).then(|| upper_tail(decisive, tally.wins + 1))
}

/// Lifshitz's p-value: the two-sided binomial test of one half over all games. Draws count as half
/// wins, and the sum is rounded down to whole wins. `None` without games.
#[must_use]
pub fn p_value_two_sided(tally: &Tally) -> Option<f64> {
    let games = tally.games();
    let wins = tally.wins + tally.draws / 2;
    // The coin is symmetric, so both tails together are twice the smaller one.
    (games > 0).then(|| (2.0 * upper_tail(games, wins.max(games - wins))).min(1.0))
}

/// Like [`p_value_two_sided`], but the same from both sides: a remaining half point is taken from
/// the side that leads. `None` without games.
#[must_use]
pub fn p_value_either_side(tally: &Tally) -> Option<f64> {
    let games = tally.games();
    let most = (2 * tally.wins.max(tally.losses) + tally.draws) / 2;
    (games > 0).then(|| (2.0 * upper_tail(games, most)).min(1.0))
}

/// The two-sided binomial test of one half over decided games: how often a coin would favour either
/// side at least this much. It looks at the games that Liang's [`p_value`] looks at. `None` without
/// decided games.
#[must_use]
pub fn p_value_of_decided(tally: &Tally) -> Option<f64> {
    p_value_either_side(&Tally { draws: 0, ..*tally })
}

/// A p-value as people read it. One too small for a float is not printed as zero, which no p-value is.
#[must_use]
pub(crate) fn p_in_words(value: Option<f64>) -> String {
    match value {
        None => "none".into(),
        Some(p) if p < 1e-300 => "< 1e-300".into(),
        Some(p) if p < 0.001 => format!("{p:.1e}"),
        Some(p) => format!("{p:.3}"),
    }
}

/// A p-value with its sign: "p = 0.031", "p < 1e-300".
#[must_use]
pub(crate) fn p_equals(p: f64) -> String {
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
pub struct Figures {
    /// The share of points, 0 to 1.
    pub score: f64,
    /// The Elo difference; null if it is infinite.
    pub elo: Option<f64>,
    /// The lower end of its 95 % interval.
    pub elo_low: Option<f64>,
    /// The upper end.
    pub elo_high: Option<f64>,
    /// Likelihood of superiority.
    pub los: f64,
    /// Liang's p-value; see [`p_value`].
    pub p_value: Option<f64>,
    /// The two-sided p-value, the same from both sides; see [`p_value_either_side`].
    pub p_value_two_sided: Option<f64>,
}

impl Figures {
    /// The statistics of a match; `pairs` as in [`elo`].
    #[must_use]
    pub fn of(tally: &Tally, pairs: Option<&[u64; 5]>) -> Self {
        let Elo { elo, low, high } = elo(tally, pairs);
        Self {
            score: tally.score(),
            elo,
            elo_low: low,
            elo_high: high,
            los: los(tally),
            p_value: p_value(tally),
            p_value_two_sided: p_value_either_side(tally),
        }
    }

    /// The same without p-values, for games that are no evidence.
    #[must_use]
    pub const fn without_p_values(self) -> Self {
        Self { p_value: None, p_value_two_sided: None, ..self }
    }
}

/// The quantile of sorted values at a share `q` (0 to 1), interpolated linearly. NaN without
/// values.
#[must_use]
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

    fn close(value: f64, expected: f64, tolerance: f64) {
        assert!((value - expected).abs() <= tolerance, "{value}, expected {expected}");
    }

    #[test]
    fn a_p_value_alike_for_both_sides_gives_the_leader_no_half_point() {
        for (wins, draws, losses) in [(15, 1, 4), (520, 41, 439), (3, 5, 3), (0, 1, 0), (7, 0, 2)] {
            let tally = Tally { wins, draws, losses };
            let mirror = Tally { wins: losses, draws, losses: wins };
            let p = p_value_either_side(&tally).unwrap();
            assert_eq!(p_value_either_side(&mirror), Some(p));
            let [leader, other] = [tally, mirror].map(|view| p_value_two_sided(&view).unwrap());
            assert!((leader - p).abs() < 1e-9, "the leader's view is Lifshitz's");
            assert!(other <= p + 1e-9);
        }
        assert_eq!(p_value_either_side(&Tally::default()), None);
        // The order of the agents of a match changes no p-value.
        let p = |wins, losses| Figures::of(&tally(wins, 23, losses), None).p_value_two_sided;
        assert_eq!(p(76, 101), p(101, 76));
        close(p(76, 101).unwrap(), 0.104, 5e-4);
    }

    #[test]
    fn known_answers_of_liang() {
        // Table 1.1: about 0. Tables 3.4 and 4.5: wins of A2.
        close(p_value(&tally(41057, 22186, 36757)).unwrap(), 0.0, 1e-12);
        close(p_value(&tally(123, 236, 141)).unwrap(), 0.852_290, 5e-7);
        close(p_value(&tally(175, 72, 253)).unwrap(), 0.999_904_776, 5e-10);
        close(p_value(&tally(277, 97, 126)).unwrap(), 8.881_78e-15, 1e-15);
        close(p_value(&tally(255, 80, 165)).unwrap(), 4.153_38e-6, 5e-12);
        assert_eq!(p_value(&tally(0, 10, 0)), None);
    }

    #[test]
    fn known_answers_of_lifshitz() {
        close(p_value_two_sided(&tally(43, 1, 56)).unwrap(), 0.1933, 5e-5);
        close(p_value_two_sided(&tally(52, 1, 47)).unwrap(), 0.7644, 5e-5);
        assert_eq!(p_value_two_sided(&tally(50, 0, 50)), Some(1.0));
        assert_eq!(p_value_two_sided(&tally(0, 0, 0)), None);
    }

    #[test]
    fn tails_are_exact_for_small_matches() {
        // Three wins of three: more wins are impossible, and the probability of at least three is
        // 1/8.
        assert_eq!(p_value(&tally(3, 0, 0)), Some(0.0));
        close(p_value(&tally(2, 0, 1)).unwrap(), 0.125, 1e-12);
        close(p_value(&tally(0, 0, 3)).unwrap(), 0.875, 1e-12);
        close(p_value_two_sided(&tally(3, 0, 0)).unwrap(), 0.25, 1e-12);
        close(p_value_two_sided(&tally(0, 0, 3)).unwrap(), 0.25, 1e-12);
    }

    #[test]
    fn draws_say_nothing_to_the_test_of_decided_games() {
        // The smallest sweep that shows a difference is one of six games.
        close(p_value_of_decided(&tally(5, 90, 0)).unwrap(), 0.0625, 1e-12);
        close(p_value_of_decided(&tally(0, 9, 6)).unwrap(), 0.03125, 1e-12);
        close(p_value_of_decided(&tally(2, 0, 0)).unwrap(), 0.5, 1e-12);
        assert_eq!(p_value_of_decided(&tally(0, 9, 0)), None);
    }

    #[test]
    fn elo_known_answers() {
        close(elo_of_score(0.75).unwrap(), 190.848_501_9, 1e-6);
        assert_eq!(elo_of_score(0.5), Some(0.0));
        let even = elo(&tally(40, 20, 40), None);
        assert_eq!(even.elo, Some(0.0));
        // Standard error of the score: sqrt(0.8 * 0.25 / 100).
        let half = Z95 * (0.2_f64 / 100.0).sqrt();
        close(even.high.unwrap(), elo_of_score(0.5 + half).unwrap(), 1e-9);
        close(even.low.unwrap(), -even.high.unwrap(), 1e-9);
    }

    #[test]
    fn elo_of_clean_sweeps_is_open_at_one_end() {
        for pairs in [None, Some([0, 0, 0, 0, 50])] {
            let sweep = elo(&tally(100, 0, 0), pairs.as_ref());
            assert_eq!((sweep.elo, sweep.high), (None, None));
            close(sweep.low.unwrap(), elo_of_score(1.0 / (1.0 + Z95 * Z95 / 100.0)).unwrap(), 1e-9);
        }
        let lost = elo(&tally(0, 0, 100), None);
        assert_eq!((lost.elo, lost.low), (None, None));
        assert!(lost.high.unwrap() < 0.0);
        let drawn = elo(&tally(0, 100, 0), None);
        assert_eq!(drawn.elo, Some(0.0));
        assert!(drawn.low.unwrap() < -50.0, "an interval without variance is not a point");
    }

    #[test]
    fn pairs_that_always_split_narrow_the_interval() {
        let single = elo(&tally(50, 0, 50), None);
        let mixed = elo(&tally(50, 0, 50), Some(&[5, 0, 40, 0, 5]));
        assert!(mixed.high < single.high);
    }

    #[test]
    fn likelihood_of_superiority() {
        assert_eq!(los(&tally(0, 9, 0)), 0.5);
        close(los(&tally(60, 0, 40)), 0.977_249_868, 1e-8);
        close(los(&tally(60, 0, 40)) + los(&tally(40, 7, 60)), 1.0, 1e-12);
    }

    #[test]
    fn quantiles() {
        let values = [1.0, 2.0, 3.0, 10.0];
        assert_eq!(quantile(&values, 0.0), 1.0);
        assert_eq!(quantile(&values, 0.5), 2.5);
        assert_eq!(quantile(&values, 1.0), 10.0);
        assert!(quantile(&[], 0.5).is_nan());
    }
}
