//! Monte Carlo tree search by its results: it finds immediate wins, agrees with full-depth minimax,
//! and proves only what is true.

use std::sync::Arc;

use rand::SeedableRng;
use tictune::game::{Blank, Evaluator, Outcome, Position, Searchable};
use tictune::games::uttt::{Rules, Uttt, UtttMove};
use tictune::search::mcts::{
    Expansion, FinalMove, MctsParameters, MctsResult, Playout, Stopped, Tree, random_playout,
};
use tictune::search::{Analysis, Budget, Mcts, Minimax};
use tictune::seed::{Generator, mix};

use crate::positions::{describe, late_positions, open_squares, positions};
use crate::{in_notation, tables};

pub(crate) const TREES: [Tree; 3] = [Tree::Uct, Tree::Rave, Tree::Grave];

/// A search by a new engine.
pub(crate) fn search<E: Evaluator<Uttt>>(
    position: &Uttt,
    settings: &MctsParameters,
    evaluator: &Arc<E>,
    iterations: u64,
    seed: u64,
) -> MctsResult<UtttMove> {
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
        let settings = MctsParameters {
            tree: TREES[number % 3],
            playout: playouts[number / 3 % 5],
            expansion: expansions[number / 15],
            final_move: finals[(number + number / 3) % 3],
            offset: Some(20.0),
            ..MctsParameters::default()
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
fn the_solver_proves_what_full_depth_minimax_finds() {
    const MOST: u64 = 200_000;
    // By value: losses, draws, wins.
    let (mut proven, mut open) = ([0; 3], [0; 3]);
    for (number, position) in (0..).zip(late_positions(1000, 12).take(240)) {
        let settings = MctsParameters {
            tree: TREES[number % 3],
            playout: [Playout::Random, Playout::WinFirst][number / 3 % 2],
            draw: [0.5, 0.0][number / 6 % 2],
            solver: true,
            ..MctsParameters::default()
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
    // A proven draw is visited again while it looks better than open moves, so some draws stay open.
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
        let found = search(&position, &MctsParameters::default(), &Arc::new(Blank), 50_000, number);
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
fn counts_of_playouts_from_the_start_are_the_pinned_ones() {
    // There is nothing to compare the counts with, but they are the same on every machine.
    let counts = Rules::all().map(|rules| {
        let (start, mut counts) = (Uttt::start(rules), [0; 3]);
        for game in 0..20_000 {
            let mut generator = Generator::seed_from_u64(mix(0, game));
            counts[match random_playout(&start, &mut generator) {
                Outcome::Win(player) => player.index(),
                Outcome::Draw => 2,
            }] += 1;
        }
        counts
    });
    assert_eq!(
        counts,
        [[8210, 7417, 4373], [9915, 8856, 1229], [9790, 8739, 1471], [10414, 9314, 272]]
    );
}
