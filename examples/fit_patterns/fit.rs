//! The fit of the values of patterns to positions with known chances, by logistic regression.
//!
//! Every position names a few places ([`places`]); the sum of their values is the logit of the first player's
//! chances. The fit goes over the positions in random order and moves the values of each position's places against the
//! gradient of its log-loss, with a step size of its own for each place.
//!
//! Source: Duchi, Hazan, Singer, "Adaptive subgradient methods for online learning and stochastic optimization", JMLR 12, 2011
//! (AdaGrad).

use rand::{RngExt, SeedableRng};
use rayon::prelude::*;
use tictune::game::{Player, Position};
use tictune::games::uttt::Uttt;
use tictune::games::uttt::evaluation::patterns::{PatternValues, Places, places};
use tictune::seed::Generator;

/// A position and what it is worth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Labelled {
    /// The position, in which the game continues.
    pub(crate) position: Uttt,
    /// The first player's chances, 0 to 1; a draw counts half.
    pub(crate) chance: f32,
}

/// What is fitted: all values in logits, and what a free choice is worth beyond the best board.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fit {
    /// The values of patterns.
    pub(crate) values: PatternValues<f32>,
    /// What a free choice adds for the side to move.
    pub(crate) free_choice: f32,
}

/// How to fit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FitSettings {
    /// How often each position is visited.
    pub(crate) epochs: u32,
    /// The size of the first step of a value, in logits. It falls to zero with the epochs.
    pub(crate) rate: f32,
    /// The seed of the order of positions.
    pub(crate) seed: u64,
}

/// The mean log-loss of an epoch in nats a position: over the positions fitted to, while they were visited, and over
/// held-out positions after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EpochLoss {
    /// Of the positions fitted to.
    pub(crate) fitted: f64,
    /// Of the held-out positions.
    pub(crate) held_out: f64,
}

/// How many positions are looked up at a time.
const BATCH: usize = 1 << 16;

impl Fit {
    /// All values zero.
    pub(crate) fn zero() -> Self {
        Self { values: PatternValues::zero(), free_choice: 0.0 }
    }

    /// The logit of the first player's chances by this fit, and which of the turn's boards counts.
    fn logit(&self, example: &Example) -> (f32, usize) {
        let values = &self.values.0;
        let sum = |places: &[u32]| places.iter().map(|&place| values[place as usize]).sum::<f32>();
        let mut turn = (f32::MIN, 0);
        for (index, pair) in example.places.turn.iter().enumerate() {
            let value = sum(pair);
            if value > turn.0 {
                turn = (value, index);
            }
        }
        let free = if example.is_free { self.free_choice } else { 0.0 };
        let boards = sum(&example.places.first) - sum(&example.places.second);
        (boards + example.sign * (turn.0 + free), turn.1)
    }

    /// Fits to positions, from the values as they are. `report` is called after each epoch.
    pub(crate) fn improve(
        &mut self,
        positions: &[Labelled],
        held_out: &[Labelled],
        settings: FitSettings,
        mut report: impl FnMut(EpochLoss),
    ) {
        let mut generator = Generator::seed_from_u64(settings.seed);
        let mut order: Vec<u32> = (0..positions.len() as u32).collect();
        // The sum of squared gradients by place; the last is that of the free choice.
        let mut squares = vec![1e-3; self.values.0.len() + 1];
        for epoch in 0..settings.epochs {
            for last in (1..order.len()).rev() {
                order.swap(last, generator.random_range(0..=last as u32) as usize);
            }
            let rate = settings.rate * (1.0 - epoch as f32 / settings.epochs as f32);
            let mut loss = 0.0;
            for batch in order.chunks(BATCH) {
                let look_up = |&index: &u32| Example::of(&positions[index as usize]);
                let examples: Vec<Example> = batch.par_iter().map(look_up).collect();
                for example in &examples {
                    loss += f64::from(self.step(example, rate, &mut squares));
                }
            }
            let fitted = loss / positions.len().max(1) as f64;
            report(EpochLoss { fitted, held_out: self.loss(held_out) });
        }
    }

    /// The mean log-loss over positions.
    pub(crate) fn loss(&self, positions: &[Labelled]) -> f64 {
        let loss = |labelled: &Labelled| {
            let example = Example::of(labelled);
            f64::from(log_loss(chance(self.logit(&example).0), example.chance))
        };
        // Added in a fixed order, whatever the threads do.
        let losses: Vec<f64> = positions.par_iter().map(loss).collect();
        losses.iter().sum::<f64>() / positions.len().max(1) as f64
    }

    /// One step against the gradient of an example's log-loss; returns the loss before it.
    fn step(&mut self, example: &Example, rate: f32, squares: &mut [f32]) -> f32 {
        let (logit, turn) = self.logit(example);
        let chance = chance(logit);
        let gradient = chance - example.chance;
        let Self { values, free_choice } = self;
        let descend = |square: &mut f32, value: &mut f32, gradient: f32| {
            *square += gradient * gradient;
            *value -= rate * gradient / square.sqrt();
        };
        let values = &mut values.0;
        let free = squares.len() - 1;
        let turn = example.places.turn.get(turn).map_or(&[][..], |pair| pair);
        for (places, sign) in [
            (&example.places.first[..], 1.0),
            (&example.places.second[..], -1.0),
            (turn, example.sign),
        ] {
            for place in places.iter().map(|&place| place as usize) {
                descend(&mut squares[place], &mut values[place], sign * gradient);
            }
        }
        if example.is_free {
            descend(&mut squares[free], free_choice, example.sign * gradient);
        }
        log_loss(chance, example.chance)
    }
}

/// A labelled position by its places.
struct Example {
    places: Places,
    is_free: bool,
    /// 1 if the first player is to move, else -1.
    sign: f32,
    chance: f32,
}

impl Example {
    fn of(labelled: &Labelled) -> Self {
        let position = &labelled.position;
        let sign = if position.side_to_move() == Player::First { 1.0 } else { -1.0 };
        let (places, is_free) = (places(position), position.target().is_none());
        Self { places, is_free, sign, chance: labelled.chance }
    }
}

/// The chance that a logit stands for.
pub(crate) fn chance(logit: f32) -> f32 {
    1.0 / (1.0 + libm::expf(-logit))
}

fn log_loss(chance: f32, label: f32) -> f32 {
    let chance = chance.clamp(1e-6, 1.0 - 1e-6);
    -(label * libm::logf(chance) + (1.0 - label) * libm::logf(1.0 - chance))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tictune::game::Searchable;
    use tictune::games::uttt::Rules;

    /// Positions of random games, each labelled by values of its places that are known.
    fn labelled(truth: &Fit, games: u64) -> Vec<Labelled> {
        let mut positions = Vec::new();
        for game in 0..games {
            let mut generator = Generator::seed_from_u64(game);
            let mut position = Uttt::start(Rules::default());
            while position.outcome().is_none() {
                let example = Example::of(&Labelled { position, chance: 0.0 });
                positions.push(Labelled { position, chance: chance(truth.logit(&example).0) });
                position.play_drawn(|count| generator.random_range(0..count));
            }
        }
        positions
    }

    #[test]
    fn a_fit_finds_the_values_that_made_the_labels() {
        let mut generator = Generator::seed_from_u64(1);
        let mut truth = Fit::zero();
        for value in &mut truth.values.0 {
            *value = generator.random_range(-0.3..0.3);
        }
        truth.free_choice = 0.8;
        let positions = labelled(&truth, 3000);
        let (held_out, fitted_to) = positions.split_at(positions.len() / 10);
        let mut fit = Fit::zero();
        let mut losses = Vec::new();
        let settings = FitSettings { epochs: 5, rate: 0.2, seed: 3 };
        fit.improve(fitted_to, held_out, settings, |loss| losses.push(loss.held_out));
        let [nothing, best] = [Fit::zero().loss(held_out), truth.loss(held_out)];
        let last = losses[losses.len() - 1];
        assert!(last - best < 0.4 * (nothing - best), "{nothing} {losses:?} {best}");
        assert!((fit.free_choice - 0.8).abs() < 0.3, "{}", fit.free_choice);
        // The same on any number of threads.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let mut again = Fit::zero();
        pool.install(|| again.improve(fitted_to, held_out, settings, |_| {}));
        assert_eq!(fit, again);
    }
}
