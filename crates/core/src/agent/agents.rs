//! From specs to agents, for one game.

use std::any::Any;
use std::path::Path;
use std::sync::Arc;

use rand::SeedableRng;

use super::Agent;
use super::factory::AgentFactory;
use super::habits::{FirstMove, Habits};
use super::kind::{AgentKind, AnyKind, KindInfo};
use super::kinds::{CoreKinds, KindList, Known};
use super::spec::AgentSpec;
use super::wrappers::{CentreFirst, Jumping, Mixed, TheoryFirst};
use crate::game::Game;
use crate::input::InputError;
use crate::seed::{Generator, mix};

/// Makes an agent whose random numbers come from a seed.
pub type Spawn<P> = Arc<dyn Fn(u64) -> Box<dyn Agent<P>> + Send + Sync>;

/// Makes a [`Spawn`] of a function from a seed to an agent.
pub fn spawn<P, A: Agent<P> + 'static>(agent: impl Fn(u64) -> A + Send + Sync + 'static) -> Spawn<P>
where
    P: crate::game::Position,
{
    Arc::new(move |seed| Box::new(agent(seed)))
}

/// What a kind is given to make players.
#[derive(Debug)]
pub struct Setup<'s, P> {
    /// The text form of the agent.
    pub label: &'s str,
    /// Makes other agents.
    pub agents: &'s Agents<P>,
}

type Prepare<P> = fn(&dyn AnyKind, &Setup<'_, P>) -> Result<Spawn<P>, InputError>;

/// How players of a kind are made.
#[derive(Debug)]
pub struct Preparation<P> {
    kind: &'static KindInfo,
    prepare: Prepare<P>,
}

impl<P: Game> Preparation<P> {
    /// That of `K`.
    pub fn of<K: AgentKind>() -> Self {
        let prepare = |settings: &dyn AnyKind, setup: &Setup<'_, P>| {
            let settings = (settings as &dyn Any).downcast_ref::<K>();
            settings.ok_or_else(|| InputError::new("settings of another kind"))?.prepare(setup)
        };
        Self { kind: KindInfo::of::<K>(), prepare }
    }
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
/// assert_eq!(agent.label(), "mcts:tree=uct,playout=random,c=0.7,iterations=1000");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Agents<P> {
    known: Known,
    preparations: Arc<[Preparation<P>]>,
}

impl<P> Clone for Agents<P> {
    fn clone(&self) -> Self {
        Self { known: self.known.clone(), preparations: Arc::clone(&self.preparations) }
    }
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

    /// The game and its kinds of agents, by name.
    pub const fn known(&self) -> &Known {
        &self.known
    }

    /// Reads the text form of an agent. Weights are built-in names, or paths relative to `folder`.
    ///
    /// # Errors
    /// Unknown kinds, keys or weights, and values of the wrong form; the message lists what is known.
    pub fn parse(&self, text: &str, folder: &Path) -> Result<AgentSpec, InputError> {
        AgentSpec::parse_in(text, self.known.scope(P::INFO, folder))
    }

    /// Reads the text form of an agent, and builds what its games share. Paths are relative to the current folder.
    ///
    /// # Errors
    /// As [`parse`](Self::parse) and [`prepare`](Self::prepare).
    pub fn ready(&self, text: &str) -> Result<AgentFactory<P>, InputError> {
        self.prepare(&self.parse(text, Path::new(""))?)
    }

    /// Builds what the games of an agent share.
    ///
    /// # Errors
    /// As [`AgentSpec::complete`]; settings with which it cannot play the game.
    pub fn prepare(&self, spec: &AgentSpec) -> Result<AgentFactory<P>, InputError> {
        let spec = spec.clone().complete(P::INFO)?;
        let label = spec.to_string();
        let spawn = self.with_second_evaluation(&spec, self.player(&spec, &label)?)?;
        let habits = &spec.habits;
        let spawn: Spawn<P> = match habits.first_move {
            FirstMove::Search => spawn,
            FirstMove::Centre => Arc::new(move |seed| Box::new(CentreFirst(spawn(seed)))),
        };
        let spawn = match &habits.theory {
            Some(_) => theory_first(habits, spawn, &label)?,
            None => spawn,
        };
        let spawn: Spawn<P> = match habits.jump {
            None => spawn,
            Some(_) => {
                let habits = habits.clone();
                Arc::new(move |seed| Box::new(Jumping::new(habits.clone(), spawn(seed), seed)))
            }
        };
        let from_start_only = spec.kind.plays_from_start_only();
        Ok(AgentFactory { label, own_seed: habits.seed, from_start_only, spawn })
    }

    /// The players of its kind.
    fn player(&self, spec: &AgentSpec, label: &str) -> Result<Spawn<P>, InputError> {
        let kind = spec.kind.info();
        let known = self.preparations.iter().find(|known| std::ptr::eq(known.kind, kind));
        let known = known.ok_or_else(|| {
            InputError::new(format!("agent \"{label}\": the program does not know its kind"))
        })?;
        (known.prepare)(&*spec.kind, &Setup { label, agents: self })
    }

    /// Lets the agent's players use its second evaluation, if it has one.
    fn with_second_evaluation(
        &self,
        spec: &AgentSpec,
        spawn: Spawn<P>,
    ) -> Result<Spawn<P>, InputError> {
        let Some(second) = &spec.habits.mix else { return Ok(spawn) };
        let mut other = spec.with_weights(second.clone());
        other.habits =
            Habits { first_move: FirstMove::Search, jump: None, mix: None, ..spec.habits.clone() };
        let (other, share) = (self.prepare(&other)?, spec.habits.mix_share);
        Ok(Arc::new(move |seed| {
            let seed_of_other = mix(seed, 4);
            Box::new(Mixed::new(spawn(seed), other.spawn(seed_of_other), share, seed))
        }))
    }
}

/// Lets agents begin with a set of the game.
fn theory_first<P: Game>(
    habits: &Habits,
    spawn: Spawn<P>,
    label: &str,
) -> Result<Spawn<P>, InputError> {
    /// What tells the seed of these choices from that of the agent behind them.
    const SEED: u64 = 0x7468_656f;
    let moves = habits
        .theory_moves::<P>()
        .map_err(|problem| InputError::new(format!("agent \"{label}\": {problem}")))?;
    let plies = habits.theory_plies;
    Ok(Arc::new(move |seed| {
        let generator = Generator::seed_from_u64(mix(seed, SEED));
        Box::new(TheoryFirst { agent: spawn(seed), moves, plies, generator })
    }))
}
