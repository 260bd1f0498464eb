//! Monte Carlo tree search.

use std::sync::Arc;

use rand::SeedableRng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::agent::common::searching;
use crate::agent::{
    AgentKind, AgentSettings, Choice, Evaluation, Failure, Limit, MoveTimes, Spawn, Timer, Turn,
    Value, limit, spawn,
};
use crate::game::{Blank, Evaluator, Game};
use crate::input::Result;
use crate::search::{Mcts, mcts};
use crate::seed::Generator;
use crate::weights::Weights;

/// Searches by Monte Carlo tree search, within a limit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("x-without" = ["nodes"]))]
pub struct MctsSettings {
    /// The parts of the search.
    #[serde(flatten)]
    pub search: mcts::MctsParameters,
    /// What ends the search of a move.
    #[serde(flatten, with = "limit::keys")]
    #[schemars(with = "limit::LimitKeys")]
    pub limit: Option<Limit>,
    /// What positions are worth, where a part of the search asks.
    #[serde(flatten)]
    pub evaluation: Evaluation,
}

impl AgentSettings for MctsSettings {
    crate::fields_of_settings!(evaluation, limit);

    fn evaluates(&self) -> bool {
        self.search.evaluates()
    }

    fn is_repeatable(&self) -> bool {
        !self.is_timed() && self.search.threads <= 1
    }

    fn ignores(&self, number: &str) -> Option<&'static str> {
        self.search.ignores(number)
    }

    fn threads(&self) -> u32 {
        self.search.threads
    }
}

impl AgentKind for MctsSettings {
    const NAME: &'static str = "mcts";

    crate::described_here!();

    fn prepare<P: Game>(&self, label: &str) -> Result<Spawn<P>> {
        match &self.evaluation.weights {
            None => self.search(Arc::new(Blank)),
            Some(_) => searching(self, label),
        }
    }

    fn search<P: Game, E: Evaluator<P>>(&self, evaluator: Arc<E>) -> Result<Spawn<P>> {
        let limit = Limit::of_complete(self.limit);
        let weights = self.evaluation.weights.as_ref();
        let offset = self.search.offset.unwrap_or(weights.map_or(0.0, Weights::greatest_value));
        let search = mcts::MctsParameters { offset: Some(offset), ..self.search.clone() };
        Ok(spawn(move |seed| {
            let mut search = Mcts::new(search.clone(), Arc::clone(&evaluator));
            let mut timer = Timer::new(limit, MoveTimes::MonteCarlo);
            let mut generator = Generator::seed_from_u64(seed);
            move |turn: &Turn<'_, P>| -> Result<_, Failure> {
                let found = search.search(turn.position, timer.start(turn), &mut generator);
                let timeouts = timer.stop();
                let played = found.children.iter().find(|child| child.mv == found.mv);
                let value =
                    played.map(|child| Value::Share(child.reward / child.visits.max(1) as f64));
                let line = search.most_visited_line(turn.position, found.mv);
                let iterations = found.iterations;
                Ok(Choice { iterations, timeouts, value, line, ..Choice::free(found.mv) })
            }
        }))
    }
}
