//! Values for the slots of a [`WeightLayout`], where they came from, and where they go.

pub mod builtin;
pub mod export;
mod file;
pub mod table;

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::game::{Game, WeightLayout, WeightsError, check_values};
use crate::games::GAMES;
use crate::games::by_game;
use crate::input::{InputError, distinct, unknown};

pub use export::Format;
pub use file::{read_weights, write_weights};
pub use table::{TableKind, ValueTable};

/// The weights of an evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// What they are called: a built-in's name, or a file's without folder and ending.
    pub name: String,
    layout: &'static WeightLayout,
    values: Vec<f64>,
    /// Where they came from: the `[provenance]` table of the file.
    pub provenance: toml::Table,
}

impl Weights {
    /// Weights with a name and no provenance.
    ///
    /// # Errors
    /// The values do not fit the layout.
    pub fn new(
        name: impl Into<String>,
        layout: &'static WeightLayout,
        values: Vec<f64>,
    ) -> Result<Self, WeightsError> {
        check_values(layout, &values)?;
        Ok(Self { name: name.into(), layout, values, provenance: toml::Table::new() })
    }

    /// The slots.
    #[must_use]
    pub const fn layout(&self) -> &'static WeightLayout {
        self.layout
    }

    /// The values in the order of the slots.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The largest value that the evaluation can have with these weights: the sum of
    /// |weight| x greatest count, in weight units.
    #[must_use]
    pub fn greatest_value(&self) -> f64 {
        let slots = self.layout.slots.iter().zip(&self.values);
        slots.map(|(slot, value)| value.abs() * f64::from(slot.greatest_count)).sum()
    }

    /// Finds weights by what a user wrote: a built-in's name, else a path, relative to `folder`.
    ///
    /// # Errors
    /// Neither a built-in nor a readable weight file; or weights of another game.
    pub fn find(reference: &str, game: &str, folder: &Path) -> Result<Self, InputError> {
        Self::find_of_any_game(reference, folder)?.of_game(reference, game)
    }

    /// The same weights, if they are of the game; `reference` is what a user calls them.
    ///
    /// # Errors
    /// They are of another game.
    pub fn of_game(self, reference: &str, game: &str) -> Result<Self, InputError> {
        if self.layout.game != game {
            return Err(InputError::new(format!(
                "weights {reference} are of the game {}, not of {game}; the game is chosen by --game, or by the \
                 key game of a file",
                self.layout.game
            )));
        }
        Ok(self)
    }

    /// [`find`](Self::find), whatever game they are of.
    ///
    /// # Errors
    /// Neither a built-in nor a readable weight file.
    pub fn find_of_any_game(reference: &str, folder: &Path) -> Result<Self, InputError> {
        if let Some(weights) = builtin::find(reference) {
            return Ok(weights);
        }
        let looks_like_path = reference.contains(['/', '\\', '.']);
        let path = folder.join(reference);
        if !looks_like_path && !path.exists() {
            let names: Vec<&str> = builtin::names().collect();
            let message = unknown("weights", reference, &names);
            return Err(InputError::new(format!("{message}, or the path of a weight file")));
        }
        read_weights(&path)
    }
}

/// Gives weights of the same name different ones: see [`distinct`].
#[must_use]
pub fn tell_apart(mut all: Vec<Weights>) -> Vec<Weights> {
    let names: Vec<String> = all.iter().map(|weights| weights.name.clone()).collect();
    for (weights, name) in all.iter_mut().zip(distinct(&names)) {
        weights.name = name;
    }
    all
}

/// The layout of a game by the names of both.
///
/// # Errors
/// An unknown game or evaluation; the message lists the known ones.
pub fn find_layout(game: &str, evaluation: &str) -> Result<&'static WeightLayout, InputError> {
    let layouts = by_game!(game, P => P::layouts())
        .ok_or_else(|| InputError::new(unknown("game", game, GAMES)))?;
    layouts.iter().copied().find(|layout| layout.name == evaluation).ok_or_else(|| {
        let known: Vec<&str> = layouts.iter().map(|layout| layout.name).collect();
        InputError::new(unknown("evaluation", evaluation, &known))
    })
}

/// The plain form of [`Weights`] in JSON.
#[derive(Serialize, Deserialize)]
struct PlainWeights {
    name: String,
    game: String,
    evaluation: String,
    values: Vec<f64>,
}

impl Serialize for Weights {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        PlainWeights {
            name: self.name.clone(),
            game: self.layout.game.into(),
            evaluation: self.layout.name.into(),
            values: self.values.clone(),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Weights {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        let plain = PlainWeights::deserialize(deserializer)?;
        let layout = find_layout(&plain.game, &plain.evaluation).map_err(D::Error::custom)?;
        Self::new(plain.name, layout, plain.values).map_err(D::Error::custom)
    }
}
