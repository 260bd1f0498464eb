//! The optimiser of mirrored pairs: it plays a point against its mirror image on the other side of the mean, and keeps what the
//! results say of the optimum as a normal distribution.
//!
//! Strength, in logits of the expected score, is modelled as a quadratic that falls off equally in all directions around an
//! unknown optimum. Of a point and its mirror image, the difference in strength is then linear in the optimum,
//! whatever the curvature does to each of the two. Results are linear observations of it with noise, and the optimum given all results is normally
//! distributed: a Kalman filter, without a step size to be tuned. How steeply strength falls off is unknown, too: there is a filter for each of several
//! curvatures, each counts by how well it foretold the results, and their mean is the answer and the centre of the next pairs. Early
//! moves are large, since little is known; later ones shrink as one over the number of games. Points are drawn as far from the
//! mean as the curvature that is most likely says that they may lose a little, and farther where all of them do equally well. Strength
//! may jump, and then pairs that are close to each other see another optimum than those that are far apart. So a long run draws its
//! points nearer the better the optimum is known; and whenever they are nearer than ever before, the results so far become less sure.
//!
//! Where strength falls off faster on one side of the optimum than on the other, mirrored points are equally strong somewhere else. So there is a
//! second filter for each curvature, with the third derivative along each coordinate as a further unknown.
//!
//! Source: Kalman, "A new approach to linear filtering and prediction problems", 1960; mirrored samples: Brockhoff, Auger, Hansen,
//! Arnold, Hohm, "Mirrored sampling and sequential selection for evolution strategies", PPSN 2010; differences of pairs as
//! gradients: Spall, "Multivariate stochastic approximation using a simultaneous perturbation gradient approximation", 1992; a quadratic
//! model of strength in logits: Coulom, "CLOP", ACG 2011.

use std::collections::VecDeque;

use nalgebra::{DMatrix, DVector, SymmetricEigen};
use rand::RngExt;
use tictune_core::seed::{Generator, Role, generator};

use crate::{Optimiser, OptimiserError};

/// The settings of [`MirroredPairs`].
#[derive(Clone, Debug, PartialEq)]
pub struct PairSettings {
    /// The first mean.
    pub initial: Vec<f64>,
    /// The columns are the steps that a draw of the standard normal distribution is multiplied by.
    pub axes: DMatrix<f64>,
    /// The least and greatest value of each coordinate, infinite where it has none.
    pub limits: Vec<[f64; 2]>,
    /// Pairs of a generation, at least 1.
    pub pairs: usize,
    /// How much stronger than the first mean the optimum is expected to be, in logits.
    pub gain: f64,
    /// How little is known of the lengths of the axes: the standard deviation of the curvature along them as a power of two; 0 where they
    /// are known.
    pub spread: f64,
    /// The greatest cost of a point: that of losing all its games.
    pub games: f64,
    /// The share of a point's games that it plays against its mirror image; the others are against opponents that both play.
    pub mirrored: f64,
    /// The seed of the draws.
    pub seed: u64,
}

/// What the points of a generation lose against their mean by being a draw away from it, in logits, where the axes have the lengths
/// that they should have.
const LOSS: f64 = 0.15;

/// What they are to lose where the lengths are not known: points that are farther away tell more, and cost games in which both lose.
const LOSS_WANTED: f64 = 0.3;

/// The curvatures that may be, as powers of two of the one with which a draw along the axes loses [`LOSS`].
const CURVATURES: std::ops::RangeInclusive<i32> = -8..=8;

/// The nearest and farthest that points are drawn for a curvature, in draws along the axes.
const WIDTHS: [f64; 2] = [0.0625, 2.5];

/// How far they are drawn at most, in standard deviations of the optimum, once so many pairs for each coordinate were not level: a run
/// that begins on a plateau has to see its edge first.
const DEVIATIONS: f64 = 2.0;
const DECISIVE_PAIRS: f64 = 700.0;

/// How much the variance of the optimum grows when points are drawn nearer, as a share of the fall in their squared width.
const DRIFT: f64 = 0.01;

/// How much farther points are drawn after each further generation, where the two of all pairs did equally well in so many generations;
/// and how often at most.
const WIDER: f64 = 1.2;
const LEVEL_GENERATIONS: u32 = 3;
const MOST_WIDENED: i32 = 16;

/// The logarithm of how likely it is, before any game, that there are third derivatives that count.
const SKEWED: f64 = -3.0;

/// How far points may be from a centre that is at a limit, in widths: the farther, the less is its pair mirrored.
const LEAST_ROOM: f64 = 0.3;

/// What the results say of the optimum, if strength falls off with some curvature.
#[derive(Debug)]
struct Filter {
    /// Logits lost by a step of 1 away from the optimum, twice.
    curvature: f64,
    /// The mean and covariance of the unknowns: the optimum, in steps from the first mean, and, of a skewed filter, what the cube of a
    /// step along each coordinate counts, as a share of the curvature: the third derivative, but for a factor.
    unknowns: DVector<f64>,
    covariance: DMatrix<f64>,
    /// The logarithm of how likely the results were.
    evidence: f64,
}

impl Filter {
    fn new(power: i32, is_skewed: bool, dimensions: usize, settings: &PairSettings) -> Self {
        let curvature = 2.0 * LOSS / dimensions as f64 * 2.0_f64.powi(power);
        let of_all = curvature * dimensions as f64;
        let mut variances = vec![2.0 * settings.gain / of_all; dimensions];
        let mut evidence = 0.0;
        if power != 0 {
            evidence -= (f64::from(power) / settings.spread).powi(2) / 2.0;
        }
        if is_skewed {
            // They count as much as an optimum that lies as far away as points are drawn.
            variances.resize(2 * dimensions, of_all / (2.0 * LOSS_WANTED));
            evidence += SKEWED;
        }
        let unknowns = DVector::zeros(variances.len());
        let covariance = DMatrix::from_diagonal(&variances.into());
        Self { curvature, unknowns, covariance, evidence }
    }

    /// Takes results that are, but for noise, `slope` times the curvature, times how far the optimum lies from where they were
    /// measured along each step. `None` where a number is not finite.
    fn tell(&mut self, results: &Results, slope: f64) -> Option<()> {
        let Results { steps, centres, better, noise } = results;
        let [steps, centres] = [steps, centres].map(|all| all.columns(0, self.unknowns.len()));
        let observed = steps * (slope * self.curvature);
        let towards = DVector::from_fn(steps.nrows(), |pair, _| {
            observed.row(pair).transpose().dot(&(&self.unknowns - centres.row(pair).transpose()))
        });
        let crossed = &self.covariance * observed.transpose();
        let total = &observed * &crossed + DMatrix::identity(better.len(), better.len()) * *noise;
        let solved = total.cholesky()?;
        let surprise = better - towards;
        let root = solved.l_dirty().diagonal();
        let spread: f64 = root.iter().map(|scale| libm::log(*scale)).sum();
        self.evidence -= surprise.dot(&solved.solve(&surprise)) / 2.0 + spread;
        let gain = solved.solve(&crossed.transpose()).transpose();
        self.unknowns += &gain * surprise;
        self.covariance -= &gain * crossed.transpose();
        self.covariance = (&self.covariance + self.covariance.transpose()) / 2.0;
        self.evidence.is_finite().then_some(())
    }
}

/// What a generation has shown.
struct Results {
    /// Half of the way from the second point of each pair to the first, in steps, and the middle of the two; then the cubes of that way, and
    /// zeros.
    steps: DMatrix<f64>,
    centres: DMatrix<f64>,
    /// How much better the first of each pair was, as a share of points, and the variance of that by chance.
    better: DVector<f64>,
    noise: f64,
}

/// The point that is played for a point within the limits: numbers are whole there where they have to be.
pub type PlayPoints<'n> = Box<dyn Fn(&[f64]) -> Vec<f64> + 'n>;

/// Mirrored pairs with ask and tell. Points 2k and 2k + 1 are a pair.
pub struct MirroredPairs<'n> {
    settings: PairSettings,
    played: PlayPoints<'n>,
    /// The limits of the coordinates in steps from the first mean.
    limits: Vec<[f64; 2]>,
    draws: Generator,
    filters: Vec<Filter>,
    /// The mean of the filters, in steps from the first mean.
    centre: DVector<f64>,
    /// The least width so far, of generations that were not wholly level; at first that of the first.
    least_width: f64,
    /// The sum of squared differences within the pairs that count, their number, and that with the level ones.
    squares: f64,
    told: f64,
    with_level: f64,
    /// How often more points are drawn [`WIDER`] than not.
    widened: i32,
    /// How many of the last generations in a row had all pairs level.
    level: u32,
    /// The generations that were asked and not told: how far points were drawn, and the two of each pair, in steps from the first
    /// mean.
    asked: VecDeque<(f64, Vec<[DVector<f64>; 2]>)>,
    mean: Vec<f64>,
}

impl<'n> MirroredPairs<'n> {
    /// The optimiser before its first generation. A coordinate that has limits, or is another one when it is `played`, has an axis
    /// of its own.
    pub fn new(settings: PairSettings, played: PlayPoints<'n>) -> Self {
        let dimensions = settings.initial.len();
        let limits = settings.limits.iter().zip(&settings.initial).enumerate();
        let in_steps = |(index, (limits, initial)): (usize, (&[f64; 2], &f64))| {
            limits.map(|limit| match limit.is_finite() {
                true => (limit - initial) / settings.axes[(index, index)],
                false => limit,
            })
        };
        let limits = limits.map(in_steps).collect();
        let curvatures = if settings.spread > 0.0 { CURVATURES } else { 0..=0 };
        let filter = |is_skewed| {
            let settings = &settings;
            move |power| Filter::new(power, is_skewed, dimensions, settings)
        };
        let plain = curvatures.clone().map(filter(false));
        let skewed = curvatures.filter(|_| settings.spread > 0.0).map(filter(true));
        let mut optimiser = Self {
            draws: generator(settings.seed, Role::Coin),
            filters: plain.chain(skewed).collect(),
            centre: DVector::zeros(dimensions),
            least_width: 0.0,
            squares: 0.0,
            told: 0.0,
            with_level: 0.0,
            widened: 0,
            level: 0,
            asked: VecDeque::new(),
            mean: settings.initial.clone(),
            played,
            limits,
            settings,
        };
        optimiser.least_width = optimiser.width();
        optimiser
    }

    fn learns_curvature(&self) -> bool {
        self.filters.len() > 1
    }

    /// How much each filter counts.
    fn shares(&self) -> Vec<f64> {
        let most = self.filters.iter().map(|filter| filter.evidence).fold(f64::MIN, f64::max);
        let shares = self.filters.iter().map(|filter| libm::exp(filter.evidence - most));
        let all: f64 = shares.clone().sum();
        shares.map(|share| share / all).collect()
    }

    fn covariance(&self) -> DMatrix<f64> {
        let shares = self.shares().into_iter().zip(&self.filters);
        let all = (self.centre.len(), self.centre.len());
        shares.map(|(share, filter)| filter.covariance.view((0, 0), all) * share).sum()
    }

    /// How far points are drawn: where curvatures are learned, so that they lose as much as they are to.
    fn width(&self) -> f64 {
        let wider = WIDER.powi(self.widened);
        if !self.learns_curvature() {
            return wider;
        }
        let shares = self.shares().into_iter().zip(&self.filters);
        let log: f64 = shares.map(|(share, filter)| share * libm::log(filter.curvature)).sum();
        // Without level pairs, curvatures are learned as larger than they are, by as much as the other pairs are rarer.
        let decisive = if self.told > 0.0 { self.told / self.with_level } else { 1.0 };
        let loss = libm::exp(log) * self.centre.len() as f64 / 2.0 * decisive;
        let width = (LOSS_WANTED / loss).sqrt().clamp(WIDTHS[0], WIDTHS[1]);
        if self.told < DECISIVE_PAIRS * self.centre.len() as f64 {
            return width * wider;
        }
        width.min(DEVIATIONS * self.sigma()) * wider
    }

    /// Makes the results so far less sure, if those that follow were seen from nearer than all of them.
    fn discount(&mut self, width: f64) {
        let drift = DRIFT * (self.least_width.powi(2) - width.powi(2));
        if drift > 0.0 {
            self.least_width = width;
            for Filter { covariance, .. } in &mut self.filters {
                (0..self.centre.len()).for_each(|index| covariance[(index, index)] += drift);
            }
        }
    }

    fn point(&self, place: &DVector<f64>) -> Vec<f64> {
        let PairSettings { initial, axes, .. } = &self.settings;
        (DVector::from_column_slice(initial) + axes * place).as_slice().to_vec()
    }

    /// The point that is played for a place, and its own place.
    fn played(&self, place: &DVector<f64>) -> (Vec<f64>, DVector<f64>) {
        let asked = self.point(place);
        let point = (self.played)(&asked);
        let axes = &self.settings.axes;
        let moved = asked.iter().zip(&point).enumerate();
        let moved = moved.map(|(index, (asked, played))| match played - asked {
            0.0 => 0.0,
            moved => moved / axes[(index, index)],
        });
        let moved = DVector::from_iterator(point.len(), moved);
        (point, place + moved)
    }

    fn within(limits: &[[f64; 2]], place: &DVector<f64>) -> DVector<f64> {
        let within = place.iter().zip(limits).map(|(x, [low, high])| x.clamp(*low, *high));
        DVector::from_iterator(place.len(), within)
    }

    /// How far points may be from the centre along each coordinate: to the nearer limit, so that the two of a pair stay mirrored, but
    /// not so near that nothing would be learned there.
    fn room(&self, width: f64) -> Vec<f64> {
        let limits = self.centre.iter().zip(&self.limits);
        let room = limits.map(|(x, [low, high])| (x - low).min(high - x));
        room.map(|room| room.max(LEAST_ROOM * width)).collect()
    }
}

impl Optimiser for MirroredPairs<'_> {
    fn ask(&mut self) -> Vec<Vec<f64>> {
        let (dimensions, width) = (self.centre.len(), self.width());
        let draws = &mut self.draws;
        let steps = DMatrix::from_fn(self.settings.pairs, dimensions, |_, _| normal(draws) * width);
        let room = self.room(width);
        let (mut population, mut places) = (Vec::new(), Vec::new());
        for step in steps.row_iter() {
            let step = step.iter().zip(&room).map(|(step, room)| step.clamp(-room, *room));
            let step = DVector::from_iterator(dimensions, step);
            let both = [&self.centre + &step, &self.centre - &step];
            let [(a, at_a), (b, at_b)] =
                both.map(|place| self.played(&Self::within(&self.limits, &place)));
            population.extend([a, b]);
            places.push([at_a, at_b]);
        }
        self.asked.push_back((width, places));
        population
    }

    /// What one more generation would show moves the mean little.
    fn looks_ahead(&self) -> bool {
        true
    }

    fn tell(&mut self, costs: &[f64]) -> Result<(), OptimiserError> {
        let PairSettings { games, mirrored, pairs, .. } = self.settings;
        let is_wrong = costs.len() != 2 * pairs || !costs.iter().all(|cost| cost.is_finite());
        let Some((width, asked)) = self.asked.pop_front().filter(|_| !is_wrong) else {
            let message = format!("expected {} finite costs of points that were asked", 2 * pairs);
            return Err(OptimiserError(message));
        };
        // How much better the first of each pair was, as a share of points.
        let better = costs.chunks(2).map(|pair| (pair[1] - pair[0]) / games);
        let mut played: Vec<_> = asked.into_iter().zip(better).collect();
        // Points are too near to each other where all play alike: numbers that are rounded or compared change nothing for a long way. So
        // they are where opponents beat everybody.
        if played.iter().all(|(_, better)| *better == 0.0) {
            self.level += 1;
            if self.level >= LEVEL_GENERATIONS {
                self.widened = (self.widened + 1).min(MOST_WIDENED);
            }
            return Ok(());
        }
        self.level = 0;
        self.widened = (self.widened - 1).max(0);
        // Two that play alike are level wherever the optimum lies. Differences of the other pairs are larger on average, as if strength
        // fell off faster: a curvature that is learned takes that up.
        if self.learns_curvature() {
            self.discount(width);
            played.retain(|(_, better)| *better != 0.0);
        }
        let better = DVector::from_iterator(played.len(), played.iter().map(|(_, better)| *better));
        self.squares += better.norm_squared();
        self.told += better.len() as f64;
        self.with_level += pairs as f64;
        let places = |of: fn(&[DVector<f64>; 2]) -> DVector<f64>| {
            let rows: Vec<_> = played.iter().map(|(pair, _)| of(pair).transpose()).collect();
            DMatrix::from_rows(&rows)
        };
        let dimensions = self.centre.len();
        let mut steps = places(|[a, b]| (a - b) / 2.0).resize_horizontally(2 * dimensions, 0.0);
        let cubes = steps.columns(0, dimensions).map(|step| step.powi(3));
        steps.columns_mut(dimensions, dimensions).copy_from(&cubes);
        let centres = places(|[a, b]| (a + b) / 2.0).resize_horizontally(2 * dimensions, 0.0);
        let results = Results {
            steps,
            centres,
            better,
            // Nearly all of it is noise, at least that of half a point.
            noise: (self.squares / self.told).max((0.5 / games).powi(2)),
        };
        // By a share of points, a quarter of a logit; games against each other count twice.
        let slope = f64::midpoint(1.0, mirrored);
        let told = self.filters.iter_mut().try_for_each(|filter| filter.tell(&results, slope));
        told.ok_or_else(|| OptimiserError("the optimiser's covariance is not finite".into()))?;
        for filter in &mut self.filters {
            let limited = filter.unknowns.iter_mut().zip(&self.limits);
            limited.for_each(|(x, [low, high])| *x = x.clamp(*low, *high));
        }
        let optima = self.shares().into_iter().zip(&self.filters);
        let centre =
            optima.map(|(share, filter)| filter.unknowns.rows(0, dimensions) * share).sum();
        self.centre = Self::within(&self.limits, &centre);
        self.mean = self.point(&self.centre);
        Ok(())
    }

    /// The optimum as far as it is known: the answer.
    fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// How surely the optimum is known: the standard deviation along an axis, in steps (the root of the mean variance).
    fn sigma(&self) -> f64 {
        (self.covariance().trace() / self.centre.len() as f64).sqrt()
    }

    fn axis_ratio(&self) -> f64 {
        let variances = SymmetricEigen::new(self.covariance()).eigenvalues;
        (variances.max() / variances.min()).sqrt()
    }

    /// Those of the optimum as far as it is known: least along the longest.
    fn axes(&self) -> DMatrix<f64> {
        let axes = &self.settings.axes;
        let of_points = SymmetricEigen::new(axes * self.covariance() * axes.transpose());
        let lengths = of_points.eigenvalues.map(|variance| variance.max(0.0).sqrt());
        of_points.eigenvectors * DMatrix::from_diagonal(&lengths)
    }
}

/// A draw of the standard normal distribution.
///
/// Source: Box, Muller, "A note on the generation of random normal deviates", 1958.
fn normal(draws: &mut Generator) -> f64 {
    let [radius, angle]: [f64; 2] = [draws.random(), draws.random()];
    (-2.0 * libm::log(1.0 - radius)).sqrt() * libm::cos(std::f64::consts::TAU * angle)
}

#[cfg(test)]
mod tests;
