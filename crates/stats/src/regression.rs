//! Logistic regression of shares of points, with a ridge penalty.
//!
//! The sums are plain loops, so that every machine finds the same numbers.
//!
//! Source: Hastie, Tibshirani, Friedman, "The Elements of Statistical Learning", 2nd edition, sections 3.4.1 (ridge) and
//! 4.4.1 (logistic regression by Newton's method).

use nalgebra::{DMatrix, DVector, SymmetricEigen};

const MOST_STEPS: usize = 100;

/// An observation: a row of features, and a target.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// As many as any other observation has, at least one.
    pub features: Vec<f64>,
    /// For logistic regression a share of points, from 0 to 1.
    pub target: f64,
}

/// The root mean square of each of so many features.
pub fn sizes(observations: &[Observation], width: usize) -> Vec<f64> {
    let mut squares = vec![0.0; width];
    for Observation { features, .. } in observations {
        for (square, x) in squares.iter_mut().zip(features) {
            *square += x * x;
        }
    }
    let count = observations.len().max(1) as f64;
    squares.into_iter().map(|square: f64| (square / count).sqrt()).collect()
}

/// The condition number of features of these [sizes], each divided by its size: the largest eigenvalue of their moments over
/// the smallest. Features that are always 0 are left out. It is infinite where some features are sums of others.
pub fn condition_number(observations: &[Observation], sizes: &[f64]) -> f64 {
    let seen: Vec<usize> = (0..sizes.len()).filter(|&index| sizes[index] > 0.0).collect();
    if seen.is_empty() {
        return f64::INFINITY;
    }
    let moments = moments(sizes.len(), observations.iter().map(|one| (&*one.features, 1.0)));
    let moment = |i: usize, j: usize| {
        let (i, j) = (seen[i], seen[j]);
        moments[(i, j)] / (sizes[i] * sizes[j])
    };
    let matrix = DMatrix::from_fn(seen.len(), seen.len(), moment);
    let values = SymmetricEigen::new(matrix).eigenvalues;
    let (least, most) = (values.min(), values.max());
    // Rounding alone gives eigenvalues of this size.
    let is_singular = least <= most * f64::EPSILON * seen.len() as f64;
    if is_singular { f64::INFINITY } else { most / least }
}

/// The logistic function: the share of points that a value in logits stands for.
pub fn logistic(value: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-value))
}

/// The sum of features times coefficients.
pub fn linear(coefficients: &[f64], features: &[f64]) -> f64 {
    coefficients.iter().zip(features).map(|(coefficient, x)| coefficient * x).sum()
}

/// The cross-entropy of a share of points and its prediction in logits, in nats.
pub fn log_loss(target: f64, value: f64) -> f64 {
    // log(1 + e^v) - t v, where the exponential does not overflow.
    let softplus = value.max(0.0) + libm::log1p(libm::exp(-value.abs()));
    softplus - target * value
}

/// What an observation says of the first `width` coefficients of a logistic model on average: its Fisher information.
pub fn information(observations: &[Observation], fitted: &[f64], width: usize) -> Vec<Vec<f64>> {
    let curvature = |one: &Observation| {
        let share = logistic(linear(fitted, &one.features));
        share * (1.0 - share)
    };
    let rows = observations.iter().map(|one| (&one.features[..width], curvature(one)));
    let moments = moments(width, rows) / observations.len().max(1) as f64;
    (0..width).map(|row| moments.row(row).iter().copied().collect()).collect()
}

/// Fits a logistic model by Newton's method from `first` on: the coefficients with the least log-loss plus half the sum
/// of penalties times squared coefficients. `None` where the observations do not determine them.
pub fn fit_logistic(
    observations: &[Observation],
    penalties: &[f64],
    first: Vec<f64>,
) -> Option<Vec<f64>> {
    let width = penalties.len();
    let loss = |coefficients: &[f64]| {
        let of_row = |one: &Observation| log_loss(one.target, linear(coefficients, &one.features));
        let of_rows: f64 = observations.iter().map(of_row).sum();
        let squares = penalties.iter().zip(coefficients).map(|(penalty, x)| penalty * x * x);
        of_rows + squares.sum::<f64>() / 2.0
    };
    let mut coefficients = first;
    let mut least = loss(&coefficients);
    for _ in 0..MOST_STEPS {
        let share = |one: &Observation| logistic(linear(&coefficients, &one.features));
        let shares: Vec<f64> = observations.iter().map(share).collect();
        let observed = || observations.iter().zip(&shares);
        let rows = observed().map(|(one, share)| (&*one.features, share * (1.0 - share)));
        let mut matrix = moments(width, rows);
        let mut gradient = DVector::zeros(width);
        for (Observation { features, target }, share) in observed() {
            add_scaled(gradient.as_mut_slice(), features, target - share);
        }
        for index in 0..width {
            matrix[(index, index)] += penalties[index];
            gradient[index] -= penalties[index] * coefficients[index];
        }
        let step = matrix.cholesky()?.solve(&gradient);
        if !step.iter().all(|change| change.is_finite()) {
            return None;
        }
        let scales = std::iter::successors(Some(1.0), |scale| Some(scale / 2.0));
        let moved = scales.take_while(|scale| *scale >= 1e-6).find_map(|scale| {
            let moved = coefficients.iter().zip(&step).map(|(x, change)| x + scale * change);
            let next: Vec<f64> = moved.collect();
            Some(loss(&next)).filter(|found| *found < least).map(|found| (found, next))
        });
        let Some((found, next)) = moved else { break };
        least = found;
        let large = |(new, old): (&f64, &f64)| (new - old).abs() > 1e-9 * (1.0 + old.abs());
        let moves_on = next.iter().zip(&coefficients).any(large);
        coefficients = next;
        if !moves_on {
            break;
        }
    }
    coefficients.iter().all(|x| x.is_finite()).then_some(coefficients)
}

fn add_scaled(sum: &mut [f64], row: &[f64], factor: f64) {
    sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += factor * x);
}

/// The weighted sums of products of features.
fn moments<'r>(width: usize, rows: impl Iterator<Item = (&'r [f64], f64)>) -> DMatrix<f64> {
    let mut sums = DMatrix::zeros(width, width);
    for (row, weight) in rows {
        // Columns down to the diagonal: many features are 0.
        for (i, &x) in row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            add_scaled(&mut sums.as_mut_slice()[i * width..][..=i], row, weight * x);
        }
    }
    sums.fill_lower_triangle_with_upper_triangle();
    sums
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};

    use super::*;

    fn observation(features: &[f64], target: f64) -> Observation {
        Observation { features: features.to_vec(), target }
    }

    #[test]
    fn a_fit_has_no_slope_left() {
        // Tosses of a coin that a logistic model loads.
        let mut draws = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(5);
        let toss = |_| {
            let row = [draws.random_range(-2.0..2.0), draws.random_range(-2.0..2.0)];
            let won = draws.random::<f64>() < logistic(linear(&[2.0, 1.0], &row));
            observation(&row, f64::from(u8::from(won)))
        };
        let observations: Vec<Observation> = (0..200).map(toss).collect();
        let penalties = [3.0, 0.5];
        let fit = fit_logistic(&observations, &penalties, vec![5.0, -5.0]).unwrap();
        for index in 0..2 {
            let slope = |one: &Observation| {
                one.features[index] * (one.target - logistic(linear(&fit, &one.features)))
            };
            let slope: f64 = observations.iter().map(slope).sum();
            assert!((slope - penalties[index] * fit[index]).abs() < 1e-6, "{slope}");
        }
    }

    #[test]
    fn separable_and_empty_observations_end() {
        assert_eq!(fit_logistic(&[], &[1.0], vec![0.0]), Some(vec![0.0]));
        assert_eq!(condition_number(&[], &sizes(&[], 1)), f64::INFINITY);
        let observations = [observation(&[1.0], 1.0), observation(&[-1.0], 0.0)];
        let [x] = fit_logistic(&observations, &[0.01], vec![0.0]).unwrap()[..] else { panic!() };
        assert!(x > 3.0 && x < 10.0, "{x}");
    }

    #[test]
    fn features_that_repeat_each_other_are_ill_conditioned() {
        let rows = [(1.0, 1.0), (1.0, -1.0), (-2.0, 2.0), (-2.0, -2.0)];
        let even = rows.map(|(a, b)| observation(&[a, 100.0 * b, 0.0], 0.5));
        let condition = condition_number(&even, &sizes(&even, 3));
        assert!((condition - 1.0).abs() < 1e-9, "scale does not count: {condition}");
        let twice = [1.0, 2.0, 3.0, 4.0].map(|x| observation(&[x, 2.0 * x], 0.5));
        assert_eq!(condition_number(&twice, &sizes(&twice, 2)), f64::INFINITY);
    }

    #[test]
    fn the_log_loss_is_that_of_the_share() {
        for (target, value) in [(0.3_f64, 0.7_f64), (1.0, -2.0), (0.0, 3.0)] {
            let share = logistic(value);
            let expected = -(target * share.ln() + (1.0 - target) * (1.0 - share).ln());
            assert!((log_loss(target, value) - expected).abs() < 1e-12);
        }
        assert!(log_loss(1.0, 1000.0) == 0.0 && log_loss(0.0, 1000.0) == 1000.0);
    }
}
