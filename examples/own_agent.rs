//! Two kinds of your own agents, beside those of tictune. One wins if it can with its next move, and plays at random
//! otherwise. The other searches, with the weights of any evaluation.
//!
//! ```text
//! cargo run --release --example own_agent -- match opportunist:oversight=0.1 random --games 100 --seed 1
//! cargo run --release --example own_agent -- match beam:depth=4,width=3 greedy --games 100 --seed 1
//! ```
//!
//! Their keys are the fields of a struct. They are checked, printed, helped with (`match --help`) and evolved like all others,
//! in every game of the program.

use std::cmp::Reverse;
use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tictune::agent::{AgentSettings, Choice, Evaluation, Spawn, Turn, spawn};
use tictune::game::{Evaluator, Score};
use tictune::input::InputError;
use tictune::seed::Generator;
use tictune::{AgentKind, App, Game};

/// Wins if it can with its next move, and plays at random otherwise.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct Opportunist {
    /// The chance that it does not see such a move
    #[schemars(range(min = 0, max = 1), example = 0.1, extend("x-evolves" = true))]
    oversight: f64,
}

impl AgentSettings for Opportunist {}

impl AgentKind for Opportunist {
    const NAME: &'static str = "opportunist";

    fn prepare<P: Game>(&self, _: &str) -> Result<Spawn<P>, InputError> {
        let oversight = self.oversight;
        // An agent plays one side of one game: a closure that chooses its moves.
        Ok(spawn(move |seed| {
            let mut generator = Generator::seed_from_u64(seed);
            move |turn: &Turn<'_, P>| {
                let sees = generator.random::<f64>() >= oversight;
                let winning = turn.position.winning_move().filter(|_| sees);
                let index = generator.random_range(0..turn.position.legal_move_count());
                Ok(Choice::free(winning.unwrap_or_else(|| turn.position.nth_legal_move(index))))
            }
        }))
    }
}

/// Searches like minimax, but follows only the moves that are best one ply deep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct Beam {
    /// The search depth in plies; a stage of an evolution sets it
    #[schemars(range(min = 1, max = 8), example = 4)]
    depth: Option<u32>,
    /// How many moves it follows in a position
    #[schemars(range(min = 1, max = 100), example = 3, extend("x-evolves" = true))]
    width: u32,
    /// What leaves are worth.
    #[serde(flatten)]
    evaluation: Evaluation,
}

impl Default for Beam {
    fn default() -> Self {
        Self { depth: None, width: 5, evaluation: Evaluation::default() }
    }
}

impl AgentSettings for Beam {
    fn evaluation(&self) -> Option<&Evaluation> {
        Some(&self.evaluation)
    }

    fn evaluation_mut(&mut self) -> Option<&mut Evaluation> {
        Some(&mut self.evaluation)
    }

    fn depth(&self) -> Option<u32> {
        self.depth
    }

    fn fixed_depth_mut(&mut self) -> Option<&mut Option<u32>> {
        Some(&mut self.depth)
    }
}

impl AgentKind for Beam {
    const NAME: &'static str = "beam";

    fn search<P: Game, E: Evaluator<P>>(&self, evaluator: Arc<E>) -> Result<Spawn<P>, InputError> {
        let (depth, width) = (self.depth.unwrap_or(1), self.width as usize);
        Ok(spawn(move |_| {
            let evaluator = Arc::clone(&evaluator);
            move |turn: &Turn<'_, P>| {
                Ok(Choice::free(best(&*evaluator, turn.position, depth, width).1))
            }
        }))
    }
}

/// The best move, after its score as the side to move sees it.
fn best<P: Game, E: Evaluator<P>>(
    evaluator: &E,
    position: &P,
    depth: u32,
    width: usize,
) -> (Score, P::Move) {
    let (state, side) = (evaluator.state(position), position.side_to_move());
    let score = |mv| evaluator.score_after(&state, position, mv).seen_by(side);
    let mut moves: Vec<_> = position.legal_moves().map(|mv| (score(mv), mv)).collect();
    moves.sort_by_key(|&(score, _)| Reverse(score));
    moves.truncate(width);
    for (score, mv) in moves.iter_mut().filter(|_| depth > 1) {
        let after = position.after(*mv);
        if after.outcome().is_none() {
            *score = -best(evaluator, &after, depth - 1, width).0;
        }
    }
    let best = moves.into_iter().min_by_key(|&(score, _)| Reverse(score));
    best.expect("a game that is not over has moves")
}

fn main() -> std::process::ExitCode {
    App::with_built_in_games().kind::<Opportunist>().kind::<Beam>().main()
}
