//! Settings of searches that repeat how the documents' programs were.

use std::sync::Arc;

use tictune::game::Position;
use tictune::games::Uttt;
use tictune::games::uttt::evaluation::SquareTables;
use tictune::papers::searches::EvaluationCache;
use tictune::papers::searches::plain::in_order;
use tictune::search::iterative::Depths;
use tictune::search::{Budget, Iterative, Minimax};
use tictune::weights::Weights;

use crate::positions::{describe, positions};

/// Liang 2.5.1.
#[test]
fn a_table_of_values_changes_no_choice() {
    let weights = Weights::builtin::<Uttt>("lifshitz-heur4").expect("a built-in name");
    let tables = SquareTables::new(weights.layout(), weights.values());
    let evaluator = Arc::new(tables.expect("its own layout"));
    let cache = EvaluationCache::new(Arc::clone(&evaluator), 1);
    for position in positions(990).take(40) {
        let plain = Minimax::new(&*evaluator).stepwise().analyse(&position, 3);
        let stored = Minimax::new(&cache).analyse(&position, 3);
        assert_eq!(plain, stored, "{}", describe(&position));
    }
}

/// Lifshitz VI: depths 1, 2 and 3 of the report are 3, 5 and 7 plies.
#[test]
fn deepening_goes_in_steps() {
    let weights = Weights::builtin::<Uttt>("lifshitz-heur3").expect("a built-in name");
    let tables = SquareTables::new(weights.layout(), weights.values());
    let evaluator = Arc::new(tables.expect("its own layout"));
    let steps = Depths { first: 3, step: 2 };
    let mut reached = [0; 10];
    for position in positions(991).take(200) {
        let search = Iterative::new(Arc::clone(&evaluator), Some(9), None).depths(steps);
        let found = { search }.search(&position, Budget::of(2000));
        let left = Uttt::MAX_PLIES - position.ply();
        let alone = position.legal_move_count() == 1;
        let ends = [1, 3, 5, 7, 9, left].contains(&found.depth);
        assert!(ends && (found.depth > 1 || alone || left == 1), "{}", describe(&position));
        // The result of a depth is the same on any way to it.
        let direct = Minimax::new(&*evaluator).analyse(&position, found.depth);
        assert_eq!(found.analysis.best, direct.best, "{}", describe(&position));
        reached[found.depth.min(9) as usize] += 1;
    }
    assert!(reached[3] > 5 && reached[5] > 5, "{reached:?}");
}

/// Liang's program and its positions: what it sees with many is seen here with few.
#[test]
fn a_full_window_for_every_root_move_costs_several_times_the_positions() {
    let weights = Weights::builtin::<Uttt>("liang-comprehensive").expect("a built-in name");
    let tables = SquareTables::new(weights.layout(), weights.values());
    let evaluator = Arc::new(tables.expect("its own layout"));
    let [mut sorted, mut unsorted] = [0, 0];
    for position in positions(992).take(60) {
        let nodes = |change: fn(Iterative<Uttt, SquareTables>) -> Iterative<Uttt, SquareTables>| {
            let search = Iterative::new(Arc::clone(&evaluator), Some(6), None);
            { change(search) }.search(&position, Budget::of(u64::MAX)).analysis.nodes
        };
        sorted += nodes(|search| search.stepwise(true));
        unsorted += nodes(|search| search.searching(in_order(true)));
    }
    assert!(unsorted > 3 * sorted, "{sorted} sorted, {unsorted} with full windows");
}
