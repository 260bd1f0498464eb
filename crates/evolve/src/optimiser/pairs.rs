//! The optimiser of mirrored pairs: it plays a point against its mirror image on the other side of the mean, and keeps what the
//! results say of the optimum as a normal distribution.
//!
//! Strength, in logits of the expected score, is modelled as a quadratic that falls off equally in all directions around an
//! unknown optimum. Of a point and its mirror image, the difference in strength is then linear in the optimum,
//! whatever the curvature does to each of the two. Results are linear observations of it with noise, and the optimum given all results is normally
//! distributed: a Kalman filter, without a step size to be tuned. How steeply strength falls off is unknown, too: there is a filter for each of several
//! curvatures, each counts by how well it foretold the results, and their mean is the answer and the centre of the next pairs. Early
//! moves are large, since little is known; later ones shrink as one over the number of games. Points are drawn as far from the
//! mean as the curvature that is most likely says that they may lose a little, and farther where most of them do equally well.
//!
//! CITE: Kalman, "A new approach to linear filtering and prediction problems", 1960; mirrored samples: Brockhoff, Auger, Hansen,
//! Arnold, Hohm, "Mirrored sampling and sequential selection for evolution strategies", PPSN 2010; differences of pairs as
//! gradients: Spall, "Multivariate stochastic approximation using a simultaneous perturbation gradient approximation", 1992; a quadratic
//! model of strength in logits: Coulom, "CLOP", ACG 2011.

use std::collections::VecDeque;

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

/// The farthest and nearest that points are drawn, in draws along the axes.
const WIDTHS: [f64; 2] = [0.0625, 2.5];

/// How much farther points are drawn after a generation in which the two of more than three quarters of the pairs did equally well, and
/// how often at most.
const WIDER: f64 = 1.2;
const MOST_WIDENED: i32 = 16;

/// How far points may be from a centre that is at a limit, in widths: the farther, the less is its pair mirrored.
const LEAST_ROOM: f64 = 0.3;

/// What the results say of the optimum, if strength falls off with some curvature.
#[derive(Debug)]
struct Filter {
    /// Logits lost by a step of 1 away from the optimum, twice.
    curvature: f64,
    /// The mean and covariance of the optimum, in steps from the first mean.
    optimum: DVector<f64>,
    covariance: DMatrix<f64>,
    /// The logarithm of how likely the results were.
    evidence: f64,
}

impl Filter {
    fn new(power: i32, dimensions: usize, settings: &PairSettings) -> Self {
        let curvature = 2.0 * LOSS / dimensions as f64 * 2.0_f64.powi(power);
        let variance = 2.0 * settings.gain / (curvature * dimensions as f64);
        Self {
            curvature,
            optimum: DVector::zeros(dimensions),
            covariance: DMatrix::identity(dimensions, dimensions) * variance,
            evidence: if power == 0 {
                0.0
            } else {
                -(f64::from(power) / settings.spread).powi(2) / 2.0
            },
        }
    }

    /// Takes results that are, but for noise, `slope` times the curvature, times how far the optimum lies from where they were
    /// measured along each step. `None` where a number is not finite.
    fn tell(&mut self, results: &Results, slope: f64) -> Option<()> {
        let Results { steps, centres, better, noise } = results;
        let observed = steps * (slope * self.curvature);
        let towards = DVector::from_fn(steps.nrows(), |pair, _| {
            observed.row(pair).transpose().dot(&(&self.optimum - centres.row(pair).transpose()))
        });
        let crossed = &self.covariance * observed.transpose();
        let total = &observed * &crossed + DMatrix::identity(better.len(), better.len()) * *noise;
        let solved = total.cholesky()?;
        let surprise = better - towards;
        let root = solved.l_dirty().diagonal();
        let spread: f64 = root.iter().map(|scale| libm::log(*scale)).sum();
        self.evidence -= surprise.dot(&solved.solve(&surprise)) / 2.0 + spread;
        let gain = solved.solve(&crossed.transpose()).transpose();
        self.optimum += &gain * surprise;
        self.covariance -= &gain * crossed.transpose();
        self.covariance = (&self.covariance + self.covariance.transpose()) / 2.0;
        self.evidence.is_finite().then_some(())
    }
}

/// What a generation has shown.
struct Results {
    /// Half of the way from the second point of each pair to the first, in steps, and the middle of the two.
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
    /// The sum of squared differences between pairs, and their number.
    squares: f64,
    told: f64,
    /// How often more points are drawn [`WIDER`] than not.
    widened: i32,
    /// The points of each pair in steps from the first mean, of the generations that were asked for and not told.
    asked: VecDeque<Vec<[DVector<f64>; 2]>>,
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
        let filter = |power| Filter::new(power, dimensions, &settings);
        Self {
            draws: generator(settings.seed, Role::Coin),
            filters: curvatures.map(filter).collect(),
            centre: DVector::zeros(dimensions),
            squares: 0.0,
            told: 0.0,
            widened: 0,
            asked: VecDeque::new(),
            mean: settings.initial.clone(),
            played,
            limits,
            settings,
        }
    }

    /// How much each filter counts.
    fn shares(&self) -> Vec<f64> {
        let most = self.filters.iter().map(|filter| filter.evidence).fold(f64::MIN, f64::max);
        let shares = self.filters.iter().map(|filter| libm::exp(filter.evidence - most));
        let all: f64 = shares.clone().sum();
        shares.map(|share| share / all).collect()
    }

    /// How far points are drawn: where curvatures are learned, so that they lose as much as they are to.
    fn width(&self) -> f64 {
        let wider = WIDER.powi(self.widened);
        if self.filters.len() == 1 {
            return wider;
        }
        let shares = self.shares().into_iter().zip(&self.filters);
        let log: f64 = shares.map(|(share, filter)| share * libm::log(filter.curvature)).sum();
        let loss = libm::exp(log) * self.centre.len() as f64 / 2.0;
        (LOSS_WANTED / loss).sqrt().clamp(WIDTHS[0], WIDTHS[1]) * wider
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
        self.asked.push_back(places);
        population
    }

    /// What one more generation would show moves the mean little.
    fn looks_ahead(&self) -> bool {
        true
    }

    fn tell(&mut self, costs: &[f64]) -> Result<(), RunError> {
        let PairSettings { games, mirrored, pairs, .. } = self.settings;
        let is_wrong = costs.len() != 2 * pairs || !costs.iter().all(|cost| cost.is_finite());
        let Some(asked) = self.asked.pop_front().filter(|_| !is_wrong) else {
            let message = format!("expected {} finite costs of points that were asked", 2 * pairs);
            return Err(RunError::Failed(message));
        };
        // How much better the first of each pair was, as a share of points.
        let better =
            DVector::from_iterator(pairs, costs.chunks(2).map(|pair| (pair[1] - pair[0]) / games));
        // Points are too near to each other where most play alike: numbers that are rounded or compared change nothing for a long way. So
        // they are where opponents beat everybody.
        let equal = better.iter().filter(|better| **better == 0.0).count();
        let widened = if 4 * equal > 3 * pairs { self.widened + 1 } else { self.widened - 1 };
        self.widened = widened.clamp(0, MOST_WIDENED);
        if equal == pairs {
            return Ok(());
        }
        self.squares += better.norm_squared();
        self.told += pairs as f64;
        let places = |of: fn(&[DVector<f64>; 2]) -> DVector<f64>| {
            let rows: Vec<_> = asked.iter().map(|pair| of(pair).transpose()).collect();
            DMatrix::from_rows(&rows)
        };
        let results = Results {
            steps: places(|[a, b]| (a - b) / 2.0),
            centres: places(|[a, b]| (a + b) / 2.0),
            better,
            // Nearly all of it is noise, at least that of half a point.
            noise: (self.squares / self.told).max((0.5 / games).powi(2)),
        };
        // By a share of points, a quarter of a logit; games against each other count twice.
        let slope = f64::midpoint(1.0, mirrored);
        let told = self.filters.iter_mut().try_for_each(|filter| filter.tell(&results, slope));
        told.ok_or_else(|| RunError::Failed("the optimiser's covariance is not finite".into()))?;
        for filter in &mut self.filters {
            filter.optimum = Self::within(&self.limits, &filter.optimum);
        }
        let optima = self.shares().into_iter().zip(&self.filters);
        let centre = optima.map(|(share, filter)| &filter.optimum * share).sum();
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
        let shares = self.shares().into_iter().zip(&self.filters);
        let variance: f64 = shares.map(|(share, filter)| share * filter.covariance.trace()).sum();
        (variance / self.centre.len() as f64).sqrt()
    }

    fn axis_ratio(&self) -> f64 {
        let shares = self.shares().into_iter().zip(&self.filters);
        let covariance: DMatrix<f64> =
            shares.map(|(share, filter)| &filter.covariance * share).sum();
        let variances = SymmetricEigen::new(covariance).eigenvalues;
        (variances.max() / variances.min()).sqrt()
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
        let (gain, spread, pairs, games, seed) = (0.6, 0.0, 5, 4.0, 3);
        let limits = vec![[f64::NEG_INFINITY, f64::INFINITY]; initial.len()];
        PairSettings { initial, axes, limits, pairs, gain, spread, games, mirrored, seed }
    }

    fn new(settings: PairSettings) -> MirroredPairs<'static> {
        MirroredPairs::new(settings, Box::new(<[f64]>::to_vec))
    }

    fn distance(point: &[f64], optimum: &[f64]) -> f64 {
        let squares = point.iter().zip(optimum).map(|(x, best)| (x - best).powi(2));
        squares.sum::<f64>().sqrt()
    }

    /// Costs as if strength fell off by so much a step from an optimum, with noise; of pairs in games against others.
    fn costs(points: &[Vec<f64>], optimum: &[f64], draws: &mut Generator) -> Vec<f64> {
        let cost = |point: &Vec<f64>| {
            let share = libm::exp(distance(point, optimum).powi(2) / 8.0).recip();
            4.0 * (1.0 - share) + 0.8 * normal(draws)
        };
        points.iter().map(cost).collect()
    }

    /// The optimiser after so many generations with these costs, in which all points are within the limits and as they are played.
    fn after(
        generations: u32,
        mut optimiser: MirroredPairs<'static>,
        optimum: &[f64],
    ) -> MirroredPairs<'static> {
        let mut draws = generator(5, Role::AgentA);
        for _ in 0..generations {
            let points = optimiser.ask();
            for point in &points {
                let mut limits = point.iter().zip(&optimiser.settings.limits);
                assert!(limits.all(|(x, [low, high])| low <= x && x <= high), "{point:?}");
                assert_eq!((optimiser.played)(point), *point);
            }
            optimiser.tell(&costs(&points, optimum, &mut draws)).unwrap();
        }
        optimiser
    }

    #[test]
    fn points_are_mirrored_at_the_mean_along_the_axes() {
        let axes = DMatrix::from_row_slice(2, 2, &[1.0, 0.0, 0.0, 0.0]);
        let mut optimiser = new(settings(vec![5.0, 7.0], axes, 0.0));
        let points = optimiser.ask();
        assert_eq!((points.len(), optimiser.mean()), (10, &[5.0, 7.0][..]));
        for pair in points.chunks(2) {
            assert!((pair[0][0] + pair[1][0] - 10.0).abs() < 1e-12 && pair[0][0] != pair[1][0]);
            let other = [pair[0][1], pair[1][1]];
            assert_eq!(other, [7.0; 2], "nothing moves along an axis of length 0");
        }
    }

    #[test]
    fn points_are_drawn_farther_where_all_do_equally_well() {
        let limits = vec![[-40.0, 40.0]];
        let settings = settings(vec![0.0], DMatrix::identity(1, 1), 1.0);
        let mut optimiser = new(PairSettings { limits, spread: 3.0, ..settings });
        // Ten times as far as points are drawn at first, games are won.
        let is_won = |point: &[f64]| point[0] > 25.0;
        let mut first_won = None;
        for generation in 0..60 {
            let points = optimiser.ask();
            let won = points.iter().any(|point| is_won(point));
            first_won = first_won.or(won.then_some(generation));
            let costs = points.iter().map(|point| if is_won(point) { 1.0 } else { 3.0 });
            optimiser.tell(&costs.collect::<Vec<_>>()).unwrap();
        }
        assert!((5..15).contains(&first_won.unwrap()), "{first_won:?}");
        assert!(is_won(optimiser.mean()), "{:?}", optimiser.mean());
    }

    #[test]
    fn the_optimum_is_the_posterior_of_all_results_at_once() {
        // The filter against the normal equations of all observations, in other coordinates than the steps.
        let axes = DMatrix::from_row_slice(3, 3, &[0.5, 0.1, 0.0, 0.0, 2.0, 0.3, 0.2, 0.0, 1.0]);
        let initial = vec![1.0, -1.0, 0.0];
        let in_steps = |point: &[f64]| {
            let moved = DVector::from_column_slice(point) - DVector::from_column_slice(&initial);
            axes.clone().lu().solve(&moved).unwrap()
        };
        for mirrored in [0.0, 0.25, 1.0] {
            let mut optimiser = new(settings(initial.clone(), axes.clone(), mirrored));
            let mut draws = generator(9, Role::AgentA);
            let mut precision = DMatrix::<f64>::identity(3, 3) / 4.0;
            let mut evidence = DVector::<f64>::zeros(3);
            let (mut squares, mut told) = (0.0, 0.0);
            for _ in 0..8 {
                let points = optimiser.ask();
                let costs = costs(&points, &[2.0, 1.0, 0.5], &mut draws);
                let better = costs.chunks(2).map(|cost| (cost[1] - cost[0]) / 4.0);
                squares += better.clone().map(|better| better.powi(2)).sum::<f64>();
                told += 5.0;
                let noise = f64::max(squares / told, 0.125_f64.powi(2));
                for (pair, better) in points.chunks(2).zip(better) {
                    let (a, b) = (in_steps(&pair[0]), in_steps(&pair[1]));
                    let slope = (&a - &b) / 2.0 * (0.3 / 3.0 * (1.0 + mirrored) / 2.0);
                    let result = better + slope.dot(&((a + b) / 2.0));
                    precision += &slope * slope.transpose() / noise;
                    evidence += &slope * result / noise;
                }
                optimiser.tell(&costs).unwrap();
                let expected = precision.clone().lu().solve(&evidence).unwrap();
                assert!((in_steps(optimiser.mean()) - expected).norm() < 1e-9);
                let covariance = precision.clone().try_inverse().unwrap();
                assert!((covariance - &optimiser.filters[0].covariance).norm() < 1e-9);
            }
        }
    }

    #[test]
    fn the_optimum_is_found_in_noise_and_how_far_a_step_is_need_not_be_known() {
        let optimum = [1.5, -0.5, 0.8, 0.0];
        let found = |scale: f64, spread: f64, mirrored: f64, seed: u64| {
            let axes = DMatrix::identity(4, 4) * 0.4 * scale;
            let settings = settings(vec![0.0; 4], axes, mirrored);
            let start = new(PairSettings { spread, seed, ..settings });
            let first = start.sigma();
            let optimiser = after(200, start, &optimum);
            assert!(optimiser.sigma() < first && (1.0..3.0).contains(&optimiser.axis_ratio()));
            distance(optimiser.mean(), &optimum)
        };
        for seed in 1..=5 {
            let off = found(1.0, 0.0, 0.0, seed);
            assert!(off < distance(&[0.0; 4], &optimum) / 4.0, "{off} with seed {seed}");
        }
        for scale in [0.1, 1.0, 2.0] {
            let (known, unknown) = (found(scale, 0.0, 1.0, 3), found(scale, 3.0, 1.0, 3));
            assert!(unknown < 0.5, "{unknown} with steps {scale} times as long");
            assert!(scale > 0.5 || unknown < known / 2.0, "{unknown} {known} {scale}");
        }
    }

    #[test]
    fn points_are_those_that_are_played_and_a_mean_at_its_limits_comes_back() {
        // Within 0 and 1 in the first coordinate, and whole in the second.
        let whole = |point: &[f64]| vec![point[0], point[1].round()];
        let limits = vec![[0.0, 1.0], [f64::NEG_INFINITY, f64::INFINITY]];
        let start = settings(vec![0.9, 0.4], DMatrix::identity(2, 2), 1.0);
        let start = MirroredPairs::new(PairSettings { limits, ..start }, Box::new(whole));
        let optimiser = after(300, start, &[3.0, 2.3]);
        // The first optimum is beyond the range, and the second between two whole numbers.
        let [first, second] = optimiser.mean() else { panic!("two numbers") };
        assert!(*first == 1.0 && (1.9..2.7).contains(second), "{first} {second}");
        let limits = vec![[0.0, 5.0], [-1.0, 0.0]];
        let start = settings(vec![0.0, -1.0], DMatrix::identity(2, 2) * 0.5, 1.0);
        let start = new(PairSettings { limits, spread: 3.0, ..start });
        let optimiser = after(200, start, &[2.5, -0.4]);
        assert!(distance(optimiser.mean(), &[2.5, -0.4]) < 0.3, "{:?}", optimiser.mean());
    }

    #[test]
    fn costs_that_say_nothing_move_nothing_and_bad_ones_are_refused() {
        let mut optimiser = new(settings(vec![0.5; 3], DMatrix::identity(3, 3), 0.0));
        assert!(optimiser.tell(&[2.0; 10]).is_err(), "nothing was asked");
        for costs in [vec![2.0; 10], vec![1.0; 9], vec![f64::NAN; 10]] {
            optimiser.ask();
            assert_eq!(optimiser.tell(&costs).is_ok(), costs == [2.0; 10]);
            assert_eq!((optimiser.mean(), optimiser.sigma()), (&[0.5; 3][..], 2.0));
        }
    }

    #[test]
    fn results_count_for_the_points_that_they_are_of() {
        // Told in the order in which they were asked, two generations at a time end where one after the other does, but for how far
        // noise was known.
        for ahead in [0, 1, 2] {
            let mut optimiser = new(settings(vec![0.0; 2], DMatrix::identity(2, 2), 0.0));
            let mut asked: VecDeque<_> = (0..ahead).map(|_| optimiser.ask()).collect();
            for _ in 0..300 {
                asked.push_back(optimiser.ask());
                let points = asked.pop_front().unwrap();
                let costs = points.iter().map(|point| distance(point, &[1.0, -2.0]).powi(2));
                optimiser.tell(&costs.collect::<Vec<_>>()).unwrap();
            }
            let off = distance(optimiser.mean(), &[1.0, -2.0]);
            assert!(off < 0.1, "{off}, asked {ahead} ahead");
        }
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
