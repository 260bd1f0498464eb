//! Quiescence search compared with a slow and simple implementation: plain minimax that goes on with
//! moves that win a small board.

use tictune::game::{
    Evaluator, EvaluatorVisitor, Game, Player, Position, Score, Searchable, perft,
};
use tictune::games::uttt::{Uttt, UtttMove};
use tictune::papers::searches::selective::{Selective, Widths};
use tictune::search::Minimax;
use tictune::weights::Weights;

use crate::positions::{describe, positions};

/// Whether a move wins a small board.
fn wins_a_board(position: &Uttt, mv: UtttMove) -> bool {
    let side = position.side_to_move();
    position.after(mv).won(side) != position.won(side)
}

/// The search by its definition.
struct Twin<'e, E> {
    evaluator: &'e E,
    further: u32,
}

impl<E: Evaluator<Uttt>> Twin<'_, E> {
    fn evaluate(&self, position: &Uttt) -> Score {
        let score = self.evaluator.score(&self.evaluator.state(position), position);
        score.seen_by(position.side_to_move())
    }

    /// The value of a position for the player who moved last.
    fn after(&self, position: &Uttt, mv: UtttMove, depth: u32) -> Score {
        let after = position.after(mv);
        if let Some(outcome) = after.outcome() {
            return Score::of_outcome(outcome, position.side_to_move());
        }
        if depth > 1 {
            let values = after.legal_moves().map(|reply| self.after(&after, reply, depth - 1));
            return -values.max().expect("a game that is not over has moves");
        }
        if wins_a_board(position, mv) {
            return -self.quiet(&after, self.further);
        }
        -self.evaluate(&after)
    }

    /// The value for the side to move, which may stop or win another board.
    fn quiet(&self, position: &Uttt, left: u32) -> Score {
        let stop = self.evaluate(position);
        if left == 0 {
            return stop;
        }
        let loud = position.legal_moves().filter(|&mv| wins_a_board(position, mv));
        let values = loud.map(|mv| {
            let after = position.after(mv);
            match after.outcome() {
                Some(outcome) => Score::of_outcome(outcome, position.side_to_move()),
                None => -self.quiet(&after, left - 1),
            }
        });
        values.fold(stop, Score::max)
    }

    fn analyse(&self, position: &Uttt, depth: u32) -> (Score, Vec<UtttMove>) {
        let values: Vec<(UtttMove, Score)> =
            position.legal_moves().map(|mv| (mv, self.after(position, mv, depth))).collect();
        let best = values.iter().map(|(_, value)| *value).max().expect("moves");
        (best, values.into_iter().filter(|(_, value)| *value == best).map(|(mv, _)| mv).collect())
    }
}

/// Compares on random positions; returns how often the result is another than that of minimax.
struct Compare {
    seed: u64,
}

impl EvaluatorVisitor<Uttt> for Compare {
    type Output = u32;

    fn visit<E: Evaluator<Uttt>>(self, evaluator: E) -> u32 {
        let mut others = 0;
        let calm = |position: &Uttt| (1..=3).all(|plies| perft(position, plies) <= 3000);
        for (number, position) in (0..).zip(positions(self.seed).filter(calm).take(200)) {
            let (depth, further) = (1 + number % 3, 1 + number % 5);
            let twin = Twin { evaluator: &evaluator, further };
            let expected = twin.analyse(&position, depth);
            let widths = Widths::all();
            let search = Selective::new(&evaluator, &evaluator, &widths).quiescence(further);
            let found = { search }.analyse(&position, depth);
            let context = describe(&position);
            assert_eq!(
                (found.score, found.best.to_vec()),
                expected,
                "depth {depth}, further {further}, {context}"
            );
            others +=
                u32::from(Minimax::new(&evaluator).analyse(&position, depth).score != found.score);
        }
        others
    }
}

#[test]
fn values_and_best_moves_are_those_of_plain_minimax_along_loud_moves() {
    for (seed, name) in [(980, "liang-comprehensive"), (981, "lifshitz-heur1"), (982, "sista")] {
        let weights = Weights::builtin::<Uttt>(name).expect("a built-in name");
        let others =
            Uttt::with_evaluator(weights.layout(), weights.values(), Compare { seed }).unwrap();
        assert!(others > 0, "{name}: only {others} of 200 values differ from minimax");
    }
}

#[test]
fn loud_moves_win_small_boards() {
    let mut loud = 0;
    for position in positions(983).take(300) {
        for mv in position.legal_moves() {
            assert_eq!(
                position.is_loud(mv),
                wins_a_board(&position, mv),
                "{}",
                describe(&position)
            );
            loud += u32::from(position.is_loud(mv));
        }
        assert_eq!(position.side_to_move() == Player::First, position.ply() % 2 == 0);
    }
    assert!(loud > 200, "{loud}");
}
