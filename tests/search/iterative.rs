//! Iterative deepening: values and sets of best moves are those of fixed-depth minimax with every
//! part that makes it faster, and budgets are respected.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::RngExt;
use tictune::Agents;
use tictune::agent::Turn;
use tictune::game::{Game, Position, Score, Searchable};
use tictune::games::uttt::evaluation::{SquareTables, is_sum_over_squares};
use tictune::games::uttt::{Rules, Uttt, UtttMove};
use tictune::search::iterative::{Deepened, Parts};
use tictune::search::{Analysis, Budget, Iterative, Minimax};
use tictune::seed::{Role, generator, mix};
use tictune::weights::Weights;

use crate::positions::{describe, positions};

const UNLIMITED: Budget<'_> = Budget::of(u64::MAX);

const ALL_PARTS: [Parts; 4] = [
    Parts { last_best_first: true, history: true },
    Parts { last_best_first: true, history: false },
    Parts { last_best_first: false, history: true },
    Parts { last_best_first: false, history: false },
];

/// Published weights, and for each evaluation weights so small that most moves tie.
fn evaluators() -> Vec<(String, Arc<SquareTables>)> {
    let published = ["liang-comprehensive", "liang-optimized", "liang-simple"].map(|name| {
        let weights = Weights::builtin::<Uttt>(name).expect("a built-in name");
        (name.to_string(), weights.layout(), weights.values().to_vec())
    });
    let mut generator = generator(1, Role::AgentA);
    let sums = Uttt::INFO.layouts.iter().filter(|layout| is_sum_over_squares(layout));
    let small = sums.map(|&layout| {
        let values: Vec<f64> =
            (0..layout.len()).map(|_| f64::from(generator.random_range(-1_i32..=2))).collect();
        (format!("{} {values:?}", layout.name), layout, values)
    });
    published
        .into_iter()
        .chain(small.collect::<Vec<_>>())
        .map(|(name, layout, values)| {
            (name, Arc::new(SquareTables::new(layout, &values).expect("its own layout")))
        })
        .collect()
}

fn comprehensive() -> Arc<SquareTables> {
    evaluators().swap_remove(0).1
}

fn in_notation(moves: &[UtttMove]) -> String {
    moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
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

/// Positions of a random game, some plies apart, from the first to the last.
fn game(rules: Rules, seed: u64) -> Vec<Uttt> {
    let mut generator = generator(seed, Role::Opening);
    let mut position = Uttt::start(rules);
    let mut positions = Vec::new();
    while position.outcome().is_none() {
        positions.push(position);
        for _ in 0..generator.random_range(1..=3) {
            if position.outcome().is_none() {
                position.play_drawn(|count| generator.random_range(0..count));
            }
        }
    }
    positions
}

#[test]
fn every_part_and_the_table_leave_value_and_best_moves_alone() {
    let evaluators = evaluators();
    let (mut won, mut lost, mut open) = (0, 0, 0);
    for number in 0..56_u64 {
        let (name, evaluator) = &evaluators[number as usize % evaluators.len()];
        let rules = Rules::all()[number as usize % 4];
        let deepest = 2 + number as u32 % 5;
        let positions = game(rules, mix(500, number));
        // The table is kept from position to position.
        let mut searches: Vec<_> = ALL_PARTS
            .into_iter()
            .flat_map(|parts| [(parts, None), (parts, Some(1))])
            .map(|(parts, table)| {
                let evaluator = Arc::clone(evaluator);
                (parts, table, Iterative::with_parts(evaluator, Some(deepest), table, parts))
            })
            .collect();
        for position in &positions {
            let mut minimax = Minimax::new(&**evaluator);
            let analyses: Vec<_> =
                (1..=deepest).map(|depth| minimax.analyse(position, depth)).collect();
            let depth = expected_depth(position, &analyses);
            match analyses[analyses.len() - 1].score {
                Score::WIN => won += 1,
                Score::LOSS => lost += 1,
                _ => open += 1,
            }
            for (parts, table, search) in &mut searches {
                let found = search.search(position, UNLIMITED);
                let context = || {
                    let position = describe(position);
                    format!("of {deepest} plies, {parts:?}, table {table:?}, {name}, {position}")
                };
                assert_is_minimax(&found, &analyses[found.depth as usize - 1], context);
                // Depths beyond the end of the game change nothing.
                let left = Uttt::MAX_PLIES - position.ply();
                let depth = depth.min(left as usize);
                assert_eq!(found.depth as usize, depth, "depth reached, {}", context());
            }
        }
    }
    let least = won.min(lost).min(open);
    assert!(least > 20, "won {won}, lost {lost}, open {open}");
}

#[test]
fn one_ply_is_one_ply() {
    for (name, evaluator) in evaluators() {
        let mut search = Iterative::new(Arc::clone(&evaluator), Some(1), Some(1));
        for position in positions(510).take(300) {
            let found = search.search(&position, UNLIMITED);
            let analysis = Minimax::new(&*evaluator).analyse(&position, 1);
            let context = || format!("{name}, {}", describe(&position));
            assert_eq!(found.depth, 1, "{}", context());
            assert_is_minimax(&found, &analysis, context);
        }
    }
}

#[test]
fn a_limit_of_nodes_repeats_itself_and_drops_the_unfinished_depth() {
    // The limit is not checked in the last two plies.
    const MOST_BEYOND: u64 = 1000;
    let evaluator = comprehensive();
    let mut depths = [0; 32];
    for table in [None, Some(1)] {
        for (number, position) in (0..).zip(positions(520).take(150)) {
            let most = [0, 1, 100, 1000, 10_000, 50_000][number % 6];
            let search = || Iterative::new(Arc::clone(&evaluator), Some(6), table);
            let found = search().search(&position, Budget::of(most));
            let context = || format!("{most} nodes, table {table:?}, {}", describe(&position));
            assert_eq!(found, search().search(&position, Budget::of(most)), "{}", context());
            let depth = found.depth;
            assert_is_minimax(
                &found,
                &Minimax::new(&*evaluator).analyse(&position, depth),
                context,
            );
            // Depth 1 is finished whatever the limit.
            let most = most.max(position.legal_move_count() as u64);
            let beyond = found.analysis.nodes.saturating_sub(most);
            assert!(beyond <= MOST_BEYOND, "{beyond} nodes beyond {}", context());
            // Without a limit the evaluator looks ahead, and fewer positions are visited.
            let unlimited = search().search(&position, Budget::of(u64::MAX - 1));
            if unlimited.analysis.nodes <= most {
                assert_eq!(found, unlimited, "the limit does not matter: {}", context());
            }
            depths[depth as usize] += 1;
        }
    }
    assert!(depths[1..=6].iter().all(|&count| count > 5), "depths reached: {depths:?}");
}

#[test]
fn depth_1_is_finished_though_the_time_is_over() {
    let evaluator = comprehensive();
    let late = Budget { deadline: Some(Instant::now()), ..UNLIMITED };
    let none = Budget::of(0);
    for position in positions(530).take(200) {
        for budget in [late, none] {
            for table in [None, Some(1)] {
                let found =
                    Iterative::new(Arc::clone(&evaluator), None, table).search(&position, budget);
                let analysis = Minimax::new(&*evaluator).analyse(&position, found.depth);
                let context = || format!("{budget:?}, {}", describe(&position));
                assert_is_minimax(&found, &analysis, context);
                // Depth 2 is finished too, since the budget is not checked in it. The clock is
                // checked less often.
                let most = if budget.most == 0 { 1000 } else { 10_000 };
                let nodes = found.analysis.nodes;
                assert!(nodes <= most, "{nodes} nodes of {}", context());
                assert!(
                    budget.deadline.is_some() || found.depth <= 2,
                    "depth {}: {}",
                    found.depth,
                    context()
                );
            }
        }
    }
}

/// The times of an agent's moves in some games against random moves, in ascending order.
fn times_of_moves(agent: &str, games: u64) -> Vec<Duration> {
    let spec = Agents::<Uttt>::default().parse(agent, Path::new("")).expect("a valid agent");
    let factory = Agents::<Uttt>::default().prepare(&spec).expect("a valid agent");
    let mut times = Vec::new();
    for number in 0..games {
        let mut agent = factory.spawn(number);
        let mut generator = generator(mix(540, number), Role::AgentB);
        let mut position = Uttt::start(Rules::default());
        while position.outcome().is_none() {
            let started = Instant::now();
            let choice = agent.choose(&Turn::new(&position)).expect("a move");
            times.push(started.elapsed());
            position.play(choice.mv).expect("a legal move");
            if position.outcome().is_none() {
                position.play_drawn(|count| generator.random_range(0..count));
            }
        }
    }
    times.sort_unstable();
    times
}

#[test]
#[allow(clippy::print_stdout, reason = "the worst time is worth knowing where the test passes too")]
fn moves_take_no_longer_than_they_may() {
    const LIMIT: Duration = Duration::from_millis(20);
    const SLACK: Duration = Duration::from_millis(15);
    for agent in [
        "iterative:time=20ms",
        "iterative:time=20ms,table=16",
        "mcts:time=20ms",
        "mcts:time=20ms,playout=partial",
    ] {
        let times = times_of_moves(agent, 2);
        let worst = times[times.len() - 1];
        let late = times.iter().filter(|&&time| time > LIMIT + SLACK).count();
        println!("{agent}: {} moves, worst {worst:?}, {late} late", times.len());
        // A busy machine may take a core away for longer than a move lasts.
        assert!(
            late <= times.len() / 5,
            "{agent}: {late} of {} moves took over {:?}, the worst {worst:?}",
            times.len(),
            LIMIT + SLACK
        );
        // The time should be used: unless a move is forced, the median move must not end at once.
        let median = times[times.len() / 2];
        assert!(median > LIMIT / 2, "{agent}: the median move took {median:?} of {LIMIT:?}");
    }
}
