//! How a game describes itself.

use super::WeightLayout;

/// What the program knows of a game beyond its rules: one value a game, [`Game::INFO`](super::Game::INFO).
///
/// A game without variants, vectors or platforms writes its name and its layouts:
///
/// ```
/// use tictune::game::{GameInfo, Slot, WeightLayout};
///
/// static LINES: WeightLayout = WeightLayout {
///     game: "connect-four",
///     name: "lines",
///     description: "open lines by their number of marks",
///     slots: &[Slot { name: "two", description: "lines with two marks", greatest_count: 30 }],
/// };
/// static INFO: GameInfo = GameInfo::new("connect-four", &[&LINES]);
/// assert_eq!(INFO.layout("lines"), Some(&LINES));
/// ```
#[derive(Debug)]
pub struct GameInfo {
    /// Its name in files and on the command line.
    pub name: &'static str,
    /// Its evaluations, the default first; at least one.
    pub layouts: &'static [&'static WeightLayout],
    /// The kind of agent that plays it best within a limit, `iterative` or `mcts`: who plays where no agent is named.
    pub strongest_search: &'static str,
    /// Its built-in weights. Of each evaluation, the strongest come first.
    pub vectors: &'static [Vector],
    /// The names of the built-in weights that a validation plays against, where none are named.
    pub pool: &'static [&'static str],
    /// The keys of its rules; none where there are no variants.
    pub rule_keys: &'static [&'static str],
    /// Whether it has [a move that the `centre` opening plays](super::Game::centre_move).
    pub centre: bool,
    /// The names of its [sets of opening moves](super::Game::opening_sets).
    pub opening_sets: &'static [&'static str],
}

/// Weights that are compiled in.
#[derive(Clone, Copy, Debug)]
pub struct Vector {
    /// What they are called.
    pub name: &'static str,
    /// The text of their weight file.
    pub toml: &'static str,
}

impl GameInfo {
    /// A game with a name and evaluations, and nothing else.
    #[must_use]
    pub const fn new(name: &'static str, layouts: &'static [&'static WeightLayout]) -> Self {
        Self {
            name,
            layouts,
            strongest_search: "mcts",
            vectors: &[],
            pool: &[],
            rule_keys: &[],
            centre: false,
            opening_sets: &[],
        }
    }

    /// An evaluation by its name.
    #[must_use]
    pub fn layout(&self, name: &str) -> Option<&'static WeightLayout> {
        self.layouts.iter().copied().find(|layout| layout.name == name)
    }
}
