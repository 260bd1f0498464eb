//! Models: the estimates of returns.

use std::collections::HashMap;

use rand::RngExt;

use super::table::{Key, MAX_SIGNS, TableKind, ValueTable, signs_of, state_action};
use tictune_core::game::{Features, Game, Outcome, Player, WeightLayout, WeightsError};
use tictune_core::input::InputError;
use tictune_core::seed::Generator;

/// What a move is valued by.
#[derive(Clone, Debug, PartialEq)]
pub enum Prospect<T> {
    /// A value that is learned, and what it is the value of.
    Learned(T),
    /// The move ends the game so: its value is known.
    Ends(Outcome),
}

impl<T> Prospect<T> {
    /// The value by which the side to move ranks the move: a win above all that can be learned, a loss below, a draw 0.
    pub fn rank(&self, side: Player, value: impl FnOnce(&T) -> f64) -> f64 {
        match self {
            Self::Learned(key) => value(key),
            Self::Ends(Outcome::Draw) => 0.0,
            Self::Ends(Outcome::Win(winner)) if *winner == side => f64::INFINITY,
            Self::Ends(Outcome::Win(_)) => f64::NEG_INFINITY,
        }
    }
}

/// Estimates of returns that can be changed.
pub trait Model<P: Game> {
    /// What an estimate belongs to.
    type Pair;

    /// What the legal moves of a position are valued by, in generation order.
    fn prospects(&self, position: &P) -> Vec<Prospect<Self::Pair>>;

    /// An estimate; 0 if it was never changed.
    fn estimate(&self, pair: &Self::Pair) -> f64;

    /// Changes an estimate by an amount; a linear model follows the gradient, and so changes all that share its weights.
    fn change(&mut self, pair: &Self::Pair, amount: f64);

    /// The number of stored estimates or weights.
    fn known(&self) -> usize;

    /// The place of the move with the highest rank for a side, drawn among equals. There is one at least.
    fn best(
        &self,
        prospects: &[Prospect<Self::Pair>],
        side: Player,
        generator: &mut Generator,
    ) -> usize {
        let rank = |one: &Prospect<Self::Pair>| one.rank(side, |pair| self.estimate(pair));
        let ranks: Vec<f64> = prospects.iter().map(rank).collect();
        let best = ranks.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let equals = || ranks.iter().enumerate().filter(|(_, rank)| **rank == best);
        let drawn = generator.random_range(0..equals().count().max(1) as u32);
        equals().nth(drawn as usize).map_or(0, |(index, _)| index)
    }

    /// Whether all numbers are still usable: none has grown without bound.
    fn is_bounded(&self) -> bool;
}

/// A number becomes unusable long before it overflows.
fn is_bounded(number: f64) -> bool {
    number.abs() <= 1e100
}

/// A table with one estimate for each key.
pub struct Tabular<P> {
    /// The counts whose signs are the keys; none where keys are positions and moves.
    features: Option<Features<P>>,
    /// The estimates that were changed at least once.
    pub table: ValueTable,
    bounded: bool,
}

impl<P: Game> Tabular<P> {
    /// Creates an empty table.
    ///
    /// # Errors
    /// A layout of more than [`MAX_SIGNS`] slots.
    pub fn new(kind: TableKind) -> Result<Self, InputError> {
        Self::of(ValueTable { game: P::INFO.name.into(), kind, values: HashMap::new() })
    }

    /// The estimates of a table.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of(table: ValueTable) -> Result<Self, InputError> {
        let features = match table.kind {
            TableKind::StateActions => None,
            TableKind::BinaryFeatures(layout) if layout.len() > MAX_SIGNS => {
                return Err(InputError::new(format!(
                    "evaluation {} has {} slots; binary features take up to {MAX_SIGNS}",
                    layout.name,
                    layout.len()
                )));
            }
            TableKind::BinaryFeatures(layout) => {
                let message = |error: WeightsError| InputError::new(error.to_string());
                Some(Features::new(layout).map_err(message)?)
            }
        };
        Ok(Self { features, table, bounded: true })
    }
}

impl<P: Game> Model<P> for Tabular<P> {
    type Pair = Key;

    fn prospects(&self, position: &P) -> Vec<Prospect<Key>> {
        match &self.features {
            Some(features) => with_features(features, position, signs_of),
            None => {
                let key = position.key();
                let pair = |mv| Prospect::Learned(state_action(key, P::move_index(mv)));
                position.legal_moves().map(pair).collect()
            }
        }
    }

    fn estimate(&self, key: &Key) -> f64 {
        self.table.value(*key)
    }

    fn change(&mut self, key: &Key, amount: f64) {
        let value = self.table.values.entry(*key).or_default();
        *value += amount;
        self.bounded &= is_bounded(*value);
    }

    fn known(&self) -> usize {
        self.table.values.len()
    }

    fn is_bounded(&self) -> bool {
        self.bounded
    }
}

/// The prospects of moves that are valued by the counts of the position they lead to, as the side that moves sees them.
fn with_features<P: Game, T>(
    features: &Features<P>,
    position: &P,
    of_counts: impl Fn(&[f64]) -> T,
) -> Vec<Prospect<T>> {
    let ends = |mv| position.after(mv).outcome();
    let open: Vec<P::Move> = position.legal_moves().filter(|&mv| ends(mv).is_none()).collect();
    let counts = features.after(position, &open);
    let mut rows = counts.chunks(features.layout().len().max(1));
    let prospect = |mv| match ends(mv) {
        Some(outcome) => Prospect::Ends(outcome),
        None => Prospect::Learned(of_counts(rows.next().unwrap_or_default())),
    };
    position.legal_moves().map(prospect).collect()
}

/// A linear model over a layout's counts in the position after the move, from the view of the side that moves.
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
