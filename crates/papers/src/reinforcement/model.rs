//! What is learned: estimates of the returns of moves.

use std::collections::HashMap;

use rand::RngExt;

use super::Representation;
use super::table::{TableKind, ValueKey, ValueTable, signs_of, state_action};
use tictune_core::game::{Features, Game, Outcome, Player, WeightLayout, WeightsError};
use tictune_core::seed::Generator;

/// What a move is valued by.
#[derive(Clone, Debug, PartialEq)]
pub enum Prospect {
    /// The value that a table has for a key, which is learned.
    Key(ValueKey),
    /// The counts of the position after the move, each times a weight, which is learned.
    Counts(Vec<f64>),
    /// The move ends the game so: its value is known.
    Ends(Outcome),
}

/// The numbers that are learned, all 0 at first.
#[derive(Clone, Debug, PartialEq)]
pub enum LearnedValues {
    /// An estimate for each key that was changed at least once.
    Table(ValueTable),
    /// A weight for each slot of a layout.
    Weights(&'static WeightLayout, Vec<f64>),
}

/// Estimates of the returns of a game's moves.
pub struct ReturnModel<P> {
    /// Counts the position after a move as the side that moves sees it; none where keys are positions and moves.
    features: Option<Features<P>>,
    /// What was learned.
    pub estimates: LearnedValues,
    /// Whether all estimates are still usable: none has grown without bound.
    pub bounded: bool,
}

impl<P: Game> ReturnModel<P> {
    /// A model that knows nothing.
    ///
    /// # Errors
    /// See [`Features::new`].
    pub fn new(representation: Representation) -> Result<Self, WeightsError> {
        match representation {
            Representation::Table(kind) => {
                Self::of(ValueTable { game: P::INFO.name.into(), kind, values: HashMap::new() })
            }
            Representation::Features(layout) => {
                let estimates = LearnedValues::Weights(layout, vec![0.0; layout.len()]);
                Ok(Self { features: Some(Features::new(layout)?), estimates, bounded: true })
            }
        }
    }

    /// The estimates of a table.
    ///
    /// # Errors
    /// See [`Features::new`].
    pub fn of(table: ValueTable) -> Result<Self, WeightsError> {
        let features = match table.kind {
            TableKind::StateActions => None,
            TableKind::BinaryFeatures(layout) => Some(Features::new(layout)?),
        };
        Ok(Self { features, estimates: LearnedValues::Table(table), bounded: true })
    }

    /// What the legal moves of a position are valued by, in generation order.
    pub fn prospects(&self, position: &P) -> Vec<Prospect> {
        let Some(features) = &self.features else {
            let key = position.key();
            let pair = |mv| Prospect::Key(state_action(key, P::move_index(mv)));
            return position.legal_moves().map(pair).collect();
        };
        let ends = |mv| position.after(mv).outcome();
        let open: Vec<P::Move> = position.legal_moves().filter(|&mv| ends(mv).is_none()).collect();
        let counts = features.after(position, &open);
        let mut rows = counts.chunks(features.layout.len().max(1));
        let prospect = |mv| match (ends(mv), &self.estimates) {
            (Some(outcome), _) => Prospect::Ends(outcome),
            (None, LearnedValues::Table(_)) => {
                Prospect::Key(signs_of(rows.next().unwrap_or_default()))
            }
            (None, _) => Prospect::Counts(rows.next().unwrap_or_default().to_vec()),
        };
        position.legal_moves().map(prospect).collect()
    }

    /// What was learned of a move; 0 if nothing was, or its value is known.
    pub fn estimate(&self, prospect: &Prospect) -> f64 {
        match (prospect, &self.estimates) {
            (Prospect::Key(key), LearnedValues::Table(table)) => table.value(*key),
            (Prospect::Counts(counts), LearnedValues::Weights(_, weights)) => {
                weights.iter().zip(counts).map(|(weight, count)| weight * count).sum()
            }
            _ => 0.0,
        }
    }

    /// The value by which the side to move ranks a move: a win above all that can be learned, a loss below, a draw 0.
    pub fn rank(&self, prospect: &Prospect, side: Player) -> f64 {
        match prospect {
            Prospect::Ends(Outcome::Win(winner)) if *winner == side => f64::INFINITY,
            Prospect::Ends(Outcome::Win(_)) => f64::NEG_INFINITY,
            learned => self.estimate(learned),
        }
    }

    /// Changes an estimate by an amount; weights follow the gradient, which changes all estimates that share them.
    pub(super) fn change(&mut self, prospect: &Prospect, amount: f64) {
        // A number becomes unusable long before it overflows.
        let mut add = |number: &mut f64, amount: f64| {
            *number += amount;
            self.bounded &= number.abs() <= 1e100;
        };
        match (prospect, &mut self.estimates) {
            (Prospect::Key(key), LearnedValues::Table(table)) => {
                add(table.values.entry(*key).or_default(), amount);
            }
            (Prospect::Counts(counts), LearnedValues::Weights(_, weights)) => {
                weights.iter_mut().zip(counts).for_each(|(weight, x)| add(weight, amount * x));
            }
            _ => {}
        }
    }

    /// The number of stored estimates or weights.
    pub fn known(&self) -> usize {
        match &self.estimates {
            LearnedValues::Table(table) => table.values.len(),
            LearnedValues::Weights(_, weights) => weights.len(),
        }
    }

    /// The place of the move with the highest rank for a side, drawn among equals. There is one at least.
    pub(super) fn best(
        &self,
        prospects: &[Prospect],
        side: Player,
        generator: &mut Generator,
    ) -> usize {
        let ranks: Vec<f64> = prospects.iter().map(|one| self.rank(one, side)).collect();
        let best = ranks.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let equals = || ranks.iter().enumerate().filter(|(_, rank)| **rank == best);
        let drawn = generator.random_range(0..equals().count().max(1) as u32);
        equals().nth(drawn as usize).map_or(0, |(index, _)| index)
    }
}
