//! What estimates are kept of.

use std::collections::HashMap;

use crate::agent::learned::{Keys, Prospect, with_features};
use crate::game::{Features, Game, WeightLayout, WeightsError};
use crate::input::InputError;
use crate::weights::TableKind;
use crate::weights::table::Key;

/// Estimates of returns, and how to change them.
pub trait Model<P: Game> {
    /// What an estimate is of.
    type Pair;

    /// What the legal moves of a position are valued by, in their order.
    fn prospects(&self, position: &P) -> Vec<Prospect<Self::Pair>>;

    /// An estimate; 0 of what was never changed.
    fn estimate(&self, pair: &Self::Pair) -> f64;

    /// Moves an estimate by an amount: in a table the estimate alone, else down the gradient, along with
    /// all that shares its weights.
    fn change(&mut self, pair: &Self::Pair, amount: f64);

    /// The numbers that it holds.
    fn len(&self) -> usize;

    /// Whether it holds nothing.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether its numbers still mean something: none has grown without bound.
    fn is_bounded(&self) -> bool;
}

/// Long before it overflows, a number means nothing any more.
fn is_bounded(number: f64) -> bool {
    number.abs() <= 1e100
}

/// An estimate for each key.
#[derive(Debug)]
pub struct Tabular<P> {
    keys: Keys<P>,
    /// The estimates that were ever changed.
    pub values: HashMap<Key, f64>,
    bounded: bool,
}

impl<P: Game> Tabular<P> {
    /// A table that knows nothing.
    ///
    /// # Errors
    /// As [`Keys::new`].
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

    fn len(&self) -> usize {
        self.values.len()
    }

    fn is_bounded(&self) -> bool {
        self.bounded
    }
}

/// The sum of a layout's counts in the position after the move, as the side that moves sees them, each
/// times a weight.
#[derive(Debug)]
pub struct Linear<P> {
    features: Features<P>,
    /// A weight for each slot.
    pub weights: Vec<f64>,
}

impl<P: Game> Linear<P> {
    /// All weights 0.
    ///
    /// # Errors
    /// As [`Features::new`].
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

    fn len(&self) -> usize {
        self.weights.len()
    }

    fn is_bounded(&self) -> bool {
        self.weights.iter().copied().all(is_bounded)
    }
}
