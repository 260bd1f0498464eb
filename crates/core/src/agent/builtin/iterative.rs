//! Iterative deepening.

use std::sync::Arc;

use rand::SeedableRng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::agents::{Setup, Spawn, spawn};
use super::super::evaluation::{Evaluation, Searches};
use super::super::kind::{AgentKind, AgentSettings, Effort};
use super::super::limit::{self, Limit, LimitKeys, MoveTimes, Timer};
use super::super::{Agent, Choice, Failure, Turn, Value};
use super::{MIB, PLIES, in_weights, line_of_replies, not_stopped};
use crate::game::{Evaluator, Game, Position, Score, Searchable};
use crate::input::InputError;
use crate::search::choice::{self, Choosing, Ties};
use crate::search::iterative::{Depths, Iterative, MAX_TABLE_MIB};
use crate::search::memory::{self, Hashing, Memory, Replacement, Transpositions};
use crate::search::minimax::MAX_DEPTH;
use crate::search::{Budget, Pruning};
use crate::seed::Generator;

/// Searches by minimax with iterative deepening, within a limit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("x-without" = ["iterations"]))]
pub struct IterativeSettings {
    /// What ends the search of a move.
    #[serde(flatten, with = "limit::keys")]
    #[schemars(with = "LimitKeys")]
    pub limit: Option<Limit>,
    /// The depth in plies at which the search ends
    #[schemars(range(min = 1, max = MAX_DEPTH), example = 7, extend("x-unit" = PLIES))]
    pub depth: Option<u32>,
    /// The size of the transposition table in MiB; by default 16 for pvs, and none for iterative
    #[schemars(range(min = 1, max = MAX_TABLE_MIB), example = 64, extend("x-unit" = MIB))]
    pub table: Option<u32>,
    /// What the search leaves out
    #[serde(rename = "prune")]
    pub pruning: Pruning,
    /// Which of several best moves is played
    pub ties: Ties,
    /// Which depths it searches.
    #[serde(flatten)]
    pub depths: Depths,
    /// A table of the values of positions in MiB (Liang 2.5.1); it changes the time alone
    #[schemars(range(min = 1, max = MAX_TABLE_MIB), example = 16, extend("x-unit" = MIB))]
    pub value_table: Option<u32>,
    /// What it remembers of positions, if not in a table.
    #[serde(flatten)]
    pub memory: memory::Settings,
    /// What leaves are worth.
    #[serde(flatten)]
    pub evaluation: Evaluation,
}

impl AgentSettings for IterativeSettings {
    crate::fields_of_settings!(evaluation, depth, limit);

    fn check_keys(&self) -> Result<(), InputError> {
        let memory = &self.memory;
        if self.table.is_some() && memory.replacement != Replacement::None {
            let message = "table= and memory= are two memories; give one of them";
            return Err(InputError::new(message));
        }
        if memory.symmetry && memory.hashing == Hashing::Zobrist {
            return Err(InputError::new(
                "memory_symmetry=true goes with memory_hash=full: what moves update is the \
                 hash of one image",
            ));
        }
        Ok(())
    }

    fn effort(&self) -> Effort {
        let of_depth = self.depth.filter(|_| self.limit.is_none()).unwrap_or(0);
        // About 32 bytes each.
        let of_memory = match self.memory.replacement {
            Replacement::None => 0,
            _ => self.memory.positions >> 15,
        };
        let mebibytes = self.value_table.unwrap_or(0);
        Effort {
            certain_plies: of_depth.max(self.depths.first),
            unpruned: self.pruning == Pruning::None,
            mebibytes: mebibytes.saturating_add(self.table.unwrap_or(of_memory)),
            threads: 0,
        }
    }
}

impl AgentKind for IterativeSettings {
    const NAME: &'static str = "iterative";

    fn prepare<P: Game>(&self, setup: &Setup<'_, P>) -> Result<Spawn<P>, InputError> {
        setup.searching(self, self.evaluation.weights.as_ref())
    }
}

impl Searches for IterativeSettings {
    fn search<P: Game, E: Evaluator<P>>(&self, evaluator: Arc<E>) -> Result<Spawn<P>, InputError> {
        let remembers = self.table.is_some() || self.memory.replacement != Replacement::None;
        if !E::OF_POSITION_ALONE && remembers {
            return Err(InputError::new(
                "table= and memory= go with evaluations of positions; this one depends on the moves \
                 that led there",
            ));
        }
        let &Self { limit, depth, depths, pruning, ties, .. } = self;
        let limit = limit.unwrap_or(Limit::Nodes(1));
        let with_table = move |evaluator: Arc<E>, size| {
            deepening(limit, ties, move || {
                Iterative::new(Arc::clone(&evaluator), depth, size).pruning(pruning).depths(depths)
            })
        };
        let bounded = self.memory.clone();
        Ok(match (self.table, bounded.replacement) {
            (None, Replacement::None) => with_table(evaluator, None),
            (Some(size), _) => with_table(evaluator, Some(size)),
            (None, _) => deepening(limit, ties, move || {
                let memory = Memory::new(bounded.clone());
                let search = Iterative::with_memory(Arc::clone(&evaluator), depth, memory);
                search.pruning(pruning).depths(depths)
            }),
        })
    }

    fn value_table(&self) -> Option<u32> {
        self.value_table
    }
}

/// Agents that deepen a fresh search in each game.
fn deepening<P: Searchable, E: Evaluator<P>, T: Transpositions<P> + Send + 'static>(
    limit: Limit,
    ties: Ties,
    search: impl Fn() -> Iterative<P, E, T> + Send + Sync + 'static,
) -> Spawn<P> {
    let choosing = Choosing { ties, ..Choosing::default() };
    spawn(move |seed| IterativeAgent {
        search: search(),
        timer: Timer::new(limit, MoveTimes::Minimax),
        choosing,
        generator: Generator::seed_from_u64(seed),
        depth: 0,
    })
}

/// Iterative deepening within a budget.
struct IterativeAgent<P: Position, E, T> {
    search: Iterative<P, E, T>,
    timer: Timer,
    choosing: Choosing,
    generator: Generator,
    /// How deep it searched last.
    depth: u32,
}

impl<P, E, T> Agent<P> for IterativeAgent<P, E, T>
where
    P: Searchable,
    E: Evaluator<P>,
    T: Transpositions<P> + Send,
{
    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Choice<P::Move>, Failure> {
        let budget = self.timer.start(turn.position, turn.time_left);
        let budget = Budget { stop: turn.stop, ..budget };
        let found = self.search.search(turn.position, budget);
        not_stopped(&found.analysis.best)?;
        self.depth = found.depth;
        let generator = &mut self.generator;
        let mv = self.choosing.choose(turn.position, &found.analysis, generator, |_| Score::DRAW);
        let timeouts = self.timer.stop();
        let value =
            Some(Value::Weights(in_weights::<P, E>(self.search.evaluator(), found.analysis.score)));
        Ok(Choice { nodes: found.analysis.nodes, timeouts, value, ..Choice::free(mv) })
    }

    /// All replies together cost about as many positions as the move did, at most.
    fn expected_line(&self, turn: &Turn<'_, P>, choice: &Choice<P::Move>) -> Vec<P::Move> {
        let mut left = choice.nodes;
        let reply = |position: &P, depth: u32| {
            let mut search = self.search.without_memory(depth);
            let budget = Budget { stop: turn.stop, ..Budget::of(left) };
            let found = (left > 0).then(|| search.search(position, budget).analysis)?;
            not_stopped(&found.best).ok()?;
            left = left.saturating_sub(found.nodes);
            Some(choice::choose_first(position, &found, |_| Score::DRAW))
        };
        line_of_replies(turn.position, choice.mv, self.depth, reply)
    }
}
