//! Search to a fixed depth by minimax or expectimax; greedy agents are minimax one ply deep.

use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{PLIES, in_weights, not_stopped};
use crate::agent::common::searching;
use crate::agent::{
    AgentKind, AgentSettings, Choice, Evaluation, Failure, Spawn, Turn, Value, spawn,
};
use crate::game::{Evaluator, Game, Searchable};
use crate::input::Result;
use crate::search::expectimax::DEFAULT_WIN;
use crate::search::minimax::{MAX_DEPTH, Minimax};
use crate::search::{Analysis, Expectimax, Pruning, Stop, TieBreak};
use crate::seed::Generator;

/// Plays the best move by an evaluation one ply deep.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct GreedySettings {
    /// What positions are worth.
    #[serde(flatten)]
    pub evaluation: Evaluation,
}

impl AgentSettings for GreedySettings {
    crate::fields_of_settings!(evaluation);
}

impl AgentKind for GreedySettings {
    const NAME: &'static str = "greedy";

    crate::described_here!();

    fn prepare<P: Game>(&self, label: &str) -> Result<Spawn<P>> {
        let evaluation = self.evaluation.clone();
        searching(&MinimaxSettings { evaluation, ..MinimaxSettings::default() }, label)
    }
}

/// Searches to a fixed depth by minimax.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MinimaxSettings {
    /// The search depth in plies, the greatest for searches with a limit; a stage of an evolution sets a fixed depth
    #[schemars(range(min = 1, max = MAX_DEPTH), example = 7, extend("x-unit" = PLIES))]
    pub depth: Option<u32>,
    /// What the search prunes
    #[serde(rename = "prune")]
    pub pruning: Pruning,
    /// Which of several best moves is played
    pub ties: TieBreak,
    /// What leaves are worth.
    #[serde(flatten)]
    pub evaluation: Evaluation,
}

impl AgentSettings for MinimaxSettings {
    crate::fields_of_settings!(evaluation, fixed_depth);
}

impl AgentKind for MinimaxSettings {
    const NAME: &'static str = "minimax";

    crate::described_here!();

    fn search<P: Game, E: Evaluator<P>>(&self, evaluator: Arc<E>) -> Result<Spawn<P>> {
        let stepwise = self.pruning == Pruning::Stepwise;
        let analyse = move |evaluator: &E, position: &P, depth: u32, stop: Stop<'_>| {
            let search = Minimax::new(evaluator).until(stop);
            if stepwise { search.stepwise() } else { search }.analyse(position, depth)
        };
        Ok(fixed_depth(evaluator, self.depth.unwrap_or(1), self.ties, analyse))
    }
}

/// Players that search every move to the same depth, which is the last argument but one of the search.
pub fn fixed_depth<P: Searchable, E: Evaluator<P>>(
    evaluator: Arc<E>,
    depth: u32,
    ties: TieBreak,
    analyse: impl Fn(&E, &P, u32, Stop<'_>) -> Analysis<P::Move> + Copy + Send + Sync + 'static,
) -> Spawn<P> {
    spawn(move |seed| {
        let (evaluator, mut generator) = (Arc::clone(&evaluator), Generator::seed_from_u64(seed));
        move |turn: &Turn<'_, P>| -> Result<_, Failure> {
            let found = analyse(&evaluator, turn.position, depth, turn.stop);
            not_stopped(&found.best)?;
            let mv = ties.choose(turn.position, &found, &mut generator);
            let value = Some(Value::Weights(in_weights::<P, E>(&evaluator, found.score)));
            Ok(Choice { nodes: found.nodes, value, ..Choice::free(mv) })
        }
    })
}

/// Searches to a fixed depth by expectimax.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ExpectimaxSettings {
    /// The search depth in plies, the greatest for iterative and pvs; a stage of an evolution sets a fixed depth
    #[schemars(range(min = 1, max = MAX_DEPTH), example = 7, extend("x-unit" = PLIES))]
    pub depth: Option<u32>,
    /// The value of a won game in weight units
    #[schemars(
        range(min = 1e-9, max = 1e15),
        example = 500,
        extend("x-evolves" = true, "x-default" = DEFAULT_WIN, "x-takes" = "a number from 1e-9 to 1e15")
    )]
    pub win: Option<f64>,
    /// What leaves are worth.
    #[serde(flatten)]
    pub evaluation: Evaluation,
}

impl AgentSettings for ExpectimaxSettings {
    crate::fields_of_settings!(evaluation, fixed_depth);
}

impl AgentKind for ExpectimaxSettings {
    const NAME: &'static str = "expectimax";

    crate::described_here!();

    fn search<P: Game, E: Evaluator<P>>(&self, evaluator: Arc<E>) -> Result<Spawn<P>> {
        let (depth, win) = (self.depth.unwrap_or(1), self.win.unwrap_or(DEFAULT_WIN));
        Ok(spawn(move |seed| {
            let evaluator = Arc::clone(&evaluator);
            let mut generator = Generator::seed_from_u64(seed);
            move |turn: &Turn<'_, P>| -> Result<_, Failure> {
                let search = Expectimax::new(&*evaluator, win).until(turn.stop);
                let found = { search }.analyse(turn.position, depth);
                not_stopped(&found.best)?;
                let index = generator.random_range(0..found.best.len() as u32);
                let value = Some(Value::Weights(found.value));
                Ok(Choice { nodes: found.nodes, value, ..Choice::free(found.best[index as usize]) })
            }
        }))
    }
}
