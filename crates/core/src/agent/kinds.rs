//! The kinds of agents that a program knows.

use std::cell::RefCell;
use std::path::Path;

use serde::de::DeserializeOwned;

use super::agents::{Prepare, prepare_kind};
use super::builtin::{
    ExpectimaxSettings, GreedySettings, Human, IterativeSettings, MctsSettings, MinimaxSettings,
    PvsSettings, Random, Reflex,
};
use super::kind::{AgentKind, KindInfo};
use crate::game::{Game, GameInfo};
use crate::input::{InputError, Result, unknown};
use crate::weights::{self, Weights};

/// A list of kinds of agents as a type: `()`, or another list and one more kind.
pub trait KindList {
    /// The descriptions of its kinds, in order.
    fn infos() -> Vec<&'static KindInfo>;

    /// How players of each are made, in the same order.
    fn preparations<P: Game>() -> Vec<Prepare<P>>;
}

impl KindList for () {
    fn infos() -> Vec<&'static KindInfo> {
        Vec::new()
    }

    fn preparations<P: Game>() -> Vec<Prepare<P>> {
        Vec::new()
    }
}

impl<Others: KindList, K: AgentKind> KindList for (Others, K) {
    fn infos() -> Vec<&'static KindInfo> {
        Others::infos().into_iter().chain([K::kind_info()]).collect()
    }

    fn preparations<P: Game>() -> Vec<Prepare<P>> {
        Others::preparations().into_iter().chain([prepare_kind::<P, K> as _]).collect()
    }
}

/// The type of a list of kinds.
#[macro_export]
macro_rules! kinds {
    ($($kind:ty),* $(,)?) => { $crate::kinds!(@ (); $($kind,)*) };
    (@ $list:ty;) => { $list };
    (@ $list:ty; $kind:ty, $($more:ty,)*) => { $crate::kinds!(@ ($list, $kind); $($more,)*) };
}

/// The kinds that need nothing but this crate.
pub type CoreKinds = kinds![
    Random,
    Reflex,
    Human,
    GreedySettings,
    MinimaxSettings,
    IterativeSettings,
    PvsSettings,
    ExpectimaxSettings,
    MctsSettings,
];

/// What a program knows by name: its games, and its kinds of agents.
#[derive(Clone, Debug)]
pub struct Known {
    /// The descriptions of the games; the first one is the default.
    pub games: Vec<&'static GameInfo>,
    /// The kinds of agents.
    pub kinds: Vec<&'static KindInfo>,
}

thread_local! {
    /// What is known to the reader of JSON: derived readers of nested values cannot be handed it.
    static READING: RefCell<Option<Known>> = const { RefCell::new(None) };
}

impl Known {
    /// Games, with the kinds of agents of a list.
    ///
    /// # Panics
    /// If two kinds have the same name.
    pub fn new<L: KindList>(games: &[&'static GameInfo]) -> Self {
        let kinds = L::infos();
        let names: Vec<&str> = kinds.iter().map(|kind| kind.name).collect();
        let twice = names.iter().enumerate().find(|(place, name)| names[..*place].contains(name));
        assert!(twice.is_none(), "two kinds of agents have one NAME: {twice:?}");
        Self { games: games.to_vec(), kinds }
    }

    /// A kind by its name.
    pub fn kind(&self, name: &str) -> Result<&'static KindInfo> {
        let names = || self.kinds.iter().map(|kind| kind.name).collect::<Vec<_>>();
        let found = self.kinds.iter().copied().find(|kind| kind.name == name);
        found.ok_or_else(|| InputError::new(unknown("agent", name, &names())))
    }

    /// Where texts about a game are read.
    pub fn scope<'s>(&'s self, game: &'static GameInfo, folder: &'s Path) -> Scope<'s> {
        Scope { game, known: self, folder }
    }

    /// Reads JSON that may hold agents of these kinds, and weights of these games.
    pub fn from_json<T: DeserializeOwned>(&self, text: &str) -> Result<T, serde_json::Error> {
        let before = READING.replace(Some(self.clone()));
        let read = weights::from_json(text, &self.games);
        READING.set(before);
        read
    }

    /// What is known within [`from_json`](Self::from_json); elsewhere the kinds of this crate, and no game.
    pub(super) fn while_reading() -> Self {
        READING.with_borrow(Clone::clone).unwrap_or_else(|| Self::new::<CoreKinds>(&[]))
    }
}

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

impl Scope<'_> {
    /// Weights of the game: a built-in name, or the path of a weight file.
    pub fn weights(&self, text: &str) -> Result<Weights> {
        let weights = Weights::find_of_any_game(text, &self.known.games, self.folder)?;
        weights.check_game(text, self.game)?;
        Ok(weights)
    }
}
