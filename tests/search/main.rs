//! Tests of searches. Most compare a search with a slow and simple implementation.
//!
//! They form one test binary, since separate binaries would each compile and link the same code. To
//! run one module, use `cargo test --test search mcts_twin::`.

mod capacities;
mod expectimax;
mod iterative;
mod mcts;
mod mcts_threads;
mod mcts_twin;
mod minimax;
mod papers;
#[path = "../common/positions.rs"]
mod positions;
mod pvs;
#[path = "../../crates/registry/tests/registry/mod.rs"]
mod registry;
mod twin;

use std::fmt::Write;
use std::sync::Arc;

use rand::RngExt;
use tictune::agent::{Agent, Agents, Choice, Turn};
use tictune::game::{Evaluator, Game, Position, Score, WeightLayout};
use tictune::games::Uttt;
use tictune::games::uttt::UtttMove;
use tictune::games::uttt::evaluation::{SquareTables, is_sum_over_squares};
use tictune::search::Budget;
use tictune::seed::Generator;
use tictune::weights::Weights;

const UNLIMITED: Budget<'_> = Budget::of(u64::MAX);

/// The evaluator of built-in weights that are sums over squares.
fn tables(name: &str) -> Arc<SquareTables> {
    let weights = Weights::builtin::<Uttt>(name).expect("a built-in name");
    Arc::new(SquareTables::new(weights.layout(), weights.values()).expect("its own layout"))
}

/// Random weights; whole numbers are so small that most moves tie.
fn random_weights(layout: &WeightLayout, whole: bool, generator: &mut Generator) -> Vec<f64> {
    let value = |x: f64| if whole { (2.4 * x).round() } else { x };
    layout.slots.iter().map(|_| value(generator.random_range(-1.0..1.0))).collect()
}

/// The evaluators of random weights of all evaluations that are sums over squares, with names for messages.
fn random_tables(whole: bool, generator: &mut Generator) -> Vec<(String, Arc<SquareTables>)> {
    let sums = Uttt::INFO.layouts.iter().filter(|layout| is_sum_over_squares(layout));
    let of_layout = |layout: &&'static WeightLayout| {
        let values = random_weights(layout, whole, generator);
        let tables = SquareTables::new(layout, &values).expect("its own layout");
        (format!("{} {values:?}", layout.name), Arc::new(tables))
    };
    sums.map(of_layout).collect()
}

/// An agent of any kind of the program.
fn agent(text: &str) -> Box<dyn Agent<Uttt>> {
    Agents::<Uttt>::of::<tictune::BuiltInKinds>().ready(text).expect("a valid agent").spawn(1)
}

fn choice(agent: &mut dyn Agent<Uttt>, position: &Uttt) -> Choice<UtttMove> {
    agent.choose(&Turn::new(position)).expect("a move")
}

fn in_notation<M: ToString>(moves: &[M]) -> String {
    moves.iter().fold(String::new(), |mut text, mv| {
        let _ = write!(text, "{} ", mv.to_string());
        text
    })
}

/// The value of a position for its side to move, `depth` plies deep, evaluated from scratch.
fn value<P: Position, E: Evaluator<P>>(evaluator: &E, position: &P, depth: u32) -> Score {
    let side = position.side_to_move();
    if let Some(outcome) = position.outcome() {
        return Score::of_outcome(outcome, side);
    }
    if depth == 0 {
        return evaluator.score(&evaluator.state(position), position).seen_by(side);
    }
    let replies =
        position.legal_moves().map(|mv| -value(evaluator, &position.after(mv), depth - 1));
    replies.max().expect("a game that is not over has moves")
}

/// Plain minimax: the value of a position and every move that reaches it.
fn plain_minimax<P: Position, E: Evaluator<P>>(
    evaluator: &E,
    position: &P,
    depth: u32,
) -> (Score, Vec<P::Move>) {
    best_of(position, |mv| -value(evaluator, &position.after(mv), depth - 1))
}

/// The highest value of a move, and every move of that value.
fn best_of<P: Position>(at: &P, value: impl FnMut(P::Move) -> Score) -> (Score, Vec<P::Move>) {
    let moves: Vec<P::Move> = at.legal_moves().collect();
    let values: Vec<Score> = moves.iter().copied().map(value).collect();
    let best = *values.iter().max().expect("a game that is not over has moves");
    let reaches = |&(_, value): &(P::Move, Score)| value == best;
    (best, moves.into_iter().zip(values).filter(reaches).map(|(mv, _)| mv).collect())
}
