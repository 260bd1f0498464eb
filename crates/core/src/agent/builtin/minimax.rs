//! Search to a fixed depth by minimax; greedy agents are minimax one ply deep.

use std::sync::Arc;

use rand::SeedableRng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::agents::{Setup, Spawn, spawn};
use super::super::evaluation::{Evaluation, Searches};
use super::super::kind::{AgentKind, AgentSettings, Effort};
use super::super::{Agent, Choice, Failure, Turn, Value};
use super::{MIB, PLIES, in_weights, line_of_replies, not_stopped};
use crate::game::{Evaluator, EvaluatorVisitor, Game, Position, Score, Searchable};
use crate::input::InputError;
use crate::search::choice::{self, Choosing, Ties, WhenLost};
use crate::search::iterative::MAX_TABLE_MIB;
use crate::search::minimax::{MAX_DEPTH, Minimax};
use crate::search::quiescent::MAX_PLIES;
use crate::search::{InOrder, MoveOrder, Pruning, Quiescent, Selective, Sorting, Widths};
use crate::seed::Generator;
use crate::weights::Weights;

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

    fn looks_one_move_ahead(&self) -> bool {
        true
    }
}

impl AgentKind for GreedySettings {
    const NAME: &'static str = "greedy";

    fn prepare<P: Game>(&self, setup: &Setup<'_, P>) -> Result<Spawn<P>, InputError> {
        setup.searching(&MinimaxSettings::default(), self.evaluation.weights.as_ref())
    }
}

/// Searches to a fixed depth by minimax.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MinimaxSettings {
    /// The depth of the search in plies, for iterative and pvs the deepest; a stage of an evolution fills in a fixed one
    #[schemars(range(min = 1, max = MAX_DEPTH), example = 7, extend("x-unit" = PLIES))]
    pub depth: Option<u32>,
    /// What the search leaves out
    #[serde(rename = "prune")]
    pub pruning: Pruning,
    /// Which of several best moves is played
    pub ties: Ties,
    /// What is played in a lost position
    pub lost: WhenLost,
    /// Weights whose evaluation sorts the moves; by default those of the search
    #[schemars(
        with = "Option<String>",
        example = &"liang-default",
        extend("x-names" = "weights", "x-takes" = "weights")
    )]
    pub order: Option<Weights>,
    /// How moves of equal value are sorted; introsort is that of C++ (Papadam)
    #[serde(rename = "sort")]
    pub sorting: Sorting,
    /// How many of the sorted moves are tried at each ply (Papadam)
    #[schemars(
        with = "Option<String>",
        example = &"all,all,9,1",
        extend("x-takes" = Widths::expected())
    )]
    pub widths: Option<Widths>,
    /// For how many plies loud moves are followed beyond the depth (Liang 5.2); by default none
    #[schemars(range(min = 1, max = MAX_PLIES), example = 4, extend("x-unit" = PLIES))]
    pub quiescence: Option<u32>,
    /// A table of the values of positions in MiB (Liang 2.5.1); it changes the time alone
    #[schemars(range(min = 1, max = MAX_TABLE_MIB), example = 16, extend("x-unit" = MIB))]
    pub value_table: Option<u32>,
    /// What leaves are worth.
    #[serde(flatten)]
    pub evaluation: Evaluation,
}

impl MinimaxSettings {
    /// How a move is chosen from what the search found.
    const fn choosing(&self) -> Choosing {
        Choosing { ties: self.ties, lost: self.lost }
    }

    /// Whether the moves are sorted by an evaluation.
    fn sorts(&self) -> bool {
        self.order.is_some() || self.widths.is_some() || self.sorting != Sorting::Stable
    }
}

impl AgentSettings for MinimaxSettings {
    crate::fields_of_settings!(evaluation, depth);

    fn weights_mut(&mut self) -> Vec<(&'static str, &mut Option<Weights>)> {
        vec![("weights", &mut self.evaluation.weights), ("order", &mut self.order)]
    }

    fn fixed_depth_mut(&mut self) -> Option<&mut Option<u32>> {
        Some(&mut self.depth)
    }

    fn check_keys(&self) -> Result<(), InputError> {
        let prunes_all = self.pruning == Pruning::AlphaBeta;
        if self.sorts() && !prunes_all {
            return Err(InputError::new(format!(
                "order=, sort= and widths= do not go with prune={}",
                self.pruning
            )));
        }
        if self.quiescence.is_some() && (self.sorts() || !prunes_all) {
            let message = "quiescence= goes with neither order=, sort=, widths= nor prune=";
            return Err(InputError::new(message));
        }
        Ok(())
    }

    fn is_without_chance(&self) -> bool {
        self.ties == Ties::First
    }

    fn effort(&self) -> Effort {
        let plies = self.depth.unwrap_or(0).saturating_add(self.quiescence.unwrap_or(0));
        Effort {
            certain_plies: plies,
            unpruned: self.pruning == Pruning::None,
            mebibytes: self.value_table.unwrap_or(0),
            threads: 0,
        }
    }

    fn looks_one_move_ahead(&self) -> bool {
        self.depth == Some(1) && self.quiescence.is_none() && !self.sorts()
    }
}

impl AgentKind for MinimaxSettings {
    const NAME: &'static str = "minimax";

    fn prepare<P: Game>(&self, setup: &Setup<'_, P>) -> Result<Spawn<P>, InputError> {
        setup.searching(self, self.evaluation.weights.as_ref())
    }
}

impl Searches for MinimaxSettings {
    fn search<P: Game, E: Evaluator<P>>(&self, evaluator: Arc<E>) -> Result<Spawn<P>, InputError> {
        if self.sorts() {
            return self.sorted(evaluator);
        }
        let &Self { pruning, quiescence, .. } = self;
        let (choosing, depth) = (self.choosing(), self.depth.unwrap_or(1));
        Ok(spawn(move |seed| MinimaxAgent {
            evaluator: Arc::clone(&evaluator),
            depth,
            pruning,
            quiescence,
            choosing,
            generator: Generator::seed_from_u64(seed),
        }))
    }

    fn value_table(&self) -> Option<u32> {
        self.value_table
    }
}

impl MinimaxSettings {
    /// Minimax over moves sorted by an evaluation.
    fn sorted<P: Game, E: Evaluator<P>>(&self, evaluator: Arc<E>) -> Result<Spawn<P>, InputError> {
        let weights = self.order.as_ref().or(self.evaluation.weights.as_ref());
        let weights = weights.ok_or_else(|| InputError::new("no weights to sort by"))?;
        let order = P::with_evaluator(weights.layout(), weights.values(), Ordering)
            .map_err(|error| InputError::new(format!("order: {error}")))?;
        let widths = Arc::new(self.widths.clone().unwrap_or_else(Widths::all));
        let (depth, choosing) = (self.depth.unwrap_or(1), self.choosing());
        let sorting = self.sorting;
        Ok(spawn(move |seed| SelectiveAgent {
            evaluator: Arc::clone(&evaluator),
            order: Arc::clone(&order),
            widths: Arc::clone(&widths),
            sorting,
            depth,
            choosing,
            generator: Generator::seed_from_u64(seed),
        }))
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

/// Minimax, and greedy as minimax one ply deep.
struct MinimaxAgent<E> {
    evaluator: Arc<E>,
    depth: u32,
    pruning: Pruning,
    quiescence: Option<u32>,
    choosing: Choosing,
    generator: Generator,
}

impl<P: Searchable, E: Evaluator<P>> Agent<P> for MinimaxAgent<E> {
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

/// Minimax over the most promising moves.
struct SelectiveAgent<P: Position, E> {
    evaluator: Arc<E>,
    order: Arc<dyn MoveOrder<P>>,
    widths: Arc<Widths>,
    sorting: Sorting,
    depth: u32,
    choosing: Choosing,
    generator: Generator,
}

impl<P: Searchable, E: Evaluator<P>> Agent<P> for SelectiveAgent<P, E> {
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
