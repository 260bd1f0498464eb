//! Iterative deepening: of minimax, and of principal variation search.

use std::sync::Arc;

use rand::SeedableRng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MIB, PLIES, in_weights, not_stopped};
use crate::agent::{
    AgentKind, AgentSettings, Choice, Evaluation, Failure, Limit, MoveTimes, Spawn, Timer, Turn,
    Value, limit, spawn,
};
use crate::game::{Evaluator, Game, Searchable};
use crate::input::{InputError, Result};
use crate::search::iterative::{Depths, Iterative, MAX_TABLE_MIB};
use crate::search::minimax::MAX_DEPTH;
use crate::search::pvs::TABLE_MIB;
use crate::search::{Pruning, Pvs, TieBreak, pvs};
use crate::seed::Generator;

/// Searches by minimax with iterative deepening, within a limit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("x-without" = ["iterations"]))]
pub struct IterativeSettings {
    /// What ends the search of a move.
    #[serde(flatten, with = "limit::keys")]
    #[schemars(with = "limit::LimitKeys")]
    pub limit: Option<Limit>,
    /// The depth in plies at which the search ends
    #[schemars(range(min = 1, max = MAX_DEPTH), example = 7, extend("x-unit" = PLIES))]
    pub depth: Option<u32>,
    /// The size of the transposition table in MiB; by default 16 for pvs, and none for iterative
    #[schemars(range(min = 1, max = MAX_TABLE_MIB), example = 64, extend("x-unit" = MIB))]
    pub table: Option<u32>,
    /// What the search prunes
    #[serde(rename = "prune")]
    pub pruning: Pruning,
    /// Which of several best moves is played
    pub ties: TieBreak,
    /// Which depths it searches.
    #[serde(flatten)]
    pub depths: Depths,
    /// What leaves are worth.
    #[serde(flatten)]
    pub evaluation: Evaluation,
}

impl AgentSettings for IterativeSettings {
    crate::fields_of_settings!(evaluation, depth, limit);

    fn mebibytes(&self) -> u32 {
        self.table.unwrap_or(0)
    }
}

impl AgentKind for IterativeSettings {
    const NAME: &'static str = "iterative";

    crate::described_here!();

    fn search<P: Game, E: Evaluator<P>>(&self, evaluator: Arc<E>) -> Result<Spawn<P>> {
        if !E::OF_POSITION_ALONE && self.table.is_some() {
            return Err(InputError::new(
                "table= needs an evaluation of the position alone; this one depends on earlier moves",
            ));
        }
        let &Self { limit, depth, table, depths, pruning, ties, .. } = self;
        Ok(deepening(Limit::of_complete(limit), ties, move || {
            let search = Iterative::new(Arc::clone(&evaluator), depth, table).depths(depths);
            search.stepwise(pruning == Pruning::Stepwise)
        }))
    }
}

/// Players that deepen a fresh search in each game.
pub fn deepening<P: Searchable, E: Evaluator<P>>(
    limit: Limit,
    ties: TieBreak,
    search: impl Fn() -> Iterative<P, E> + Send + Sync + 'static,
) -> Spawn<P> {
    spawn(move |seed| {
        let (mut search, mut timer) = (search(), Timer::new(limit, MoveTimes::Minimax));
        let mut generator = Generator::seed_from_u64(seed);
        move |turn: &Turn<'_, P>| -> Result<_, Failure> {
            let found = search.search(turn.position, timer.start(turn)).analysis;
            not_stopped(&found.best)?;
            let mv = ties.choose(turn.position, &found, &mut generator);
            let timeouts = timer.stop();
            let value = Some(Value::Weights(in_weights::<P, E>(&search.evaluator, found.score)));
            Ok(Choice { nodes: found.nodes, timeouts, value, ..Choice::free(mv) })
        }
    })
}

/// Searches by principal variation search for the strongest move, within a limit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("x-without" = ["iterations"]))]
pub struct PvsSettings {
    /// What ends the search of a move.
    #[serde(flatten, with = "limit::keys")]
    #[schemars(with = "limit::LimitKeys")]
    pub limit: Option<Limit>,
    /// The depth in plies at which the search ends
    #[schemars(range(min = 1, max = MAX_DEPTH), example = 7, extend("x-unit" = PLIES))]
    pub depth: Option<u32>,
    /// The size of the transposition table in MiB; by default 16
    #[schemars(range(min = 1, max = MAX_TABLE_MIB), example = 64, extend("x-unit" = MIB))]
    pub table: Option<u32>,
    /// How it prunes and orders moves.
    #[serde(flatten)]
    pub search: pvs::PvsParameters,
    /// What leaves are worth.
    #[serde(flatten)]
    pub evaluation: Evaluation,
}

impl AgentSettings for PvsSettings {
    crate::fields_of_settings!(evaluation, depth, limit);

    fn mebibytes(&self) -> u32 {
        self.table.unwrap_or(0)
    }
}

impl AgentKind for PvsSettings {
    const NAME: &'static str = "pvs";

    crate::described_here!();

    fn search<P: Game, E: Evaluator<P>>(&self, evaluator: Arc<E>) -> Result<Spawn<P>> {
        if !E::OF_POSITION_ALONE {
            return Err(InputError::new(
                "pvs stores values of positions; those of this evaluation depend on the moves that led there",
            ));
        }
        let &Self { limit, depth, table, search, .. } = self;
        let (limit, table) = (Limit::of_complete(limit), table.unwrap_or(TABLE_MIB));
        Ok(spawn(move |_| {
            let mut search = Pvs::new(Arc::clone(&evaluator), depth, table, search);
            let mut timer = Timer::new(limit, MoveTimes::Minimax);
            move |turn: &Turn<'_, P>| -> Result<_, Failure> {
                let found = search.search(turn.position, timer.start(turn));
                let timeouts = timer.stop();
                let value = Value::Weights(in_weights::<P, E>(&search.evaluator, found.score));
                // Without a choice nothing was searched.
                let value = (found.depth > 0).then_some(value);
                let line = search.expected_line(turn.position, found.mv);
                Ok(Choice { nodes: found.nodes, timeouts, value, line, ..Choice::free(found.mv) })
            }
        }))
    }
}
