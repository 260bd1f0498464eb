//! The agents that search in this process.

use std::sync::Arc;

use rand::{RngExt, SeedableRng};

use super::{Agent, Choice, Failure, Timer, Turn, Value};
use crate::game::{Evaluator, Position, Score};
use crate::protocol::Lateness;
use crate::search::choice::{self, Choosing};
use crate::search::iterative::Iterative;
use crate::search::mcts::Mcts;
use crate::search::memory::Transpositions;
use crate::search::minimax::Minimax;
use crate::search::{
    Budget, Expectimax, InOrder, MoveOrder, Pruning, Pvs, Quiescent, Selective, Sorting, Widths,
};
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
    pub(super) quiescence: Option<u32>,
    pub(super) choosing: Choosing,
    pub(super) generator: Generator,
}

impl<P: Position, E: Evaluator<P>> Agent<P> for MinimaxAgent<E> {
    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Choice<P::Move>, Failure> {
        let (evaluator, depth) = (&*self.evaluator, self.depth);
        let Turn { position, stop, .. } = *turn;
        let analysis = match self.pruning {
            Pruning::AlphaBeta => match self.quiescence {
                None => Minimax::new(evaluator).until(stop).analyse(position, depth),
                Some(further) => {
                    Quiescent::new(evaluator, further).until(stop).analyse(position, depth)
                }
            },
            Pruning::Stepwise => {
                Minimax::new(evaluator).stepwise().until(stop).analyse(position, depth)
            }
            Pruning::FullWindow => {
                InOrder::full_window(evaluator).until(stop).analyse(position, depth)
            }
            Pruning::None => InOrder::unpruned(evaluator).until(stop).analyse(position, depth),
        };
        not_stopped(&analysis.best)?;
        let generator = &mut self.generator;
        let mv = self.choosing.choose(turn.position, &analysis, generator, |_| Score::DRAW);
        let value = Some(Value::Weights(in_weights::<P, E>(evaluator, analysis.score)));
        Ok(Choice { nodes: analysis.nodes, value, ..Choice::free(mv) })
    }

    fn expected_line(&self, turn: &Turn<'_, P>, choice: &Choice<P::Move>) -> Vec<P::Move> {
        let reply = |position: &P, depth: u32| {
            let search = Minimax::new(&*self.evaluator).until(turn.stop);
            let analysis = { search }.analyse(position, depth);
            not_stopped(&analysis.best).ok()?;
            Some(choice::choose_first(position, &analysis, |_| Score::DRAW))
        };
        line_of_replies(turn.position, choice.mv, self.depth, reply)
    }
}

/// How a search fails that was stopped.
const STOPPED: Failure = Failure::Timeout { attempts: 1, later: Lateness::Unknown };

/// Fails if a search was stopped before it knew a best move.
fn not_stopped<M>(best: &[M]) -> Result<(), Failure> {
    if best.is_empty() { Err(STOPPED) } else { Ok(()) }
}

/// A score in the units of the weights.
pub(crate) fn in_weights<P: Position, E: Evaluator<P>>(evaluator: &E, score: Score) -> f64 {
    match score {
        Score::WIN => f64::INFINITY,
        Score::LOSS => f64::NEG_INFINITY,
        score => f64::from(score.0) / evaluator.scale(),
    }
}

/// A move, and the best replies from there, each searched one ply less deep than the move before it, as long as there are
/// any.
fn line_of_replies<P: Position>(
    position: &P,
    mv: P::Move,
    depth: u32,
    mut reply: impl FnMut(&P, u32) -> Option<P::Move>,
) -> Vec<P::Move> {
    let (mut line, mut position) = (vec![mv], position.after(mv));
    for depth in (1..depth).rev() {
        if position.outcome().is_some() {
            break;
        }
        let Some(mv) = reply(&position, depth) else { break };
        line.push(mv);
        position.play_unchecked(mv);
    }
    line
}

/// Minimax over the most promising moves.
pub(super) struct SelectiveAgent<P: Position, E> {
    pub(super) evaluator: Arc<E>,
    pub(super) order: Arc<dyn MoveOrder<P>>,
    pub(super) widths: Arc<Widths>,
    pub(super) sorting: Sorting,
    pub(super) depth: u32,
    pub(super) choosing: Choosing,
    pub(super) generator: Generator,
}

impl<P: Position, E: Evaluator<P>> Agent<P> for SelectiveAgent<P, E> {
    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Choice<P::Move>, Failure> {
        let search = Selective::new(&*self.evaluator, &*self.order, &self.widths);
        let mut search = search.sorting(self.sorting).until(turn.stop);
        let analysis = search.analyse(turn.position, self.depth);
        not_stopped(&analysis.best)?;
        let position = turn.position;
        let values = self.sorting.ranked(self.order.along(position).values(position));
        let rank = |mv| {
            let value = values.iter().find(|(_, other)| *other == mv);
            value.map_or(Score::DRAW, |(value, _)| *value)
        };
        let mv = self.choosing.choose(position, &analysis, &mut self.generator, rank);
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
        let search = Expectimax::new(&*self.evaluator, self.win).until(turn.stop);
        let found = { search }.analyse(turn.position, self.depth);
        not_stopped(&found.best)?;
        let index = self.generator.random_range(0..found.best.len() as u32);
        let value = Some(Value::Weights(found.value));
        Ok(Choice { nodes: found.nodes, value, ..Choice::free(found.best[index as usize]) })
    }
}

/// Iterative deepening within a budget.
pub(super) struct IterativeAgent<P: Position, E, T> {
    pub(super) search: Iterative<P, E, T>,
    pub(super) timer: Timer,
    pub(super) choosing: Choosing,
    pub(super) generator: Generator,
    /// How deep it searched last.
    pub(super) depth: u32,
}

impl<P, E, T> Agent<P> for IterativeAgent<P, E, T>
where
    P: Position,
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

/// Principal variation search within a budget.
pub(super) struct PvsAgent<P: Position, E> {
    pub(super) search: Pvs<P, E>,
    pub(super) timer: Timer,
}

impl<P: Position, E: Evaluator<P>> Agent<P> for PvsAgent<P, E> {
    fn choose(&mut self, turn: &Turn<'_, P>) -> Result<Choice<P::Move>, Failure> {
        let budget = self.timer.start(turn.position, turn.time_left);
        let budget = Budget { stop: turn.stop, ..budget };
        let found = self.search.search(turn.position, budget);
        let timeouts = self.timer.stop();
        let value = Value::Weights(in_weights::<P, E>(self.search.evaluator(), found.score));
        // Without a choice nothing was searched.
        let value = (found.depth > 0).then_some(value);
        Ok(Choice { nodes: found.nodes, timeouts, value, ..Choice::free(found.mv) })
    }

    fn expected_line(&self, turn: &Turn<'_, P>, choice: &Choice<P::Move>) -> Vec<P::Move> {
        self.search.expected_line(turn.position, choice.mv)
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
        let budget = Budget { stop: turn.stop, ..budget };
        let found = self.search.search(turn.position, budget, &mut self.generator);
        let timeouts = self.timer.stop();
        let played = found.children.iter().find(|child| child.mv == found.mv);
        let value = played.map(|child| Value::Share(child.reward / child.visits.max(1) as f64));
        Ok(Choice { iterations: found.iterations, timeouts, value, ..Choice::free(found.mv) })
    }

    fn expected_line(&self, turn: &Turn<'_, P>, choice: &Choice<P::Move>) -> Vec<P::Move> {
        match choice.iterations {
            0 => vec![choice.mv],
            _ => self.search.most_visited_line(turn.position, choice.mv),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::atomic::AtomicBool;

    use super::super::AgentSpec;
    use super::*;
    use crate::games::uttt::{Rules, Uttt, UtttMove};
    use crate::search::Stop;

    /// Twelve plies in, with much to choose.
    fn position() -> Uttt {
        let mut position = Uttt::start(Rules::default());
        for index in [40, 3, 7, 1, 5, 2, 6, 4, 0, 3, 7, 2] {
            let count = position.legal_move_count();
            position.play_unchecked(position.nth_legal_move(index % count));
        }
        position
    }

    fn agent(text: &str) -> Box<dyn Agent<Uttt>> {
        AgentSpec::parse::<Uttt>(text, Path::new("")).unwrap().prepare().unwrap().spawn(1)
    }

    fn choice_and_line(text: &str, position: &Uttt) -> (Choice<UtttMove>, Vec<UtttMove>) {
        let (mut agent, turn) = (agent(text), Turn::new(position));
        let choice = agent.choose(&turn).unwrap();
        let line = agent.expected_line(&turn, &choice);
        assert_eq!(line[0], choice.mv, "{text}");
        (choice, line)
    }

    fn weights(value: Option<Value>) -> f64 {
        match value {
            Some(Value::Weights(value)) => value,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_move_of_a_line_keeps_the_value_of_the_search() {
        for prune in ["", ",prune=none"] {
            let of_depth = |depth| format!("minimax:depth={depth},weights=liang-default{prune}");
            let mut position = position();
            let (choice, line) = choice_and_line(&of_depth(4), &position);
            assert_eq!(line.len(), 4);
            let mut value = weights(choice.value);
            for (mv, depth) in line.into_iter().zip([3, 2, 1]) {
                position.play(mv).unwrap();
                value = -value;
                let (after, _) = choice_and_line(&of_depth(depth), &position);
                assert_eq!(weights(after.value), value);
            }
        }
    }

    #[test]
    fn all_searches_expect_legal_lines_and_asking_changes_nothing() {
        for text in [
            "greedy:weights=liang-default",
            "iterative:nodes=20000,weights=liang-default",
            "iterative:nodes=5000,weights=liang-default,table=1",
            "pvs:nodes=3000,weights=tictune-patterns",
            "mcts:iterations=3000",
            "mcts:iterations=3000,threads=2,parallel=root",
            "minimax:depth=3,weights=liang-default,first_move=centre,mix=liang-simple,mix_share=0.5",
        ] {
            let [mut asked, mut silent] = [agent(text), agent(text)];
            let mut position = position();
            for _ in 0..3 {
                let turn = Turn::new(&position);
                let choice = asked.choose(&turn).unwrap();
                let line = asked.expected_line(&turn, &choice);
                assert_eq!(silent.choose(&turn).unwrap(), choice, "{text}");
                let least = if text.starts_with("greedy") { 1 } else { 2 };
                assert!(line.len() >= least && line[0] == choice.mv, "{text}: {line:?}");
                let mut later = position;
                line.into_iter().for_each(|mv| later.play(mv).unwrap());
                position.play(choice.mv).unwrap();
            }
        }
    }

    #[test]
    fn searches_that_are_stopped_end_without_a_move_or_with_the_best_so_far() {
        let (position, flag) = (position(), AtomicBool::new(true));
        let turn = Turn { stop: Stop::when(&flag), ..Turn::new(&position) };
        for text in [
            "minimax:depth=30,weights=liang-default",
            "minimax:depth=30,weights=liang-default,prune=stepwise",
            "minimax:depth=30,weights=liang-default,prune=full-window",
            "minimax:depth=30,weights=liang-default,prune=none",
            "minimax:depth=30,weights=liang-default,quiescence=9",
            "minimax:depth=30,weights=liang-default,order=liang-simple",
            "expectimax:depth=30,weights=liang-default",
            "iterative:nodes=9000000000,first_depth=30,weights=liang-default",
        ] {
            let stopped = agent(text).choose(&turn);
            assert_eq!(stopped, Err(STOPPED), "{text}");
        }
        for text in [
            "minimax:depth=1,weights=liang-default",
            "iterative:nodes=9000000000,weights=liang-default",
            "pvs:nodes=9000000000,weights=tictune-patterns",
            "mcts:iterations=9000000000",
            "mcts:iterations=9000000000,threads=2",
        ] {
            let choice = agent(text).choose(&turn).unwrap();
            assert!(position.is_legal(choice.mv), "{text}");
            assert_eq!(agent(text).expected_line(&turn, &choice)[0], choice.mv, "{text}");
        }
    }

    #[test]
    fn a_move_without_a_choice_is_expected_alone() {
        // The last board has one cell left.
        let position = Uttt::from_notation(
            "xxxoo1oo1/9/9/oo1xxx3/9/oo7/6xx1/6oox/6xxo x 2,2",
            Rules::default(),
        );
        let (choice, line) = choice_and_line("mcts:iterations=100", &position.unwrap());
        assert_eq!((choice.iterations, line.len()), (0, 1));
    }
}
