//! From specs to agents.

use std::sync::Arc;

use rand::SeedableRng;

use super::habits::{FirstMove, Habits};
use super::kinds::{
    AgentKind, ExpectimaxSettings, IterativeSettings, MctsSettings, MinimaxSettings, PvsSettings,
};
use super::limit::{Limit, MoveTimes, Timer};
use super::players::{
    ExpectimaxAgent, IterativeAgent, MctsAgent, MinimaxAgent, PvsAgent, RandomAgent, ReflexAgent,
    SelectiveAgent,
};
use super::spec::AgentSpec;
use super::wrappers::{CentreFirst, Jumping, Mixed, TheoryFirst};
use super::{AgentFactory, Playable, Spawn, external, learned, uci};
use crate::game::{Blank, Evaluator, EvaluatorVisitor, Game, Position};
use crate::input::InputError;
use crate::protocol::Protocol;
use crate::search::choice::{Choosing, Ties};
use crate::search::expectimax::DEFAULT_WIN;
use crate::search::memory::{Replacement, Transpositions};
use crate::search::pvs::TABLE_MIB;
use crate::search::{Iterative, Mcts, Memory, MoveOrder, Pvs, ValueTable, Widths, mcts};
use crate::seed::{Generator, mix};
use crate::weights::Weights;

impl AgentSpec {
    /// Builds what its games share.
    ///
    /// # Errors
    /// As [`complete`](Self::complete).
    pub fn prepare<P: Playable>(&self) -> Result<AgentFactory<P>, InputError> {
        let spec = self.clone().complete(P::INFO)?;
        let label = spec.to_string();
        let spawn = spec.with_second_evaluation(spec.player::<P>(&label)?)?;
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
        let from_start_only = spec.plays_from_start_only();
        Ok(AgentFactory { label, own_seed: habits.seed, from_start_only, spawn })
    }

    /// The players of its kind.
    fn player<P: Playable>(&self, label: &str) -> Result<Spawn<P>, InputError> {
        Ok(match &self.kind {
            AgentKind::Random => Arc::new(|seed| Box::new(RandomAgent::new(seed))),
            AgentKind::Reflex | AgentKind::Human => Arc::new(|_| Box::new(ReflexAgent)),
            AgentKind::External(settings) if settings.protocol == Protocol::Uci => {
                uci::prepare::<P>(settings, label)?
            }
            AgentKind::External(settings) => external::prepare::<P>(settings, label)?,
            AgentKind::Learned(settings) => learned::prepare::<P>(&settings.from)?,
            AgentKind::Runner(_) => {
                let message =
                    format!("agent \"{label}\": a runner plays whole matches, not single moves");
                return Err(InputError::new(message));
            }
            AgentKind::Greedy(_)
            | AgentKind::Minimax(_)
            | AgentKind::Iterative(_)
            | AgentKind::Pvs(_)
            | AgentKind::Expectimax(_)
            | AgentKind::Mcts(_) => match (&self.kind, self.weights()) {
                (AgentKind::Mcts(settings), None) => monte_carlo(settings, Arc::new(Blank)),
                (kind, weights) => weights
                    .ok_or_else(|| InputError::new("no weights to evaluate with"))
                    .and_then(|weights| {
                        P::with_evaluator(weights.layout(), weights.values(), Searching { kind })
                            .map_err(|error| InputError::new(error.to_string()))
                            .flatten()
                    })
                    .map_err(|error| error.context(&format!("agent \"{label}\"")))?,
            },
        })
    }

    /// Lets the agent's players use its second evaluation, if it has one.
    fn with_second_evaluation<P: Playable>(&self, spawn: Spawn<P>) -> Result<Spawn<P>, InputError> {
        let Some(second) = &self.habits.mix else { return Ok(spawn) };
        let mut other = self.with_weights(second.clone());
        other.habits =
            Habits { first_move: FirstMove::Search, jump: None, mix: None, ..self.habits.clone() };
        let (other, share) = (other.prepare::<P>()?, self.habits.mix_share);
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

/// Builds the searches that evaluate positions.
struct Searching<'s> {
    kind: &'s AgentKind,
}

impl<P: Game> EvaluatorVisitor<P> for Searching<'_> {
    type Output = Result<Spawn<P>, InputError>;

    fn visit<E: Evaluator<P>>(self, evaluator: E) -> Result<Spawn<P>, InputError> {
        let evaluator = Arc::new(evaluator);
        match self.kind.value_table() {
            None => searching(self.kind, evaluator),
            Some(_) if !E::OF_POSITION_ALONE => Err(InputError::new(
                "value_table= goes with evaluations of positions; this one depends on the moves that \
                 led there",
            )),
            Some(size) => searching(self.kind, Arc::new(ValueTable::new(evaluator, size))),
        }
    }
}

/// Agents that search with an evaluator.
fn searching<P: Game, E: Evaluator<P>>(
    kind: &AgentKind,
    evaluator: Arc<E>,
) -> Result<Spawn<P>, InputError> {
    match kind {
        AgentKind::Minimax(settings) if settings.sorts() => sorted_minimax(settings, evaluator),
        AgentKind::Minimax(settings) => Ok(minimax(settings, evaluator)),
        AgentKind::Iterative(settings) => iterative(settings, evaluator),
        AgentKind::Pvs(settings) => pvs(settings, evaluator),
        AgentKind::Expectimax(settings) => Ok(expectimax(settings, evaluator)),
        AgentKind::Mcts(settings) => Ok(monte_carlo(settings, evaluator)),
        // Greedy is minimax one ply deep; the other kinds do not evaluate.
        _ => Ok(minimax(&MinimaxSettings::default(), evaluator)),
    }
}

fn minimax<P: Game, E: Evaluator<P>>(settings: &MinimaxSettings, evaluator: Arc<E>) -> Spawn<P> {
    let &MinimaxSettings { pruning, quiescence, .. } = settings;
    let choosing = settings.choosing();
    let depth = settings.depth.unwrap_or(1);
    Arc::new(move |seed| {
        Box::new(MinimaxAgent {
            evaluator: Arc::clone(&evaluator),
            depth,
            pruning,
            quiescence,
            choosing,
            generator: Generator::seed_from_u64(seed),
        })
    })
}

/// Minimax over moves sorted by an evaluation.
fn sorted_minimax<P: Game, E: Evaluator<P>>(
    settings: &MinimaxSettings,
    evaluator: Arc<E>,
) -> Result<Spawn<P>, InputError> {
    let weights = settings.order.as_ref().or(settings.evaluation.weights.as_ref());
    let weights = weights.ok_or_else(|| InputError::new("no weights to sort by"))?;
    let order = P::with_evaluator(weights.layout(), weights.values(), Ordering)
        .map_err(|error| InputError::new(format!("order: {error}")))?;
    let widths = Arc::new(settings.widths.clone().unwrap_or_else(Widths::all));
    let (depth, choosing) = (settings.depth.unwrap_or(1), settings.choosing());
    let sorting = settings.sorting;
    Ok(Arc::new(move |seed| {
        Box::new(SelectiveAgent {
            evaluator: Arc::clone(&evaluator),
            order: Arc::clone(&order),
            widths: Arc::clone(&widths),
            sorting,
            depth,
            choosing,
            generator: Generator::seed_from_u64(seed),
        })
    }))
}

/// Makes an order of moves of whatever evaluator it is given.
struct Ordering;

impl<P: Position> EvaluatorVisitor<P> for Ordering {
    type Output = Arc<dyn MoveOrder<P>>;

    fn visit<O: Evaluator<P>>(self, order: O) -> Self::Output {
        Arc::new(order)
    }
}

fn iterative<P: Game, E: Evaluator<P>>(
    settings: &IterativeSettings,
    evaluator: Arc<E>,
) -> Result<Spawn<P>, InputError> {
    if !E::OF_POSITION_ALONE && settings.remembers() {
        return Err(InputError::new(
            "table= and memory= go with evaluations of positions; this one depends on the moves \
             that led there",
        ));
    }
    let &IterativeSettings { limit, depth, depths, pruning, ties, .. } = settings;
    let limit = limit.unwrap_or(Limit::Nodes(1));
    let with_table = move |evaluator: Arc<E>, size| {
        deepening(limit, ties, move || {
            Iterative::new(Arc::clone(&evaluator), depth, size).pruning(pruning).depths(depths)
        })
    };
    let bounded = settings.memory.clone();
    Ok(match (settings.table, bounded.replacement) {
        (None, Replacement::None) => with_table(evaluator, None),
        (Some(size), _) => with_table(evaluator, Some(size)),
        (None, _) => deepening(limit, ties, move || {
            let memory = Memory::new(bounded.clone());
            let search = Iterative::with_memory(Arc::clone(&evaluator), depth, memory);
            search.pruning(pruning).depths(depths)
        }),
    })
}

/// Agents that deepen a fresh search in each game.
fn deepening<P: Position, E: Evaluator<P>, T: Transpositions<P> + Send + 'static>(
    limit: Limit,
    ties: Ties,
    search: impl Fn() -> Iterative<P, E, T> + Send + Sync + 'static,
) -> Spawn<P> {
    let choosing = Choosing { ties, ..Choosing::default() };
    Arc::new(move |seed| {
        Box::new(IterativeAgent {
            search: search(),
            timer: Timer::new(limit, MoveTimes::Minimax),
            choosing,
            generator: Generator::seed_from_u64(seed),
            depth: 0,
        })
    })
}

fn pvs<P: Game, E: Evaluator<P>>(
    settings: &PvsSettings,
    evaluator: Arc<E>,
) -> Result<Spawn<P>, InputError> {
    if !E::OF_POSITION_ALONE {
        return Err(InputError::new(
            "pvs stores values of positions; those of this evaluation depend on the moves that led there",
        ));
    }
    let &PvsSettings { limit, depth, table, search, .. } = settings;
    let (limit, table) = (limit.unwrap_or(Limit::Nodes(1)), table.unwrap_or(TABLE_MIB));
    Ok(Arc::new(move |_| {
        Box::new(PvsAgent {
            search: Pvs::with_settings(Arc::clone(&evaluator), depth, table, search),
            timer: Timer::new(limit, MoveTimes::Minimax),
        })
    }))
}

fn expectimax<P: Game, E: Evaluator<P>>(
    settings: &ExpectimaxSettings,
    evaluator: Arc<E>,
) -> Spawn<P> {
    let (depth, win) = (settings.depth.unwrap_or(1), settings.win.unwrap_or(DEFAULT_WIN));
    Arc::new(move |seed| {
        Box::new(ExpectimaxAgent {
            evaluator: Arc::clone(&evaluator),
            depth,
            win,
            generator: Generator::seed_from_u64(seed),
        })
    })
}

fn monte_carlo<P: Game, E: Evaluator<P>>(settings: &MctsSettings, evaluator: Arc<E>) -> Spawn<P> {
    let limit = settings.limit.unwrap_or(Limit::Iterations(1));
    let weights = settings.evaluation.weights.as_ref();
    let offset = settings.search.offset.unwrap_or(weights.map_or(0.0, Weights::greatest_value));
    let search = mcts::Settings { offset: Some(offset), ..settings.search.clone() };
    Arc::new(move |seed| {
        Box::new(MctsAgent {
            search: Mcts::new(search.clone(), Arc::clone(&evaluator)),
            timer: Timer::new(limit, MoveTimes::MonteCarlo),
            generator: Generator::seed_from_u64(seed),
        })
    })
}
