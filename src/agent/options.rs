//! What searches by minimax may be told beyond depth, limit and weights.

use serde::{Deserialize, Serialize};

use crate::input::InputError;
use crate::search::choice::Ties;
use crate::search::memory::{Hashing, MAX_POSITIONS, Settings};
use crate::search::{Pruning, Widths};
use crate::weights::{Scope, Weights};

/// The options of a search; by default those of the fast ways.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// What the search leaves out.
    #[serde(default)]
    pub pruning: Pruning,
    /// What a won game is worth to expectimax in weight units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub win: Option<f64>,
    /// The weights whose evaluation sorts the moves of minimax, if they are to be sorted otherwise than by
    /// its own or only the first are to be tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Weights>,
    /// How many of the sorted moves are tried at each ply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub widths: Option<Widths>,
    /// Which of several best moves minimax plays.
    #[serde(default, skip_serializing_if = "is_random")]
    pub ties: Ties,
    /// The bounded memory of iterative deepening.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Settings>,
}

impl Options {
    /// The keys of the text form. Which of them a kind takes is in its entry of the registry.
    pub const KEYS: [&str; 9] = [
        "prune",
        "ties",
        "win",
        "order",
        "widths",
        "memory",
        "memory_positions",
        "memory_symmetry",
        "memory_hash",
    ];

    /// Whether all of them are the default.
    #[must_use]
    pub fn are_default(&self) -> bool {
        *self == Self::default()
    }

    /// The keys and values of the text form, without those that are the default.
    #[must_use]
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let mut pairs = Vec::new();
        if self.pruning != Pruning::default() {
            pairs.push(("prune", self.pruning.to_string()));
        }
        if !is_random(&self.ties) {
            pairs.push(("ties", self.ties.to_string()));
        }
        if let Some(win) = self.win {
            pairs.push(("win", win.to_string()));
        }
        if let Some(order) = &self.order {
            pairs.push(("order", order.name.clone()));
        }
        if let Some(widths) = &self.widths {
            pairs.push(("widths", widths.to_string()));
        }
        if let Some(Settings { replacement, positions, symmetry, hashing }) = &self.memory {
            pairs.push(("memory", replacement.to_string()));
            let default = Settings::default();
            if *positions != default.positions {
                pairs.push(("memory_positions", positions.to_string()));
            }
            if *symmetry {
                pairs.push(("memory_symmetry", symmetry.to_string()));
            }
            if *hashing != default.hashing {
                pairs.push(("memory_hash", hashing.to_string()));
            }
        }
        pairs
    }
}

fn is_random(ties: &Ties) -> bool {
    *ties == Ties::Random
}

/// The options of a search while its keys are read, in any order.
#[derive(Debug, Default)]
pub(super) struct Reading {
    options: Options,
    /// What `memory` will be, if there is to be one.
    memory: Settings,
    /// The last key that needs a memory.
    of_memory: Option<String>,
}

impl Reading {
    /// Reads a key of [`Options::KEYS`].
    pub(super) fn set(
        &mut self,
        key: &str,
        value: &str,
        scope: Option<Scope<'_>>,
    ) -> Result<(), InputError> {
        let wrong = |expected: &str| {
            let value: String = value.chars().take(40).collect();
            let found = value.escape_debug();
            InputError::new(format!("{key}: expected {expected}, found \"{found}\""))
        };
        if key.starts_with("memory_") {
            self.of_memory = Some(key.into());
        }
        match key {
            "prune" => self.options.pruning = value.parse().map_err(|e: String| wrong(&e))?,
            "ties" => self.options.ties = value.parse().map_err(|e: String| wrong(&e))?,
            "win" => {
                let win = value.parse().ok().filter(|win| (1e-9..=1e15).contains(win));
                self.options.win = Some(win.ok_or_else(|| wrong("a number from 1e-9 to 1e15"))?);
            }
            "order" => {
                self.options.order = scope.map(|scope| Weights::find(value, scope)).transpose()?
            }
            "widths" => {
                self.options.widths = Some(value.parse().map_err(|e: String| wrong(&e))?);
            }
            "memory" if value == "none" => {}
            "memory" => {
                let replacement = value.parse();
                let replacement = replacement.map_err(|e: String| wrong(&format!("none, {e}")))?;
                self.options.memory = Some(Settings { replacement, ..Settings::default() });
            }
            "memory_positions" => {
                let positions = value.parse().ok().filter(|n| (1..=MAX_POSITIONS).contains(n));
                let expected = format!("a whole number from 1 to {MAX_POSITIONS}");
                self.memory.positions = positions.ok_or_else(|| wrong(&expected))?;
            }
            "memory_symmetry" => {
                self.memory.symmetry = value.parse().map_err(|_| wrong("true or false"))?;
            }
            _ => self.memory.hashing = value.parse().map_err(|e: String| wrong(&e))?,
        }
        Ok(())
    }

    /// What only all keys together tell; `has_table` says whether there is a transposition table.
    pub(super) fn finish(self, has_table: bool) -> Result<Options, InputError> {
        let refuse = |message: String| Err(InputError::new(message));
        let Self { mut options, memory: settings, of_memory } = self;
        let sorts = options.order.is_some() || options.widths.is_some();
        if sorts && options.pruning != Pruning::AlphaBeta {
            let prune = options.pruning;
            return refuse(format!("order= and widths= do not go with prune={prune}"));
        }
        match (&mut options.memory, of_memory) {
            (None, Some(key)) => {
                return refuse(format!("{key} goes with memory=keep-first or memory=fifo"));
            }
            (None, None) => {}
            (Some(_), _) if has_table => {
                return refuse("table= and memory= are two memories; give one of them".into());
            }
            (Some(_), _) if settings.symmetry && settings.hashing == Hashing::Zobrist => {
                return refuse(
                    "memory_symmetry=true goes with memory_hash=full: what moves update is the \
                     hash of one image"
                        .into(),
                );
            }
            (Some(memory), _) => *memory = Settings { replacement: memory.replacement, ..settings },
        }
        Ok(options)
    }
}
