//! Ends games by what their agents say, as the rules allow: see [`Adjudication`].

use crate::game::{Adjudication, Outcome, Player};

pub(super) struct Adjudicator {
    rules: Adjudication,
    /// For how many moves in succession each player has said that it wins, that it loses, that it draws.
    wins: [u32; 2],
    losses: [u32; 2],
    draws: [u32; 2],
}

impl Adjudicator {
    pub(super) fn new(rules: Adjudication) -> Self {
        Self { rules, wins: [0; 2], losses: [0; 2], draws: [0; 2] }
    }

    /// Hears what a player said of the position in which it moved. `plies` and `ply` count this move, too.
    pub(super) fn observe(
        &mut self,
        player: Player,
        value: Option<f64>,
        plies: usize,
        ply: u32,
    ) -> Option<Outcome> {
        let Adjudication { resign, draw, max_plies } = self.rules;
        let own = player.index();
        let count = |counts: &mut [u32; 2], holds: bool| {
            counts[own] = if holds { counts[own] + 1 } else { 0 };
        };
        if let Some(resign) = resign {
            let score = f64::from(resign.score);
            count(&mut self.wins, value.is_some_and(|value| value >= score));
            count(&mut self.losses, value.is_some_and(|value| value <= -score));
            let lost = |loser: Player| {
                let (winner, loser) = (loser.other().index(), loser.index());
                self.losses[loser] >= resign.moves && self.wins[winner] >= resign.moves
            };
            if let Some(loser) = Player::BOTH.into_iter().find(|player| lost(*player)) {
                return Some(Outcome::Win(loser.other()));
            }
        }
        if let Some(draw) = draw {
            let score = f64::from(draw.score);
            count(&mut self.draws, value.is_some_and(|value| value.abs() <= score));
            if ply / 2 >= draw.from && self.draws.iter().all(|count| *count >= draw.moves) {
                return Some(Outcome::Draw);
            }
        }
        let is_long = max_plies.is_some_and(|most| plies >= most as usize);
        is_long.then_some(Outcome::Draw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{DrawAgreed, Resign};

    /// The end of a game in which the players say these values in turn, and after how many moves.
    fn end(rules: Adjudication, values: &[[f64; 2]]) -> Option<(usize, Outcome)> {
        let mut adjudicator = Adjudicator::new(rules);
        let said = values.iter().flatten().zip(1..);
        said.zip(Player::BOTH.into_iter().cycle()).find_map(|((value, plies), player)| {
            let value = value.is_finite().then_some(*value);
            Some((plies, adjudicator.observe(player, value, plies, plies as u32)?))
        })
    }

    #[test]
    fn both_have_to_see_a_win() {
        let resign = Some(Resign { score: 600, moves: 2 });
        let rules = Adjudication { resign, ..Adjudication::default() };
        let won = Outcome::Win(Player::Second);
        let seen =
            [[0.0, 700.0], [-600.0, 599.0], [-650.0, 700.0], [-650.0, 599.0], [-650.0, 600.0]];
        assert_eq!(end(rules, &[&seen[..], &[[-650.0, 800.0]]].concat()), Some((12, won)));
        assert_eq!(end(rules, &[[-700.0, 500.0]; 9]), None, "one side alone");
        assert_eq!(end(rules, &[[-700.0, f64::NAN]; 9]), None, "one side says nothing");
        assert_eq!(end(rules, &[[700.0, 700.0]; 9]), None, "both think that they win");
        assert_eq!(end(Adjudication::default(), &[[-9e9, 9e9]; 9]), None);
    }

    #[test]
    fn level_games_are_drawn_from_a_move_on_and_long_ones_at_once() {
        let draw = Some(DrawAgreed { score: 10, moves: 3, from: 5 });
        let rules = Adjudication { draw, ..Adjudication::default() };
        assert_eq!(end(rules, &[[10.0, -10.0]; 9]), Some((10, Outcome::Draw)));
        let swings = [[0.0, 0.0], [0.0, 11.0], [0.0, 0.0], [0.0, 0.0], [0.0, 11.0]];
        assert_eq!(end(rules, &swings), None);
        let rules = Adjudication { max_plies: Some(7), ..Adjudication::default() };
        assert_eq!(end(rules, &[[f64::NAN; 2]; 9]), Some((7, Outcome::Draw)));
    }
}
