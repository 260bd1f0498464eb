//! The model of a stage: the optimum of a quadratic logistic model of all its evaluations.
//!
//! Each candidate was measured in few games, but all together say where the optimum is. The model gives the score as the
//! logistic function of a quadratic function of the coordinates. As in CLOP, candidates far below the mean of all count
//! less, since a quadratic function fits the surroundings of an optimum and nothing more: with q the model's value of a
//! candidate, m the mean and s its standard error, its weight is min(1, exp((q - m) / 3s)), over and over until the sum
//! of the weights stays. The optimum is sought within two standard deviations of where these candidates lie.
//!
//! CITE: Coulom, "CLOP: Confident Local Optimization for Noisy Black-Box Parameter Tuning", Advances in Computer Games
//! (ACG 13), 2011.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn, SymmetricEigen};

use crate::stage::Sample;
use tictune_core::stats::regression::{Observation, fit_logistic, linear};

/// How far from the mean of the candidates the optimum may lie, in standard deviations of them.
const RADIUS: f64 = 2.0;

/// CLOP's height of localisation, in standard errors of the mean.
const HEIGHT: f64 = 3.0;

/// How much the model is held to be flat: an effect of 0.1 logits, 2.5 % of the points, for a standard deviation of a
/// coordinate is usual.
const PENALTY: f64 = 100.0;

const MOST_ROUNDS: usize = 20;

/// The most terms of a model: beyond, fitting takes minutes, and products of coordinates are left out.
const MOST_TERMS: usize = 500;

/// The point at which the model of these candidates is best; `None` where they are too few or all alike.
pub(super) fn optimum(samples: &[Sample]) -> Option<Vec<f64>> {
    let first = samples.first()?;
    let dimensions = first.point.len();
    let full = 1 + dimensions + dimensions * (dimensions + 1) / 2;
    let products = full <= MOST_TERMS && full <= samples.len();
    let alike = samples.iter().all(|sample| sample.point == first.point);
    if alike || samples.len() < 2 * dimensions + 1 {
        return None;
    }
    let games: Vec<f64> = samples.iter().map(|sample| sample.games as f64).collect();
    let points: Vec<&[f64]> = samples.iter().map(|sample| &sample.point[..]).collect();
    let whole = Spread::of(&points, &games)?;
    let white: Vec<Vec<f64>> = points.iter().map(|point| whole.whitened(point)).collect();
    let width = if products { full } else { 1 + 2 * dimensions };
    let observation = |((point, sample), games): ((&Vec<f64>, &Sample), &f64)| Observation {
        features: terms(point, products),
        target: sample.score,
        weight: *games,
    };
    let mut observations: Vec<Observation> =
        white.iter().zip(samples).zip(&games).map(observation).collect();
    let mut penalties = vec![PENALTY; width];
    penalties[0] = 1e-6;
    let mut fit = fit_logistic(&observations, &penalties, vec![0.0; width])?;
    for _ in 0..MOST_ROUNDS {
        let (mean, error) = mean_in_logits(&observations)?;
        let sum: f64 = observations.iter().map(|one| one.weight).sum();
        for (one, games) in observations.iter_mut().zip(&games) {
            let value = linear(&fit, &one.features);
            let local = libm::exp((value - mean) / (HEIGHT * error)).min(1.0);
            one.weight = one.weight.min(games * local);
        }
        fit = fit_logistic(&observations, &penalties, fit)?;
        if observations.iter().map(|one| one.weight).sum::<f64>() > 0.99 * sum {
            break;
        }
    }
    let near: Vec<&[f64]> = white.iter().map(Vec::as_slice).collect();
    let weights: Vec<f64> = observations.iter().map(|one| one.weight).collect();
    let near = Spread::of(&near, &weights)?;
    let point = near.best_of(&fit, products);
    let point = whole.back(&point);
    point.iter().all(|x| x.is_finite()).then_some(point)
}

/// The terms of the model at a point: 1, the coordinates, half their squares, and their products.
fn terms(point: &[f64], products: bool) -> Vec<f64> {
    let mut terms = vec![1.0];
    terms.extend(point);
    terms.extend(point.iter().map(|x| x * x / 2.0));
    if products {
        for (index, x) in point.iter().enumerate() {
            terms.extend(point[..index].iter().map(|y| x * y));
        }
    }
    terms
}

fn mean_in_logits(observations: &[Observation]) -> Option<(f64, f64)> {
    let (mut points, mut games) = (0.0, 0.0);
    for Observation { target, weight, .. } in observations {
        points += weight * target;
        games += weight;
    }
    // Half a point for each side, so that the mean of a stage that lost all is finite.
    let share = (points + 0.5) / (games + 1.0);
    let logits = libm::log(share / (1.0 - share));
    let error = 1.0 / (games * share * (1.0 - share)).sqrt();
    (logits.is_finite() && error.is_normal()).then_some((logits, error))
}

/// Where points lie: their weighted mean and covariance.
struct Spread {
    mean: DVector<f64>,
    covariance: Cholesky<f64, Dyn>,
}

impl Spread {
    fn of(points: &[&[f64]], weights: &[f64]) -> Option<Self> {
        let dimensions = points.first()?.len();
        let total: f64 = weights.iter().sum();
        let mut mean = vec![0.0; dimensions];
        for (point, weight) in points.iter().zip(weights) {
            mean.iter_mut().zip(*point).for_each(|(sum, x)| *sum += weight / total * x);
        }
        let mut covariance = DMatrix::zeros(dimensions, dimensions);
        for (point, weight) in points.iter().zip(weights) {
            let away: Vec<f64> = point.iter().zip(&mean).map(|(x, mean)| x - mean).collect();
            for (i, x) in away.iter().enumerate() {
                for (j, y) in away[..=i].iter().enumerate() {
                    covariance[(i, j)] += weight / total * x * y;
                }
            }
        }
        covariance.fill_upper_triangle_with_lower_triangle();
        // A direction that has all but vanished is none in which to go.
        let least = covariance.diagonal().max() * 1e-12;
        (0..dimensions).for_each(|index| covariance[(index, index)] += least);
        Some(Self { mean: DVector::from_vec(mean), covariance: covariance.cholesky()? })
    }

    /// A point in coordinates of which each has mean 0 and variance 1, without correlations.
    fn whitened(&self, point: &[f64]) -> Vec<f64> {
        let away = DVector::from_column_slice(point) - &self.mean;
        let white = self.covariance.l_dirty().solve_lower_triangular(&away).unwrap_or(away);
        white.as_slice().to_vec()
    }

    fn back(&self, white: &[f64]) -> Vec<f64> {
        let away = self.covariance.l() * DVector::from_column_slice(white);
        (&self.mean + away).as_slice().to_vec()
    }

    /// The point within the radius at which a model is greatest.
    fn best_of(&self, fit: &[f64], products: bool) -> Vec<f64> {
        let dimensions = self.mean.len();
        let (slopes, rest) = fit[1..].split_at(dimensions);
        let (squares, rest) = rest.split_at(dimensions);
        let curvature = DMatrix::from_fn(dimensions, dimensions, |i, j| match i == j {
            true => squares[i],
            false if products => {
                let (high, low) = (i.max(j), i.min(j));
                rest[high * (high - 1) / 2 + low]
            }
            false => 0.0,
        });
        let slope = DVector::from_column_slice(slopes) + &curvature * &self.mean;
        let factor = self.covariance.l();
        let inner = factor.transpose() * curvature * &factor;
        self.back(best_in_ball(inner, &(factor.transpose() * slope)).as_slice())
    }
}

/// The x of length at most [`RADIUS`] with the greatest slope x + x curvature x / 2.
///
/// CITE: Conn, Gould, Toint, "Trust-Region Methods", 2000, section 7.3.
fn best_in_ball(curvature: DMatrix<f64>, slope: &DVector<f64>) -> DVector<f64> {
    let SymmetricEigen { eigenvalues, eigenvectors } = SymmetricEigen::new(curvature);
    let along = eigenvectors.transpose() * slope;
    let at = |shift: f64| {
        let parts = along.iter().zip(&eigenvalues).map(|(b, value)| b / (shift - value));
        DVector::from_iterator(along.len(), parts)
    };
    // Larger shifts give shorter vectors. At 0 it is the optimum itself, where there is one.
    let least = eigenvalues.max().max(0.0);
    let mut low = least;
    let mut high = least + along.norm() / RADIUS + f64::MIN_POSITIVE;
    let inside = |shift: f64| {
        let length = at(shift).norm();
        length.is_finite() && length <= RADIUS
    };
    if !inside(low) {
        for _ in 0..200 {
            let middle = f64::midpoint(low, high);
            if inside(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        low = high;
    }
    eigenvectors * at(low)
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use tictune_core::seed::{Role, generator};
    use tictune_core::stats::regression::logistic;

    /// Candidates around a point, whose scores are those of 20 tosses of a coin that a function loads.
    fn samples(count: usize, centre: [f64; 2], value: impl Fn(&[f64]) -> f64) -> Vec<Sample> {
        let mut draws = generator(11, Role::Coin);
        let sample = |_| {
            let point: Vec<f64> = centre.map(|x| x + draws.random_range(-1.7..1.7)).to_vec();
            let share = logistic(value(&point));
            let won = (0..20).filter(|_| draws.random::<f64>() < share).count();
            Sample { generation: 1, point, score: won as f64 / 20.0, games: 20 }
        };
        (0..count).map(sample).collect()
    }

    #[test]
    fn the_optimum_of_a_noisy_hill_is_found() {
        let hill = |x: &[f64]| {
            let (a, b) = (x[0] - 1.0, x[1] + 0.5);
            0.5 - 0.4 * a * a - 0.4 * b * b - 0.3 * a * b
        };
        let found = optimum(&samples(2000, [0.4, 0.0], hill)).unwrap();
        assert!((found[0] - 1.0).abs() < 0.2 && (found[1] + 0.5).abs() < 0.2, "{found:?}");
        // Where it only climbs it goes two deviations. Those that count most lie above the mean of all; their deviation is
        // below 1.
        let found = optimum(&samples(500, [5.0; 2], |x| 0.5 * (x[0] - 5.0))).unwrap();
        assert!((5.8..8.0).contains(&found[0]) && (found[1] - 5.0).abs() < 1.0, "{found:?}");
    }

    #[test]
    fn too_few_candidates_or_equal_ones_give_no_model() {
        let of = |count| samples(count, [0.0; 2], |x| x[0]);
        assert_eq!(optimum(&[]), None);
        assert_eq!(optimum(&of(4)), None, "5 terms without products");
        assert!(optimum(&of(5)).is_some());
        assert_eq!(optimum(&vec![of(1)[0].clone(); 50]), None);
        for score in [0.0, 1.0] {
            let mut all = of(50);
            all.iter_mut().for_each(|sample| sample.score = score);
            let found = optimum(&all).unwrap();
            assert!(found.iter().all(|x| x.abs() < 5.0), "{found:?}");
        }
    }
}
