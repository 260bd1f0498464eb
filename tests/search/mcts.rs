//! Monte Carlo tree search by its results: it finds immediate wins, agrees with full-depth minimax,
//! and proves only what is true.

use std::sync::Arc;

use rand::{Rng, RngExt, SeedableRng};
use tictune::game::{Blank, Evaluator, Outcome, Position, Searchable};
use tictune::games::uttt::{Rules, Uttt, UtttMove};
use tictune::search::mcts::{
    Expansion, FinalMove, Found, Playout, Settings, Stopped, Tree, random_playout,
};
use tictune::search::{Analysis, Budget, Mcts, Minimax};
use tictune::seed::{Generator, Role, generator};

use crate::positions::{after_random_plies, describe, late_positions, open_squares, positions};
use crate::{in_notation, tables};

const TREES: [Tree; 3] = [Tree::Uct, Tree::Rave, Tree::Grave];

/// A search by a new engine.
fn search<E: Evaluator<Uttt>>(
    position: &Uttt,
    settings: &Settings,
    evaluator: &Arc<E>,
    iterations: u64,
    seed: u64,
) -> Found<UtttMove> {
    Mcts::new(settings.clone(), Arc::clone(evaluator)).search(
        position,
        Budget::of(iterations),
        &mut Generator::seed_from_u64(seed),
    )
}

/// The result of a late position with best play, and every move that keeps it.
fn solve(position: &Uttt) -> Analysis<UtttMove> {
    Minimax::new(&Blank).analyse(position, open_squares(position))
}

#[test]
fn a_move_that_wins_at_once_is_played() {
    let evaluator = tables("liang-comprehensive");
    let playouts =
        [Playout::Random, Playout::WinFirst, Playout::Ept, Playout::Partial, Playout::Total];
    let expansions = [Expansion::One, Expansion::Heuristic, Expansion::OneHeuristic];
    let finals = [FinalMove::MaxRobust, FinalMove::Max, FinalMove::Robust];
    for number in 0..45 {
        let settings = Settings {
            tree: TREES[number % 3],
            playout: playouts[number / 3 % 5],
            expansion: expansions[number / 15],
            final_move: finals[(number + number / 3) % 3],
            offset: Some(20.0),
            ..Settings::default()
        };
        let winnable = positions(number as u64).filter(|p| p.winning_move().is_some());
        for (position, seed) in winnable.zip(0..20) {
            let found = search(&position, &settings, &evaluator, 81, seed);
            let wins = Some(Outcome::Win(position.side_to_move()));
            let context = || format!("{}, {settings:?}, {}", found.mv, describe(&position));
            assert_eq!(position.after(found.mv).outcome(), wins, "{}", context());
        }
    }
}

#[test]
fn the_only_move_is_played_unsearched() {
    let mut seen = 0;
    for seed in 0..2000 {
        let mut generator = generator(seed, Role::Opening);
        let plies = generator.random_range(0..60);
        let position = after_random_plies(Rules::default(), plies, &mut generator);
        let Some(position) = position.filter(|p| p.legal_move_count() == 1) else { continue };
        let found = search(&position, &Settings::default(), &Arc::new(Blank), 1000, seed);
        let only = position.nth_legal_move(0);
        assert_eq!((found.mv, found.iterations, found.stopped), (only, 0, Stopped::OneMove));
        seen += 1;
    }
    assert!(seen > 10, "{seen} positions with one move");
}

#[test]
fn equally_good_moves_are_played_equally_often() {
    // With 81 iterations every first move has one visit.
    let start = Uttt::start(Rules::default());
    let settings = Settings { final_move: FinalMove::Robust, ..Settings::default() };
    let mut engine = Mcts::new(settings, Arc::new(Blank));
    let mut generator = generator(0, Role::AgentA);
    let mut counts = [0_u32; 81];
    for _ in 0..81 * 100 {
        let found = engine.search(&start, Budget::of(81), &mut generator);
        assert!(found.children.iter().all(|child| child.visits == 1), "{found:?}");
        counts[found.mv.index()] += 1;
    }
    // Chi-square with 80 degrees of freedom: mean 80, standard deviation 12.6.
    let chi_square: f64 =
        counts.iter().map(|&count| (f64::from(count) - 100.0).powi(2) / 100.0).sum();
    assert!((35.0..140.0).contains(&chi_square), "chi-square {chi_square}: {counts:?}");
}

#[test]
fn the_first_of_equal_rewards_is_no_better_than_the_last() {
    // [`FinalMove::Max`] after one visit to each child: all children whose playout was won tie.
    let start = Uttt::start(Rules::default());
    let settings = Settings { final_move: FinalMove::Max, ..Settings::default() };
    let mut engine = Mcts::new(settings, Arc::new(Blank));
    let mut generator = generator(1, Role::AgentA);
    let (mut places, mut searches) = (0.0, 0.0);
    for _ in 0..3000 {
        let found = engine.search(&start, Budget::of(81), &mut generator);
        let won = found.children.iter().filter(|child| child.reward == 1.0);
        let won: Vec<UtttMove> = won.map(|child| child.mv).collect();
        let place = won.iter().position(|&mv| mv == found.mv);
        let place = place.unwrap_or_else(|| panic!("{} did not win: {found:?}", found.mv));
        places += (place as f64 + 0.5) / won.len() as f64;
        searches += 1.0;
    }
    let mean: f64 = places / searches;
    // A uniform distribution has mean 0.5; the standard error is 0.0053.
    assert!((mean - 0.5).abs() < 0.025, "ties are played at {mean} of the list on average");
}

#[test]
fn the_solver_proves_what_full_depth_minimax_finds() {
    const MOST: u64 = 200_000;
    // By value: losses, draws, wins.
    let (mut proven, mut open) = ([0; 3], [0; 3]);
    for (number, position) in (0..).zip(late_positions(1000, 12).take(240)) {
        let settings = Settings {
            tree: TREES[number % 3],
            playout: [Playout::Random, Playout::WinFirst][number / 3 % 2],
            draw: [0.5, 0.0][number / 6 % 2],
            solver: true,
            ..Settings::default()
        };
        let Analysis { score, best, .. } = solve(&position);
        let expected = score.0.signum() as i8;
        let found = search(&position, &settings, &Arc::new(Blank), MOST, number as u64);
        let context = || {
            let best = in_notation(&best);
            format!("{settings:?}, value {expected} by {best}, {}", describe(&position))
        };
        assert!(best.contains(&found.mv), "{} gives the result away: {}", found.mv, context());
        for child in found.children.iter().filter(|child| child.proven.is_some()) {
            let keeps = best.contains(&child.mv);
            assert_eq!(child.proven == Some(expected), keeps, "{child:?} of {}", context());
        }
        let place = (expected + 1) as usize;
        if found.stopped != Stopped::Proven {
            assert_eq!(found.iterations, MOST, "{:?}: {}", found.stopped, context());
            open[place] += 1;
            continue;
        }
        proven[place] += 1;
        assert!(found.iterations < MOST, "{} iterations: {}", found.iterations, context());
        let has = |value| found.children.iter().any(|child| child.proven == Some(value));
        let value = [1, 0, -1].into_iter().find(|&value| has(value));
        assert_eq!(value, Some(expected), "proven value of {}", context());
    }
    assert!(proven.iter().all(|&count| count > 20), "losses, draws, wins proven: {proven:?}");
    // A proven draw is visited again while it looks better than open moves, so some draws stay
    // open.
    assert!(open[0] == 0 && open[1] <= 8 && open[2] == 0, "losses, draws, wins left: {open:?}");
}

#[test]
fn many_iterations_find_the_minimax_move() {
    // Positions in which not all moves are equally good.
    let unequal = late_positions(1100, 10).filter_map(|position| {
        let analysis = solve(&position);
        (analysis.best.len() < position.legal_move_count()).then_some((position, analysis))
    });
    for (number, (position, Analysis { score, best, .. })) in (0..).zip(unequal.take(100)) {
        let found = search(&position, &Settings::default(), &Arc::new(Blank), 50_000, number);
        assert!(
            best.contains(&found.mv),
            "{} is played, the best are {}, value {score:?}, children {:?}, {}",
            found.mv,
            in_notation(&best),
            found.children,
            describe(&position)
        );
    }
}

#[test]
fn a_playout_makes_the_moves_of_a_naive_one() {
    for (number, position) in (0..).zip(positions(1200).take(4000)) {
        let [mut ours, mut theirs] = [0; 2].map(|_| generator(number, Role::AgentA));
        let mut naive = position;
        while naive.outcome().is_none() {
            let moves: Vec<UtttMove> = naive.legal_moves().collect();
            let index = (u64::from(theirs.next_u32()) * moves.len() as u64) >> 32;
            naive.play(moves[index as usize]).expect("a legal move");
        }
        let outcome = random_playout(&position, &mut ours);
        assert_eq!(Some(outcome), naive.outcome(), "outcome from {}", describe(&position));
        assert_eq!(ours.next_u64(), theirs.next_u64(), "draws made from {}", describe(&position));
    }
}
