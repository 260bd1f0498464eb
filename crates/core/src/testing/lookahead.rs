//! The laws of look-ahead: its values are those that playing the moves finds.

use std::fmt;

use super::Lawful;
use super::evaluations::{Case, cases_of_one_weight, every_case};
use super::play::{RandomGame, playouts};
use crate::game::{
    Evaluator, EvaluatorVisitor, First, Game, Lookahead, OnePly, Player, Score, Second, SideToMove,
};

/// Plain minimax: the value of a position so many plies deep for the side to move.
fn plain<P: Game, E: Evaluator<P>>(evaluator: &E, position: &P, plies: u32) -> Score {
    if let Some(outcome) = position.outcome() {
        return Score::of_outcome(outcome, position.side_to_move());
    }
    if plies == 0 {
        let score = evaluator.score(&evaluator.state(position), position);
        return score.seen_by(position.side_to_move());
    }
    let values = position.legal_moves().map(|mv| -plain(evaluator, &position.after(mv), plies - 1));
    values.max().expect("a game that is not over has moves")
}

/// Checks a look-ahead at a position and after every move from it; how many moves it visited.
fn check<S: SideToMove, P: Lawful, E: Evaluator<P>, L: Lookahead<P>>(
    evaluator: &E,
    lookahead: &mut L,
    position: &P,
    further: bool,
    context: fmt::Arguments<'_>,
) -> usize {
    assert!(lookahead.position() == *position, "Lookahead::position: {context}");
    assert_eq!([lookahead.side_to_move(), S::PLAYER], [position.side_to_move(); 2]);
    let mut visited = Vec::new();
    lookahead.for_each_move::<S>(|mv, value, _| visited.push((mv, value)));
    visited.sort_unstable_by_key(|&(mv, _)| mv);
    let deeper = |mv| -plain(evaluator, &position.after(mv), L::PLIES - 1);
    let expected: Vec<_> = position.legal_moves().map(|mv| (mv, deeper(mv))).collect();
    assert!(visited == expected, "for_each_move: {visited:?}, played {expected:?}: {context}");
    let value = plain(evaluator, position, L::PLIES);
    for beta in [value.next().min(Score::WIN), value, value.previous(), Score::LOSS] {
        let found = lookahead.value::<S>(beta, &mut 0);
        let fits = if value < beta { found == value } else { (beta..=value).contains(&found) };
        assert!(fits, "Lookahead::value {found:?}, below {beta:?}, not {value:?}: {context}");
    }
    let mut count = visited.len();
    for (mv, _) in visited {
        let after = position.after(mv);
        let found = lookahead.with_move::<S, _>(mv, |lookahead| {
            if further {
                count += check::<S::Other, _, _, _>(evaluator, lookahead, &after, false, context);
            }
        });
        let end = after.outcome().map(|end| Score::of_outcome(end, position.side_to_move()));
        assert_eq!(found.err(), end, "Lookahead::with_move, end after {mv}: {context}");
    }
    assert!(lookahead.position() == *position, "Lookahead::with_move, undone: {context}");
    count
}

fn check_any<P: Lawful, E: Evaluator<P>, L: Lookahead<P>>(
    evaluator: &E,
    lookahead: &mut L,
    position: &P,
    further: bool,
    context: fmt::Arguments<'_>,
) -> usize {
    let check = match position.side_to_move() {
        Player::First => check::<First, P, E, L>,
        Player::Second => check::<Second, P, E, L>,
    };
    check(evaluator, lookahead, position, further, context)
}

struct LookaheadLaws<'c, P: Game> {
    case: &'c Case,
    playouts: &'c [RandomGame<P>],
}

impl<P: Lawful> EvaluatorVisitor<P> for LookaheadLaws<'_, P> {
    type Output = usize;

    fn visit<E: Evaluator<P>>(self, evaluator: E) -> usize {
        let mut looked_ahead = 0;
        for playout in self.playouts {
            for step in playout.steps().filter(|step| step.position.outcome().is_none()) {
                let context = format_args!("{}\n{step}", self.case);
                let position = &step.position;
                // All moves and their replies where these are few, and now and then elsewhere.
                let further = position.legal_move_count() <= 4 || step.ply % 16 == 7;
                if !E::OF_POSITION_ALONE || step.ply % 2 == 1 && !further {
                    continue;
                }
                let mut one_ply = OnePly::new(&evaluator, position);
                check_any(&evaluator, &mut one_ply, position, false, context);
                if let Some(mut own) = evaluator.lookahead(position) {
                    looked_ahead += check_any(&evaluator, &mut own, position, further, context);
                }
            }
        }
        looked_ahead
    }
}

pub fn look_ahead_finds_what_playing_finds<P: Lawful>() {
    const LARGEST: f64 = 1.0_f64.next_down();
    let playouts: Vec<RandomGame<P>> = playouts(4).collect();
    let mut cases = every_case::<P>();
    // Sums near their bounds: one weight that rounds up to the bound of scores.
    cases.extend(cases_of_one_weight::<P>(|slot| if slot % 2 == 0 { LARGEST } else { -LARGEST }));
    let visit = |case: &Case| {
        let laws = LookaheadLaws { case, playouts: &playouts };
        P::with_evaluator(case.layout, &case.values, laws)
            .unwrap_or_else(|error| panic!("{case}: {error}"))
    };
    let looked_ahead: usize = cases.iter().map(visit).sum();
    assert!(looked_ahead > 50_000 || !P::LOOKS_AHEAD, "only {looked_ahead} moves looked ahead");
}
