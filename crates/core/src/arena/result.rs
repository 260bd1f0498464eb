//! The result of a game.

use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

use super::executor::Detail;
use super::game::{Forfeit, GameRecord, MoveCost, SideStats};
use crate::agent::Failure;
use crate::game::{Game, Outcome, Player};
use crate::seed::mix;

/// One of the two agents of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Side {
    /// Agent A. Results are from its view.
    A,
    /// Agent B.
    B,
}

/// The result of a game, after its ties were replayed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameResult {
    /// Who won; `None` is a draw.
    pub winner: Option<Side>,
    /// How the loser forfeited it, if it did not end on the board.
    pub failure: Option<Failure>,
    /// The number of plies, those of the opening included.
    pub plies: u64,
    /// The costs of A and B.
    pub sides: [SideStats; 2],
    /// The fingerprint of its start and moves. Symmetric games have different ones.
    pub fingerprint: Fingerprint,
    /// The moves of the game, if they were asked for.
    pub moves: Option<Box<GameMoves>>,
}

/// A game move by move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameMoves {
    /// Where it started, in notation.
    pub start: String,
    /// Every move from there in notation, the opening's included.
    pub moves: Vec<String>,
    /// The costs of the moves after the opening, in order.
    pub costs: Vec<MoveCost>,
}

impl GameResult {
    /// The result of a record; with `costs`, its moves as well.
    #[must_use]
    pub fn new<P: Game>(
        record: &GameRecord<P>,
        a_first: bool,
        costs: Option<Vec<MoveCost>>,
    ) -> Self {
        let a = if a_first { Player::First } else { Player::Second };
        let winner = match record.outcome {
            Outcome::Draw => None,
            Outcome::Win(winner) if winner == a => Some(Side::A),
            Outcome::Win(_) => Some(Side::B),
        };
        let moves = costs.map(|costs| {
            let moves = record.moves.iter().map(ToString::to_string).collect();
            Box::new(GameMoves { start: record.start.notation(), moves, costs })
        });
        Self {
            winner,
            failure: record.forfeit.as_ref().map(|Forfeit { failure, .. }| failure.clone()),
            plies: record.moves.len() as u64,
            sides: [record.sides[a.index()], record.sides[a.other().index()]],
            fingerprint: Fingerprint::new(&record.start, &record.moves),
            moves,
        }
    }

    /// A game of which another program tells only who won it.
    #[must_use]
    pub fn told(winner: Option<Side>, fingerprint: Fingerprint) -> Self {
        let sides = [SideStats::default(); 2];
        Self { winner, failure: None, plies: 0, sides, fingerprint, moves: None }
    }

    /// Who forfeited the game, if anybody did, and how.
    #[must_use]
    pub fn forfeit(&self) -> Option<(Side, &Failure)> {
        let loser = match self.winner? {
            Side::A => Side::B,
            Side::B => Side::A,
        };
        self.failure.as_ref().map(|failure| (loser, failure))
    }
}

impl GameResult {
    /// Hashes all that is the same whenever the game is played with the same seeds: no times, and costs only where every game
    /// of the unit is played for them.
    #[doc(hidden)]
    pub fn hash_repeatable(&self, detail: Detail, hasher: &mut impl Hasher) {
        let Self { winner, failure, plies, sides, fingerprint, moves } = self;
        (winner.map(|side| side as u8), failure.as_ref().map(ToString::to_string), plies)
            .hash(hasher);
        fingerprint.hash(hasher);
        if detail >= Detail::Costs {
            for SideStats { moves, nodes, iterations, .. } in sides {
                [moves, nodes, iterations].hash(hasher);
            }
        }
        if let Some(GameMoves { start, moves, costs }) =
            moves.as_deref().filter(|_| detail >= Detail::Moves)
        {
            (start, moves).hash(hasher);
            for MoveCost { ply, player, legal_moves, nodes, iterations, value, .. } in costs {
                (ply, player.index(), legal_moves, nodes, iterations).hash(hasher);
                value.map(f64::to_bits).hash(hasher);
            }
        }
    }
}

impl GameResult {
    /// A game of which only the winner and a number are known.
    #[doc(hidden)]
    pub fn example(winner: Option<Side>, number: u64) -> Self {
        Self::told(winner, Fingerprint([number; 2]))
    }
}

/// A hash of 128 bits by which games are told apart, the same on any machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fingerprint([u64; 2]);

impl Fingerprint {
    /// The fingerprint of a start and the moves from there.
    #[must_use]
    pub fn new<P: Game>(start: &P, moves: &[P::Move]) -> Self {
        let mut hasher = FingerprintHasher([1, 2]);
        start.key().hash(&mut hasher);
        moves.hash(&mut hasher);
        Self(hasher.0)
    }

    /// The fingerprint of a game that a text stands for.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        let mut hasher = FingerprintHasher([3, 4]);
        hasher.write_usize(text.len());
        hasher.write(text.as_bytes());
        Self(hasher.0)
    }

    /// The fingerprint of a game of which nothing is known but the seed of its pair and its number in it: of a game that
    /// another program played and did not name.
    #[must_use]
    pub fn unnamed(seed: u64, number: u64) -> Self {
        let mut hasher = FingerprintHasher([5, 6]);
        hasher.write_u64(seed);
        hasher.write_u64(number);
        Self([hasher.0[0], UNNAMED])
    }

    /// Half of it, by which a log knows the game; `None` for a game that was not named.
    #[must_use]
    #[doc(hidden)]
    pub const fn key(&self) -> Option<u64> {
        if self.is_unnamed() { None } else { Some(self.0[0]) }
    }

    /// What stands for a game of which a log has the [`key`](Self::key).
    #[must_use]
    #[doc(hidden)]
    pub const fn of_key(key: u64) -> Self {
        Self([key, !UNNAMED])
    }

    /// Whether it is of such a game.
    #[must_use]
    #[doc(hidden)]
    pub const fn is_unnamed(&self) -> bool {
        self.0[1] == UNNAMED
    }
}

/// The second half of the fingerprint of a game that has no name.
const UNNAMED: u64 = 0;

/// Two chains of 64 bits. The hashers of the standard library may change with its version.
pub(super) struct FingerprintHasher([u64; 2]);

impl FingerprintHasher {
    /// A hasher with its two first states.
    pub(super) const fn new(states: [u64; 2]) -> Self {
        Self(states)
    }
}

impl Hasher for FingerprintHasher {
    fn finish(&self) -> u64 {
        self.0[0]
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.write_u64(value.into());
    }

    fn write_u16(&mut self, value: u16) {
        self.write_u64(value.into());
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(value.into());
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = self.0.map(|state| mix(state, value));
    }

    // Numbers of pointer size are lengths and discriminants: the same on machines of any size.
    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }

    fn write_isize(&mut self, value: isize) {
        self.write_u64(value as u64);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::game::Position;
    use crate::testing::toy::{Rules, Toy};

    #[test]
    fn fingerprints_tell_starts_lengths_and_orders_of_moves_apart() {
        let start = Toy::start(Rules::default());
        let moves: Vec<_> = start.legal_moves().take(4).collect();
        let later = start.after(moves[0]);
        let mut all: Vec<_> =
            (0..=4).map(|plies| Fingerprint::new(&start, &moves[..plies])).collect();
        all.push(Fingerprint::new(&start, &[moves[1], moves[0]]));
        all.push(Fingerprint::new(&later, &[]));
        all.push(Fingerprint::new(&later, &moves[1..]));
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
        assert_eq!(all[4], Fingerprint::new(&start.clone(), &moves.clone()));
        // No half of it does the work alone.
        for half in 0..2 {
            let halves: HashSet<u64> = all.iter().map(|fingerprint| fingerprint.0[half]).collect();
            assert_eq!(halves.len(), all.len());
        }
    }
}
