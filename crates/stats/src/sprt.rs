//! The generalised sequential probability ratio test of a match: games are played until the result is significant.
//!
//! H0 says that A is `elo0` stronger than B, H1 that it is `elo1` stronger, in Elo or normalised Elo (see [`Model`]). After every
//! unit of [`Evidence`], the test compares the log-likelihood ratio between the best fitting distribution of results under H1
//! and the best fitting one under H0 with Wald's bounds.
//!
//! Source: Wald, "Sequential Tests of Statistical Hypotheses", Ann. Math. Stat. 16, 1945 (the bounds);
//! Li, Liu, Ying, "Generalized Sequential Probability Ratio Test for Separate Families of Hypotheses", Sequential Analysis 33, 2014;
//! Van den Bergh, "A practical introduction to the GSPRT" "The MLE of a multinomial distribution with known expectation" and "Comments
//! on Normalized Elo" (cantate.be/Fishtest), on which the test framework fishtest of the Stockfish project rests.

use std::array;

use serde::Serialize;
use strum::{Display, EnumString, VariantNames};

use super::Evidence;
use super::evidence::NELO_PER_DEVIATION;

/// Replaces a count of zero: what has not occurred is still possible, and the ratio stays finite. It is that of fishtest.
const UNSEEN: f64 = 1e-3;

/// The largest Elo difference of a hypothesis; it stands for a score of 99.7 %.
pub const MAX_ELO: f64 = 1000.0;

/// What the hypotheses of a test are about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[derive(Serialize, Display, EnumString, VariantNames)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Model {
    /// Elo: the expected score.
    #[default]
    Logistic,
    /// Normalised Elo, as fishtest and fastchess usually test: the expected lead in standard deviations of a game's score.
    Normalized,
}

/// A sequential test: its hypotheses and error rates. [`Sprt::new`] checks them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sprt {
    /// The Elo difference of A over B under H0.
    pub elo0: f64,
    /// The Elo difference under H1.
    pub elo1: f64,
    /// About how likely H1 is accepted under H0.
    pub alpha: f64,
    /// About how likely H0 is accepted under H1.
    pub beta: f64,
    /// What the hypotheses are about.
    pub model: Model,
}

/// Which hypothesis was accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Hypothesis {
    /// The difference is at most `elo0`.
    H0,
    /// The difference is at least `elo1`.
    H1,
}

/// The state of a sequential test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SprtResult {
    /// The test.
    #[serde(flatten)]
    pub test: Sprt,
    /// The log-likelihood ratio of H1 to H0, in nats.
    pub llr: f64,
    /// H0 is accepted at or below this ratio.
    pub lower: f64,
    /// H1 is accepted at or above this ratio.
    pub upper: f64,
    /// The accepted hypothesis; `None` while the test is undecided.
    pub decision: Option<Hypothesis>,
}

impl Sprt {
    /// Creates a test.
    ///
    /// # Errors
    /// If `elo0` is not below `elo1`, one of them lies beyond [`MAX_ELO`], or an error rate is not between 0 and 0.5.
    pub fn new(
        [elo0, elo1]: [f64; 2],
        [alpha, beta]: [f64; 2],
        model: Model,
    ) -> Result<Self, String> {
        let elos = [("elo0", elo0), ("elo1", elo1)];
        let rates = [("alpha", alpha), ("beta", beta)];
        let wrong_elo = elos.iter().find(|(_, elo)| !(-MAX_ELO..=MAX_ELO).contains(elo));
        let wrong_rate = rates.iter().find(|(_, rate)| !(*rate > 0.0 && *rate < 0.5));
        let error = if let Some((name, elo)) = wrong_elo {
            format!("{name}: expected an Elo difference from -{MAX_ELO} to {MAX_ELO}, found {elo}")
        } else if let Some((name, rate)) = wrong_rate {
            format!("{name}: expected a number above 0 and below 0.5, found {rate}")
        } else if elo0 >= elo1 {
            format!("elo0 must lie below elo1: {elo0} does not lie below {elo1}")
        } else {
            return Ok(Self { elo0, elo1, alpha, beta, model });
        };
        Err(error)
    }

    /// The state of the test for some evidence.
    pub fn evaluate(&self, evidence: &Evidence) -> SprtResult {
        let llr = match evidence {
            Evidence::Pairs(counts) => self.log_likelihood_ratio(counts, 2.0),
            Evidence::Games(counts) => self.log_likelihood_ratio(counts, 1.0),
        };
        // Wald's bounds.
        let lower = (self.beta / (1.0 - self.alpha)).ln();
        let upper = ((1.0 - self.beta) / self.alpha).ln();
        let decision = match llr {
            _ if llr >= upper => Some(Hypothesis::H1),
            _ if llr <= lower => Some(Hypothesis::H0),
            _ => None,
        };
        SprtResult { test: *self, llr, lower, upper, decision }
    }

    /// The log-likelihood ratio of counts, worst first, between the best fits under H1 and H0; 0 without counts.
    fn log_likelihood_ratio<const N: usize>(&self, counts: &[u64; N], games: f64) -> f64 {
        if counts.iter().all(|&count| count == 0) {
            return 0.0;
        }
        let counts = counts.map(|count| if count == 0 { UNSEEN } else { count as f64 });
        let [under0, under1] = [self.elo0, self.elo1].map(|elo| match self.model {
            // Source: Van den Bergh, "The MLE of a multinomial distribution with known expectation", Prop. 1.1.
            Model::Logistic => divisors(&counts, scores().map(|score| score - score_of_elo(elo))),
            Model::Normalized => with_lead(&counts, games.sqrt() * elo / NELO_PER_DEVIATION),
        });
        // The estimated probabilities are count / (sum x divisor), so the sum and the counts cancel.
        (0..N).map(|result| counts[result] * (under0[result] / under1[result]).ln()).sum()
    }
}

/// The expected score of a side that is `elo` stronger: 1 / (1 + 10^(-elo / 400)).
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

fn scores<const N: usize>() -> [f64; N] {
    array::from_fn(|result| result as f64 / (N - 1) as f64)
}

/// The most steps to the estimate of [`with_lead`]. It takes fewer than ten.
const MOST_STEPS: u32 = 50;

/// The divisors in the maximum-likelihood estimate of a distribution whose expected score is `lead` standard deviations
/// above one half. The condition is not linear in the probabilities: its tangent at an estimate gives the next one.
///
/// Source: Van den Bergh, "Comments on Normalized Elo", Prop. 1.3.
fn with_lead<const N: usize>(counts: &[f64; N], lead: f64) -> [f64; N] {
    let sum: f64 = counts.iter().sum();
    let (scores, mut found) = (scores::<N>(), counts.map(|count| N as f64 * count / sum));
    for _ in 0..MOST_STEPS {
        let chances: [f64; N] = array::from_fn(|result| counts[result] / (sum * found[result]));
        let expected = |of: &dyn Fn(f64) -> f64| {
            (0..N).map(|result| chances[result] * of(scores[result])).sum::<f64>()
        };
        let mean = expected(&|score| score);
        let deviation = expected(&|score| (score - mean).powi(2)).sqrt();
        let tangent = |score: f64| {
            score - 0.5 - lead * deviation * (1.0 + ((mean - score) / deviation).powi(2)) / 2.0
        };
        let distances = scores.map(tangent);
        // Leads of several deviations, which no match has, may leave nothing on one side.
        if distances.iter().all(|d| *d < 0.0) || distances.iter().all(|d| *d > 0.0) {
            break;
        }
        let next = divisors(counts, distances);
        let change = next.iter().zip(found).map(|(next, found)| (next / found - 1.0).abs());
        let change = change.fold(0.0, f64::max);
        found = next;
        if change < 1e-12 {
            break;
        }
    }
    found
}

/// The divisors 1 + x distance of the observed shares in the most likely distribution whose expected distance is 0.
fn divisors<const N: usize>(counts: &[f64; N], distances: [f64; N]) -> [f64; N] {
    // At the ends of the interval a divisor is zero, and rounding must not make it negative.
    let divisors = |x: f64| distances.map(|distance| (1.0 + x * distance).max(f64::EPSILON));
    let excess = |x: f64| {
        let divisors = divisors(x);
        (0..N).map(|result| counts[result] * distances[result] / divisors[result]).sum::<f64>()
    };
    let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
    let most = distances.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // Between the poles the excess falls from plus to minus infinity, so bisection finds its only zero.
    let (mut low, mut high) = (-1.0 / most, -1.0 / least);
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return divisors(middle);
        }
        if excess(middle) > 0.0 { low = middle } else { high = middle }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tests::close;

    fn sprt(elo0: f64, elo1: f64) -> Sprt {
        Sprt::new([elo0, elo1], [0.05, 0.05], Model::Logistic).unwrap()
    }

    fn llr(test: &Sprt, counts: [u64; 5]) -> f64 {
        test.evaluate(&Evidence::Pairs(counts)).llr
    }

    #[test]
    fn ratios_are_those_of_fastchess() {
        for (counts, expected) in crate::evidence::tests::fastchess() {
            let normalized = llr(&Sprt { model: Model::Normalized, ..sprt(0.0, 5.0) }, counts);
            assert_eq!(format!("{normalized:.6}"), format!("{:.6}", expected[5]), "{counts:?}");
            // fastchess ends its search for the logistic model's roots within 0.001.
            close(llr(&sprt(0.0, 5.0), counts) / expected[6], 1.0, 2e-4);
        }
    }

    #[test]
    fn the_ratio_is_that_of_a_direct_maximisation() {
        // The reference is a grid over all distributions of three results with a given expected score, by the share of draws.
        let likelihood = |counts: [f64; 3], score: f64| {
            let most = 2.0 * score.min(1.0 - score);
            let of_step = |step: u32| {
                let draws = most * f64::from(step) / 200_000.0;
                let shares = [1.0 - score - draws / 2.0, draws, score - draws / 2.0];
                counts.iter().zip(shares).map(|(count, share)| count * share.ln()).sum()
            };
            (1..200_000).map(of_step).fold(f64::NEG_INFINITY, f64::max)
        };
        for counts in [[30, 50, 40], [3, 1, 9], [120, 300, 100]] {
            let of_elo = |elo| likelihood(counts.map(|n| n as f64), score_of_elo(elo));
            let found = sprt(-5.0, 15.0).evaluate(&Evidence::Games(counts)).llr;
            close(found, of_elo(15.0) - of_elo(-5.0), 1e-6);
        }
    }

    #[test]
    fn draws_are_no_advantage() {
        // Of two hypotheses that are equally far from them draws favour neither, and of others the nearer one.
        let level = |test: Sprt, n| test.evaluate(&Evidence::Games([0, n, 0]));
        close(level(sprt(-5.0, 5.0), 10_000).llr, 0.0, 1e-6);
        assert_eq!(level(sprt(0.0, 10.0), 10_000).decision, Some(Hypothesis::H0));
        let undecided = level(sprt(0.0, 10.0), 0);
        assert_eq!((undecided.llr, undecided.decision), (0.0, None));
    }

    #[test]
    fn decisions_are_made_at_the_bounds_of_wald() {
        // Errors of 5 % and 10 %: ln(0.1 / 0.95) and ln(0.9 / 0.05).
        let test = Sprt { alpha: 0.05, beta: 0.1, ..sprt(0.0, 40.0) };
        for (pairs, decision) in [
            ([10, 20, 40, 20, 10], None),
            ([10, 20, 60, 20, 60], Some(Hypothesis::H1)),
            ([60, 20, 60, 20, 10], Some(Hypothesis::H0)),
        ] {
            let found = test.evaluate(&Evidence::Pairs(pairs));
            close(found.lower, -2.251_291_8, 1e-7);
            close(found.upper, 2.890_371_8, 1e-7);
            assert_eq!(found.decision, decision, "{}", found.llr);
        }
    }

    #[test]
    fn what_is_no_test_is_refused() {
        for (elo, rates, expected) in [
            ([0.0, 10.0], [0.05, 0.0], "beta: expected"),
            ([f64::NAN, 10.0], [0.05, 0.05], "elo0: expected"),
            ([0.0, f64::INFINITY], [0.05, 0.05], "elo1: expected an Elo difference from -1000"),
        ] {
            let error = Sprt::new(elo, rates, Model::Logistic).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }

    proptest! {
        #[test]
        fn a_better_result_never_lowers_the_ratio(
            counts in prop::array::uniform5(0_u64..200), worse in 0_usize..4, elo1 in 1.0_f64..300.0
        ) {
            prop_assume!(counts[worse] > 0);
            let test = sprt(0.0, elo1);
            let mut better = counts;
            better[worse] -= 1;
            better[worse + 1] += 1;
            let (before, after) = (llr(&test, counts), llr(&test, better));
            // Up to the weight of a result that has just become unobserved.
            prop_assert!(before.is_finite() && after >= before - 0.05, "{before} to {after}");
        }

        #[test]
        fn any_ratio_is_finite_and_the_other_sides_view_has_the_opposite_one(
            counts in prop::array::uniform5(0_u64..200), many in prop::array::uniform5(0_u64..1_000_000_000),
            elo0 in -100.0_f64..0.0, elo1 in 1.0_f64..100.0
        ) {
            for model in [Model::Logistic, Model::Normalized] {
                let ratio = llr(&Sprt { model, ..sprt(10.0 * elo0, 1000.0) }, many);
                prop_assert!(ratio.is_finite());
            }
            let mut reversed = counts;
            reversed.reverse();
            let (a, b) = (llr(&sprt(elo0, elo1), counts), llr(&sprt(-elo1, -elo0), reversed));
            prop_assert!((a + b).abs() < 1e-6 * (1.0 + a.abs()), "{a}, {b}");
        }
    }
}
