//! Whether two samples of wins, draws and losses may come from the same source.

use statrs::distribution::{ChiSquared, ContinuousCDF};
use statrs::function::factorial::ln_factorial;

use super::Tally;

/// The p-value of the test of homogeneity of two samples: small where the two hardly come from the
/// same shares of wins, draws and losses. 1 where nothing can be told apart.
///
/// Pearson's chi-squared test of the 2 x 3 table where every expected count is at least 5 (a column
/// that is empty in both samples is left out), else the exact test of Freeman and Halton.
#[must_use]
pub fn homogeneity(a: &Tally, b: &Tally) -> f64 {
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
        return freeman_halton(&columns, rows[0]);
    }
    let part = |column: &[u64; 2], row: usize| {
        let expected = expected(column, row);
        (column[row] as f64 - expected).powi(2) / expected
    };
    let statistic: f64 = columns.iter().map(|column| part(column, 0) + part(column, 1)).sum();
    ChiSquared::new((columns.len() - 1) as f64).map_or(1.0, |squared| squared.sf(statistic))
}

/// The chance, margins being what they are, of a table that is no likelier than the one seen.
///
/// CITE: Freeman, Halton, "Note on an exact treatment of contingency, goodness of fit and other
/// problems of significance", Biometrika 38, 1951.
fn freeman_halton(columns: &[[u64; 2]], first_row: u64) -> f64 {
    let sums: Vec<u64> = columns.iter().map(|column| column[0] + column[1]).collect();
    let all: u64 = sums.iter().sum();
    let ln_choose = |n: u64, k: u64| ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k);
    let ln_all = ln_choose(all, first_row);
    let third = sums.get(2).copied().unwrap_or(0);
    // ln of the chance that the first row holds x, y and the rest of the columns.
    let ln_chance = |x: u64, y: u64| {
        let z = first_row.checked_sub(x + y).filter(|z| *z <= third)?;
        Some(ln_choose(sums[0], x) + ln_choose(sums[1], y) + ln_choose(third, z) - ln_all)
    };
    let Some(seen) = ln_chance(columns[0][0], columns[1][0]) else { return 1.0 };
    let tables = (0..=sums[0].min(first_row))
        .flat_map(|x| (0..=sums[1].min(first_row - x)).filter_map(move |y| ln_chance(x, y)));
    // Chances that differ by rounding alone count as equal.
    let sum: f64 = tables.filter(|chance| *chance <= seen + 1e-9).map(f64::exp).sum();
    sum.min(1.0)
}

/// Holm's correction: p-values that may each be compared with the level of the whole family.
///
/// CITE: Holm, "A simple sequentially rejective multiple test procedure", 1979.
#[must_use]
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
    fn the_lady_tasting_tea() {
        // Fisher 1935: four cups of each kind, three of four told right: 34/70 two-sided.
        close(homogeneity(&tally(3, 0, 1), &tally(1, 0, 3)), 34.0 / 70.0, 1e-12);
        close(homogeneity(&tally(4, 0, 0), &tally(0, 0, 4)), 2.0 / 70.0, 1e-12);
    }

    #[test]
    fn chi_squared_by_hand() {
        // Expected counts 30, 20, 50 in both rows: (2 x 100/30 + 0 + 2 x 100/50) = 10.667, 2 degrees:
        // p = exp(-10.667 / 2).
        let p = homogeneity(&tally(40, 20, 40), &tally(20, 20, 60));
        close(p, (-(200.0 / 30.0 + 200.0 / 50.0) / 2.0_f64).exp(), 1e-12);
    }

    #[test]
    fn equal_shares_and_empty_samples_show_nothing() {
        close(homogeneity(&tally(50, 10, 40), &tally(50, 10, 40)), 1.0, 1e-9);
        close(homogeneity(&tally(5, 0, 0), &tally(9, 0, 0)), 1.0, 0.0);
        close(homogeneity(&tally(0, 0, 0), &tally(9, 0, 0)), 1.0, 0.0);
    }

    #[test]
    fn the_exact_test_sums_all_tables() {
        // 2 x 3 with rows of 4: every table enumerated with products of binomials, no logarithms.
        let (a, b) = (tally(3, 1, 0), tally(1, 1, 2));
        let choose = |n: u64, k: u64| (0..k).fold(1.0, |c, i| c * (n - i) as f64 / (i + 1) as f64);
        let chance = |x, y, z| choose(4, x) * choose(2, y) * choose(2, z) / choose(8, 4);
        let seen = chance(3, 1, 0);
        let mut expected = 0.0;
        for (x, y, z) in (0..=4).flat_map(|x| (0..=2).map(move |y| (x, y, 4 - x - y))) {
            let z: i64 = z;
            if (0..=2).contains(&z) && chance(x as u64, y as u64, z as u64) <= seen * (1.0 + 1e-9) {
                expected += chance(x as u64, y as u64, z as u64);
            }
        }
        close(homogeneity(&a, &b), expected, 1e-12);
    }

    #[test]
    fn holm_by_hand() {
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.5]);
        for (value, expected) in adjusted.iter().zip([0.04, 0.09, 0.09, 0.5]) {
            close(*value, expected, 1e-12);
        }
        assert!(holm(&[]).is_empty());
    }
}
