//! The choice of a move from an analysis.

use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantNames};

use super::Analysis;
use crate::game::{Score, Searchable};
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
    JsonSchema,
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
    /// By the toss of a coin: in generation order, each further best move takes the place of the one
    /// before with a chance of one half. The last of several is then played in half of the cases
    /// (Liang's program).
    Coin,
}

/// What is played in a position whose value is that of a lost game.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    JsonSchema,
    Display,
    EnumString,
    VariantNames,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum WhenLost {
    /// The first move after which the opponent cannot win at once, if there is one (Liang).
    #[default]
    Avoid,
    /// The first legal move in generation order (Papadam's program). A search that leaves out
    /// replies may take a position for lost that is not.
    First,
}

/// How a move is chosen from an analysis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choosing {
    /// Which of several best moves is played.
    pub ties: Ties,
    /// What is played in a lost position.
    pub lost: WhenLost,
}

impl Choosing {
    /// The move to play. `rank` is the rank of a move in the order of the search, the highest first;
    /// [`Ties::First`] goes by it, and where ranks are equal by generation order.
    ///
    /// # Panics
    /// If the analysis has no best move, because the game is over.
    pub fn choose<P: Searchable>(
        self,
        position: &P,
        analysis: &Analysis<P::Move>,
        generator: &mut Generator,
        rank: impl Fn(P::Move) -> Score,
    ) -> P::Move {
        if self.lost == WhenLost::First && analysis.score == Score::LOSS {
            return position.nth_legal_move(0);
        }
        match self.ties {
            Ties::Random => choose(position, analysis, generator),
            Ties::First => choose_first(position, analysis, rank),
            Ties::Coin => choose_by_coin(position, analysis, generator),
        }
    }
}

/// The move that Liang's agents choose from an analysis. In a won position it is a move that wins
/// at once, if there is one. In a lost position it is the first move after which the opponent
/// cannot win at once, if there is one. Otherwise it is a random one of the best moves. This draw
/// is the only randomness of a minimax agent.
///
/// # Panics
/// If the analysis has no best move, because the game is over.
pub fn choose<P: Searchable>(
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
pub fn choose_first<P: Searchable>(
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

/// Like [`choose`], with [`Ties::Coin`].
fn choose_by_coin<P: Searchable>(
    position: &P,
    analysis: &Analysis<P::Move>,
    generator: &mut Generator,
) -> P::Move {
    forced(position, analysis).unwrap_or_else(|| {
        let (first, others) =
            analysis.best.split_first().expect("a game that is not over has a best move");
        let take =
            |kept: P::Move, &mv: &P::Move| if generator.random_bool(0.5) { mv } else { kept };
        others.iter().fold(*first, take)
    })
}

/// The move that wins at once in a won position, or avoids losing at once in a lost one.
fn forced<P: Searchable>(position: &P, analysis: &Analysis<P::Move>) -> Option<P::Move> {
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
    use crate::game::Position;
    use crate::seed::{Role, generator};
    use crate::testing::toy::{Rules, Toy};

    #[test]
    fn the_first_of_equals_goes_by_rank_and_then_by_order() {
        let start = Toy::start(Rules::default());
        let moves: Vec<_> = start.legal_moves().collect();
        let best = [5, 20, 21].iter().map(|&index| moves[index]).collect();
        let analysis = Analysis { score: Score(3), best, nodes: 1 };
        assert_eq!(choose_first(&start, &analysis, |_| Score(0)), moves[5]);
        let rank = |mv| Score(i32::from(mv != moves[5]));
        assert_eq!(choose_first(&start, &analysis, rank), moves[20]);
        // A move that wins at once is chosen whatever the ranks.
        let won = Toy::read("ooo../xxx../...../...../.....");
        let win = won.winning_move().unwrap();
        let best = won.legal_moves().collect();
        let analysis = Analysis { score: Score::WIN, best, nodes: 1 };
        assert_eq!(choose_first(&won, &analysis, |mv| Score(i32::from(mv != win))), win);
    }

    #[test]
    fn a_coin_favours_the_last_of_equals() {
        let start = Toy::start(Rules::default());
        let moves: Vec<_> = start.legal_moves().collect();
        let best = [5, 20, 21].iter().map(|&index| moves[index]).collect();
        let analysis = Analysis { score: Score(3), best, nodes: 1 };
        let choosing = Choosing { ties: Ties::Coin, ..Choosing::default() };
        let mut generator = generator(4, Role::AgentA);
        let mut counts = [0; 3];
        for _ in 0..4000 {
            let mv = choosing.choose(&start, &analysis, &mut generator, |_| Score(0));
            counts[analysis.best.iter().position(|best| *best == mv).unwrap()] += 1;
        }
        // A quarter, a quarter and a half; three standard deviations are below 100.
        for (count, expected) in counts.into_iter().zip([1000, 1000, 2000]) {
            assert!((expected - 100..=expected + 100).contains(&count), "{counts:?}");
        }
    }

    #[test]
    fn a_lost_position_is_defended_or_given_up() {
        // The opponent wins at the right end of its row, which the first legal move does not take.
        let lost = Toy::read("...../xooo./...../x.x../.....");
        let best = lost.legal_moves().collect();
        let analysis = Analysis { score: Score::LOSS, best, nodes: 1 };
        let mut generator = generator(4, Role::AgentA);
        let mut choose = |lost_as| {
            let choosing = Choosing { ties: Ties::First, lost: lost_as };
            choosing.choose(&lost, &analysis, &mut generator, |_| Score(0))
        };
        let (avoid, first) = (choose(WhenLost::Avoid), choose(WhenLost::First));
        assert_eq!(first, lost.nth_legal_move(0));
        assert!(lost.after(first).winning_move().is_some());
        assert!(lost.after(avoid).winning_move().is_none());
    }
}
