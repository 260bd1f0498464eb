//! The agents that search in this process.

use std::sync::Arc;

use rand::{RngExt, SeedableRng};

use super::{Agent, Choice, Failure, Timer, Turn, Value};
use crate::game::{Evaluator, Position, Score};
use crate::search::choice::{self, Ties};
use crate::search::iterative::Iterative;
use crate::search::mcts::Mcts;
use crate::search::memory::Transpositions;
use crate::search::minimax::Minimax;
use crate::search::{Expectimax, MoveOrder, Pruning, Selective, Unpruned, Widths};
use crate::seed::Generator;

/// A legal move at random.
pub(super) struct RandomAgent {
    generator: Generator,
}

impl RandomAgent {
    pub(super) fn new(seed: u64) -> Self {
        Self { generator: Generator::seed_from_u64(seed) }
    }
}

impl<P: Position> Agent<P> for RandomAgent {
    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Choice<P::Move>, Failure> {
        let index = self.generator.random_range(0..turn.position.legal_move_count() as u32);
        Ok(Choice::free(turn.position.nth_legal_move(index as usize)))
    }
}

/// The first legal move in generation order.
pub(super) struct ReflexAgent;

impl<P: Position> Agent<P> for ReflexAgent {
    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Choice<P::Move>, Failure> {
        Ok(Choice::free(turn.position.nth_legal_move(0)))
    }
}

/// Minimax, and greedy as minimax one ply deep.
pub(super) struct MinimaxAgent<E> {
    pub(super) evaluator: Arc<E>,
    pub(super) depth: u32,
    pub(super) pruning: Pruning,
    pub(super) ties: Ties,
    pub(super) generator: Generator,
}

impl<P: Position, E: Evaluator<P>> Agent<P> for MinimaxAgent<E> {
    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Choice<P::Move>, Failure> {
        let (evaluator, depth) = (&*self.evaluator, self.depth);
        let analysis = match self.pruning {
            Pruning::AlphaBeta => Minimax::new(evaluator).analyse(turn.position, depth),
            Pruning::Stepwise => Minimax::new(evaluator).stepwise().analyse(turn.position, depth),
            Pruning::None => Unpruned::new(evaluator).analyse(turn.position, depth),
        };
        let mv = match self.ties {
            Ties::Random => choice::choose(turn.position, &analysis, &mut self.generator),
            Ties::First => choice::choose_first(turn.position, &analysis, |_| Score::DRAW),
        };
        let value = Some(Value::Weights(in_weights::<P, E>(evaluator, analysis.score)));
        Ok(Choice { nodes: analysis.nodes, value, ..Choice::free(mv) })
    }
}

/// A score in the units of the weights.
fn in_weights<P: Position, E: Evaluator<P>>(evaluator: &E, score: Score) -> f64 {
    f64::from(score.0) / evaluator.scale()
}

/// Minimax over the most promising moves.
pub(super) struct SelectiveAgent<P: Position, E> {
    pub(super) evaluator: Arc<E>,
    pub(super) order: Arc<dyn MoveOrder<P>>,
    pub(super) widths: Arc<Widths>,
    pub(super) depth: u32,
    pub(super) ties: Ties,
    pub(super) generator: Generator,
}

impl<P: Position, E: Evaluator<P>> Agent<P> for SelectiveAgent<P, E> {
    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Choice<P::Move>, Failure> {
        let mut search = Selective::new(&*self.evaluator, &*self.order, &self.widths);
        let analysis = search.analyse(turn.position, self.depth);
        let position = turn.position;
        let mv = match self.ties {
            Ties::Random => choice::choose(position, &analysis, &mut self.generator),
            Ties::First => {
                let values = self.order.along(position).values(position);
                choice::choose_first(position, &analysis, |mv| {
                    let value = values.iter().find(|(_, other)| *other == mv);
                    value.map_or(Score::DRAW, |(value, _)| *value)
                })
            }
        };
        let value = Some(Value::Weights(in_weights::<P, E>(&self.evaluator, analysis.score)));
        Ok(Choice { nodes: analysis.nodes, value, ..Choice::free(mv) })
    }
}

/// Expectimax.
pub(super) struct ExpectimaxAgent<E> {
    pub(super) evaluator: Arc<E>,
    pub(super) depth: u32,
    /// The value of a won game in weight units.
    pub(super) win: f64,
    pub(super) generator: Generator,
}

impl<P: Position, E: Evaluator<P>> Agent<P> for ExpectimaxAgent<E> {
    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Choice<P::Move>, Failure> {
        let found = Expectimax::new(&*self.evaluator, self.win).analyse(turn.position, self.depth);
        let index = self.generator.random_range(0..found.best.len() as u32);
        let value = Some(Value::Weights(found.value));
        Ok(Choice { nodes: found.nodes, value, ..Choice::free(found.best[index as usize]) })
    }
}

/// Iterative deepening within a budget.
pub(super) struct IterativeAgent<P: Position, E, T> {
    pub(super) search: Iterative<P, E, T>,
    pub(super) timer: Timer,
    pub(super) generator: Generator,
}

impl<P, E, T> Agent<P> for IterativeAgent<P, E, T>
where
    P: Position,
    E: Evaluator<P>,
    T: Transpositions<P> + Send,
{
    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Choice<P::Move>, Failure> {
        let budget = self.timer.start(turn.position, turn.time_left);
        let found = self.search.search(turn.position, budget);
        let mv = choice::choose(turn.position, &found.analysis, &mut self.generator);
        let timeouts = self.timer.stop();
        let value =
            Some(Value::Weights(in_weights::<P, E>(self.search.evaluator(), found.analysis.score)));
        Ok(Choice { nodes: found.analysis.nodes, timeouts, value, ..Choice::free(mv) })
    }
}

/// Monte Carlo tree search.
pub(super) struct MctsAgent<P: Position> {
    pub(super) search: Mcts<P>,
    pub(super) timer: Timer,
    pub(super) generator: Generator,
}

impl<P: Position> Agent<P> for MctsAgent<P> {
    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Choice<P::Move>, Failure> {
        let budget = self.timer.start(turn.position, turn.time_left);
        let found = self.search.search(turn.position, budget, &mut self.generator);
        let timeouts = self.timer.stop();
        let played = found.children.iter().find(|child| child.mv == found.mv);
        let value = played.map(|child| Value::Share(child.reward / child.visits.max(1) as f64));
        Ok(Choice { iterations: found.iterations, timeouts, value, ..Choice::free(found.mv) })
    }
}
