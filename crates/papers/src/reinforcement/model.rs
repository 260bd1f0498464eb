//! Models: the estimates of returns.

use std::collections::HashMap;

use super::TableKind;
use crate::reinforcement::table::Key;
use crate::reinforcement::{Keys, Prospect, with_features};
use tictune_core::game::{Features, Game, WeightLayout, WeightsError};
use tictune_core::input::InputError;

/// Estimates of returns that can be changed.
pub trait Model<P: Game> {
    /// What an estimate belongs to.
    type Pair;

    /// The legal moves of a position, in generation order. Each comes with what its estimate
    /// belongs to, or with its known value.
    fn prospects(&self, position: &P) -> Vec<Prospect<Self::Pair>>;

    /// An estimate; 0 if it was never changed.
    fn estimate(&self, pair: &Self::Pair) -> f64;

    /// Changes an estimate by an amount. A table changes this estimate alone; a linear model
    /// follows the gradient and so changes every estimate that shares its weights.
    fn change(&mut self, pair: &Self::Pair, amount: f64);

    /// The number of stored estimates or weights.
    fn known(&self) -> usize;

    /// Whether all numbers are still usable: none has grown without bound.
    fn is_bounded(&self) -> bool;
}

/// A number becomes unusable long before it overflows.
fn is_bounded(number: f64) -> bool {
    number.abs() <= 1e100
}

/// A table with one estimate for each key.
#[derive(Debug)]
pub struct Tabular<P> {
    keys: Keys<P>,
    /// The estimates that were changed at least once.
    pub values: HashMap<Key, f64>,
    bounded: bool,
}

impl<P: Game> Tabular<P> {
    /// Creates an empty table.
    ///
    /// # Errors
    /// A layout with more slots than a key has room for: see [`MAX_SIGNS`](crate::reinforcement::table::MAX_SIGNS).
    pub fn new(kind: TableKind) -> Result<Self, InputError> {
        Ok(Self { keys: Keys::new(kind)?, values: HashMap::new(), bounded: true })
    }
}

impl<P: Game> Model<P> for Tabular<P> {
    type Pair = Key;

    fn prospects(&self, position: &P) -> Vec<Prospect<Key>> {
        self.keys.prospects(position)
    }

    fn estimate(&self, key: &Key) -> f64 {
        self.values.get(key).copied().unwrap_or_default()
    }

    fn change(&mut self, key: &Key, amount: f64) {
        let value = self.values.entry(*key).or_default();
        *value += amount;
        self.bounded &= is_bounded(*value);
    }

    fn known(&self) -> usize {
        self.values.len()
    }

    fn is_bounded(&self) -> bool {
        self.bounded
    }
}

/// A linear model: the sum of a layout's counts in the position after the move, from the view of
/// the side that moves, each multiplied by a weight.
#[derive(Debug)]
pub struct Linear<P> {
    features: Features<P>,
    /// A weight for each slot.
    pub weights: Vec<f64>,
}

impl<P: Game> Linear<P> {
    /// Creates a model whose weights are all 0.
    ///
    /// # Errors
    /// See [`Features::new`].
    pub fn new(layout: &'static WeightLayout) -> Result<Self, WeightsError> {
        Ok(Self { features: Features::new(layout)?, weights: vec![0.0; layout.len()] })
    }
}

impl<P: Game> Model<P> for Linear<P> {
    type Pair = Vec<f64>;

    fn prospects(&self, position: &P) -> Vec<Prospect<Vec<f64>>> {
        with_features(&self.features, position, <[f64]>::to_vec)
    }

    fn estimate(&self, counts: &Vec<f64>) -> f64 {
        self.weights.iter().zip(counts).map(|(weight, count)| weight * count).sum()
    }

    fn change(&mut self, counts: &Vec<f64>, amount: f64) {
        for (weight, count) in self.weights.iter_mut().zip(counts) {
            *weight += amount * count;
        }
    }

    fn known(&self) -> usize {
        self.weights.len()
    }

    fn is_bounded(&self) -> bool {
        self.weights.iter().copied().all(is_bounded)
    }
}
