//! Principal variation search. Without what makes it inexact it has the values of minimax; with it, wins and losses that
//! it finds are true.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tictune::game::{Evaluator, EvaluatorVisitor, Game, Outcome, Position, Score, Searchable};
use tictune::games::uttt::Rules;
use tictune::games::{Qubic, Uttt};
use tictune::search::pvs::{Pvs, PvsParameters, TABLE_MIB};
use tictune::search::{Budget, Minimax};
use tictune::seed::{Role, generator};
use tictune::weights::Weights;

use crate::UNLIMITED;
use crate::positions::after_random_plies;

/// Positions in which the game goes on, after a number of random moves.
fn positions<P: Searchable>(count: u64, plies: u32) -> impl Iterator<Item = P> {
    positions_by(P::Rules::default(), count, plies)
}

/// The same under other rules.
fn positions_by<P: Searchable>(rules: P::Rules, count: u64, plies: u32) -> impl Iterator<Item = P> {
    let position =
        move |seed| after_random_plies(rules, plies, &mut generator(seed, Role::Opening));
    (0..count).filter_map(position)
}

/// Calls a test with the evaluator of built-in weights.
fn with_weights<P: Game, V: EvaluatorVisitor<P>>(name: &str, visitor: V) -> V::Output {
    let weights = Weights::builtin::<P>(name).unwrap();
    P::with_evaluator(weights.layout(), weights.values(), visitor).unwrap()
}

struct ValuesOfMinimax;

impl<P: Searchable> EvaluatorVisitor<P> for ValuesOfMinimax {
    type Output = ();

    fn visit<E: Evaluator<P>>(self, evaluator: E) {
        let evaluator = Arc::new(evaluator);
        let none = PvsParameters {
            reduction: 0.0,
            reduction_base: 0.0,
            reduction_value: 0.0,
            ..PvsParameters::default()
        };
        let exact = PvsParameters { threats: false, ..none };
        for position in positions::<P>(60, 4).chain(positions::<P>(40, 30)) {
            for depth in 2..=4 {
                let expected = Minimax::new(&*evaluator).analyse(&position, depth);
                let mut search = Pvs::new(Arc::clone(&evaluator), Some(depth), 1, exact);
                let found = search.search(&position, UNLIMITED);
                if found.depth == 0 {
                    assert_eq!(position.legal_move_count(), 1);
                    continue;
                }
                assert_eq!(found.score, expected.score, "depth {depth}\n{}", position);
                // In a lost position the move is that of the depth before.
                if found.score != Score::LOSS {
                    assert!(expected.best.contains(&found.mv), "{}\n{}", found.mv, position);
                }
            }
        }
    }
}

#[test]
fn without_reductions_values_are_those_of_minimax() {
    for weights in ["tictune-patterns", "tictune-extended", "liang-default"] {
        with_weights::<Uttt, _>(weights, ValuesOfMinimax);
    }
    with_weights::<Qubic, _>("papadam-ef2", ValuesOfMinimax);
}

struct ProvenResults;

impl EvaluatorVisitor<Uttt> for ProvenResults {
    type Output = [u32; 3];

    fn visit<E: Evaluator<Uttt>>(self, evaluator: E) -> [u32; 3] {
        let evaluator = Arc::new(evaluator);
        let mut counts = [0; 3];
        for position in positions::<Uttt>(6000, 50) {
            let open: usize = (0..9).filter(|board| position.closed() >> board & 1 == 0).count();
            if open > 2 || position.legal_move_count() == 1 {
                continue;
            }
            // To the end of the game, whatever is reduced on the way.
            let mut search = Pvs::new(Arc::clone(&evaluator), None, 1, PvsParameters::default());
            let found = search.search(&position, UNLIMITED);
            let truth = Minimax::new(&*evaluator).analyse(&position, 18).score;
            let (win, loss) = (found.score == Score::WIN, found.score == Score::LOSS);
            assert_eq!((win, loss), (truth == Score::WIN, truth == Score::LOSS), "{}", position);
            if win {
                let after = position.after(found.mv);
                let reply = Minimax::new(&*evaluator).analyse(&after, 18);
                assert_eq!(reply.score, Score::LOSS, "{}", position);
            }
            counts[1 + usize::from(loss) - usize::from(win)] += 1;
        }
        counts
    }
}

#[test]
fn wins_and_losses_near_the_end_are_true() {
    let counts = with_weights::<Uttt, _>("tictune-patterns", ProvenResults);
    assert!(counts.iter().all(|&count| count > 5), "{counts:?}");
}

/// Plays on from positions that a search has proven won, with a tenth of its nodes for each later move.
struct ProvenWins {
    rules: Rules,
    nodes: u64,
    wanted: u32,
}

impl EvaluatorVisitor<Uttt> for ProvenWins {
    type Output = ();

    fn visit<E: Evaluator<Uttt>>(self, evaluator: E) {
        let evaluator = Arc::new(evaluator);
        let search = || Pvs::new(Arc::clone(&evaluator), None, 1, PvsParameters::default());
        let mut proven = 0;
        for mut position in positions_by::<Uttt>(self.rules, u64::MAX, 32) {
            if proven == self.wanted {
                break;
            }
            let (winner, start) = (position.side_to_move(), position);
            let mut attack = search();
            let mut found = attack.search(&position, Budget::of(self.nodes));
            if found.score != Score::WIN || found.nodes < self.nodes / 20 {
                continue;
            }
            proven += 1;
            let mut defence = search();
            loop {
                position.play(found.mv).unwrap();
                if position.outcome().is_some() {
                    break;
                }
                let is_own = position.side_to_move() == winner;
                let mover = if is_own { &mut attack } else { &mut defence };
                found = mover.search(&position, Budget::of(self.nodes / 10));
            }
            assert_eq!(position.outcome(), Some(Outcome::Win(winner)), "{start}");
        }
    }
}

#[test]
fn what_is_proven_won_is_won() {
    for rules in Rules::all() {
        let wins = ProvenWins { rules, nodes: 2_000, wanted: 1 };
        with_weights::<Uttt, _>("tictune-patterns-count", wins);
    }
}

/// `cargo test --release --test search -- --ignored thousand`: up to 14 minutes of one core.
#[test]
#[ignore = "up to 14 minutes in a release build"]
fn a_thousand_proven_wins_are_won() {
    for rules in Rules::all() {
        let wins = ProvenWins { rules, nodes: 200_000, wanted: 250 };
        with_weights::<Uttt, _>("tictune-patterns-count", wins);
    }
}

struct Limits;

impl<P: Game> EvaluatorVisitor<P> for Limits {
    type Output = ();

    fn visit<E: Evaluator<P>>(self, evaluator: E) {
        let evaluator = Arc::new(evaluator);
        let play = |budget: &dyn Fn() -> Budget<'static>| {
            let mut search =
                Pvs::new(Arc::clone(&evaluator), None, TABLE_MIB, PvsParameters::default());
            let results = positions::<P>(30, 12).map(|position| {
                let started = Instant::now();
                let found = search.search(&position, budget());
                assert!(position.is_legal(found.mv));
                let line = search.expected_line(&position, found.mv);
                let mut after = position.clone();
                line.iter().for_each(|&mv| after.play(mv).unwrap());
                assert_eq!(line[0], found.mv);
                (found, started.elapsed())
            });
            results.collect::<Vec<_>>()
        };
        let [by_nodes, again] = [(); 2].map(|()| play(&|| Budget::of(3000)));
        for ((found, _), (again, _)) in by_nodes.iter().zip(&again) {
            assert!(found.nodes <= 3300 && found == again, "{found:?}");
        }
        // The machine may be busy, so all searches together have five times their time.
        let time = Duration::from_millis(20);
        let by_time = play(&|| Budget { deadline: Some(Instant::now() + time), ..UNLIMITED });
        let all: Duration = by_time.iter().map(|(_, took)| *took).sum();
        assert!(all < 5 * time * by_time.len() as u32, "{all:?}");
        // Hardly any time, or none: the best move one ply deep.
        for (found, _) in play(&|| Budget::of(1)) {
            assert!(found.depth <= 2, "{found:?}");
        }
    }
}

#[test]
fn limits_of_nodes_and_time_are_kept() {
    with_weights::<Uttt, _>("tictune-patterns", Limits);
    with_weights::<Qubic, _>("tictune-lines", Limits);
}
