//! Bounded memories: values and sets of best moves are those of a fixed depth with any memory, and
//! a memory never exceeds its limit.

use std::path::Path;
use std::sync::Arc;

use rand::RngExt;
use tictune::agent::Turn;
use tictune::game::{Evaluator, EvaluatorVisitor, Game, Position, Searchable};
use tictune::games::uttt::{Rules, Uttt};
use tictune::papers::searches::plain::in_order;
use tictune::papers::searches::remembering::{Hashing, Memory, Replacement, Settings};
use tictune::search::{Budget, Iterative, Minimax};
use tictune::seed::{Role, generator, mix};
use tictune::{Agents, BuiltInKinds};

use crate::positions::describe;

const UNLIMITED: Budget<'_> = Budget::of(u64::MAX);

/// All settings of a memory with this limit.
fn every_settings(positions: u32) -> Vec<Settings> {
    let ways = [(false, Hashing::Full), (false, Hashing::Zobrist), (true, Hashing::Full)];
    let both = [Replacement::KeepFirst, Replacement::Fifo];
    both.into_iter()
        .flat_map(|replacement| {
            ways.map(|(symmetry, hashing)| Settings { replacement, positions, symmetry, hashing })
        })
        .collect()
}

/// The positions of a random game in which one player is to move.
fn game(rules: Rules, seed: u64) -> Vec<Uttt> {
    let mut generator = generator(seed, Role::Opening);
    let mut position = Uttt::start(rules);
    let mut positions = Vec::new();
    while position.outcome().is_none() {
        positions.push(position);
        for _ in 0..2 {
            if position.outcome().is_none() {
                position.play_drawn(|count| generator.random_range(0..count));
            }
        }
    }
    positions
}

/// Compares searches with a memory with fixed-depth minimax over a game.
struct Compare<'n> {
    name: &'n str,
    seed: u64,
    depth: u32,
}

/// Nodes with each of the settings, and nodes without memory.
type Nodes = (Vec<u64>, u64);

impl EvaluatorVisitor<Uttt> for Compare<'_> {
    type Output = Option<Nodes>;

    fn visit<E: Evaluator<Uttt>>(self, evaluator: E) -> Option<Nodes> {
        if !E::OF_POSITION_ALONE {
            return None;
        }
        let Self { name, seed, depth } = self;
        let evaluator = Arc::new(evaluator);
        let all: Vec<Settings> = [1, 100, 1_000_000].into_iter().flat_map(every_settings).collect();
        let mut searches: Vec<_> = all
            .iter()
            .map(|settings| {
                let memory = Memory::new(settings.clone());
                Iterative::with_memory(Arc::clone(&evaluator), Some(depth), memory)
            })
            .collect();
        let mut without = Iterative::new(Arc::clone(&evaluator), Some(depth), None);
        let mut nodes = (vec![0; all.len()], 0);
        for position in game(Rules::all()[seed as usize % 4], mix(600, seed)) {
            let expected = without.search(&position, UNLIMITED);
            nodes.1 += expected.analysis.nodes;
            let minimax = Minimax::new(&*evaluator).analyse(&position, expected.depth);
            for ((settings, search), nodes) in all.iter().zip(&mut searches).zip(&mut nodes.0) {
                let found = search.search(&position, UNLIMITED);
                let context = || format!("{settings:?}, {name}, {}", describe(&position));
                assert_eq!(found.depth, expected.depth, "depth reached, {}", context());
                assert_eq!(
                    (found.analysis.score, &found.analysis.best),
                    (minimax.score, &minimax.best),
                    "depth {}, {}",
                    found.depth,
                    context()
                );
                let held = search.memory().held();
                assert!(held <= settings.positions as usize, "{held} results, {}", context());
                *nodes += found.analysis.nodes;
            }
        }
        Some(nodes)
    }
}

#[test]
fn no_memory_changes_values_or_best_moves() {
    let mut generator = generator(7, Role::AgentA);
    let (mut with, mut without) = (vec![0; 18], 0);
    for (index, &layout) in (0..).zip(Uttt::INFO.layouts) {
        for kind in [0, 1] {
            let value = |x: f64| if kind == 0 { x } else { (2.4 * x).round() };
            let values: Vec<f64> =
                (0..layout.len()).map(|_| value(generator.random_range(-1.0..1.0))).collect();
            let name = format!("{} {values:?}", layout.name);
            let depth = if layout.name == "grid" { 5 } else { 5 + kind };
            let compare = Compare { name: &name, seed: 2 * index + u64::from(kind), depth };
            let found = Uttt::with_evaluator(layout, &values, compare).expect("a value a slot");
            let Some((nodes, none)) = found else { continue };
            with.iter_mut().zip(nodes).for_each(|(sum, nodes)| *sum += nodes);
            without += none;
        }
    }
    // One result saves little; a million save more.
    let [few, _, many] = [0, 6, 12].map(|first| &with[first..first + 6]);
    assert!(few.iter().all(|nodes| nodes.abs_diff(without) * 10 < without), "{few:?}, {without}");
    assert!(many.iter().all(|&nodes| nodes * 100 < without * 99), "{many:?}, {without}");
    // The hash does not matter. A memory that is not full is the same with both replacements.
    assert_eq!((many[0], many[3]), (many[1], many[4]));
    assert_eq!(many[..3], many[3..]);
}

#[test]
fn images_share_their_results_where_they_are_to() {
    let layout = Uttt::INFO.layouts[0];
    struct FromStart;
    impl EvaluatorVisitor<Uttt> for FromStart {
        type Output = ();

        fn visit<E: Evaluator<Uttt>>(self, evaluator: E) {
            let evaluator = Arc::new(evaluator);
            let start = Uttt::start(Rules::default());
            let search = |symmetry| {
                let memory = Memory::new(Settings { symmetry, ..Settings::default() });
                let mut search = Iterative::with_memory(Arc::clone(&evaluator), Some(4), memory)
                    .searching(in_order(false));
                let found = search.search(&start, UNLIMITED);
                (found.analysis.best, found.analysis.nodes, search.memory().held())
            };
            let (best, nodes, held) = search(false);
            let (best_of_images, fewer_nodes, fewer_held) = search(true);
            assert_eq!(best, best_of_images);
            // Of the 81 first moves, 15 are different up to symmetry. At depth 4, two plies are
            // stored.
            assert_eq!((held, fewer_held), (81 + 720 + 81, 15 + 102 + 15));
            assert!(fewer_nodes * 4 < nodes, "{fewer_nodes} of {nodes}");
        }
    }
    let values = vec![1.0; layout.len()];
    Uttt::with_evaluator(layout, &values, FromStart).expect("a value a slot");
}

#[test]
fn agents_with_memory_play_whole_games() {
    let mut generator = generator(8, Role::AgentB);
    for keys in [
        "positions=1000",
        "replace=fifo,positions=1000",
        "replace=fifo,positions=1000,symmetry=true",
        "replace=fifo,hash=zobrist",
    ] {
        let text = format!("remembering:nodes=3000,weights=lifshitz-heur3,{keys}");
        let spec = Agents::<Uttt>::of::<BuiltInKinds>()
            .parse(&text, Path::new(""))
            .expect("a valid agent");
        let factory = Agents::<Uttt>::of::<BuiltInKinds>().prepare(&spec).expect("a valid agent");
        let mut position = Uttt::start(Rules::default());
        let mut agents = [factory.spawn(1), factory.spawn(1)];
        while position.outcome().is_none() {
            let choices = agents.each_mut().map(|agent| agent.choose(&Turn::new(&position)));
            let [first, second] = choices.map(|choice| choice.expect("a move"));
            assert_eq!(first, second, "{text}: the same seeds, {}", describe(&position));
            position.play(first.mv).expect("a legal move");
            if position.outcome().is_none() {
                position.play_drawn(|count| generator.random_range(0..count));
            }
        }
    }
}
