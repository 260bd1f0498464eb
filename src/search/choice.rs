//! The choice of a move from an analysis.

use rand::RngExt;
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantNames};

use super::Analysis;
use crate::game::{Position, Score};
use crate::seed::Generator;

/// Which of several equally good moves is played.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    Display,
    EnumString,
    VariantNames,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Ties {
    /// One at random.
    #[default]
    Random,
    /// The first in the order of the search: generation order, or the order in which it sorts
    /// moves.
    First,
}

/// The move that Liang's agents choose from an analysis. In a won position it is a move that wins
/// at once, if there is one. In a lost position it is the first move after which the opponent
/// cannot win at once, if there is one. Otherwise it is a random one of the best moves. This draw
/// is the only randomness of a minimax agent.
///
/// # Panics
/// If the analysis has no best move, because the game is over.
pub fn choose<P: Position>(
    position: &P,
    analysis: &Analysis<P::Move>,
    generator: &mut Generator,
) -> P::Move {
    forced(position, analysis).unwrap_or_else(|| {
        analysis.best[generator.random_range(0..analysis.best.len() as u32) as usize]
    })
}

/// Like [`choose`], but without randomness. Of several best moves it takes the one of the highest
/// rank, and of equal ranks the first in generation order.
///
/// # Panics
/// If the analysis has no best move, because the game is over.
pub fn choose_first<P: Position>(
    position: &P,
    analysis: &Analysis<P::Move>,
    rank: impl Fn(P::Move) -> Score,
) -> P::Move {
    forced(position, analysis).unwrap_or_else(|| {
        let first = |first: P::Move, mv: P::Move| if rank(mv) > rank(first) { mv } else { first };
        analysis
            .best
            .iter()
            .copied()
            .reduce(first)
            .expect("a game that is not over has a best move")
    })
}

/// The move that wins at once in a won position, or avoids losing at once in a lost one.
fn forced<P: Position>(position: &P, analysis: &Analysis<P::Move>) -> Option<P::Move> {
    let holds = |&mv: &P::Move| {
        let after = position.after(mv);
        after.outcome().is_none() && after.winning_move().is_none()
    };
    match analysis.score {
        Score::WIN => position.winning_move(),
        Score::LOSS => position.legal_moves().find(holds),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::uttt::{Rules, Uttt};

    #[test]
    fn the_first_of_equals_goes_by_rank_and_then_by_order() {
        let start = Uttt::start(Rules::default());
        let moves: Vec<_> = start.legal_moves().collect();
        let best = [5, 40, 41].iter().map(|&index| moves[index]).collect();
        let analysis = Analysis { score: Score(3), best, nodes: 1 };
        assert_eq!(choose_first(&start, &analysis, |_| Score(0)), moves[5]);
        let rank = |mv| Score(i32::from(mv != moves[5]));
        assert_eq!(choose_first(&start, &analysis, rank), moves[40]);
        // A move that wins at once is chosen whatever the ranks.
        let won = "xxxxxxxx1/9/9/oo1oo1oo1/9/9/oo7/9/9 x 2,0";
        let won = Uttt::from_notation(won, Rules::default()).unwrap();
        let win = won.winning_move().unwrap();
        let best = won.legal_moves().collect();
        let analysis = Analysis { score: Score::WIN, best, nodes: 1 };
        assert_eq!(choose_first(&won, &analysis, |mv| Score(i32::from(mv != win))), win);
    }
}
