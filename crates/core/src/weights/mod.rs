//! Values for the slots of a [`WeightLayout`], where they came from, and where they go.

mod file;

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::game::{Game, GameInfo, WeightLayout, WeightsError, check_values};
use crate::input::{InputError, Result, distinct, unknown};

#[doc(hidden)]
pub use file::parse_weights;
pub use file::{read_weights, write_weights};

/// The weights of an evaluation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "PlainWeights", try_from = "PlainWeights")]
pub struct Weights {
    /// What they are called: a built-in's name, or a file's without folder and ending.
    pub name: String,
    layout: &'static WeightLayout,
    values: Vec<f64>,
    /// Where they came from: the `[provenance]` table of the file.
    pub provenance: toml::Table,
    /// The folder of the file that they were read from, if any.
    folder: PathBuf,
}

impl Weights {
    /// Weights with a name and no provenance.
    pub fn new(
        name: impl Into<String>,
        layout: &'static WeightLayout,
        values: Vec<f64>,
    ) -> Result<Self, WeightsError> {
        check_values(layout, &values)?;
        let (name, provenance, folder) = (name.into(), toml::Table::new(), PathBuf::new());
        Ok(Self { name, layout, values, provenance, folder })
    }

    /// The slots.
    pub const fn layout(&self) -> &'static WeightLayout {
        self.layout
    }

    /// The values in the order of the slots.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The largest value that the evaluation can have with these weights: the sum of |weight| x greatest count.
    pub fn greatest_value(&self) -> f64 {
        let slots = self.layout.slots.iter().zip(&self.values);
        slots.map(|(slot, value)| value.abs() * f64::from(slot.greatest_count)).sum()
    }

    /// Built-in weights of a game.
    pub fn builtin<P: Game>(name: &str) -> Option<Self> {
        Self::built_in(P::INFO, name)
    }

    /// Built-in weights of a game that is not known by its type.
    pub fn built_in(game: &'static GameInfo, name: &str) -> Option<Self> {
        let vector = game.vectors.iter().find(|vector| vector.name == name)?;
        parse_weights(vector.toml, Path::new(&format!("{name}.toml")), &[game]).ok()
    }

    /// The strongest built-in weights of an evaluation: the first in the game's list.
    pub fn strongest(game: &'static GameInfo, evaluation: &str) -> Option<Self> {
        let mut all = game.vectors.iter().filter_map(|vector| Self::built_in(game, vector.name));
        all.find(|weights| weights.layout.name == evaluation)
    }

    /// Whether the game has them built in, under their name and with their values.
    pub fn are_built_in(&self, game: &'static GameInfo) -> bool {
        Self::built_in(game, &self.name).is_some_and(|built_in| built_in.values == self.values)
    }

    /// Checks that they are of a game; `reference` is what a user calls them.
    pub fn check_game(&self, reference: &str, game: &GameInfo) -> Result<()> {
        if self.layout.game == game.name {
            return Ok(());
        }
        Err(InputError::new(format!(
            "weights {reference} are for the game {}, not for {}; choose the game with --game, or with the key game of a \
             file",
            self.layout.game, game.name
        )))
    }

    /// Finds weights by what a user wrote, a built-in's name or else a path, among any of the known games. Paths are relative to
    /// `folder`.
    pub fn find_of_any_game(
        reference: &str,
        known: &[&'static GameInfo],
        folder: &Path,
    ) -> Result<Self> {
        if let Some(weights) = known.iter().find_map(|game| Self::built_in(game, reference)) {
            return Ok(weights);
        }
        let looks_like_path = reference.contains(['/', '\\', '.']);
        let path = folder.join(reference);
        if !looks_like_path && !path.exists() {
            let vectors = known.iter().flat_map(|game| game.vectors);
            let names: Vec<&str> = vectors.map(|vector| vector.name).collect();
            let message = unknown("weights", reference, &names);
            return Err(InputError::new(format!("{message}, or the path of a weight file")));
        }
        read_weights(&path, known)
    }
}

/// An evaluation of a game by its name.
pub fn find_layout(game: &GameInfo, evaluation: &str) -> Result<&'static WeightLayout> {
    game.layouts.iter().copied().find(|layout| layout.name == evaluation).ok_or_else(|| {
        let known: Vec<&str> = game.layouts.iter().map(|layout| layout.name).collect();
        InputError::new(unknown("evaluation", evaluation, &known))
    })
}

/// A game among the known ones by its name, or that of a runner.
#[doc(hidden)]
pub fn find_game(known: &[&'static GameInfo], name: &str) -> Result<&'static GameInfo> {
    if name == GameInfo::OUTSIDE.name {
        return Ok(GameInfo::OUTSIDE);
    }
    known.iter().copied().find(|game| game.name == name).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|game| game.name).collect();
        InputError::new(unknown("game", name, &names))
    })
}

/// Gives weights of the same name different ones: see [`number_namesakes`]. Equal weights that a config lists twice stay two.
#[doc(hidden)]
pub fn tell_apart(mut all: Vec<Weights>) -> Vec<Weights> {
    number_namesakes(&mut all);
    let names: Vec<String> = all.iter().map(|weights| weights.name.clone()).collect();
    for (weights, name) in all.iter_mut().zip(distinct(&names)) {
        weights.name = name;
    }
    all
}

/// Gives weights of the same name different names: those of files in different folders as many of their folders as it takes,
/// as in `pool/best`, and different ones that are still alike a number, in order: `best`, `best#2`.
#[doc(hidden)]
pub fn number_namesakes<'w>(all: impl IntoIterator<Item = &'w mut Weights>) {
    let mut all: Vec<&mut Weights> = all.into_iter().collect();
    let deepest = all.iter().map(|weights| weights.folder.iter().count()).max();
    for parent in 0..deepest.unwrap_or(0) {
        let known: Vec<Weights> = all.iter().map(|weights| (**weights).clone()).collect();
        for weights in &mut all {
            let lies_elsewhere =
                |other: &Weights| other.name == weights.name && other.folder != weights.folder;
            if let Some(folder) = weights.folder.iter().rev().nth(parent)
                && known.iter().any(lies_elsewhere)
            {
                weights.name = format!("{}/{}", folder.display(), weights.name);
            }
        }
    }
    let mut different: Vec<Weights> = Vec::new();
    for weights in all {
        let mut namesakes = different.iter().filter(|other| other.name == weights.name);
        let count = namesakes.clone().count();
        let equals =
            |other: &Weights| other.layout == weights.layout && other.values == weights.values;
        let number = namesakes.position(equals).unwrap_or(count);
        if number == count {
            different.push(weights.clone());
        }
        if number > 0 {
            weights.name = format!("{}#{}", weights.name, number + 1);
        }
    }
}

thread_local! {
    static KNOWN: RefCell<Vec<&'static GameInfo>> = const { RefCell::new(Vec::new()) };
}

/// Reads JSON that may hold weights of the known games: it has their names, and derived readers cannot be handed the games.
#[doc(hidden)]
pub fn from_json<T: DeserializeOwned>(
    text: &str,
    known: &[&'static GameInfo],
) -> Result<T, serde_json::Error> {
    let before = KNOWN.replace(known.to_vec());
    let read = serde_json::from_str(text);
    KNOWN.set(before);
    read
}

#[derive(Serialize, Deserialize)]
struct PlainWeights {
    name: String,
    game: String,
    evaluation: String,
    values: Vec<f64>,
}

impl From<Weights> for PlainWeights {
    fn from(Weights { name, layout, values, .. }: Weights) -> Self {
        Self { name, game: layout.game.into(), evaluation: layout.name.into(), values }
    }
}

impl TryFrom<PlainWeights> for Weights {
    type Error = InputError;

    /// Works within `from_json` only.
    fn try_from(plain: PlainWeights) -> Result<Self> {
        let game = KNOWN.with_borrow(|known| find_game(known, &plain.game))?;
        let layout = find_layout(game, &plain.evaluation)?;
        Self::new(plain.name, layout, plain.values).map_err(InputError::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::toy::Toy;

    #[test]
    fn different_weights_of_one_name_get_numbers_and_equal_ones_share_theirs() {
        let weights = |from: &str| {
            let mut weights = Weights::builtin::<Toy>(from).unwrap();
            weights.name = "best".into();
            weights
        };
        let mut all = ["toy-lines", "toy-even", "toy-lines", "toy-inner"].map(weights);
        let mut of_runs = all.clone();
        number_namesakes(&mut all);
        assert_eq!(all.map(|weights| weights.name), ["best", "best#2", "best", "best#3"]);
        for (weights, run) in of_runs.iter_mut().zip(["a/pool", "b/pool", "a/pool", "a/wide"]) {
            weights.folder = run.into();
        }
        let names: Vec<_> =
            tell_apart(of_runs.to_vec()).into_iter().map(|weights| weights.name).collect();
        assert_eq!(names, ["a/pool/best", "b/pool/best", "a/pool/best#2", "wide/best"]);
    }
}
