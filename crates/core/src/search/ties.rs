//! The choice of a move from an analysis.

use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Analysis;
use crate::game::{Score, Searchable};
use crate::seed::Generator;

/// Which of several equally good moves is played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TieBreak {
    /// One at random.
    #[default]
    Random,
    /// The first in generation order, or in the order in which the search sorts moves.
    First,
    /// By the toss of a coin: in generation order, each further best move takes the place of the one before with a chance of
    /// one half. The last of several is then played in half of the cases (Liang's program).
    Coin,
}

impl TieBreak {
    /// The move to play (Liang's agents). In a won position it is a move that wins at once, if there is one. In a lost position
    /// it is the first move after which the opponent cannot win at once, if there is one. Otherwise it is one of the best
    /// moves; this draw is the only randomness of a minimax agent. It panics without a best move, where the game is over.
    pub fn choose<P: Searchable>(
        self,
        position: &P,
        analysis: &Analysis<P::Move>,
        generator: &mut Generator,
    ) -> P::Move {
        let best = &analysis.best;
        forced(position, analysis).unwrap_or_else(|| match self {
            Self::Random => best[generator.random_range(0..best.len() as u32) as usize],
            Self::First => best[0],
            Self::Coin => {
                let toss = |kept, &mv| if generator.random_bool(0.5) { mv } else { kept };
                best[1..].iter().fold(best[0], toss)
            }
        })
    }
}

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
    use crate::testing::toy::{Toy, ToyRules};

    #[test]
    fn a_coin_favours_the_last_of_equals() {
        let start = Toy::start(ToyRules::default());
        let moves: Vec<_> = start.legal_moves().collect();
        let best = [5, 20, 21].iter().map(|&index| moves[index]).collect();
        let analysis = Analysis { score: Score(3), best, nodes: 1 };
        let mut generator = generator(4, Role::AgentA);
        let mut counts = [0; 3];
        for _ in 0..4000 {
            let mv = TieBreak::Coin.choose(&start, &analysis, &mut generator);
            counts[analysis.best.iter().position(|best| *best == mv).unwrap()] += 1;
        }
        // A quarter, a quarter and a half; three standard deviations are below 100.
        for (count, expected) in counts.into_iter().zip([1000, 1000, 2000]) {
            assert!((expected - 100..=expected + 100).contains(&count), "{counts:?}");
        }
    }
}
