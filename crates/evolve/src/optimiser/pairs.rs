//! The optimiser of mirrored pairs: it plays a point against its mirror image on the other side of the mean, and keeps what the
//! results say of the optimum as a normal distribution.
//!
//! Strength, in logits of the expected score, is modelled as a quadratic that falls off equally in all directions around an
//! unknown optimum. Of a point and its mirror image around the mean, the difference in strength is then linear in the optimum,
//! whatever the curvature does to each of the two. Results are linear observations of it with noise, and the optimum given all results is normally
//! distributed: a Kalman filter, without a step size to be tuned. Its mean is the answer and the centre of the next pairs. Early
//! steps are large, since little is known; later ones shrink as one over the number of games.
//!
//! CITE: Kalman, "A new approach to linear filtering and prediction problems", 1960; mirrored samples: Brockhoff, Auger, Hansen,
//! Arnold, Hohm, "Mirrored sampling and sequential selection for evolution strategies", PPSN 2010; differences of pairs as
//! gradients: Spall, "Multivariate stochastic approximation using a simultaneous perturbation gradient approximation", 1992; a quadratic
//! model of strength in logits: Coulom, "CLOP", ACG 2011.

use nalgebra::{DMatrix, DVector, SymmetricEigen};
use rand::RngExt;
use tictune_core::seed::{Generator, Role, generator};

use super::Optimiser;
use crate::RunError;

/// The settings of [`MirroredPairs`].
#[derive(Clone, Debug, PartialEq)]
pub struct PairSettings {
    /// The first mean.
    pub initial: Vec<f64>,
    /// The columns are the steps that a draw of the standard normal distribution is multiplied by.
    pub axes: DMatrix<f64>,
    /// Pairs of a generation, at least 1.
    pub pairs: usize,
    /// How far from the first mean the optimum is expected, in steps along each axis.
    pub distance: f64,
    /// The greatest cost of a point: that of losing all its games.
    pub games: f64,
    /// The share of a point's games that it plays against its mirror image; the others are against opponents that both play.
    pub mirrored: f64,
    /// The seed of the draws.
    pub seed: u64,
}

/// What the points of a generation are expected to lose against their mean by being a draw away from it, in logits.
const LOSS: f64 = 0.15;

/// Mirrored pairs with ask and tell. Points 2k and 2k + 1 are a pair.
#[derive(Debug)]
pub struct MirroredPairs {
    settings: PairSettings,
    draws: Generator,
    /// The mean and covariance of the optimum, in steps from the first mean.
    optimum: DVector<f64>,
    covariance: DMatrix<f64>,
    /// The sum of squared differences between pairs, and their number.
    squares: f64,
    told: f64,
    steps: DMatrix<f64>,
    population: Vec<Vec<f64>>,
    mean: Vec<f64>,
}

impl MirroredPairs {
    /// The optimiser with the points of its first generation.
    pub fn new(settings: PairSettings) -> Self {
        let dimensions = settings.initial.len();
        let mut new = Self {
            draws: generator(settings.seed, Role::Coin),
            optimum: DVector::zeros(dimensions),
            covariance: DMatrix::identity(dimensions, dimensions) * settings.distance.powi(2),
            squares: 0.0,
            told: 0.0,
            steps: DMatrix::zeros(0, 0),
            population: Vec::new(),
            mean: settings.initial.clone(),
            settings,
        };
        new.ask();
        new
    }

    fn ask(&mut self) {
        let PairSettings { initial, axes, pairs, .. } = &self.settings;
        let draws = &mut self.draws;
        self.steps = DMatrix::from_fn(*pairs, initial.len(), |_, _| normal(draws));
        let initial = DVector::from_column_slice(initial);
        let mean = initial + axes * &self.optimum;
        let moved = axes * self.steps.transpose();
        let both = moved.column_iter().flat_map(|step| [&mean + step, &mean - step]);
        self.population = both.map(|point| point.as_slice().to_vec()).collect();
        self.mean = mean.as_slice().to_vec();
    }
}

impl Optimiser for MirroredPairs {
    fn population(&self) -> &[Vec<f64>] {
        &self.population
    }

    fn tell(&mut self, costs: &[f64]) -> Result<(), RunError> {
        let expected = self.population.len();
        if costs.len() != expected || !costs.iter().all(|cost| cost.is_finite()) {
            return Err(RunError::Failed(format!("expected {expected} finite costs")));
        }
        let PairSettings { games, mirrored, pairs, .. } = self.settings;
        // How much better the first of each pair was, as a share of points.
        let better =
            DVector::from_iterator(pairs, costs.chunks(2).map(|pair| (pair[1] - pair[0]) / games));
        if better.norm_squared() == 0.0 {
            // Where all do equally well, such as against opponents that beat everybody, nothing is learned.
            self.ask();
            return Ok(());
        }
        self.squares += better.norm_squared();
        self.told += pairs as f64;
        // Nearly all of it is noise, at least that of half a point.
        let noise = (self.squares / self.told).max((0.5 / games).powi(2));
        // By a share of points, a quarter of a logit; games against each other count twice.
        let curvature = 2.0 * LOSS / self.optimum.len() as f64;
        let observed = &self.steps * (curvature * (1.0 + mirrored) / 2.0);
        let crossed = &self.covariance * observed.transpose();
        let total = &observed * &crossed + DMatrix::identity(pairs, pairs) * noise;
        let Some(solved) = total.cholesky() else {
            return Err(RunError::Failed("the optimiser's covariance is not finite".into()));
        };
        let gain = solved.solve(&crossed.transpose()).transpose();
        self.optimum += &gain * better;
        self.covariance -= &gain * crossed.transpose();
        self.covariance = (&self.covariance + self.covariance.transpose()) / 2.0;
        self.ask();
        Ok(())
    }

    /// The optimum as far as it is known: the answer.
    fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// How surely the optimum is known: the standard deviation along an axis, in steps (the root of the mean variance).
    fn sigma(&self) -> f64 {
        (self.covariance.trace() / self.optimum.len() as f64).sqrt()
    }

    /// The ratio of the longest axis of the distribution of the optimum to its shortest, in steps.
    fn axis_ratio(&self) -> f64 {
        let variances = SymmetricEigen::new(self.covariance.clone()).eigenvalues;
        (variances.max() / variances.min()).sqrt()
    }

    fn stop_reason(&self) -> Option<&'static str> {
        None
    }
}

/// A draw of the standard normal distribution.
///
/// CITE: Box, Muller, "A note on the generation of random normal deviates", 1958.
fn normal(draws: &mut Generator) -> f64 {
    let [radius, angle]: [f64; 2] = [draws.random(), draws.random()];
    (-2.0 * libm::log(1.0 - radius)).sqrt() * libm::cos(std::f64::consts::TAU * angle)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(initial: Vec<f64>, axes: DMatrix<f64>, mirrored: f64) -> PairSettings {
        PairSettings { initial, axes, pairs: 5, distance: 2.0, games: 4.0, mirrored, seed: 3 }
    }

    /// Costs as if strength fell off by so much a step from an optimum, with noise; of pairs in games against others.
    fn costs(points: &[Vec<f64>], optimum: &[f64], draws: &mut Generator) -> Vec<f64> {
        let cost = |point: &Vec<f64>| {
            let squares = point.iter().zip(optimum).map(|(x, best)| (x - best).powi(2));
            let share = libm::exp(squares.sum::<f64>() / 8.0).recip();
            4.0 * (1.0 - share) + 0.8 * normal(draws)
        };
        points.iter().map(cost).collect()
    }

    #[test]
    fn points_are_mirrored_at_the_mean_along_the_axes() {
        let axes = DMatrix::from_row_slice(2, 2, &[1.0, 0.0, 0.0, 0.0]);
        let optimiser = MirroredPairs::new(settings(vec![5.0, 7.0], axes, 0.0));
        assert_eq!((optimiser.population().len(), optimiser.mean()), (10, &[5.0, 7.0][..]));
        for pair in optimiser.population().chunks(2) {
            assert!((pair[0][0] + pair[1][0] - 10.0).abs() < 1e-12 && pair[0][0] != pair[1][0]);
            assert_eq!(
                [pair[0][1], pair[1][1]],
                [7.0; 2],
                "nothing moves along an axis of length 0"
            );
        }
    }

    #[test]
    fn the_optimum_is_the_posterior_of_all_results_at_once() {
        // The filter against the normal equations of all observations, in other coordinates than the steps.
        let axes = DMatrix::from_row_slice(3, 3, &[0.5, 0.1, 0.0, 0.0, 2.0, 0.3, 0.2, 0.0, 1.0]);
        for mirrored in [0.0, 0.25, 1.0] {
            let mut optimiser =
                MirroredPairs::new(settings(vec![1.0, -1.0, 0.0], axes.clone(), mirrored));
            let mut draws = generator(9, Role::AgentA);
            let mut precision = DMatrix::<f64>::identity(3, 3) / 4.0;
            let mut evidence = DVector::<f64>::zeros(3);
            let (mut squares, mut told) = (0.0, 0.0);
            for _ in 0..8 {
                let points = optimiser.population().to_vec();
                let costs = costs(&points, &[2.0, 1.0, 0.5], &mut draws);
                let solve = |point: &[f64]| {
                    let moved =
                        DVector::from_column_slice(point) - DVector::from_vec(vec![1.0, -1.0, 0.0]);
                    axes.clone().lu().solve(&moved).unwrap()
                };
                let pairs: Vec<_> = points.chunks(2).zip(costs.chunks(2)).collect();
                for (_, cost) in &pairs {
                    squares += ((cost[1] - cost[0]) / 4.0).powi(2);
                    told += 1.0;
                }
                for (pair, cost) in pairs {
                    let (a, b) = (solve(&pair[0]), solve(&pair[1]));
                    let slope = (&a - &b) / 2.0 * (0.3 / 3.0 * (1.0 + mirrored) / 2.0);
                    let centre = (a + b) / 2.0;
                    let result = (cost[1] - cost[0]) / 4.0 + slope.dot(&centre);
                    let noise = f64::max(squares / told, 0.125_f64.powi(2));
                    precision += &slope * slope.transpose() / noise;
                    evidence += &slope * result / noise;
                }
                optimiser.tell(&costs).unwrap();
                let expected = precision.clone().lu().solve(&evidence).unwrap();
                let found = solve(optimiser.mean());
                assert!((found - expected).norm() < 1e-9);
                let covariance = precision.clone().try_inverse().unwrap();
                assert!((covariance - &optimiser.covariance).norm() < 1e-9);
            }
        }
    }

    #[test]
    fn the_optimum_is_found_in_noise_and_is_known_better_and_better() {
        let optimum = [1.5, -0.5, 0.8, 0.0];
        let distance = |optimiser: &MirroredPairs| {
            let squares = optimiser.mean().iter().zip(optimum).map(|(x, best)| (x - best).powi(2));
            squares.sum::<f64>().sqrt()
        };
        for seed in 1..=5 {
            let axes = DMatrix::identity(4, 4) * 0.4;
            let settings = PairSettings { seed, ..settings(vec![0.0; 4], axes, 0.0) };
            let mut optimiser = MirroredPairs::new(settings);
            let (mut draws, first, mut known) =
                (generator(seed, Role::AgentA), distance(&optimiser), optimiser.sigma());
            for _ in 0..300 {
                let costs = costs(optimiser.population(), &optimum, &mut draws);
                optimiser.tell(&costs).unwrap();
                assert!(optimiser.sigma() < known);
                known = optimiser.sigma();
            }
            assert!(distance(&optimiser) < first / 4.0, "{}", distance(&optimiser));
            assert!(
                (1.0..3.0).contains(&optimiser.axis_ratio()) && optimiser.stop_reason().is_none()
            );
        }
    }

    #[test]
    fn costs_that_say_nothing_move_nothing_and_bad_ones_are_refused() {
        let new = || MirroredPairs::new(settings(vec![0.5; 3], DMatrix::identity(3, 3), 0.0));
        let mut optimiser = new();
        optimiser.tell(&[2.0; 10]).unwrap();
        assert_eq!((optimiser.mean(), optimiser.sigma()), (&[0.5; 3][..], 2.0));
        let before = optimiser.population().to_vec();
        assert!(optimiser.tell(&[1.0; 9]).is_err() && optimiser.tell(&[f64::NAN; 10]).is_err());
        assert_eq!(optimiser.population(), before);
    }

    #[test]
    fn draws_are_normal() {
        let mut draws = generator(8, Role::Coin);
        let all: Vec<f64> = (0..20_000).map(|_| normal(&mut draws)).collect();
        let mean_of = |f: fn(f64) -> f64| all.iter().map(|x| f(*x)).sum::<f64>() / all.len() as f64;
        let (mean, variance) = (mean_of(|x| x), mean_of(|x| x * x));
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.04, "{mean} {variance}");
        let within = mean_of(|x| f64::from(x.abs() < 1.0));
        assert!((within - 0.683).abs() < 0.015, "{within}");
    }
}
