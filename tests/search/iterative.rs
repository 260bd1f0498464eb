//! Iterative deepening: values and sets of best moves are those of fixed-depth minimax with
//! whatever makes it faster, and budgets are respected.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::RngExt;
use tictune::game::{Position, Score, Searchable};
use tictune::games::uttt::evaluation::SquareTables;
use tictune::games::uttt::{Rules, Uttt, UtttMove};
use tictune::search::iterative::{Deepened, Depths};
use tictune::search::{Analysis, Budget, Iterative, Minimax};
use tictune::seed::{Role, generator, mix};

use crate::positions::{describe, positions};
use crate::{UNLIMITED, agent, choice, in_notation, random_tables, tables};

/// Published weights, and for each evaluation weights so small that most moves tie.
fn evaluators() -> Vec<(String, Arc<SquareTables>)> {
    let published = ["liang-comprehensive", "liang-optimized", "liang-simple"];
    let published = published.map(|name| (name.to_owned(), tables(name)));
    let small = random_tables(true, &mut generator(1, Role::AgentA));
    published.into_iter().chain(small).collect()
}

/// The depth that deepening should reach by its documentation, from the analyses of depths 1, 2 and
/// so on. It stops once the game is won, and before a depth at which it is lost.
fn expected_depth(position: &Uttt, analyses: &[Analysis<UtttMove>]) -> usize {
    if position.legal_move_count() == 1 {
        return 1;
    }
    let decided = |analysis: &Analysis<_>| matches!(analysis.score, Score::WIN | Score::LOSS);
    match analyses.iter().position(decided) {
        Some(place) if analyses[place].score == Score::WIN => place + 1,
        Some(place) => place.max(1),
        None => analyses.len(),
    }
}

/// Compares a result with fixed-depth minimax at its depth.
fn assert_is_minimax(
    found: &Deepened<UtttMove>,
    minimax: &Analysis<UtttMove>,
    context: impl Fn() -> String,
) {
    let Analysis { score, best, .. } = &found.analysis;
    assert_eq!(*score, minimax.score, "value at depth {}, {}", found.depth, context());
    assert!(
        best == &minimax.best,
        "best moves {}, not {}, at depth {}, {}",
        in_notation(best),
        in_notation(&minimax.best),
        found.depth,
        context()
    );
}

#[test]
fn neither_deepening_nor_the_table_changes_value_or_best_moves() {
    let evaluators = evaluators();
    let (mut won, mut lost, mut open) = (0, 0, 0);
    for number in 0..56_u64 {
        let (name, evaluator) = &evaluators[number as usize % evaluators.len()];
        let deepest = 2 + number as u32 % 5;
        // The table is kept from position to position of a game.
        let mut searches = [None, Some(1)]
            .map(|table| Iterative::new(Arc::clone(evaluator), Some(deepest), table));
        let mut generator = generator(mix(500, number), Role::Opening);
        let mut position = Uttt::start(Rules::all()[number as usize % 4]);
        while position.outcome().is_none() {
            let mut minimax = Minimax::new(&**evaluator);
            let analyses: Vec<_> =
                (1..=deepest).map(|depth| minimax.analyse(&position, depth)).collect();
            // Depths beyond the end of the game change nothing.
            let left = Uttt::MAX_PLIES - position.ply();
            let depth = expected_depth(&position, &analyses).min(left as usize);
            match analyses[analyses.len() - 1].score {
                Score::WIN => won += 1,
                Score::LOSS => lost += 1,
                _ => open += 1,
            }
            for search in &mut searches {
                let found = search.search(&position, UNLIMITED);
                let context = || format!("of {deepest} plies, {name}, {}", describe(&position));
                assert_is_minimax(&found, &analyses[found.depth as usize - 1], context);
                assert_eq!(found.depth as usize, depth, "depth reached, {}", context());
            }
            for _ in 0..generator.random_range(1..=3) {
                if position.outcome().is_none() {
                    position.play_drawn(|count| generator.random_range(0..count));
                }
            }
        }
    }
    let least = won.min(lost).min(open);
    assert!(least > 20, "won {won}, lost {lost}, open {open}");
}

#[test]
fn a_limit_of_nodes_repeats_itself_and_drops_the_unfinished_depth() {
    // The limit is not checked in the last two plies.
    const MOST_BEYOND: u64 = 1000;
    let evaluator = tables("liang-comprehensive");
    let mut depths = [0; 32];
    for table in [None, Some(1)] {
        for (number, position) in (0..).zip(positions(520).take(150)) {
            let most = [0, 1, 100, 1000, 10_000, 50_000][number % 6];
            let search = || Iterative::new(Arc::clone(&evaluator), Some(6), table);
            let found = search().search(&position, Budget::of(most));
            let context = || format!("{most} nodes, table {table:?}, {}", describe(&position));
            assert_eq!(found, search().search(&position, Budget::of(most)), "{}", context());
            let minimax = Minimax::new(&*evaluator).analyse(&position, found.depth);
            assert_is_minimax(&found, &minimax, context);
            // Depth 1 is finished whatever the limit.
            let most = most.max(position.legal_move_count() as u64);
            let beyond = found.analysis.nodes.saturating_sub(most);
            assert!(beyond <= MOST_BEYOND, "{beyond} nodes beyond {}", context());
            // Without a limit the evaluator looks ahead, and fewer positions are visited.
            let unlimited = search().search(&position, Budget::of(u64::MAX - 1));
            if unlimited.analysis.nodes <= most {
                assert_eq!(found, unlimited, "the limit does not matter: {}", context());
            }
            depths[found.depth as usize] += 1;
        }
    }
    assert!(depths[1..=6].iter().all(|&count| count > 5), "depths reached: {depths:?}");
}

#[test]
fn depth_1_is_finished_though_the_time_is_over() {
    let evaluator = tables("liang-comprehensive");
    let late = Budget { deadline: Some(Instant::now()), ..UNLIMITED };
    for position in positions(530).take(200) {
        for (budget, table) in [(late, None), (late, Some(1)), (Budget::of(0), None)] {
            let found =
                Iterative::new(Arc::clone(&evaluator), None, table).search(&position, budget);
            let analysis = Minimax::new(&*evaluator).analyse(&position, found.depth);
            let context = || format!("{budget:?}, {}", describe(&position));
            assert_is_minimax(&found, &analysis, context);
            // Depth 2 is finished too, since the budget is not checked in it. The clock is checked less often.
            let (most, deepest) = if budget.most == 0 { (1000, 2) } else { (10_000, 32) };
            let nodes = found.analysis.nodes;
            assert!(nodes <= most && found.depth <= deepest, "{nodes} nodes of {}", context());
        }
    }
}

/// Lifshitz VI: depths 1, 2 and 3 of the report are 3, 5 and 7 plies.
#[test]
fn deepening_goes_in_steps() {
    let evaluator = tables("lifshitz-heur3");
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

#[test]
#[allow(clippy::print_stdout, reason = "the worst time is worth knowing where the test passes too")]
fn moves_take_no_longer_than_they_may() {
    const LIMIT: Duration = Duration::from_millis(20);
    const SLACK: Duration = Duration::from_millis(15);
    for text in [
        "iterative:time=20ms",
        "iterative:time=20ms,table=16",
        "mcts:time=20ms",
        "mcts:time=20ms,playout=partial",
    ] {
        // Two games against random moves.
        let mut times = Vec::new();
        for number in 0..2 {
            let mut generator = generator(mix(540, number), Role::AgentB);
            let (mut agent, mut position) = (agent(text), Uttt::start(Rules::default()));
            while position.outcome().is_none() {
                let started = Instant::now();
                let choice = choice(&mut *agent, &position);
                times.push(started.elapsed());
                position.play(choice.mv).expect("a legal move");
                if position.outcome().is_none() {
                    position.play_drawn(|count| generator.random_range(0..count));
                }
            }
        }
        times.sort_unstable();
        let (count, worst) = (times.len(), times[times.len() - 1]);
        let late = times.iter().filter(|&&time| time > LIMIT + SLACK).count();
        println!("{text}: {count} moves, worst {worst:?}, {late} late");
        // A busy machine may take a core away for longer than a move lasts.
        assert!(late <= count / 5, "{text}: {late} of {count} moves late, the worst {worst:?}");
        // The time should be used: unless a move is forced, the median move must not end at once.
        let median = times[count / 2];
        assert!(median > LIMIT / 2, "{text}: the median move took {median:?} of {LIMIT:?}");
    }
}
