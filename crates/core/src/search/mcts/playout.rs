//! Playouts: from a leaf to a result (Liang chapter 3 and 4.4.3), and the evaluation that they and the tree ask.
//!
//! Its calls are rare, so they go through a trait object, and the search is compiled once for each game instead of once for each
//! evaluation.

use rand::{Rng, RngExt};

use super::selection::indices;
use super::tree::ONE;
use super::{Judge, MctsParameters, Playout};
use crate::game::{Evaluator, Outcome, Player, Position, Score, Searchable, Valuation};
use crate::seed::Generator;

/// A set of moves, by [`Position::move_index`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct MoveSet {
    /// Indices below 128. Most games have no others.
    low: u128,
    high: Vec<u64>,
}

impl MoveSet {
    #[inline]
    pub(super) fn insert(&mut self, index: usize) {
        if index < 128 {
            self.low |= 1 << index;
        } else {
            self.insert_high(index - 128);
        }
    }

    #[cold]
    #[inline]
    fn insert_high(&mut self, index: usize) {
        let word = index / 64;
        if word >= self.high.len() {
            self.high.resize(word + 1, 0);
        }
        self.high[word] |= 1 << (index % 64);
    }

    #[inline]
    pub(super) fn contains(&self, index: usize) -> bool {
        if index < 128 {
            return self.low >> index & 1 == 1;
        }
        let index = index - 128;
        self.high.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    #[inline]
    pub(super) fn for_each(&self, mut visit: impl FnMut(usize)) {
        indices(self.low).for_each(&mut visit);
        for (number, &word) in self.high.iter().enumerate() {
            indices(word.into()).for_each(|index| visit(128 + 64 * number + index));
        }
    }
}

pub(super) type Record = [MoveSet; 2];

/// Plays random moves to the end of the game.
///
/// The moves are those of drawing an index below `Position::legal_move_count` for each move.
pub fn random_playout<P: Searchable>(position: &P, generator: &mut Generator) -> Outcome {
    play_out(position, generator, |_, _| {})
}

/// A random playout that reports its moves. Its own copy of the generator stays in registers.
#[inline]
fn play_out<P: Searchable>(
    position: &P,
    generator: &mut Generator,
    note: impl FnMut(Player, P::Move),
) -> Outcome {
    let mut own = generator.clone();
    let outcome = position.play_out(|count| below(count, &mut own), note);
    *generator = own;
    outcome
}

#[inline]
fn below(count: u32, generator: &mut Generator) -> u32 {
    // Source: Lemire, "Fast random integer generation in an interval", 2019, without its correction step. The bias is tiny: some
    // moves are chosen by one more of the 2^32 numbers than others.
    ((u64::from(generator.next_u32()) * u64::from(count)) >> 32) as u32
}

/// The rewards of the first and the second player, in units of [`ONE`].
pub(super) type Rewards = [u64; 2];

#[inline]
pub(super) fn rewards(settings: &MctsParameters, outcome: Outcome) -> Rewards {
    match outcome {
        Outcome::Win(Player::First) => [ONE, 0],
        Outcome::Win(Player::Second) => [0, ONE],
        Outcome::Draw => [(settings.draw * ONE as f64) as u64; 2],
    }
}

/// Plays a game out as the settings say. With `RECORD`, the moves are added to the record.
pub(super) fn playout<P: Searchable, const RECORD: bool>(
    settings: &MctsParameters,
    values: &dyn Values<P>,
    mut position: P,
    generator: &mut Generator,
    record: &mut Record,
) -> Rewards {
    if settings.playout == Playout::Random {
        let outcome = play_out(&position, generator, |side, mv| {
            if RECORD {
                record[side.index()].insert(P::move_index(mv));
            }
        });
        return rewards(settings, outcome);
    }
    let greedy_throughout =
        settings.playout == Playout::Total && generator.random_bool(settings.influence);
    let mut moves_left =
        if settings.playout.terminates_early() { settings.threshold } else { u32::MAX };
    loop {
        if let Some(outcome) = position.outcome() {
            return rewards(settings, outcome);
        }
        if moves_left == 0 {
            return judge(settings, values.of(&position, Player::First));
        }
        moves_left -= 1;
        let side = position.side_to_move();
        let chosen = match settings.playout {
            Playout::Random | Playout::Ept => None,
            Playout::WinFirst | Playout::EptWinFirst => position.winning_move(),
            Playout::Partial => generator
                .random_bool(settings.influence)
                .then(|| values.best_move(&position, generator)),
            Playout::Total => greedy_throughout.then(|| values.best_move(&position, generator)),
        };
        let mv = match chosen {
            Some(mv) => {
                position.play_unchecked(mv);
                mv
            }
            None => position.play_drawn(|count| below(count, generator)),
        };
        if RECORD {
            record[side.index()].insert(P::move_index(mv));
        }
    }
}

/// The rewards for a value from the first player's view.
#[inline]
fn judge(settings: &MctsParameters, value: f64) -> Rewards {
    let boundary = settings.boundary;
    match settings.judge {
        Judge::Boundary if value > boundary => rewards(settings, Outcome::Win(Player::First)),
        Judge::Boundary if value < -boundary => rewards(settings, Outcome::Win(Player::Second)),
        Judge::Boundary => rewards(settings, Outcome::Draw),
        Judge::Sigmoid => {
            // Square roots give the same result on every machine; exponentials do not.
            let length = (value * value + boundary * boundary).sqrt();
            let share = if length > 0.0 { 0.5 + 0.5 * value / length } else { 0.5 };
            let first = (share * ONE as f64) as u64;
            [first, ONE - first]
        }
    }
}

/// An evaluation whose values are in weight units.
pub(super) trait Values<P: Position>: Valuation<P> {
    /// Calls `take` once for each legal move, in generation order. The argument is the outcome if the move ends the game,
    /// otherwise the value of the position after it, from the view of the side to move.
    fn after_moves(&self, position: &P, take: &mut dyn FnMut(Result<f64, Outcome>));

    /// The move to the best value, ties broken at random.
    fn best_move(&self, position: &P, generator: &mut Generator) -> P::Move;
}

impl<P: Position, E: Evaluator<P>> Values<P> for E {
    fn after_moves(&self, position: &P, take: &mut dyn FnMut(Result<f64, Outcome>)) {
        let (state, side, scale) = (self.state(position), position.side_to_move(), self.scale());
        for mv in position.legal_moves() {
            take(match position.after(mv).outcome() {
                Some(outcome) => Err(outcome),
                None => {
                    let score = self.score_after(&state, position, mv).seen_by(side);
                    Ok(f64::from(score.0) / scale)
                }
            });
        }
    }

    fn best_move(&self, position: &P, generator: &mut Generator) -> P::Move {
        let (state, side) = (self.state(position), position.side_to_move());
        let (mut best, mut score, mut ties) = (None, Score::LOSS.previous(), 0_u32);
        for mv in position.legal_moves() {
            let value = self.score_after(&state, position, mv).seen_by(side);
            if value > score {
                (best, score, ties) = (Some(mv), value, 1);
            } else if value == score {
                ties += 1;
                if generator.random_range(0..ties) == 0 {
                    best = Some(mv);
                }
            }
        }
        best.unwrap_or_else(|| position.nth_legal_move(0))
    }
}
