//! Monte Carlo tree search on several threads: what stays reproducible, and sums that must add up.

use std::sync::Arc;

use rand::SeedableRng;
use tictune::game::{Blank, Position};
use tictune::games::uttt::{Rules, Uttt, UtttMove};
use tictune::search::mcts::{MctsParameters, MctsResult, Parallel, Stopped};
use tictune::search::{Budget, Mcts};
use tictune::seed::Generator;

use crate::mcts::{TREES, search};
use crate::positions::{describe, positions};

/// The start position, and positions of every phase.
fn some_positions(seed: u64, count: usize) -> impl Iterator<Item = Uttt> {
    std::iter::once(Uttt::start(Rules::default())).chain(positions(seed)).take(count)
}

fn visits(found: &MctsResult<UtttMove>) -> u64 {
    found.children.iter().map(|child| child.visits).sum()
}

#[test]
fn one_seed_gives_one_result() {
    for (threads, parallel) in
        [(1, Parallel::Root), (3, Parallel::Root), (3, Parallel::Leaf), (1, Parallel::Tree)]
    {
        for tree in TREES {
            for solver in [false, true] {
                let settings =
                    MctsParameters { tree, solver, threads, parallel, ..MctsParameters::default() };
                let mut used = Mcts::new(settings.clone(), Arc::new(Blank));
                for (position, seed) in some_positions(900, 3).zip(0..) {
                    let first = search(&position, &settings, &Arc::new(Blank), 200, seed);
                    let mut generator = Generator::seed_from_u64(seed);
                    let again = used.search(&position, Budget::of(200), &mut generator);
                    let context = || format!("{settings:?}, {}", describe(&position));
                    assert_eq!(first, again, "a fresh and a used search of {}", context());
                    let other = search(&position, &settings, &Arc::new(Blank), 200, seed + 100);
                    let proven = first.stopped == Stopped::Proven;
                    assert!(proven || first != other, "the seed means nothing to {}", context());
                }
            }
        }
    }
}

#[test]
fn trees_of_their_own_share_the_iterations_out() {
    for (threads, iterations) in [(2, 2), (3, 100), (3, 101), (3, 302), (4, 1001)] {
        let settings = MctsParameters { threads, ..MctsParameters::default() };
        for position in some_positions(910, 5) {
            let found = search(&position, &settings, &Arc::new(Blank), iterations, 1);
            let context = || format!("{threads} threads, {}", describe(&position));
            assert_eq!(found.iterations, iterations, "iterations of {}", context());
            assert_eq!(visits(&found), iterations, "visits of the root's children, {}", context());
        }
    }
}

#[test]
fn one_leaf_is_played_out_by_every_thread() {
    let settings =
        MctsParameters { threads: 3, parallel: Parallel::Leaf, ..MctsParameters::default() };
    // No game ends within the few plies of the tree.
    let found = search(&Uttt::start(Rules::default()), &settings, &Arc::new(Blank), 200, 1);
    assert_eq!((found.iterations, visits(&found)), (200, 600), "iterations and visits");
    for position in some_positions(920, 20) {
        let found = search(&position, &settings, &Arc::new(Blank), 200, 1);
        let visits = visits(&found);
        let context = describe(&position);
        assert_eq!(found.iterations, 200, "{context}");
        assert!((200..=600).contains(&visits), "{visits} visits by 200 iterations: {context}");
    }
}

#[test]
fn every_pretended_loss_is_taken_back() {
    for tree in TREES {
        for solver in [false, true] {
            for virtual_loss in [0, 1, 3] {
                let settings = MctsParameters {
                    tree,
                    solver,
                    virtual_loss,
                    threads: 4,
                    parallel: Parallel::Tree,
                    ..MctsParameters::default()
                };
                for (position, seed) in some_positions(930, 6).zip(0..) {
                    let found = search(&position, &settings, &Arc::new(Blank), 2000, seed);
                    let context = || format!("{found:?}: {settings:?}, {}", describe(&position));
                    assert_eq!(visits(&found), found.iterations, "{}", context());
                    // A thread that stops early does not pass its last iteration on to another.
                    let done = found.iterations == 2000 && found.stopped == Stopped::Budget;
                    let proven = found.iterations <= 2000 && found.stopped == Stopped::Proven;
                    assert!(done || proven, "{}", context());
                    assert!(position.is_legal(found.mv), "{}", context());
                    for child in &found.children {
                        let rewards = 0.0..=child.visits as f64;
                        assert!(rewards.contains(&child.reward), "{}", context());
                    }
                }
            }
        }
    }
}

#[test]
fn a_full_tree_ends_the_search_of_every_thread() {
    for tree in TREES {
        for (threads, parallel) in
            [(1, Parallel::Root), (3, Parallel::Root), (3, Parallel::Tree), (3, Parallel::Leaf)]
        {
            let settings = MctsParameters {
                tree,
                threads,
                parallel,
                max_nodes: 1000,
                ..MctsParameters::default()
            };
            for (position, seed) in some_positions(940, 8).zip(0..) {
                let found = search(&position, &settings, &Arc::new(Blank), 100_000, seed);
                let context = || format!("{settings:?}, {}", describe(&position));
                let trees = if parallel == Parallel::Root { u64::from(threads) } else { 1 };
                assert!(found.nodes <= 1000 * trees, "{} nodes: {}", found.nodes, context());
                assert!(position.is_legal(found.mv), "{} is illegal: {}", found.mv, context());
                let full = found.stopped == Stopped::Nodes && found.iterations < 100_000;
                // A small tree may be the complete tree of a late position.
                let complete = found.stopped == Stopped::Budget && found.iterations == 100_000;
                assert!(full || complete && position.ply() > 20, "{found:?}: {}", context());
                if parallel != Parallel::Leaf {
                    assert_eq!(visits(&found), found.iterations, "visits of {}", context());
                }
            }
        }
    }
}
