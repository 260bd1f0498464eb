//! Monte Carlo tree search compared with a slow and simple implementation. Both draw the same
//! random numbers in the same order, so every visit, every reward and the chosen move must be the same.

use std::sync::Arc;

use rand::{Rng, RngExt, SeedableRng};
use tictune::game::{Blank, Evaluator, Position, Searchable};
use tictune::games::uttt::{Rules, Uttt, UtttMove};
use tictune::search::mcts::{
    Expansion, ExpansionOrder, FinalMove, Judge, MctsParameters, MctsResult, Playout, RewardView,
    Stopped, Tree, WonChild,
};
use tictune::search::{Budget, Mcts, mcts};
use tictune::seed::{Generator, Role, generator};
use tictune::weights::Weights;

use crate::mcts::TREES;
use crate::positions::{describe, positions};
use crate::tables;
use crate::twin::Twin;

/// A search by both implementations.
fn compare<E: Evaluator<Uttt>>(
    settings: &MctsParameters,
    evaluator: &Arc<E>,
    search: &mut Mcts<Uttt>,
    position: &Uttt,
    iterations: u64,
    seed: u64,
) -> Stopped {
    let mut twin = Twin::new(settings, &**evaluator, Generator::seed_from_u64(0), position);
    compare_with(&mut twin, search, position, iterations, seed).stopped
}

/// A search by an implementation and its twin, which goes on from what it knows of the position.
fn compare_with<E: Evaluator<Uttt>>(
    twin: &mut Twin<'_, E>,
    search: &mut Mcts<Uttt>,
    position: &Uttt,
    iterations: u64,
    seed: u64,
) -> MctsResult<UtttMove> {
    let mut generators = [0; 2].map(|_| Generator::seed_from_u64(seed));
    let found = search.search(position, Budget::of(iterations), &mut generators[0]);

    twin.go_on(position, Generator::seed_from_u64(generators[1].next_u64()));
    let (done, proven) = twin.run(iterations);
    let settings = twin.settings;
    let context =
        || format!("{iterations} iterations, seed {seed}, {settings:?}\n{}", describe(position));
    assert_eq!(found.iterations, done, "iterations that were done, of {}", context());
    let stopped = if proven { Stopped::Proven } else { Stopped::Budget };
    assert_eq!(found.stopped, stopped, "why the search ended, of {}", context());

    let child =
        |child: &mcts::Child<UtttMove>| (child.mv, child.visits as f64, child.reward, child.proven);
    let ours: Vec<_> = found.children.iter().map(child).collect();
    assert_eq!(ours, twin.children(), "(move, visits, reward, proven), of {}", context());

    let best = twin.final_moves();
    let mv = best[generators[1].random_range(0..best.len() as u32) as usize];
    assert_eq!(found.mv, mv, "the move, of the equally good {best:?}, of {}", context());
    found
}

/// Settings with some given parts; the others are random.
fn settings_around(parts: MctsParameters, offset: f64, seed: u64) -> MctsParameters {
    const RULES: [FinalMove; 6] = [
        FinalMove::MaxRobust,
        FinalMove::MaxRobustRave,
        FinalMove::Max,
        FinalMove::Robust,
        FinalMove::Ratio,
        FinalMove::LeastLosses,
    ];
    let mut generator = generator(seed, Role::AgentA);
    let mut one_of =
        |values: &[f64]| values[generator.random_range(0..values.len() as u32) as usize];
    MctsParameters {
        exploration: one_of(&[0.0, 0.3, 0.5, 1.4]),
        rave: one_of(&[0.0, 0.001, 0.1, 2.0]),
        reference: one_of(&[0.0, 1.0, 10.0, 50.0]) as u32,
        bias: one_of(&[0.01, 0.1, 0.3]),
        confidence: one_of(&[1.0, 2.0, 3.5]),
        amaf_confidence: one_of(&[1.0, 2.0, 3.5]),
        offset: Some(offset * one_of(&[0.0, 0.5, 1.0])),
        threshold: one_of(&[0.0, 1.0, 8.0, 50.0]) as u32,
        boundary: one_of(&[0.0, 0.7, 5.0]),
        judge: [Judge::Boundary, Judge::Sigmoid][one_of(&[0.0, 1.0]) as usize],
        influence: one_of(&[0.0, 0.2, 0.5, 1.0]),
        final_move: RULES[one_of(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]) as usize],
        min_visits: one_of(&[0.0, 1.0, 20.0, 5000.0]) as u32,
        draw: one_of(&[0.0, 0.5]),
        expansion_order: [ExpansionOrder::Generation, ExpansionOrder::Random]
            [one_of(&[0.0, 1.0]) as usize],
        view: [RewardView::Mover, RewardView::Root][one_of(&[0.0, 1.0]) as usize],
        won_child: [WonChild::Always, WonChild::ByValue][one_of(&[0.0, 1.0]) as usize],
        ..parts
    }
}

/// The greatest value of Liang's comprehensive weights.
fn greatest_value() -> f64 {
    Weights::builtin::<Uttt>("liang-comprehensive").expect("a built-in name").greatest_value()
}

/// All trees, expansions and playouts, with the solver off and on, over positions of every phase
/// under all rules. The other settings are random. Returns the number of searches that ended with a proof.
fn compare_all<E: Evaluator<Uttt>>(evaluator: &Arc<E>, offset: f64, playouts: &[Playout]) -> usize {
    const EXPANSIONS: [Expansion; 3] =
        [Expansion::One, Expansion::Heuristic, Expansion::OneHeuristic];
    let all = |number: usize| MctsParameters {
        tree: TREES[number / 2 / playouts.len() / 3],
        expansion: EXPANSIONS[number / 2 / playouts.len() % 3],
        playout: playouts[number / 2 % playouts.len()],
        solver: number % 2 == 1,
        ..MctsParameters::default()
    };
    let parts = (0..18 * playouts.len()).map(all);
    let mut proven = 0;
    for (parts, number) in parts.zip(0..) {
        let settings = settings_around(parts, offset, number);
        let mut generator = generator(number, Role::AgentB);
        let slow = matches!(settings.playout, Playout::Partial | Playout::Total);
        let most: f64 = if slow { 200.0 } else { 2000.0 };
        // One search for all positions: what it keeps from earlier ones must not matter.
        let mut search = Mcts::new(settings.clone(), Arc::clone(evaluator));
        for (position, seed) in positions(number).zip(0..14) {
            // As many small budgets as large ones.
            let iterations = most.powf(generator.random_range(0.0..=1.0)) as u64;
            let stopped = compare(&settings, evaluator, &mut search, &position, iterations, seed);
            proven += usize::from(stopped == Stopped::Proven);
        }
    }
    proven
}

const ALL_PLAYOUTS: [Playout; 6] = [
    Playout::Random,
    Playout::WinFirst,
    Playout::Ept,
    Playout::EptWinFirst,
    Playout::Partial,
    Playout::Total,
];

#[test]
fn every_visit_and_reward_is_the_twins() {
    let proven = compare_all(&tables("liang-comprehensive"), greatest_value(), &ALL_PLAYOUTS);
    assert!(proven > 20, "only {proven} searches ended as proven");
}

#[test]
fn the_same_where_most_moves_are_even() {
    compare_all(&tables("liang-simple"), 3.0, &ALL_PLAYOUTS[2..]);
}

#[test]
fn the_same_without_an_evaluation() {
    compare_all(&Arc::new(Blank), 1.0, &[Playout::Random, Playout::WinFirst]);
}

#[test]
fn the_defaults_from_the_start_position() {
    let start = Uttt::start(Rules::default());
    for tree in TREES {
        let settings = MctsParameters { tree, ..MctsParameters::default() };
        let evaluator = Arc::new(Blank);
        let mut search = Mcts::new(settings.clone(), Arc::clone(&evaluator));
        for iterations in [1, 2, 81, 82, 10_000] {
            compare(&settings, &evaluator, &mut search, &start, iterations, iterations);
        }
    }
}

/// Games against a random player. The first search begins with nothing, each later one with what is known of a position two
/// moves after the last.
#[test]
fn a_tree_that_is_kept_is_the_twins() {
    let evaluator = tables("liang-comprehensive");
    let (mut kept, mut proven) = (0, 0);
    for seed in 0..48 {
        let parts = MctsParameters {
            tree: [Tree::Uct, Tree::Rave][seed as usize % 2],
            expansion: [Expansion::One, Expansion::Heuristic, Expansion::OneHeuristic]
                [seed as usize / 2 % 3],
            solver: seed / 4 % 2 == 1,
            playout: [Playout::Random, Playout::Ept, Playout::WinFirst][seed as usize % 3],
            reuse: true,
            ..MctsParameters::default()
        };
        let settings = settings_around(parts, greatest_value(), seed);
        let mut generator = generator(seed, Role::AgentB);
        let mut position = Uttt::start(Rules::default());
        let mut search = Mcts::new(settings.clone(), Arc::clone(&evaluator));
        let unused = Generator::seed_from_u64(0);
        let mut twin = Twin::new(&settings, &*evaluator, unused, &position);
        while position.outcome().is_none() {
            if position.legal_move_count() == 1 {
                let one = search.search(&position, Budget::of(1), &mut generator);
                assert_eq!(one.stopped, Stopped::OneMove);
                twin.go_on(&position, Generator::seed_from_u64(0));
                position.play_unchecked(one.mv);
            } else {
                let iterations = 1 + u64::from(generator.random_range(0..300_u32));
                let turn = seed << 8 | u64::from(position.ply());
                let found = compare_with(&mut twin, &mut search, &position, iterations, turn);
                let visits: u64 = found.children.iter().map(|child| child.visits).sum();
                kept += u64::from(settings.expansion == Expansion::One && visits > iterations);
                proven += u64::from(found.stopped == Stopped::Proven && found.iterations == 0);
                position.play_unchecked(found.mv);
            }
            if position.outcome().is_none() {
                position.play_drawn(|count| generator.random_range(0..count));
            }
        }
    }
    assert!(kept > 100, "only {kept} searches began with visits");
    assert!(proven > 0, "no search began with a proof");
}
