//! Logistic regression of shares of points, with a ridge penalty.
//!
//! The sums are plain loops, so that every machine finds the same numbers.
//!
//! CITE: Hastie, Tibshirani, Friedman, "The Elements of Statistical Learning", 2nd edition, sections 3.4.1 (ridge) and
//! 4.4.1 (logistic regression by Newton's method).

use nalgebra::{DMatrix, DVector, SymmetricEigen};

/// The most steps of Newton's method. A handful are enough.
const MOST_STEPS: usize = 100;

/// Observations: rows of features, each with a target and a weight.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observations {
    width: usize,
    features: Vec<f64>,
    targets: Vec<f64>,
    weights: Vec<f64>,
}

impl Observations {
    /// No observations yet; each will have so many features, at least 1.
    #[must_use]
    pub const fn new(width: usize) -> Self {
        Self { width, features: Vec::new(), targets: Vec::new(), weights: Vec::new() }
    }

    /// Adds an observation. A target is a share of points, from 0 to 1, for logistic regression; a weight is above 0.
    ///
    /// # Panics
    /// If the row has another width.
    pub fn push(&mut self, features: &[f64], target: f64, weight: f64) {
        assert_eq!(features.len(), self.width, "a row has a feature for each column");
        self.features.extend_from_slice(features);
        self.targets.push(target);
        self.weights.push(weight);
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Features of an observation.
    #[must_use]
    pub const fn width(&self) -> usize {
        self.width
    }

    /// The observations: features, target, weight.
    pub fn rows(&self) -> impl Iterator<Item = (&[f64], f64, f64)> {
        let values = self.targets.iter().zip(&self.weights);
        self.features
            .chunks_exact(self.width)
            .zip(values)
            .map(|(row, (target, weight))| (row, *target, *weight))
    }

    /// Changes the weights: one for each observation, in their order.
    pub fn set_weights(&mut self, weights: impl IntoIterator<Item = f64>) {
        self.weights.iter_mut().zip(weights).for_each(|(old, new)| *old = new);
    }

    /// The root mean square of each feature.
    #[must_use]
    pub fn sizes(&self) -> Vec<f64> {
        let mut squares = vec![0.0; self.width];
        let mut total = 0.0;
        for (row, _, weight) in self.rows() {
            total += weight;
            for (square, x) in squares.iter_mut().zip(row) {
                *square += weight * x * x;
            }
        }
        squares.into_iter().map(|square: f64| (square / f64::max(total, 1.0)).sqrt()).collect()
    }

    /// The condition number of the features, each divided by its size: the largest eigenvalue of their moments over the
    /// smallest. Features that are always 0 are left out. It is infinite where some features are sums of others.
    #[must_use]
    pub fn condition_number(&self) -> f64 {
        let sizes = self.sizes();
        let seen: Vec<usize> = (0..self.width).filter(|&index| sizes[index] > 0.0).collect();
        if seen.is_empty() {
            return f64::INFINITY;
        }
        let mut moments = Moments::new(self.width);
        self.rows().for_each(|(row, _, weight)| moments.add(row, weight));
        let moment = |i: usize, j: usize| {
            let (i, j) = (seen[i], seen[j]);
            moments.at(i, j) / (sizes[i] * sizes[j])
        };
        let matrix = DMatrix::from_fn(seen.len(), seen.len(), moment);
        let values = SymmetricEigen::new(matrix).eigenvalues;
        let (least, most) = (values.min(), values.max());
        // Rounding alone gives eigenvalues of this size.
        if least <= most * f64::EPSILON * seen.len() as f64 {
            return f64::INFINITY;
        }
        most / least
    }
}

/// The logistic function: the share of points that a value in logits stands for.
#[must_use]
pub fn logistic(value: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-value))
}

/// The sum of features times coefficients.
#[must_use]
pub fn linear(coefficients: &[f64], features: &[f64]) -> f64 {
    coefficients.iter().zip(features).map(|(coefficient, x)| coefficient * x).sum()
}

/// The cross-entropy of a share of points and its prediction in logits, in nats.
#[must_use]
pub fn log_loss(target: f64, value: f64) -> f64 {
    // log(1 + e^v) - t v, where the exponential does not overflow.
    let softplus = value.max(0.0) + libm::log1p(libm::exp(-value.abs()));
    softplus - target * value
}

/// Fits a logistic model by Newton's method: the coefficients with the least weighted log-loss plus half the sum of
/// penalties times squared coefficients. Steps are halved where they overshoot. It starts from `first`. `None` where the
/// observations do not determine the coefficients.
#[must_use]
pub fn fit_logistic(
    observations: &Observations,
    penalties: &[f64],
    first: Vec<f64>,
) -> Option<Vec<f64>> {
    let width = observations.width;
    let loss = |coefficients: &[f64]| {
        let of_rows: f64 = observations
            .rows()
            .map(|(row, target, weight)| weight * log_loss(target, linear(coefficients, row)))
            .sum();
        let squares = penalties.iter().zip(coefficients).map(|(penalty, x)| penalty * x * x);
        of_rows + squares.sum::<f64>() / 2.0
    };
    let mut coefficients = first;
    let mut least = loss(&coefficients);
    for _ in 0..MOST_STEPS {
        let mut moments = Moments::new(width);
        let mut gradient = vec![0.0; width];
        for (row, target, weight) in observations.rows() {
            let share = logistic(linear(&coefficients, row));
            moments.add(row, weight * share * (1.0 - share));
            add_scaled(&mut gradient, row, weight * (target - share));
        }
        for (slope, (penalty, x)) in gradient.iter_mut().zip(penalties.iter().zip(&coefficients)) {
            *slope -= penalty * x;
        }
        let step = moments.solve(penalties, &gradient)?;
        let mut scale = 1.0;
        let moved = loop {
            let next: Vec<f64> =
                coefficients.iter().zip(&step).map(|(x, change)| x + scale * change).collect();
            let found = loss(&next);
            if found < least {
                least = found;
                break Some(next);
            }
            scale /= 2.0;
            if scale < 1e-6 {
                break None;
            }
        };
        let Some(next) = moved else { break };
        let small = |(new, old): (&f64, &f64)| (new - old).abs() <= 1e-9 * (1.0 + old.abs());
        let done = next.iter().zip(&coefficients).all(small);
        coefficients = next;
        if done {
            break;
        }
    }
    coefficients.iter().all(|x| x.is_finite()).then_some(coefficients)
}

fn add_scaled(sum: &mut [f64], row: &[f64], factor: f64) {
    sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += factor * x);
}

/// Weighted sums of products of features: the lower triangle of a symmetric matrix, by rows.
struct Moments {
    width: usize,
    sums: Vec<f64>,
}

impl Moments {
    fn new(width: usize) -> Self {
        Self { width, sums: vec![0.0; width * width] }
    }

    fn add(&mut self, row: &[f64], weight: f64) {
        for (i, (&x, sums)) in row.iter().zip(self.sums.chunks_exact_mut(self.width)).enumerate() {
            if x != 0.0 {
                add_scaled(&mut sums[..=i], row, weight * x);
            }
        }
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        self.sums[i.max(j) * self.width + i.min(j)]
    }

    /// Solves the equations with penalties on the diagonal.
    fn solve(&self, penalties: &[f64], right: &[f64]) -> Option<Vec<f64>> {
        let entry = |i: usize, j: usize| self.at(i, j) + if i == j { penalties[i] } else { 0.0 };
        let matrix = DMatrix::from_fn(self.width, self.width, entry);
        let solution = matrix.cholesky()?.solve(&DVector::from_column_slice(right));
        let solution = solution.as_slice().to_vec();
        solution.iter().all(|x| x.is_finite()).then_some(solution)
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::seed::{Role, generator};

    /// Tosses of a coin that a logistic model with these coefficients loads.
    fn tosses(coefficients: &[f64], count: usize) -> Observations {
        let mut draws = generator(5, Role::Coin);
        let mut observations = Observations::new(coefficients.len());
        for _ in 0..count {
            let row: Vec<f64> =
                coefficients.iter().map(|_| draws.random_range(-2.0..2.0)).collect();
            let won = draws.random::<f64>() < logistic(linear(coefficients, &row));
            observations.push(&row, f64::from(u8::from(won)), 1.0);
        }
        observations
    }

    #[test]
    fn coefficients_of_tosses_are_found() {
        let truth = [1.0, -0.5, 0.0];
        let found = fit_logistic(&tosses(&truth, 20_000), &[1e-6; 3], vec![0.0; 3]).unwrap();
        for (found, truth) in found.iter().zip(truth) {
            assert!((found - truth).abs() < 0.05, "{found} for {truth}");
        }
    }

    #[test]
    fn a_fit_has_no_slope_left() {
        let observations = tosses(&[2.0, 1.0], 200);
        let penalties = [3.0, 0.5];
        let fit = fit_logistic(&observations, &penalties, vec![5.0, -5.0]).unwrap();
        for index in 0..2 {
            let slope: f64 = observations
                .rows()
                .map(|(row, target, _)| row[index] * (target - logistic(linear(&fit, row))))
                .sum();
            assert!((slope - penalties[index] * fit[index]).abs() < 1e-6, "{slope}");
        }
    }

    #[test]
    fn separable_and_empty_observations_end() {
        let mut observations = Observations::new(1);
        assert_eq!(fit_logistic(&observations, &[1.0], vec![0.0]), Some(vec![0.0]));
        assert_eq!(observations.condition_number(), f64::INFINITY);
        observations.push(&[1.0], 1.0, 1.0);
        observations.push(&[-1.0], 0.0, 1.0);
        let [x] = fit_logistic(&observations, &[0.01], vec![0.0]).unwrap()[..] else { panic!() };
        assert!(x > 3.0 && x < 10.0, "{x}");
    }

    #[test]
    fn features_that_repeat_each_other_are_ill_conditioned() {
        let mut observations = Observations::new(3);
        for (a, b) in [(1.0, 1.0), (1.0, -1.0), (-2.0, 2.0), (-2.0, -2.0)] {
            observations.push(&[a, 100.0 * b, 0.0], 0.5, 1.0);
        }
        let condition = observations.condition_number();
        assert!((condition - 1.0).abs() < 1e-9, "scale does not count: {condition}");
        let mut twice = Observations::new(2);
        (1..5).for_each(|x| twice.push(&[f64::from(x), 2.0 * f64::from(x)], 0.5, 1.0));
        assert_eq!(twice.condition_number(), f64::INFINITY);
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
