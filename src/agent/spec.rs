//! Agents as plain data.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantNames};

use super::kinds::{AgentKind, Evaluation, Kind};
use crate::game::{Game, GameInfo, WeightLayout};
use crate::input::unknown;
use crate::search::choice::Ties;
use crate::weights::Weights;

/// An agent as plain data. What a spec leaves open (depth, weights) is for its context to fill: a
/// stage of an evolution, or [`complete`](Self::complete).
///
/// Its text form is `KIND[:KEY=VALUE,...]`; [`AgentSpec::help`] lists kinds and keys.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentSpec {
    /// What it is, with the settings of its kind.
    pub kind: AgentKind,
    /// Whether it plays random moves now and then.
    pub jump: Option<RandomJump>,
    /// How it opens a game.
    pub first_move: FirstMove,
    /// The opening theory that it begins with.
    pub theory: Option<Theory>,
    /// Its own seed instead of the match's.
    pub seed: Option<u64>,
}

/// How an agent plays the first move of a game.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    Display,
    EnumString,
    VariantNames,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
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
    /// The name of one of the game's [opening sets](Game::opening_sets).
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

/// Random jumps (Amar VII): before each own move a number is drawn from [0, 1), and below f(t) the move is a random
/// legal one. f(t) = numerator / t^power; t begins at `start` in each game and grows by `step` with each
/// own move. Amar VIII: 5 / t^2 from 3.0 by 0.1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RandomJump {
    /// The numerator of f, above 0.
    pub numerator: f64,
    /// The power of t, from 0.
    pub power: f64,
    /// The first t, above 0.
    pub start: f64,
    /// What is added to t with each own move, from 0.
    pub step: f64,
}

impl RandomJump {
    /// The numbers of the report, for the keys that are not given.
    pub const AMAR: Self = Self { numerator: 5.0, power: 2.0, start: 3.0, step: 0.1 };

    /// The chance of a jump at the own move of this number, from 0.
    #[must_use]
    pub fn chance(&self, own_move: u32) -> f64 {
        self.numerator / libm::pow(self.start + f64::from(own_move) * self.step, self.power)
    }
}

impl From<AgentKind> for AgentSpec {
    fn from(kind: AgentKind) -> Self {
        Self { kind, jump: None, first_move: FirstMove::default(), theory: None, seed: None }
    }
}

impl AgentSpec {
    /// A spec of which only the kind is given.
    #[must_use]
    pub fn new(kind: Kind) -> Self {
        AgentKind::from(kind).into()
    }

    /// The kind without its settings.
    #[must_use]
    pub fn kind(&self) -> Kind {
        Kind::from(&self.kind)
    }

    /// What tells it from other agents of its run, in few words: of a runner, its name or its numbers; else its text form.
    #[must_use]
    pub fn short(&self) -> String {
        let AgentKind::Runner(settings) = &self.kind else { return self.to_string() };
        let numbers = settings.numbers.iter().map(|(name, value)| format!("{name}={value}"));
        let words: Vec<String> = settings.name.iter().cloned().chain(numbers).collect();
        if words.is_empty() { self.to_string() } else { words.join(",") }
    }

    /// The command of an outside program, placeholders as they are given.
    #[must_use]
    pub fn command(&self) -> Option<&str> {
        match &self.kind {
            AgentKind::External(settings) => Some(&settings.command),
            AgentKind::Runner(settings) => Some(&settings.command),
            _ => None,
        }
    }

    /// Whether it evaluates positions, or is a program that is given weights.
    #[must_use]
    pub fn evaluates(&self) -> bool {
        match &self.kind {
            AgentKind::Mcts(settings) => settings.search.evaluates(),
            AgentKind::External(settings) => settings.evaluation != Evaluation::default(),
            kind => kind.evaluation().is_some(),
        }
    }

    /// Whether it has a limit of time. A program has one by default.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        match self.kind.limit() {
            Some(limit) => limit.time_rules().is_some(),
            None => matches!(self.kind, AgentKind::External(_)),
        }
    }

    /// Whether games with the same seeds repeat themselves: no clock, no race of threads and no other
    /// program has a say in its moves.
    #[must_use]
    pub fn is_repeatable(&self) -> bool {
        let timed = self.is_timed();
        match &self.kind {
            AgentKind::External(_) | AgentKind::Runner(_) | AgentKind::Human => false,
            AgentKind::Mcts(settings) => !timed && settings.search.threads <= 1,
            _ => !timed,
        }
    }

    /// Whether it has to see a game from its first move on: a program whose protocol tells no positions.
    #[must_use]
    pub const fn plays_from_start_only(&self) -> bool {
        match &self.kind {
            AgentKind::External(settings) => !settings.protocol.carries_positions(),
            AgentKind::Runner(_) => true,
            _ => false,
        }
    }

    /// Whether its moves are functions of the position alone: it is repeatable, and draws nothing.
    #[must_use]
    pub fn is_without_chance(&self) -> bool {
        let searches_so = match &self.kind {
            AgentKind::Reflex => true,
            AgentKind::Minimax(settings) => settings.ties == Ties::First,
            _ => false,
        };
        let draws = self.jump.is_some() || self.theory.is_some() || self.second().is_some();
        searches_so && self.is_repeatable() && !draws
    }

    /// The weights of its evaluation, where they are given.
    #[must_use]
    pub fn weights(&self) -> Option<&Weights> {
        self.kind.evaluation()?.weights.as_ref()
    }

    /// The weights of its second evaluation, where it has one.
    fn second(&self) -> Option<&Weights> {
        Some(&self.kind.evaluation()?.second.as_ref()?.weights)
    }

    /// All weights that it holds, to change them, each with the key that gives it.
    pub fn all_weights_mut(&mut self) -> impl Iterator<Item = (&'static str, &mut Weights)> {
        let (order, evaluation) = match &mut self.kind {
            AgentKind::Minimax(settings) => {
                (settings.order.as_mut(), Some(&mut settings.evaluation))
            }
            kind => (None, kind.evaluation_mut()),
        };
        let (own, second) = match evaluation {
            Some(evaluation) => (evaluation.weights.as_mut(), evaluation.second.as_mut()),
            None => (None, None),
        };
        let second = second.map(|second| &mut second.weights);
        let all = [("weights", own), ("order", order), ("mix", second)];
        all.into_iter().filter_map(|(key, weights)| Some((key, weights?)))
    }

    /// The same agent with other weights. An agent without an evaluation stays as it is.
    #[must_use]
    pub fn with_weights(&self, weights: Weights) -> Self {
        self.carrying(Some(weights))
    }

    /// The same agent with its weights and its evaluation left open.
    #[must_use]
    pub fn without_weights(&self) -> Self {
        self.carrying(None)
    }

    fn carrying(&self, weights: Option<Weights>) -> Self {
        let mut agent = self.clone();
        if let Some(evaluation) = agent.kind.evaluation_mut() {
            (evaluation.name, evaluation.weights) = (None, weights);
        }
        agent
    }

    /// The same agent at a depth, unless it has its own.
    #[must_use]
    pub fn with_default_depth(&self, depth: u32) -> Self {
        let mut agent = self.clone();
        if let Some(own) = agent.kind.fixed_depth_mut() {
            own.get_or_insert(depth);
        }
        agent
    }

    /// The layout of its evaluation, where it has one.
    #[must_use]
    pub fn layout(&self) -> Option<&'static WeightLayout> {
        self.weights().map(Weights::layout)
    }
}
