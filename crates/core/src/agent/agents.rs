//! From specs to agents, for one game.

use std::any::Any;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use super::Agent;
use super::common::{CommonSettings, wrapped};
use super::kind::{AgentKind, AnyKind};
use super::kinds::{CoreKinds, KindList, Known};
use super::spec::AgentSpec;
use crate::game::{Game, Position};
use crate::input::{InputError, Result};
use crate::seed::mix;

/// Makes an agent whose random numbers come from a seed.
pub type Spawn<P> = Arc<dyn Fn(u64) -> Box<dyn Agent<P>> + Send + Sync>;

/// Makes a [`Spawn`] of a function from a seed to an agent.
pub fn spawn<P: Position, A: Agent<P> + 'static>(
    agent: impl Fn(u64) -> A + Send + Sync + 'static,
) -> Spawn<P> {
    Arc::new(move |seed| Box::new(agent(seed)))
}

/// Makes a fresh agent for each game.
#[derive(Clone)]
pub struct AgentFactory<P> {
    /// The text form of its spec, complete.
    pub label: String,
    /// The seed that stands in for the match's, if the spec has one.
    pub own_seed: Option<u64>,
    /// Whether it has to see a game from its first move on.
    pub from_start_only: bool,
    spawn: Spawn<P>,
}

impl<P> fmt::Debug for AgentFactory<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AgentFactory({})", self.label)
    }
}

impl<P: Position> AgentFactory<P> {
    /// A factory of what a kind of agent prepared, or of agents that are no [`AgentSpec`]: see [`spawn`].
    pub fn new(label: impl Into<String>, spawn: Spawn<P>) -> Self {
        Self { label: label.into(), own_seed: None, from_start_only: false, spawn }
    }

    /// A fresh agent whose random numbers come from a seed.
    pub fn spawn(&self, seed: u64) -> Box<dyn Agent<P>> {
        (self.spawn)(seed)
    }
}

/// Makes players of settings of one kind.
pub type Prepare<P> = fn(&dyn AnyKind, &str) -> Result<Spawn<P>>;

pub(super) fn prepare_kind<P: Game, K: AgentKind>(
    settings: &dyn AnyKind,
    label: &str,
) -> Result<Spawn<P>> {
    let settings = (settings as &dyn Any).downcast_ref::<K>();
    settings.ok_or_else(|| InputError::new("settings of another kind"))?.prepare(label)
}

/// The agents that can play a game: reads them, and makes players of them.
///
/// ```
/// # use tictune_core::game::Game;
/// use tictune_core::agent::Agents;
///
/// # fn of<MyGame: Game>() -> Result<(), tictune_core::input::InputError> {
/// let agents = Agents::<MyGame>::default();
/// let agent = agents.ready("mcts:iterations=1000,c=0.7")?;
/// assert_eq!(agent.label, "mcts:tree=uct,playout=random,c=0.7,iterations=1000");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Agents<P> {
    /// The game and its kinds of agents, by name.
    pub known: Known,
    /// In the order of the kinds.
    preparations: Arc<[Prepare<P>]>,
}

impl<P: Game> Default for Agents<P> {
    /// Agents of the kinds of this crate.
    fn default() -> Self {
        Self::of::<CoreKinds>()
    }
}

impl<P: Game> Agents<P> {
    /// Agents of the kinds of a list.
    pub fn of<L: KindList>() -> Self {
        Self { known: Known::new::<L>(&[P::INFO]), preparations: L::preparations::<P>().into() }
    }

    /// Reads the text form of an agent. Weights are built-in names, or paths relative to `folder`.
    ///
    /// # Errors
    /// Unknown kinds, keys or weights, and values of the wrong form; the message lists what is known.
    pub fn parse(&self, text: &str, folder: &Path) -> Result<AgentSpec> {
        AgentSpec::parse_in(text, self.known.scope(P::INFO, folder))
    }

    /// Reads the text form of an agent, and builds what its games share. Paths are relative to the current folder.
    pub fn ready(&self, text: &str) -> Result<AgentFactory<P>> {
        self.prepare(&self.parse(text, Path::new(""))?)
    }

    /// Builds what the games of an agent by these rules share.
    ///
    /// # Errors
    /// As [`Self::prepare`]; an agent that cannot play by the rules.
    pub fn prepare_for(&self, spec: &AgentSpec, rules: P::Rules) -> Result<AgentFactory<P>> {
        let factory = self.prepare(spec)?;
        factory.spawn(0).check_rules(rules)?;
        Ok(factory)
    }

    /// Builds what the games of an agent share.
    ///
    /// # Errors
    /// As [`AgentSpec::complete`]; settings with which it cannot play the game.
    pub fn prepare(&self, spec: &AgentSpec) -> Result<AgentFactory<P>> {
        let spec = spec.clone().complete(P::INFO)?;
        let label = spec.short();
        let wrong = |what: &str| InputError::new(format!("agent \"{label}\": {what}"));
        let kind = spec.kind.info();
        let number = self.known.kinds.iter().position(|known| std::ptr::eq(*known, kind));
        let number = number.ok_or_else(|| wrong("the program does not know its kind"))?;
        let mut spawn = self.preparations[number](&*spec.kind, &label)?;
        let common = spec.common.clone();
        let theory = common.theory_moves::<P>().map_err(|problem| wrong(&problem))?;
        if common.change_moves() {
            let second = common.mix.as_ref().map(|weights| {
                let mut second = spec.with_weights(weights.clone());
                second.common = CommonSettings::default();
                self.prepare(&second)
            });
            let second = second.transpose()?;
            spawn = Arc::new(move |seed| {
                let other = second.as_ref().map(|second| second.spawn(mix(seed, 4)));
                Box::new(wrapped(common.clone(), spawn(seed), other, theory, seed))
            });
        }
        let from_start_only = spec.kind.plays_from_start_only();
        Ok(AgentFactory { own_seed: spec.common.seed, from_start_only, spawn, label })
    }
}
