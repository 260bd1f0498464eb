//! What a name in a config or on the command line can refer to.

use std::path::Path;
use std::sync::LazyLock;

use super::kinds::Known;
use crate::game::{Game, GameInfo, WeightLayout};
use crate::input::InputError;
use crate::weights::{WeightScope, Weights, find_layout};

/// Where a text is read: which game it is about, what the program knows by name, and where paths start.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'s> {
    /// The game.
    pub game: &'static GameInfo,
    /// All games that the program knows, so that weights of another one can be told from unknown ones, and all kinds of agents.
    pub known: &'s Known,
    /// The folder that paths are relative to.
    pub folder: &'s Path,
}

impl<'s> Scope<'s> {
    /// The scope of a game; only its own names are known, and the kinds of agents of this crate.
    pub fn of<P: Game>(folder: &'s Path) -> Self {
        static NOTHING_ELSE: LazyLock<Known> = LazyLock::new(Known::default);
        Self { game: P::INFO, known: &NOTHING_ELSE, folder }
    }

    /// The same with paths relative to another folder.
    pub const fn in_folder<'t>(self, folder: &'t Path) -> Scope<'t>
    where
        's: 't,
    {
        Scope { folder, ..self }
    }

    /// An evaluation of the game by its name.
    ///
    /// # Errors
    /// An unknown name; the message lists the known ones.
    pub fn layout(&self, name: &str) -> Result<&'static WeightLayout, InputError> {
        find_layout(self.game, name)
    }

    /// Weights of the game: a built-in name, or a path.
    ///
    /// # Errors
    /// See [`Weights::find`].
    pub fn weights(&self, text: &str) -> Result<Weights, InputError> {
        let Self { game, known, folder } = *self;
        Weights::find(text, WeightScope { game, known: &known.games, folder })
    }
}
