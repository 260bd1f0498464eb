//! The tests that compare printed and measured results: whether two samples of wins, draws and losses may come from the same
//! distribution.

use statrs::distribution::{ChiSquared, ContinuousCDF, Normal};
use statrs::function::factorial::ln_binomial;

use tictune_core::stats::Tally;

/// The p-value of the test of homogeneity of two samples: small if they hardly have the same shares of wins, draws and
/// losses, and 1 if no difference can be measured.
///
/// It is Pearson's chi-squared test of the 2 x 3 table if every expected count is at least 5; a column that is empty in both
/// samples is left out. Otherwise it is the exact test of Freeman and Halton.
pub(super) fn homogeneity(a: &Tally, b: &Tally) -> f64 {
    let columns: Vec<[u64; 2]> = [[a.wins, b.wins], [a.draws, b.draws], [a.losses, b.losses]]
        .into_iter()
        .filter(|column| column[0] + column[1] > 0)
        .collect();
    let (all, rows) = ((a.games() + b.games()) as f64, [a.games(), b.games()]);
    if columns.len() < 2 || rows.contains(&0) {
        return 1.0;
    }
    let expected =
        |column: &[u64; 2], row: usize| (column[0] + column[1]) as f64 * rows[row] as f64 / all;
    if columns.iter().any(|column| expected(column, 0).min(expected(column, 1)) < 5.0) {
        return freeman_halton(&columns, rows);
    }
    let part = |column: &[u64; 2], row: usize| {
        let expected = expected(column, row);
        (column[row] as f64 - expected).powi(2) / expected
    };
    let statistic: f64 = columns.iter().map(|column| part(column, 0) + part(column, 1)).sum();
    ChiSquared::new((columns.len() - 1) as f64).map_or(1.0, |squared| squared.sf(statistic))
}

/// By how much a probability that counts as equal may exceed the observed one: logarithms are rounded.
const ROUNDING: f64 = 1e-7;

/// The probability, with the margins fixed, of a table that is at most as likely as the observed one.
///
/// Source: Freeman, Halton, "Note on an exact treatment of contingency, goodness of fit and other
/// problems of significance", Biometrika 38, 1951.
fn freeman_halton(columns: &[[u64; 2]], rows: [u64; 2]) -> f64 {
    // The smaller row is enumerated and the largest column takes the rest. A few games against a
    // hundred thousand, or a rare result, then give only few tables to sum.
    let smaller = usize::from(rows[1] < rows[0]);
    let mut columns: Vec<(u64, u64)> =
        columns.iter().map(|column| (column[0] + column[1], column[smaller])).collect();
    columns.sort_unstable();
    // With only two columns, an empty one takes the first place.
    let [(sum_x, x), (sum_y, y), (sum_z, _)] = match columns[..] {
        [x, y, z] => [x, y, z],
        [y, z] => [(0, 0), y, z],
        _ => return 1.0,
    };
    let row = rows[smaller];
    let ln_all = ln_binomial(rows[0] + rows[1], row);
    let ln_chance = |x: u64, y: u64| {
        ln_binomial(sum_x, x) + ln_binomial(sum_y, y) + ln_binomial(sum_z, row - x - y) - ln_all
    };
    let seen = ln_chance(x, y);
    let tables = (0..=sum_x.min(row)).flat_map(|x| {
        let left = row - x;
        (left.saturating_sub(sum_z)..=sum_y.min(left)).map(move |y| (x, y))
    });
    let chances = tables.map(|(x, y)| ln_chance(x, y)).filter(|chance| *chance <= seen + ROUNDING);
    chances.map(f64::exp).sum::<f64>().min(1.0)
}

/// The p-value of a lead of `a` over `b` in the share of points: the probability of a lead at least as large if both are equally
/// strong. One-sided, by the normal approximation with the variance of all games together. One half if all games had the same result.
pub(super) fn p_of_lead(a: &Tally, b: &Tally) -> f64 {
    let all = a.plus(b);
    let mean_square = (all.wins as f64 + 0.25 * all.draws as f64) / all.games() as f64;
    let variance = mean_square - all.score().powi(2);
    let error = (variance * (1.0 / a.games() as f64 + 1.0 / b.games() as f64)).sqrt();
    let lead = a.score() - b.score();
    if error > 0.0 { Normal::standard().sf(lead / error) } else { 0.5 }
}

/// Lifshitz's test (III) of whether two agents are equally strong: the statistic and its p-value. It is Pearson's two-sample
/// chi-squared test with Yates's correction and one degree of freedom. It compares the points of both sides out of all games,
/// with draws as half wins. `None` without games, or if one side has all points.
///
/// The test is kept to reproduce the report. It treats its two samples as independent, but they are the two sides of the same games.
pub fn chi_squared_yates(tally: &Tally) -> Option<(f64, f64)> {
    let games = tally.games() as f64;
    let points = tally.wins as f64 + 0.5 * tally.draws as f64;
    let others = games - points;
    if points == 0.0 || others == 0.0 {
        return None;
    }
    // The table is (points, others) over (others, points), so all four margins are the number of games.
    let difference = ((points * points - others * others).abs() - games).max(0.0);
    let statistic = 2.0 * difference.powi(2) / games.powi(3);
    let p = ChiSquared::new(1.0).map_or(1.0, |squared| squared.sf(statistic));
    Some((statistic, p))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    const fn tally(wins: u64, draws: u64, losses: u64) -> Tally {
        Tally { wins, draws, losses }
    }

    fn close(value: f64, expected: f64, tolerance: f64) {
        assert!((value - expected).abs() <= tolerance, "{value}, expected {expected}");
    }

    #[test]
    fn known_answers_of_homogeneity() {
        // Expected counts 30, 20, 50 in both rows: 2 x 100/30 + 0 + 2 x 100/50 with 2 degrees.
        let p = (-(200.0 / 30.0 + 200.0 / 50.0) / 2.0_f64).exp();
        close(homogeneity(&tally(40, 20, 40), &tally(20, 20, 60)), p, 1e-12);
        // Liang's Table 1.1 and a few games: few tables to sum.
        let printed = tally(41057, 22186, 36757);
        assert!(homogeneity(&printed, &tally(20, 0, 0)) < 1e-6);
        close(homogeneity(&printed, &tally(8, 5, 7)), homogeneity(&tally(8, 5, 7), &printed), 0.0);
        close(homogeneity(&tally(50, 10, 40), &tally(50, 10, 40)), 1.0, 1e-9);
        for nothing in [tally(5, 0, 0), tally(0, 0, 0)] {
            close(homogeneity(&nothing, &tally(9, 0, 0)), 1.0, 1e-9);
        }
    }

    #[test]
    fn a_lead_is_tested_as_two_proportions_are() {
        // 60 and 50 of 100: z = 0.1 / sqrt(0.55 x 0.45 x 0.02) = 1.421338.
        close(p_of_lead(&tally(60, 0, 40), &tally(50, 0, 50)), 0.077_608, 5e-6);
        close(p_of_lead(&tally(5, 5, 5), &tally(5, 5, 5)), 0.5, 1e-12);
        close(p_of_lead(&tally(3, 0, 0), &tally(9, 0, 0)), 0.5, 0.0);
    }

    #[test]
    fn the_chi_squared_tests_of_lifshitz() {
        // IV: 49.6 % of 1000, chi-squared 0.098, p 0.7542. V: 50.25 % of 1000, 0.032, p 0.858. A difference smaller than the
        // correction counts as none.
        for (tally, expected, p) in [
            (tally(496, 0, 504), 0.098, 0.7542),
            (tally(502, 1, 497), 0.032, 0.858),
            (tally(5, 0, 5), 0.0, 1.0),
        ] {
            let found = chi_squared_yates(&tally).unwrap();
            close(found.0, expected, 1e-9);
            close(found.1, p, 5e-4);
        }
        assert_eq!(chi_squared_yates(&tally(5, 0, 0)), None);
        assert_eq!(chi_squared_yates(&tally(0, 0, 0)), None);
    }

    /// The exact test by brute force: every way to assign the games of both rows to the first row.
    fn by_dealing(a: &Tally, b: &Tally) -> f64 {
        let counts = [a.wins + b.wins, a.draws + b.draws, a.losses + b.losses];
        let results = (0..3).flat_map(|result| vec![result; counts[result] as usize]);
        let results: Vec<usize> = results.collect();
        let deals = (0..1_u64 << results.len()).filter(|d| u64::from(d.count_ones()) == a.games());
        let mut ways = BTreeMap::<[u64; 3], u64>::new();
        for dealt in deals {
            let mut row = [0; 3];
            for (game, &result) in results.iter().enumerate() {
                row[result] += dealt >> game & 1;
            }
            *ways.entry(row).or_default() += 1;
        }
        let seen = ways[&[a.wins, a.draws, a.losses]];
        let as_rare: u64 = ways.values().filter(|&&ways| ways <= seen).sum();
        as_rare as f64 / ways.values().sum::<u64>() as f64
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn the_exact_test_is_its_brute_force(a in [0..4_u64, 0..4_u64, 0..4_u64],
                                             b in [0..3_u64, 0..3_u64, 0..3_u64]) {
            let [a, b] = [a, b].map(|[wins, draws, losses]| tally(wins, draws, losses));
            prop_assume!(a.games() > 0 && b.games() > 0);
            close(homogeneity(&a, &b), by_dealing(&a, &b), 1e-9);
            close(homogeneity(&b, &a), by_dealing(&a, &b), 1e-9);
        }
    }
}
