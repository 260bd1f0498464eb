//! The optimiser: asks for costs of points and learns from them, knowing nothing of games.
//!
//! The algorithm is the `cmaes` crate's (CITE: Hansen, "The CMA Evolution Strategy: A Tutorial",
//! arXiv:1604.00772). The crate calls the objective itself and cannot export its state, but with a
//! fixed seed and the same values its sampling is repeatable bit for bit. So [`CmaEs`] keeps the
//! values it was told, and after each generation builds the optimiser anew, replays them, and records
//! the points of the next generation. The cost of that grows with the square of the generations: at
//! population 20 and 14 dimensions it is measured in `benches/optimiser.rs`.

use cmaes::{CMAES, CMAESOptions, DVector, ObjectiveFunction, TerminationReason};
use thiserror::Error;

/// Proposes points, and moves its distribution towards those of low cost.
pub trait Optimiser {
    /// The points of the current generation.
    fn population(&self) -> &[Vec<f64>];

    /// Takes the costs of the current generation's points, smaller being better, and samples the
    /// next. Ties are broken in favour of the earlier point.
    ///
    /// # Errors
    /// A wrong number of costs, or one that is not a number.
    fn tell(&mut self, costs: &[f64]) -> Result<(), OptimiserError>;

    /// The centre of the distribution that the current points come from.
    fn mean(&self) -> &[f64];

    /// The step size of that distribution.
    fn sigma(&self) -> f64;

    /// The longest axis of that distribution over its shortest.
    fn axis_ratio(&self) -> f64;

    /// Why going on makes no sense numerically, if so.
    fn stop_reason(&self) -> Option<&str>;
}

/// What the optimiser cannot work with.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum OptimiserError {
    /// Settings that it refuses.
    #[error("the optimiser refuses its settings: {0}")]
    Settings(String),
    /// Costs that do not fit the population.
    #[error("expected {expected} costs that are numbers")]
    Costs {
        /// The population's size.
        expected: usize,
    },
}

/// The settings of a [`CmaEs`].
#[derive(Clone, Debug, PartialEq)]
pub struct CmaEsSettings {
    /// The first centre.
    pub initial: Vec<f64>,
    /// The first step size, above 0.
    pub sigma: f64,
    /// Points a generation, at least 2.
    pub population: usize,
    /// The seed of the sampling.
    pub seed: u64,
}

/// CMA-ES behind ask and tell.
#[derive(Clone, Debug)]
pub struct CmaEs {
    settings: CmaEsSettings,
    /// All costs told, generation after generation.
    told: Vec<f64>,
    population: Vec<Vec<f64>>,
    mean: Vec<f64>,
    sigma: f64,
    axis_ratio: f64,
    stop_reason: Option<String>,
}

/// Answers with the costs told; records the points for which there is none yet.
struct Replay<'t> {
    told: std::slice::Iter<'t, f64>,
    recorded: Vec<Vec<f64>>,
}

impl ObjectiveFunction for Replay<'_> {
    fn evaluate(&mut self, point: &DVector<f64>) -> f64 {
        self.told.next().copied().unwrap_or_else(|| {
            self.recorded.push(point.as_slice().to_vec());
            0.0
        })
    }
}

impl CmaEs {
    /// An optimiser with the points of its first generation.
    ///
    /// # Errors
    /// Settings out of range.
    pub fn new(settings: CmaEsSettings) -> Result<Self, OptimiserError> {
        let mut optimiser = Self {
            settings,
            told: Vec::new(),
            population: Vec::new(),
            mean: Vec::new(),
            sigma: 0.0,
            axis_ratio: 1.0,
            stop_reason: None,
        };
        optimiser.replay()?;
        Ok(optimiser)
    }

    fn replay(&mut self) -> Result<(), OptimiserError> {
        let CmaEsSettings { initial, sigma, population, seed } = &self.settings;
        let objective = Replay { told: self.told.iter(), recorded: Vec::new() };
        let mut cmaes: CMAES<Replay<'_>> = CMAESOptions::new(initial.clone(), *sigma)
            .population_size(*population)
            .seed(*seed)
            .build(objective)
            .map_err(|error| OptimiserError::Settings(format!("{error:?}")))?;
        let mut reasons = Vec::new();
        for _ in 0..self.told.len() / population {
            reasons = cmaes.next().map_or(Vec::new(), |data| data.reasons);
        }
        self.stop_reason =
            reasons.iter().find_map(|reason| numerical_reason(*reason)).map(Into::into);
        self.mean = cmaes.mean().as_slice().to_vec();
        self.sigma = cmaes.sigma();
        self.axis_ratio = cmaes.axis_ratio();
        let _ = cmaes.next();
        self.population = cmaes.into_objective_function().recorded;
        Ok(())
    }
}

/// The crate's stop criteria that make sense for noisy whole-number costs, in words. Those that a
/// flat generation or a plateau of the best cost would trigger do not, and are left out.
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

impl Optimiser for CmaEs {
    fn population(&self) -> &[Vec<f64>] {
        &self.population
    }

    fn tell(&mut self, costs: &[f64]) -> Result<(), OptimiserError> {
        let expected = self.settings.population;
        if costs.len() != expected || costs.iter().any(|cost| cost.is_nan()) {
            return Err(OptimiserError::Costs { expected });
        }
        self.told.extend_from_slice(costs);
        self.replay()
    }

    fn mean(&self) -> &[f64] {
        &self.mean
    }

    fn sigma(&self) -> f64 {
        self.sigma
    }

    fn axis_ratio(&self) -> f64 {
        self.axis_ratio
    }

    fn stop_reason(&self) -> Option<&str> {
        self.stop_reason.as_deref()
    }
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
        // The crate, calling an objective itself, evaluates the very points that ask and tell see.
        let mut seen = Vec::new();
        let mut crates_own = CMAESOptions::new(vec![0.5; 8], 0.3)
            .population_size(20)
            .seed(7)
            .build(|point: &DVector<f64>| {
                seen.push(point.as_slice().to_vec());
                sphere(point.as_slice())
            })
            .unwrap();
        let mut ours = CmaEs::new(settings()).unwrap();
        let mut points = Vec::new();
        for _ in 0..30 {
            let _ = crates_own.next();
            points.extend(ours.population().to_vec());
            let costs: Vec<f64> = ours.population().iter().map(|point| sphere(point)).collect();
            ours.tell(&costs).unwrap();
            assert_eq!(ours.mean(), crates_own.mean().as_slice());
            assert_eq!(ours.sigma(), crates_own.sigma());
            assert_eq!(ours.axis_ratio(), crates_own.axis_ratio());
        }
        drop(crates_own);
        assert_eq!(points, seen);
        assert!(sphere(ours.mean()) < 1e-3, "and it minimises: {}", sphere(ours.mean()));
    }

    #[test]
    fn flat_costs_are_no_reason_to_stop() {
        let mut optimiser = CmaEs::new(settings()).unwrap();
        for generation in 0..60 {
            optimiser.tell(&[150.0; 20]).unwrap();
            assert_eq!(optimiser.stop_reason(), None, "generation {generation}");
        }
    }

    #[test]
    fn a_point_is_a_reason_to_stop() {
        let mut optimiser = CmaEs::new(settings()).unwrap();
        for _ in 0..2000 {
            let costs: Vec<f64> =
                optimiser.population().iter().map(|point| sphere(point)).collect();
            optimiser.tell(&costs).unwrap();
            if optimiser.stop_reason().is_some() {
                assert!(optimiser.sigma() < 1e-6);
                return;
            }
        }
        panic!("it never stopped");
    }

    #[test]
    fn bad_settings_and_costs_are_refused() {
        for bad in [
            CmaEsSettings { sigma: 0.0, ..settings() },
            CmaEsSettings { sigma: f64::NAN, ..settings() },
            CmaEsSettings { population: 1, ..settings() },
            CmaEsSettings { initial: Vec::new(), ..settings() },
        ] {
            assert!(matches!(CmaEs::new(bad), Err(OptimiserError::Settings(_))));
        }
        let mut optimiser = CmaEs::new(settings()).unwrap();
        let before = optimiser.population().to_vec();
        assert!(optimiser.tell(&[1.0; 19]).is_err());
        assert!(optimiser.tell(&[f64::NAN; 20]).is_err());
        assert_eq!(optimiser.population(), before);
    }
}
