//! The rules of a game: what a position is, which moves it allows, and how it ends.

use std::fmt;
use std::hash::Hash;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::notation::shorten;
use super::stable_hash::StableHasher;

/// How many moves a [`MoveList`] holds on the stack (81 at the start of UTTT).
pub const MOVES_ON_STACK: usize = 81;

/// A list with one entry for each move. It is on the stack, so that searches do not allocate memory, unless a position
/// has more than [`MOVES_ON_STACK`] moves.
pub type MoveList<M> = smallvec::SmallVec<[M; MOVES_ON_STACK]>;

/// One of the two players, named by who moves first in the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Player {
    /// The player who makes the first move of the game (X).
    First = 0,
    /// The player who makes the second move of the game (O).
    Second = 1,
}

impl Player {
    /// Both players, the first player first.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// The opponent.
    #[must_use]
    #[inline]
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// 0 for the first player, 1 for the second.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The mark that drawings and notation use: `x` for the first player, `o` for the second.
    pub const fn mark(self) -> char {
        match self {
            Self::First => 'x',
            Self::Second => 'o',
        }
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The player won.
    Win(Player),
    /// Nobody won.
    Draw,
}

/// A move that the position does not allow.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{mv} is not a legal move here")]
pub struct IllegalMove {
    /// The move in notation.
    pub mv: String,
}

/// Text that is not a move or a position of the game.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct NotationError(pub String);

/// A named set of first moves that opening theory recommends.
#[derive(Clone, Copy, Debug)]
pub struct OpeningSet<M: 'static> {
    /// Its name in agents and configs.
    pub name: &'static str,
    /// Its moves.
    pub moves: &'static [M],
}

/// The rules of a game without variants. The text form is empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct NoRules;

impl fmt::Display for NoRules {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

impl FromStr for NoRules {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        if text.trim().is_empty() {
            return Ok(Self);
        }
        let shown = shorten(text);
        Err(NotationError(format!("this game has no variants of its rules: leave \"{shown}\" out")))
    }
}

/// A state of a two-player board game in which the players alternate.
///
/// Implementations are small values that are cheap to clone: searches copy positions rather than
/// take moves back. Methods with a body are defaults that follow from the others. A game overrides them to have a notation
/// and symmetries, or to be faster; what only searches want faster is in [`Searchable`](super::Searchable). The laws that
/// every game obeys are checked on random play by [`testing`](crate::testing).
pub trait Position: Clone + Eq + Hash + fmt::Debug + fmt::Display + Send + Sync + 'static {
    /// One move. Ordered as generated; its text form is its notation. Small numbers will do: `type Move = u8`.
    type Move: Copy
        + Ord
        + Hash
        + fmt::Debug
        + fmt::Display
        + FromStr<Err: fmt::Display>
        + Send
        + Sync
        + 'static;
    /// The variant of the rules in force; [`NoRules`] for a game without variants.
    type Rules: Copy
        + Eq
        + Default
        + fmt::Debug
        + fmt::Display
        + FromStr<Err = NotationError>
        + Send
        + Sync
        + 'static;
    /// Legal moves in the fixed order of generation: any iterator, such as `std::vec::IntoIter<Self::Move>`.
    type Moves: Iterator<Item = Self::Move> + Clone;

    /// The most moves of a game.
    const MAX_PLIES: u32;
    /// All [move indices](Self::move_index) are below this number, which is at most 2^32.
    const MOVE_INDICES: usize;

    /// The position before the first move.
    fn start(rules: Self::Rules) -> Self;

    /// The rules in force. A game with variants must override it.
    fn rules(&self) -> Self::Rules {
        Self::Rules::default()
    }

    /// Who moves next; in a finished game, who would move next. By default the first player at even [plies](Self::ply).
    #[inline]
    fn side_to_move(&self) -> Player {
        Player::BOTH[self.ply() as usize % 2]
    }

    /// How the game ended, or `None` before its end.
    fn outcome(&self) -> Option<Outcome>;

    /// The legal moves in ascending order, which is called generation order; none when the game is over.
    fn legal_moves(&self) -> Self::Moves;

    /// The number of legal moves.
    #[inline]
    fn legal_move_count(&self) -> usize {
        self.legal_moves().count()
    }

    /// Whether the move may be played here.
    fn is_legal(&self, mv: Self::Move) -> bool {
        self.legal_moves().any(|legal| legal == mv)
    }

    /// Plays a move that is known to be legal. An illegal move leaves a position without meaning, but is memory-safe.
    fn play_unchecked(&mut self, mv: Self::Move);

    /// The legal move of this number in generation order. Panics unless it is below [`legal_move_count`](Self::legal_move_count).
    #[inline]
    fn nth_legal_move(&self, index: usize) -> Self::Move {
        self.legal_moves().nth(index).expect("a number below that of the legal moves")
    }

    /// The number of moves since the start, by both players, passes included. Unless [`side_to_move`](Self::side_to_move) is
    /// overridden, the first player moves where it is even.
    fn ply(&self) -> u32;

    /// A number below [`MOVE_INDICES`](Self::MOVE_INDICES) that no other move of the game has. Searches store what they
    /// learn of moves in tables of that length.
    fn move_index(mv: Self::Move) -> usize;

    /// A hash of everything that decides the rest of the game, except the rules.
    fn key(&self) -> u64 {
        StableHasher::hash(self)
    }

    /// A hash that all symmetric images of the position share, such as the smallest of their [`key`](Self::key)s; by default
    /// the board has no symmetry. It keeps held-out openings apart from images of training openings.
    fn canonical_key(&self) -> u64 {
        self.key()
    }

    /// Reads a move of the game, legal or not, in notation.
    fn parse_move(text: &str) -> Result<Self::Move, NotationError> {
        text.trim()
            .parse()
            .map_err(|error| NotationError(format!("\"{}\" is not a move: {error}", shorten(text))))
    }

    /// The position in one line, without the rules; by default its drawing with `/` for line ends.
    fn notation(&self) -> String {
        self.to_string().trim().replace('\n', "/")
    }

    /// Reads a position written by [`notation`](Self::notation).
    ///
    /// # Errors
    /// Text of another form, or a position that clearly no game can reach. By default any text is an error: without a
    /// notation, games begin at the start or with random moves.
    fn from_notation(text: &str, _rules: Self::Rules) -> Result<Self, NotationError> {
        let shown = shorten(text);
        Err(NotationError(format!("this game has no notation that could be read: \"{shown}\"")))
    }

    /// Plays a move if it is legal; else the position is unchanged.
    fn play(&mut self, mv: Self::Move) -> Result<(), IllegalMove> {
        if !self.is_legal(mv) {
            return Err(IllegalMove { mv: mv.to_string() });
        }
        self.play_unchecked(mv);
        Ok(())
    }

    /// The position after a legal move.
    #[must_use]
    #[inline]
    fn after(&self, mv: Self::Move) -> Self {
        let mut next = self.clone();
        next.play_unchecked(mv);
        next
    }
}
