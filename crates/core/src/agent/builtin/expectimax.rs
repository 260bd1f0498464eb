//! Expectimax.

use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{PLIES, not_stopped};
use crate::agent::{
    Agent, AgentKind, AgentSettings, Choice, Effort, Evaluation, Failure, Spawn, Turn, Value, spawn,
};
use crate::game::{Evaluator, Game, Searchable};
use crate::input::InputError;
use crate::search::Expectimax;
use crate::search::expectimax::DEFAULT_WIN;
use crate::search::minimax::MAX_DEPTH;
use crate::seed::Generator;

/// Searches to a fixed depth by expectimax.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ExpectimaxSettings {
    /// The depth of the search in plies, for iterative and pvs the deepest; a stage of an evolution fills in a fixed one
    #[schemars(range(min = 1, max = MAX_DEPTH), example = 7, extend("x-unit" = PLIES))]
    pub depth: Option<u32>,
    /// What a won game is worth in weight units
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

    fn effort(&self) -> Effort {
        let certain_plies = self.depth.unwrap_or(0);
        Effort { certain_plies, unpruned: true, ..Effort::default() }
    }
}

impl AgentKind for ExpectimaxSettings {
    const NAME: &'static str = "expectimax";

    fn search<P: Game, E: Evaluator<P>>(&self, evaluator: Arc<E>) -> Result<Spawn<P>, InputError> {
        let (depth, win) = (self.depth.unwrap_or(1), self.win.unwrap_or(DEFAULT_WIN));
        Ok(spawn(move |seed| ExpectimaxAgent {
            evaluator: Arc::clone(&evaluator),
            depth,
            win,
            generator: Generator::seed_from_u64(seed),
        }))
    }
}

/// Expectimax.
struct ExpectimaxAgent<E> {
    evaluator: Arc<E>,
    depth: u32,
    /// The value of a won game in weight units.
    win: f64,
    generator: Generator,
}

impl<P: Searchable, E: Evaluator<P>> Agent<P> for ExpectimaxAgent<E> {
    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Choice<P::Move>, Failure> {
        let search = Expectimax::new(&*self.evaluator, self.win).until(turn.stop);
        let found = { search }.analyse(turn.position, self.depth);
        not_stopped(&found.best)?;
        let index = self.generator.random_range(0..found.best.len() as u32);
        let value = Some(Value::Weights(found.value));
        Ok(Choice { nodes: found.nodes, value, ..Choice::free(found.best[index as usize]) })
    }
}
