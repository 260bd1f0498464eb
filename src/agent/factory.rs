//! From specs to agents.

use std::fmt;
use std::sync::Arc;

use rand::SeedableRng;

use super::habits::{Habits, Jumping, Mix, Mixed};
use super::players::{
    CentreFirst, ExpectimaxAgent, IterativeAgent, MctsAgent, MinimaxAgent, RandomAgent,
    ReflexAgent, SelectiveAgent, TheoryFirst,
};
use super::{
    Agent, AgentSpec, FirstMove, Kind, Limit, MoveTimes, Playable, Theory, Timer, external, learned,
};
use crate::game::{Blank, Evaluator, EvaluatorVisitor, Game, Position};
use crate::input::InputError;
use crate::search::expectimax::DEFAULT_WIN;
use crate::search::mcts::Settings;
use crate::search::memory::Transpositions;
use crate::search::{Iterative, Mcts, Memory, MoveOrder, Widths};
use crate::seed::{Generator, mix};
use crate::weights::Weights;

pub(super) type Spawn<P> = Arc<dyn Fn(u64) -> Box<dyn Agent<P>> + Send + Sync>;

/// Makes a fresh agent for each game.
#[derive(Clone)]
pub struct AgentFactory<P> {
    label: String,
    own_seed: Option<u64>,
    from_start_only: bool,
    spawn: Spawn<P>,
}

impl<P> fmt::Debug for AgentFactory<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AgentFactory({})", self.label)
    }
}

impl<P: Position> AgentFactory<P> {
    /// A factory of agents that are no [`AgentSpec`]; `spawn` turns a seed into an agent.
    pub fn custom<A: Agent<P> + 'static>(
        label: impl Into<String>,
        spawn: impl Fn(u64) -> A + Send + Sync + 'static,
    ) -> Self {
        Self {
            label: label.into(),
            own_seed: None,
            from_start_only: false,
            spawn: Arc::new(move |seed| Box::new(spawn(seed))),
        }
    }

    /// The text form of its spec, complete.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The seed that stands in for the match's, if the spec has one.
    #[must_use]
    pub const fn own_seed(&self) -> Option<u64> {
        self.own_seed
    }

    /// Whether it has to see a game from its first move on.
    #[must_use]
    pub const fn from_start_only(&self) -> bool {
        self.from_start_only
    }

    /// A fresh agent whose random numbers come from a seed.
    #[must_use]
    pub fn spawn(&self, seed: u64) -> Box<dyn Agent<P>> {
        (self.spawn)(seed)
    }
}

impl AgentSpec {
    /// Builds what its games share.
    ///
    /// # Errors
    /// As [`complete`](Self::complete).
    pub fn prepare<P: Playable>(&self) -> Result<AgentFactory<P>, InputError> {
        let spec = self.clone().complete(P::INFO)?;
        let (label, own_seed) = (spec.to_string(), spec.seed);
        let mut from_start_only = false;
        let spawn: Spawn<P> = match (spec.kind, &spec.weights, &spec.external) {
            (Kind::Random, ..) => Arc::new(|seed| Box::new(RandomAgent::new(seed))),
            (Kind::External, _, Some(external)) => {
                from_start_only = !external.protocol.carries_positions();
                external::prepare::<P>(external, spec.limit, &label)?
            }
            (
                Kind::Greedy | Kind::Minimax | Kind::Iterative | Kind::Expectimax | Kind::Mcts,
                Some(weights),
                _,
            ) => P::with_evaluator(weights.layout(), weights.values(), Searching { spec: &spec })
                .map_err(|error| InputError::new(error.to_string()))
                .flatten()
                .map_err(|error| error.context(&format!("agent \"{label}\"")))?,
            (Kind::Mcts, None, _) => mcts::<P, Blank>(&spec, Arc::new(Blank)),
            _ => match &spec.learned {
                Some(table) => learned::prepare::<P>(table)?,
                None => Arc::new(|_| Box::new(ReflexAgent)),
            },
        };
        let spawn: Spawn<P> = match &spec.habits.mix {
            None => spawn,
            Some(Mix { weights, share }) => {
                let other = Self {
                    first_move: FirstMove::Search,
                    habits: Habits::default(),
                    ..spec.with_weights(weights.clone())
                };
                let (other, share) = (other.prepare::<P>()?, *share);
                Arc::new(move |seed| {
                    let seed_of_other = mix(seed, 4);
                    Box::new(Mixed::new(spawn(seed), other.spawn(seed_of_other), share, seed))
                })
            }
        };
        let spawn: Spawn<P> = match spec.first_move {
            FirstMove::Search => spawn,
            FirstMove::Centre => Arc::new(move |seed| Box::new(CentreFirst(spawn(seed)))),
        };
        let spawn = match &spec.theory {
            Some(theory) => theory_first(theory, spawn, &label)?,
            None => spawn,
        };
        let spawn: Spawn<P> = match spec.habits.jump {
            None => spawn,
            Some(jump) => Arc::new(move |seed| Box::new(Jumping::new(jump, spawn(seed), seed))),
        };
        Ok(AgentFactory { label, own_seed, from_start_only, spawn })
    }
}

/// Lets agents begin with a set of the game.
fn theory_first<P: Game>(
    theory: &Theory,
    spawn: Spawn<P>,
    label: &str,
) -> Result<Spawn<P>, InputError> {
    /// What tells the seed of these choices from that of the agent behind them.
    const SEED: u64 = 0x7468_656f;
    let moves = theory
        .moves::<P>()
        .map_err(|problem| InputError::new(format!("agent \"{label}\": {problem}")))?;
    let plies = theory.plies;
    Ok(Arc::new(move |seed| {
        let generator = Generator::seed_from_u64(mix(seed, SEED));
        Box::new(TheoryFirst { agent: spawn(seed), moves, plies, generator })
    }))
}

/// Builds the searches that evaluate positions.
struct Searching<'s> {
    spec: &'s AgentSpec,
}

impl<P: Game> EvaluatorVisitor<P> for Searching<'_> {
    type Output = Result<Spawn<P>, InputError>;

    fn visit<E: Evaluator<P>>(self, evaluator: E) -> Result<Spawn<P>, InputError> {
        let AgentSpec { depth, table, options, .. } = self.spec;
        let (depth, pruning, ties) = (*depth, options.pruning, options.ties);
        if !E::OF_POSITION_ALONE && (table.is_some() || options.memory.is_some()) {
            return Err(InputError::new(
                "table= and memory= go with evaluations of positions; this one depends on the moves \
                 that led there",
            ));
        }
        let evaluator = Arc::new(evaluator);
        Ok(match (self.spec.kind, self.spec.limit) {
            (Kind::Mcts, _) => mcts(self.spec, evaluator),
            (Kind::Iterative, Some(limit)) => match (&options.memory, *table) {
                (None, table) => iterative(limit, move || {
                    Iterative::new(Arc::clone(&evaluator), depth, table).pruning(pruning)
                }),
                (Some(settings), _) => {
                    let settings = settings.clone();
                    iterative(limit, move || {
                        let memory = Memory::new(settings.clone());
                        Iterative::with_memory(Arc::clone(&evaluator), depth, memory)
                            .pruning(pruning)
                    })
                }
            },
            (Kind::Expectimax, _) => {
                let win = options.win.unwrap_or(DEFAULT_WIN);
                Arc::new(move |seed| {
                    Box::new(ExpectimaxAgent {
                        evaluator: Arc::clone(&evaluator),
                        depth: depth.unwrap_or(1),
                        win,
                        generator: Generator::seed_from_u64(seed),
                    })
                })
            }
            (Kind::Minimax, _) if options.order.is_some() || options.widths.is_some() => {
                let weights = options.order.as_ref().or(self.spec.weights.as_ref());
                let weights = weights.ok_or_else(|| InputError::new("no weights to sort by"))?;
                let order = P::with_evaluator(weights.layout(), weights.values(), Ordering)
                    .map_err(|error| InputError::new(format!("order: {error}")))?;
                let widths = Arc::new(options.widths.clone().unwrap_or_else(Widths::all));
                let depth = depth.unwrap_or(1);
                Arc::new(move |seed| {
                    Box::new(SelectiveAgent {
                        evaluator: Arc::clone(&evaluator),
                        order: Arc::clone(&order),
                        widths: Arc::clone(&widths),
                        depth,
                        ties,
                        generator: Generator::seed_from_u64(seed),
                    })
                })
            }
            _ => Arc::new(move |seed| {
                Box::new(MinimaxAgent {
                    evaluator: Arc::clone(&evaluator),
                    depth: depth.unwrap_or(1),
                    pruning,
                    ties,
                    generator: Generator::seed_from_u64(seed),
                })
            }),
        })
    }
}

/// Makes an order of moves of whatever evaluator it is given.
struct Ordering;

impl<P: Position> EvaluatorVisitor<P> for Ordering {
    type Output = Arc<dyn MoveOrder<P>>;

    fn visit<O: Evaluator<P>>(self, order: O) -> Self::Output {
        Arc::new(order)
    }
}

/// Agents that deepen a fresh search in each game.
fn iterative<P: Position, E: Evaluator<P>, T: Transpositions<P> + Send + 'static>(
    limit: Limit,
    search: impl Fn() -> Iterative<P, E, T> + Send + Sync + 'static,
) -> Spawn<P> {
    Arc::new(move |seed| {
        Box::new(IterativeAgent {
            search: search(),
            timer: Timer::new(limit, MoveTimes::Minimax),
            generator: Generator::seed_from_u64(seed),
        })
    })
}

fn mcts<P: Game, E: Evaluator<P>>(spec: &AgentSpec, evaluator: Arc<E>) -> Spawn<P> {
    let settings = spec.mcts.clone().unwrap_or_default();
    let limit = spec.limit.unwrap_or(Limit::Iterations(1));
    let offset = spec.weights.as_ref().map_or(0.0, Weights::greatest_value);
    let settings = Settings { offset: settings.offset.or(Some(offset)), ..settings };
    Arc::new(move |seed| {
        Box::new(MctsAgent {
            search: Mcts::new(settings.clone(), Arc::clone(&evaluator)),
            timer: Timer::new(limit, MoveTimes::MonteCarlo),
            generator: Generator::seed_from_u64(seed),
        })
    })
}
