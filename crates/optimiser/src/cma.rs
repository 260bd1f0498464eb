//! CMA-ES.
//!
//! The algorithm comes from the `cmaes` crate (source: Hansen, "The CMA Evolution Strategy: A Tutorial", arXiv:1604.00772). The crate
//! calls the objective function itself, point by point, and has no ask and tell. But its points follow from its seed and from the
//! state that it shows. `Sampling` therefore computes the points of a generation before the crate asks for their costs. When the costs
//! are known, [`CmaEs`] lets the crate take its step and compares every point that the crate evaluates with the computed one, bit for
//! bit. `benches/optimiser.rs` measures what this costs.

use std::sync::mpsc::{Receiver, Sender, channel};

use cmaes::{CMAES, CMAESOptions, DVector, TerminationReason};
use nalgebra::{DMatrix, SymmetricEigen};

use crate::{Optimiser, OptimiserError};

/// The settings of a [`CmaEs`].
#[derive(Clone, Debug, PartialEq)]
pub struct CmaEsSettings {
    /// The first mean of the distribution.
    pub initial: Vec<f64>,
    /// The first step size, above 0.
    pub sigma: f64,
    /// Points in a generation, at least 2.
    pub population: usize,
    /// The seed of the sampling.
    pub seed: u64,
}

/// An objective function as the crate expects it.
type Objective = Box<dyn FnMut(&DVector<f64>) -> f64 + Send>;

const OTHER_POINT: &str = "the optimiser evaluated a point other than the one that was computed for it: this is not \
                           the version of the cmaes crate that tictune was written for";

/// CMA-ES with ask and tell.
pub struct CmaEs {
    /// The crate's optimiser, about to sample the current generation.
    cmaes: CMAES<Objective>,
    /// Sends the points that it is about to evaluate, with their costs.
    sender: Sender<(Vec<f64>, f64)>,
    sampling: Sampling,
    population: Vec<Vec<f64>>,
    stop_reason: Option<&'static str>,
}

impl CmaEs {
    /// Creates an optimiser with the points of its first generation.
    ///
    /// # Errors
    /// If a setting is out of range.
    pub fn new(settings: CmaEsSettings) -> Result<Self, OptimiserError> {
        let (sender, costs) = channel();
        let mut sampling = Sampling::new(&settings)?;
        let cmaes = build(settings, Box::new(answer(costs)))?;
        let population = sampling.next_points(&cmaes);
        Ok(Self { cmaes, sender, sampling, population, stop_reason: None })
    }
}

impl Optimiser for CmaEs {
    fn ask(&mut self) -> Vec<Vec<f64>> {
        self.population.clone()
    }

    // Of equal costs, the earlier point counts as better.
    fn tell(&mut self, costs: &[f64]) -> Result<(), OptimiserError> {
        let expected = self.population.len();
        if costs.len() != expected || costs.iter().any(|cost| cost.is_nan()) {
            return Err(OptimiserError(format!("expected {expected} costs, none of them NaN")));
        }
        for (point, &cost) in std::mem::take(&mut self.population).into_iter().zip(costs) {
            // The receiver lives as long as `cmaes`.
            let _ = self.sender.send((point, cost));
        }
        let reasons = self.cmaes.next().map_or(Vec::new(), |data| data.reasons);
        if reasons.contains(&TerminationReason::InvalidFunctionValue) {
            // Another version of the crate samples differently.
            return Err(OptimiserError(OTHER_POINT.into()));
        }
        self.stop_reason = reasons.into_iter().find_map(numerical_reason);
        self.population = self.sampling.next_points(&self.cmaes);
        Ok(())
    }

    fn mean(&self) -> &[f64] {
        self.cmaes.mean().as_slice()
    }

    fn sigma(&self) -> f64 {
        self.cmaes.sigma()
    }

    fn axis_ratio(&self) -> f64 {
        self.cmaes.axis_ratio()
    }

    // The crate decomposes its covariance matrix every few generations. In between, sigma alone changes the axes.
    fn axes(&self) -> DMatrix<f64> {
        &self.sampling.transform * self.cmaes.sigma()
    }

    fn stop_reason(&self) -> Option<&'static str> {
        self.stop_reason
    }
}

/// The objective function of the crate's optimiser. It answers each point with the cost that was
/// sent for it. If another point is evaluated, it answers NaN.
fn answer(costs: Receiver<(Vec<f64>, f64)>) -> impl FnMut(&DVector<f64>) -> f64 {
    // Points that overflowed hold NaN, which is not equal to itself, so it needs its own comparison.
    let same = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
    move |point| match costs.try_recv() {
        Ok((asked, cost)) if point.len() == asked.len() && point.iter().zip(&asked).all(same) => {
            cost
        }
        _ => f64::NAN,
    }
}

/// Describes the crate's stop criteria that make sense for noisy integer costs. A flat generation or a plateau of the best
/// cost is normal with such costs, so the criteria that detect them are left out.
fn numerical_reason(reason: TerminationReason) -> Option<&'static str> {
    match reason {
        TerminationReason::TolX => Some("the distribution has shrunk to a point"),
        TerminationReason::TolXUp => Some("the step size has exploded"),
        TerminationReason::NoEffectAxis | TerminationReason::NoEffectCoord => {
            Some("the step size is too small to change a weight")
        }
        TerminationReason::TolConditionCov => Some("the covariance matrix is ill-conditioned"),
        TerminationReason::PosDefCov => Some("the covariance matrix is not positive definite"),
        _ => None,
    }
}

fn build(
    settings: CmaEsSettings,
    objective: Objective,
) -> Result<CMAES<Objective>, OptimiserError> {
    let CmaEsSettings { initial, sigma, population, seed } = settings;
    let options = CMAESOptions::new(initial, sigma).population_size(population).seed(seed);
    options
        .build(objective)
        .map_err(|error| OptimiserError(format!("the optimiser refuses its settings: {error:?}")))
}

/// What determines the points of the next generation, besides the optimiser's state.
///
/// A point is `mean + sigma * B * D * z` (source: Hansen, arXiv:1604.00772, equations 38 to 40). The crate shows the mean and
/// sigma. The standard normal vectors z follow from its seed: a second optimiser of the crate with the same seed stays at mean
/// 0, sigma 1 and the identity matrix, so it evaluates just these vectors. B and D come from the covariance matrix. They are
/// decomposed as in the crate, each time the crate has done so.
struct Sampling {
    /// Draws the vectors z of a generation. It never receives a cost.
    drawer: CMAES<Objective>,
    steps: Receiver<DVector<f64>>,
    eigenvalues: DVector<f64>,
    transform: DMatrix<f64>,
}

impl Sampling {
    fn new(settings: &CmaEsSettings) -> Result<Self, OptimiserError> {
        let (dimensions, population) = (settings.initial.len(), settings.population);
        let (sender, steps) = channel();
        let mut drawn = 0;
        let record = move |step: &DVector<f64>| {
            let _ = sender.send(step.clone());
            drawn += 1;
            // A NaN cost makes the crate leave a generation without changing anything but its
            // generator. It is given last, when all points have been recorded.
            if drawn % population == 0 { f64::NAN } else { 0.0 }
        };
        let (initial, seed) = (vec![0.0; dimensions], settings.seed);
        let of_drawer = CmaEsSettings { initial, sigma: 1.0, population, seed };
        let drawer = build(of_drawer, Box::new(record))?;
        Ok(Self {
            drawer,
            steps,
            eigenvalues: DVector::from_element(dimensions, 1.0),
            transform: DMatrix::identity(dimensions, dimensions),
        })
    }

    /// The points that the optimiser will evaluate in its next step. Call it once for each
    /// generation. The operations have the crate's order, so that the points agree bit for bit.
    fn next_points(&mut self, cmaes: &CMAES<Objective>) -> Vec<Vec<f64>> {
        let eigenvalues = cmaes.eigenvalues();
        if eigenvalues != self.eigenvalues {
            self.eigenvalues = eigenvalues;
            self.transform = transform(cmaes.covariance_matrix());
        }
        let _ = self.drawer.next();
        let point = |step: DVector<f64>| {
            let point = cmaes.mean() + cmaes.sigma() * &(&self.transform * step);
            point.as_slice().to_vec()
        };
        self.steps.try_iter().map(point).collect()
    }
}

fn transform(covariance: &DMatrix<f64>) -> DMatrix<f64> {
    /// What the crate treats as zero.
    const EPSILON: f64 = 1e-20;
    // The crate has decomposed the same matrix, so a decomposition exists.
    let Some(mut eigen) = SymmetricEigen::try_new(covariance.clone(), EPSILON, 0) else {
        return covariance.clone();
    };
    for mut column in eigen.eigenvectors.column_iter_mut() {
        column.normalize_mut();
    }
    let scales = DMatrix::from_diagonal(&eigen.eigenvalues.map(f64::sqrt));
    &eigen.eigenvectors * &scales
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> CmaEsSettings {
        CmaEsSettings { initial: vec![0.5; 8], sigma: 0.3, population: 20, seed: 7 }
    }

    fn sphere(point: &[f64]) -> f64 {
        point.iter().map(|x| x * x).sum()
    }

    #[test]
    fn it_goes_the_way_of_the_crate_bit_for_bit() {
        // The crate, calling an objective itself, must evaluate the points that ask and tell see: with many dimensions and
        // few, large and small populations, costs without information, and infinite costs.
        let noise =
            |point: &[f64]| (point[0].to_bits().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60) as f64;
        let steep = |point: &[f64]| if point[0] > 0.5 { f64::INFINITY } else { sphere(point) };
        let costs: [fn(&[f64]) -> f64; 4] = [sphere, noise, steep, |_| 1.0];
        for (dimensions, population) in [(1, 2), (2, 2), (3, 7), (14, 20), (40, 5), (5, 1500)] {
            for (cost, seed) in costs.iter().zip(3..) {
                let mut seen = Vec::new();
                let mut crates_own = CMAESOptions::new(vec![0.4; dimensions], 0.7)
                    .population_size(population)
                    .seed(seed)
                    .build(|point: &DVector<f64>| {
                        seen.push(point.as_slice().to_vec());
                        cost(point.as_slice())
                    })
                    .unwrap();
                let initial = vec![0.4; dimensions];
                let mut ours =
                    CmaEs::new(CmaEsSettings { initial, sigma: 0.7, population, seed }).unwrap();
                let mut points = Vec::new();
                for _ in 0..if population > 100 { 5 } else { 120 } {
                    let _ = crates_own.next();
                    let asked = ours.ask();
                    let costs: Vec<f64> = asked.iter().map(|p| cost(p)).collect();
                    points.extend(asked);
                    ours.tell(&costs).unwrap();
                    assert_eq!(ours.mean(), crates_own.mean().as_slice());
                    assert_eq!(ours.sigma(), crates_own.sigma());
                    assert_eq!(ours.axis_ratio(), crates_own.axis_ratio());
                }
                drop(crates_own);
                assert_eq!(points, seen, "{dimensions} dimensions, population {population}");
            }
        }
    }

    #[test]
    fn another_point_than_was_asked_for_is_an_error() {
        let mut optimiser = CmaEs::new(settings()).unwrap();
        optimiser.tell(&[1.0; 20]).unwrap();
        optimiser.population[19][7] += 1e-15;
        assert_eq!(optimiser.tell(&[1.0; 20]).unwrap_err().to_string(), OTHER_POINT);
    }

    #[test]
    fn a_point_is_a_reason_to_stop_and_flat_costs_are_none() {
        let stops = |cost: fn(&[f64]) -> f64, most: usize| {
            let mut optimiser = CmaEs::new(settings()).unwrap();
            (0..most).any(|_| {
                let costs: Vec<f64> = optimiser.ask().iter().map(|x| cost(x)).collect();
                optimiser.tell(&costs).unwrap();
                optimiser.stop_reason().is_some()
            })
        };
        assert!(stops(sphere, 2000) && !stops(|_| 150.0, 60));
    }

    #[test]
    fn bad_settings_and_costs_are_refused() {
        let bad = CmaEsSettings { sigma: 0.0, ..settings() };
        let error = CmaEs::new(bad).err().unwrap().to_string();
        assert!(error.starts_with("the optimiser refuses its settings"), "{error}");
        let mut optimiser = CmaEs::new(settings()).unwrap();
        let before = optimiser.ask();
        assert!(optimiser.tell(&[1.0; 19]).is_err());
        assert!(optimiser.tell(&[f64::NAN; 20]).is_err());
        assert_eq!(optimiser.ask(), before);
    }
}
