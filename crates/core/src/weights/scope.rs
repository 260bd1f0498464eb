//! What a name in a config or on the command line can refer to.

use std::path::Path;

use crate::game::{Game, GameInfo, WeightLayout};
use crate::input::{InputError, unknown};

/// Where a text is read: which game it is about, and where its paths start.
#[derive(Clone, Copy, Debug)]
pub struct WeightScope<'s> {
    /// The game.
    pub game: &'static GameInfo,
    /// All games that the program knows, so that weights of another one can be told from unknown ones.
    pub known: &'s [&'static GameInfo],
    /// The folder that paths are relative to.
    pub folder: &'s Path,
}

impl<'s> WeightScope<'s> {
    /// The scope of a game; only its own names are known.
    pub fn of<P: Game>(folder: &'s Path) -> Self {
        Self { game: P::INFO, known: &[], folder }
    }

    /// The same with paths relative to another folder.
    pub const fn in_folder<'t>(self, folder: &'t Path) -> WeightScope<'t>
    where
        's: 't,
    {
        WeightScope { folder, ..self }
    }

    /// An evaluation of the game by its name.
    ///
    /// # Errors
    /// An unknown name; the message lists the known ones.
    pub fn layout(&self, name: &str) -> Result<&'static WeightLayout, InputError> {
        find_layout(self.game, name)
    }
}

/// An evaluation of a game by its name.
///
/// # Errors
/// An unknown name; the message lists the known ones.
pub fn find_layout(game: &GameInfo, evaluation: &str) -> Result<&'static WeightLayout, InputError> {
    game.layout(evaluation).ok_or_else(|| {
        let known: Vec<&str> = game.layouts.iter().map(|layout| layout.name).collect();
        InputError::new(unknown("evaluation", evaluation, &known))
    })
}

/// A game among the known ones by its name, or that of a runner.
///
/// # Errors
/// An unknown name; the message lists the known ones.
pub fn find_game(known: &[&'static GameInfo], name: &str) -> Result<&'static GameInfo, InputError> {
    if name == GameInfo::OUTSIDE.name {
        return Ok(GameInfo::OUTSIDE);
    }
    known.iter().copied().find(|game| game.name == name).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|game| game.name).collect();
        InputError::new(unknown("game", name, &names))
    })
}
