//! Plain minimax: the values and best moves of alpha-beta under every evaluation, with every
//! position searched.

use std::path::Path;
use std::sync::Arc;

use rand::RngExt;
use tictune::agent::Turn;
use tictune::game::{Evaluator, EvaluatorVisitor, Game, Position, perft};
use tictune::games::uttt::Uttt;
use tictune::papers::searches::plain::{InOrder, in_order};
use tictune::search::{Budget, Iterative, Minimax};
use tictune::seed::{Role, generator, mix};
use tictune::{Agents, BuiltInKinds, Score};

use crate::positions::{describe, positions};

const UNLIMITED: Budget<'_> = Budget::of(u64::MAX);

/// Compares the two searches on random positions under one evaluation.
struct Compare<'n> {
    name: &'n str,
    seed: u64,
    positions: usize,
}

impl EvaluatorVisitor<Uttt> for Compare<'_> {
    type Output = [u32; 3];

    fn visit<E: Evaluator<Uttt>>(self, evaluator: E) -> [u32; 3] {
        let evaluator = Arc::new(evaluator);
        let (mut ties, mut decided, mut pruned) = (0, 0, 0);
        let found = positions(self.seed).filter(|position| perft(position, 2) <= 250);
        for (number, position) in (0..).zip(found.take(self.positions)) {
            let depth = 1 + number % 4;
            let context = || format!("depth {depth}, {}, {}", self.name, describe(&position));
            let fast = Minimax::new(&*evaluator).analyse(&position, depth);
            let slow = InOrder::new(&*evaluator, false).analyse(&position, depth);
            assert_eq!((slow.score, &slow.best), (fast.score, &fast.best), "{}", context());
            let all: u64 = (1..=depth).map(|plies| perft(&position, plies)).sum();
            assert_eq!(slow.nodes, all, "nodes are all positions, {}", context());
            let full = InOrder::new(&*evaluator, true).analyse(&position, depth);
            assert_eq!((full.score, &full.best), (fast.score, &fast.best), "{}", context());
            assert!(full.nodes <= slow.nodes, "{}", context());
            ties += u32::from(slow.best.len() > 1);
            decided += u32::from(matches!(slow.score, Score::WIN | Score::LOSS));
            pruned += u32::from(fast.nodes < slow.nodes);

            // A table can only be used if scores depend on the position alone.
            let tables = if E::OF_POSITION_ALONE { &[None, Some(1)][..] } else { &[None] };
            for &table in tables {
                let search = || Iterative::new(Arc::clone(&evaluator), Some(depth), table);
                let fast = search().search(&position, UNLIMITED);
                for prunes in [true, false] {
                    let slow = search().searching(in_order(prunes)).search(&position, UNLIMITED);
                    assert_eq!(slow.depth, fast.depth, "depth, pruning {prunes}, {}", context());
                    assert_eq!(
                        (slow.analysis.score, &slow.analysis.best),
                        (fast.analysis.score, &fast.analysis.best),
                        "iterative, pruning {prunes}, table {table:?}, {}",
                        context()
                    );
                }
            }
        }
        [ties, decided, pruned]
    }
}

#[test]
fn values_and_best_moves_are_those_of_alpha_beta_under_every_evaluation() {
    let mut generator = generator(3, Role::AgentA);
    let mut seen = [0; 3];
    for (index, &layout) in Uttt::INFO.layouts.iter().enumerate() {
        for kind in ["random", "small whole numbers"] {
            let value = |x: f64| if kind == "random" { x } else { (2.4 * x).round() };
            let values: Vec<f64> =
                (0..layout.len()).map(|_| value(generator.random_range(-1.0..1.0))).collect();
            let name = format!("{} {values:?}", layout.name);
            let compare = Compare { name: &name, seed: mix(700, index as u64), positions: 120 };
            let found = Uttt::with_evaluator(layout, &values, compare).expect("a value a slot");
            seen.iter_mut().zip(found).for_each(|(sum, count)| *sum += count);
        }
    }
    assert!(seen.iter().all(|&count| count > 100), "ties, decided, pruned: {seen:?}");
}

#[test]
fn a_limit_of_nodes_ends_a_plain_search_too() {
    let agents = ["iterative", "plain"].map(|kind| {
        let text = format!("{kind}:nodes=20000,weights=lifshitz-heur3");
        let spec = Agents::<Uttt>::of::<BuiltInKinds>()
            .parse(&text, Path::new(""))
            .expect("a valid agent");
        Agents::<Uttt>::of::<BuiltInKinds>().prepare(&spec).expect("a valid agent")
    });
    let mut nodes = [0, 0];
    for position in positions(710).take(60) {
        for (sum, agent) in nodes.iter_mut().zip(&agents) {
            let choice = agent.spawn(1).choose(&Turn::new(&position)).expect("a move");
            assert!(position.is_legal(choice.mv), "{} in {}", choice.mv, describe(&position));
            // The limit is not checked in the last two plies.
            assert!(
                choice.nodes < 20_000 + 7_000,
                "{} nodes in {}",
                choice.nodes,
                describe(&position)
            );
            *sum += choice.nodes;
        }
    }
    assert!(nodes.iter().all(|&nodes| nodes > 200_000), "{nodes:?}");
}
