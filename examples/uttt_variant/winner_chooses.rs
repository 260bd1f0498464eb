//! Ultimate Tic-Tac-Toe in which the winner of a small board chooses where a player who is sent there plays. If nobody has
//! won it, a coin decides who chooses. Source: Sista 2016, 2.3, which mentions these rules.
//!
//! A game is a function of its moves, so the coin is a bit of the position's hash: both players can foresee it.

use std::fmt;
use std::str::FromStr;

use tictune::game::{EvaluatorVisitor, NotationError, WeightsError};
use tictune::games::Uttt;
use tictune::games::uttt::{Rules, UtttMove};
use tictune::{Game, GameInfo, Linear, Outcome, Player, Position, Searchable, Slot, WeightLayout};

/// A mark, and the small board that the opponent must play in, if the player chooses one. In notation: `4,4` or `4,4>7`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Move {
    square: UtttMove,
    board: Option<u8>,
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.square)?;
        self.board.map_or(Ok(()), |board| write!(f, ">{board}"))
    }
}

impl FromStr for Move {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let Some((square, board)) = text.split_once('>') else {
            return Ok(Self { square: text.parse()?, board: None });
        };
        let wrong = || NotationError(format!("expected a board from 0 to 8, found {board}"));
        let number = board.parse().ok().filter(|number| *number < 9).ok_or_else(wrong)?;
        Ok(Self { square: square.parse()?, board: Some(number) })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct WinnerChooses(Uttt);

impl WinnerChooses {
    /// The boards of which the player who plays on a square chooses one, as bits; 0 if it does not choose.
    fn choices(&self, square: UtttMove) -> u16 {
        let is_open = self.0.closed() >> square.cell() & 1 == 0;
        if is_open && !(square.board() == square.cell() && self.0.closes_board(square)) {
            return 0;
        }
        let after = self.0.after(square);
        let owns = |player| after.won(player) >> square.cell() & 1 == 1;
        let is_heads = || !owns(after.side_to_move()) && after.key() & 1 == 1;
        let chooses = owns(self.side_to_move()) || is_heads();
        if chooses && after.outcome().is_none() { after.open() } else { 0 }
    }
}

impl Position for WinnerChooses {
    type Move = Move;
    type Rules = Rules;
    type Moves = std::vec::IntoIter<Move>;

    const MAX_PLIES: u32 = Uttt::MAX_PLIES;
    const MOVE_INDICES: usize = 10 * Uttt::MOVE_INDICES;

    fn start(rules: Rules) -> Self {
        Self(Uttt::start(rules))
    }
    fn rules(&self) -> Rules {
        self.0.rules()
    }
    fn side_to_move(&self) -> Player {
        self.0.side_to_move()
    }
    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }
    fn legal_moves(&self) -> Self::Moves {
        let mut moves = Vec::new();
        for square in self.0.legal_moves() {
            match self.choices(square) {
                0 => moves.push(Move { square, board: None }),
                choices => {
                    let boards = (0..9).filter(|board| choices >> board & 1 == 1);
                    moves.extend(boards.map(|board| Move { square, board: Some(board) }));
                }
            }
        }
        moves.into_iter()
    }
    fn play_unchecked(&mut self, mv: Move) {
        self.0.play_unchecked(mv.square);
        if let Some(board) = mv.board {
            let marks = |player| std::array::from_fn(|board| self.0.marks(player, board));
            let (marks, side) = (Player::BOTH.map(marks), self.0.side_to_move());
            let sent = Uttt::from_marks(marks, side, Some(board.into()), self.0.rules());
            self.0 = sent.expect("the board is open");
        }
    }
    fn ply(&self) -> u32 {
        self.0.ply()
    }
    fn move_index(mv: Move) -> usize {
        10 * mv.square.index() + mv.board.map_or(9, usize::from)
    }
}

impl fmt::Display for WinnerChooses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

const EVALUATION: &WeightLayout = &WeightLayout {
    game: "winner-chooses",
    name: "boards",
    description: "small boards won, and those in the middle and the corners",
    slots: &[
        Slot { name: "won", description: "boards won", greatest_count: 9 },
        Slot { name: "middle", description: "the middle board", greatest_count: 1 },
        Slot { name: "corner", description: "corner boards", greatest_count: 4 },
    ],
};

/// The counts of the slots: the first player's minus the second's.
fn counts(WinnerChooses(position): &WinnerChooses) -> [i32; 3] {
    [0b111_111_111, 0b000_010_000, 0b101_000_101].map(|boards: u16| {
        let [first, second] = Player::BOTH.map(|player| position.won(player) & boards);
        first.count_ones() as i32 - second.count_ones() as i32
    })
}

impl Searchable for WinnerChooses {}

impl Game for WinnerChooses {
    const INFO: &'static GameInfo = &GameInfo::new::<Self>("winner-chooses", &[EVALUATION]);
    fn with_evaluator<V: EvaluatorVisitor<Self>>(
        layout: &'static WeightLayout,
        values: &[f64],
        visitor: V,
    ) -> Result<V::Output, WeightsError> {
        Ok(visitor.visit(Linear::new(layout, values, counts)?))
    }
}

/// The laws that every game obeys: `cargo test --test laws variant`.
#[cfg(test)]
mod laws {
    use super::*;
    use tictune::testing::{Lawful, check};

    impl Lawful for WinnerChooses {
        // The laws take long, since moves are made of positions.
        const ONE_GAME_OF: u64 = 100;
        fn with_marks_swapped(&self) -> Option<Self> {
            None
        }
        fn every_rules() -> Vec<Rules> {
            Rules::all().to_vec()
        }
    }

    #[test]
    fn a_variant_is_lawful() {
        check::<WinnerChooses>();
    }

    /// What the rules say of the boards that a player is sent to, in random games.
    #[test]
    fn the_winner_of_a_board_chooses() {
        // Chosen by the winner, left to the winner, and the coin's two sides.
        let mut seen = [0; 4];
        for seed in 0..1500_u64 {
            let (mut position, mut state) = (WinnerChooses::start(Rules::default()), seed);
            while position.outcome().is_none() {
                let moves: Vec<Move> = position.legal_moves().collect();
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let mv = moves[(state >> 33) as usize % moves.len()];
                let (mover, plain) = (position.side_to_move(), position.0.after(mv.square));
                let target = mv.square.cell();
                position.play_unchecked(mv);
                if position.outcome().is_some() {
                    continue;
                }
                let boards = position.legal_moves().map(|next| next.square.board());
                let boards = boards.fold(0_u16, |all, board| all | 1 << board);
                let [own, others] = [mover, mover.other()].map(|one| plain.won(one) >> target & 1);
                if plain.open() >> target & 1 == 1 {
                    assert_eq!((boards, mv.board), (1 << target, None));
                } else if let Some(board) = mv.board {
                    assert!(plain.open() >> board & 1 == 1 && others == 0);
                    assert_eq!(boards, 1 << board);
                    seen[if own == 1 { 0 } else { 2 }] += 1;
                } else {
                    assert_eq!((boards, own), (plain.open(), 0));
                    seen[if others == 1 { 1 } else { 3 }] += 1;
                }
            }
        }
        assert!(seen.iter().all(|&count| count > 50), "{seen:?}");
    }
}
