//! Agents as plain data, and their text form.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::reader::{Reader, split_outside_quotes, unquote};
use super::{Habits, Kind, Learned, Limit, Options};
use crate::game::{Game, GameInfo, WeightLayout};
use crate::input::{InputError, Table, read_text, unknown};
use crate::protocol::Protocol;
use crate::search::choice::Ties;
use crate::search::mcts::Settings;
use crate::weights::{Scope, Weights, builtin};

/// How an agent plays the first move of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FirstMove {
    /// It searches, as for any other move.
    #[default]
    Search,
    /// It plays the centre, as Liang's bots do.
    Centre,
}

/// Opening theory of an agent: it plays a random free one of a set of moves while the game is young
/// (Papadam, "Moves Based on Theory").
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Theory {
    /// The name of one of the game's [opening sets](Position::opening_sets).
    pub set: String,
    /// The moves of both players after which it is used no more: it is while at most so many were made.
    pub plies: u32,
}

impl Theory {
    /// Papadam's number of moves, the default.
    pub const PLIES: u32 = 4;

    /// The moves of the set.
    ///
    /// # Errors
    /// A game without sets, or without this one, in words that list the known ones.
    pub fn moves<P: Game>(&self) -> Result<&'static [P::Move], String> {
        self.check(P::INFO)?;
        let set = P::opening_sets().iter().find(|set| set.name == self.set);
        Ok(set.map_or(&[], |set| set.moves))
    }

    /// Checks that the game has the set.
    pub(super) fn check(&self, game: &GameInfo) -> Result<(), String> {
        if game.opening_sets.is_empty() {
            return Err(format!("theory: {} has no sets of opening moves", game.name));
        }
        if game.opening_sets.contains(&&*self.set) {
            return Ok(());
        }
        Err(format!("theory: {}", unknown("set of opening moves", &self.set, game.opening_sets)))
    }
}

/// An agent as plain data. What a spec leaves open (depth, weights) is for its context to fill: a
/// stage of an evolution, or [`complete`](Self::complete).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentSpec {
    /// What it is.
    pub kind: Kind,
    /// The depth of its search in plies, for minimax and expectimax; for iterative deepening the deepest.
    pub depth: Option<u32>,
    /// The evaluation, where the spec names it without weights.
    pub evaluation: Option<String>,
    /// The weights of its evaluation.
    pub weights: Option<Weights>,
    /// How it opens a game.
    pub first_move: FirstMove,
    /// The opening theory that it begins with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theory: Option<Theory>,
    /// Its own seed instead of the match's.
    pub seed: Option<u64>,
    /// What ends its search, for the kinds that are limited so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
    /// The size of its transposition table in MiB, for iterative deepening.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<u32>,
    /// Options of its search, for minimax and its relatives.
    #[serde(default, skip_serializing_if = "Options::are_default")]
    pub options: Options,
    /// Its parts, for Monte Carlo tree search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcts: Option<Settings>,
    /// What it does before it searches.
    #[serde(default, skip_serializing_if = "Habits::is_empty")]
    pub habits: Habits,
    /// The program, for an external agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external: Option<External>,
    /// The table, for an agent that plays what was learned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learned: Option<Learned>,
}

/// Another program as an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct External {
    /// The program and its arguments, separated by spaces; quotes keep words together. No shell
    /// looks at it.
    pub command: String,
    /// The protocol that it speaks.
    pub protocol: Protocol,
}

impl AgentSpec {
    /// A spec of which only the kind is given.
    #[must_use]
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            depth: None,
            evaluation: None,
            weights: None,
            first_move: FirstMove::default(),
            theory: None,
            seed: None,
            limit: None,
            table: None,
            options: Options::default(),
            mcts: kind.entry().mcts.then(Settings::default),
            habits: Habits::default(),
            external: None,
            learned: None,
        }
    }

    /// Reads the text form. Weights are built-in names, or paths relative to `folder`. `@FILE` stands for the text in a
    /// file, whose paths are relative to that file's folder.
    ///
    /// # Errors
    /// Unknown kinds, keys or weights, and values of the wrong form; the message lists what is known.
    pub fn parse<P: Game>(text: &str, folder: &Path) -> Result<Self, InputError> {
        Self::parse_in(text, Scope::of::<P>(folder))
    }

    /// [`parse`](Self::parse) where other games are known, too.
    ///
    /// # Errors
    /// As `parse`.
    pub fn parse_in(text: &str, scope: Scope<'_>) -> Result<Self, InputError> {
        if let Some(file) = text.strip_prefix('@') {
            return Self::read(&scope.folder.join(file), scope);
        }
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        let parse = || {
            let mut pairs = Vec::new();
            let mut start = kind.len() + 1;
            for part in split_outside_quotes(rest)? {
                let span = start..start + part.len();
                start = span.end + 1;
                let (key, value) = part.split_once('=').ok_or_else(|| {
                    InputError::new(format!("\"{}\" is not KEY=VALUE", part.escape_debug()))
                        .marking(text, span.clone())
                })?;
                let equals = span.start + key.len();
                let spans = [span.start..equals, equals + 1..span.end];
                pairs.push((key.trim(), unquote(value.trim()), spans));
            }
            let mut reader = Reader::new(kind.trim())
                .map_err(|error| error.marking(text, 0..kind.trim_end().len()))?;
            for (key, value, [key_span, value_span]) in pairs {
                let span = if reader.knows(key) { value_span } else { key_span };
                reader.read(key, &value, scope).map_err(|error| match error.file {
                    None => error.marking(text, span),
                    Some(_) => error,
                })?;
            }
            reader.finish()
        };
        let in_agent = |error: InputError| match error.file {
            None => error.context(&format!("agent \"{}\"", text.escape_debug())),
            Some(_) => error,
        };
        parse().map_err(in_agent)
    }

    /// Reads a file that holds the text form, as runs of evolutions write it.
    fn read(file: &Path, scope: Scope<'_>) -> Result<Self, InputError> {
        let text = read_text(file)?;
        if text.trim_start().starts_with('@') {
            return Err(InputError::in_file(file, "holds the name of a file; expected an agent"));
        }
        let folder = file.parent().unwrap_or(Path::new(""));
        Self::parse_in(text.trim(), scope.in_folder(folder)).map_err(|mut error| {
            error.file.get_or_insert_with(|| file.display().to_string());
            error
        })
    }

    /// Reads a TOML table with the keys of the text form, and `kind`.
    ///
    /// # Errors
    /// As [`parse`](Self::parse), with the line.
    pub fn from_table(table: &Table<'_, '_>, scope: Scope<'_>) -> Result<Self, InputError> {
        let pairs = table.scalars()?;
        let kind = table.string("kind")?.ok_or_else(|| table.error("kind", "missing"))?;
        let pairs: Vec<_> = pairs.into_iter().filter(|(key, _)| *key != "kind").collect();
        let mut reader = Reader::new(kind).map_err(|error| table.error("kind", error.message))?;
        for (key, value) in &pairs {
            // Errors of a single key get that key's line; those of files name the file too.
            let known = reader.knows(key);
            reader.read(key, value, scope).map_err(|error| match key {
                _ if !known => table.misplaced(key, error),
                &("weights" | "order" | "mix" | "from") => table.error(key, error),
                // The table's error names the key already.
                _ => {
                    let named = format!("{key}: ");
                    table.error(key, error.message.strip_prefix(&named).unwrap_or(&error.message))
                }
            })?;
        }
        reader.finish().map_err(|error| table.error("kind", error.message))
    }

    /// Whether it evaluates positions.
    #[must_use]
    pub fn evaluates(&self) -> bool {
        match &self.mcts {
            Some(settings) => settings.evaluates(),
            None => self.kind.entry().keys.contains(&"weights"),
        }
    }

    /// Whether games with the same seeds repeat themselves: no clock, no race of threads and no other
    /// program has a say in its moves.
    #[must_use]
    pub fn is_repeatable(&self) -> bool {
        let timed = self.limit.and_then(Limit::time_rules).is_some();
        let races = self.mcts.as_ref().is_some_and(|settings| settings.threads > 1);
        !timed && !races && !matches!(self.kind, Kind::External | Kind::Human)
    }

    /// Whether its moves are functions of the position alone: it is repeatable, and draws nothing.
    #[must_use]
    pub fn is_without_chance(&self) -> bool {
        let searches_so = match self.kind {
            Kind::Reflex => true,
            Kind::Minimax => self.options.ties == Ties::First,
            _ => false,
        };
        searches_so && self.is_repeatable() && self.habits.is_empty() && self.theory.is_none()
    }

    /// Fills in what is still open: the strongest built-in weights of the evaluation (of the game's
    /// default evaluation, if none is named).
    ///
    /// # Errors
    /// A person; a search to a fixed depth without one; a search without its limit; an external agent without a
    /// command; a learned one without a table; an evaluation without built-in weights.
    pub fn complete(mut self, game: &'static GameInfo) -> Result<Self, InputError> {
        if self.kind == Kind::Human {
            return Err(InputError::new(
                "agent \"human\": a person plays in tictune play only; elsewhere games run side by \
                 side and would all ask at one terminal",
            ));
        }
        if self.kind.has_depth() && self.depth.is_none() {
            return Err(InputError::new(format!(
                "agent \"{self}\" needs a depth, as in {}:depth=5",
                self.kind.entry().name
            )));
        }
        let limits = self.kind.entry().limits;
        if !limits.is_empty() && self.limit.is_none() {
            return Err(InputError::new(format!("agent \"{self}\" needs a limit: {limits}")));
        }
        if self.kind == Kind::External && self.external.is_none() {
            return Err(InputError::new(
                "an external agent needs cmd=\"PROGRAM ARGUMENTS\" and protocol=theaigames|codingame",
            ));
        }
        if self.kind == Kind::Learned && self.learned.is_none() {
            return Err(InputError::new(
                "a learned agent needs from=PATH, a values.csv of tictune learn or its folder",
            ));
        }
        if self.evaluates() && self.weights.is_none() {
            let evaluation = match &self.evaluation {
                Some(name) => name.as_str(),
                None => game.layouts[0].name,
            };
            self.weights = Some(builtin::strongest(game, evaluation).ok_or_else(|| {
                InputError::new(format!("no weights for {evaluation} are built in; give weights="))
            })?);
        }
        Ok(self)
    }

    /// The agent that plays a game best with a limit such as `time=1s`, in text: who plays unless another
    /// is named.
    #[must_use]
    pub fn strongest(game: &GameInfo, limit: &str) -> String {
        format!("{}:{limit}", game.strongest_search)
    }

    /// The same agent with other weights.
    #[must_use]
    pub fn with_weights(&self, weights: Weights) -> Self {
        Self { evaluation: None, weights: Some(weights), ..self.clone() }
    }

    /// The same agent at a depth, unless it has its own.
    #[must_use]
    pub fn with_default_depth(&self, depth: u32) -> Self {
        let depth = if self.kind.has_depth() { self.depth.or(Some(depth)) } else { self.depth };
        Self { depth, ..self.clone() }
    }

    /// The layout of its evaluation, where it has one.
    #[must_use]
    pub fn layout(&self) -> Option<&'static WeightLayout> {
        self.weights.as_ref().map(Weights::layout)
    }
}

impl fmt::Display for AgentSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.entry().name)?;
        let mut separator = ':';
        let mut key = |f: &mut fmt::Formatter<'_>, name: &str, value: &str| {
            write!(f, "{separator}{name}={}", quote(value))?;
            separator = ',';
            Ok(())
        };
        if let Some(External { command, protocol }) = &self.external {
            key(f, "cmd", command)?;
            key(f, "protocol", &protocol.to_string())?;
        }
        if let Some(learned) = &self.learned {
            key(f, "from", &learned.path.display().to_string())?;
        }
        if let Some(settings) = &self.mcts {
            let default = Settings::default();
            for name in Settings::KEYS {
                let value = settings.get(name);
                if let Some(value) = &value
                    && (matches!(name, "tree" | "playout")
                        || default.get(name) != Some(value.clone()))
                {
                    key(f, name, value)?;
                }
            }
        }
        if let Some(limit) = self.limit {
            for (name, value) in limit.pairs() {
                key(f, name, &value)?;
            }
        }
        if let Some(depth) = self.depth {
            key(f, "depth", &depth.to_string())?;
        }
        if let Some(size) = self.table {
            key(f, "table", &size.to_string())?;
        }
        for (name, value) in self.options.pairs() {
            key(f, name, &value)?;
        }
        if let Some(evaluation) = self.layout().map(|l| l.name).or(self.evaluation.as_deref()) {
            key(f, "eval", evaluation)?;
        }
        if let Some(weights) = &self.weights {
            key(f, "weights", &weights.name)?;
        }
        for (name, value) in self.habits.pairs() {
            key(f, name, &value)?;
        }
        if self.first_move == FirstMove::Centre {
            key(f, "first_move", "centre")?;
        }
        if let Some(Theory { set, plies }) = &self.theory {
            key(f, "theory", set)?;
            if *plies != Theory::PLIES {
                key(f, "theory_plies", &plies.to_string())?;
            }
        }
        if let Some(seed) = self.seed {
            key(f, "seed", &seed.to_string())?;
        }
        Ok(())
    }
}

fn quote(value: &str) -> String {
    if value.contains([',', ' ', '=']) { format!("\"{value}\"") } else { value.into() }
}

#[cfg(test)]
mod tests;
