//! The laws of games and evaluations, for the tests of any game.
//!
//! Two lines in your tests check a game of your own. Every law is checked on random play. A law that fails shows the
//! position and, where they matter, the moves and the seed:
//!
//! ```no_run
//! use tictune_core::testing::{Lawful, check};
//!
//! # fn of<MyGame: Lawful>() {
//! # /*
//! impl Lawful for MyGame {}
//! # */
//!
//! // In a test:
//! check::<MyGame>();
//! # }
//! ```
//!
//! [`Lawful`] tells the suite what it needs to know beyond [`Game`]: variants of the rules, symmetries, and ends that do
//! not occur. The laws are listed in [`laws`].

#[doc(hidden)]
pub mod evaluations;
#[doc(hidden)]
pub mod lookahead;
#[doc(hidden)]
pub mod play;
#[doc(hidden)]
pub mod positions;
#[cfg(test)]
pub(crate) mod toy;

use std::collections::BTreeSet;

use crate::game::{Game, Outcome, Player, WeightLayout};
use crate::seed::Generator;

/// Gives the list of all laws, `[FILE::LAW, ...]`, and further arguments to a macro, which makes of it what it likes: here
/// [`laws`] and [`check`], in `tests/laws/main.rs` a test for each law. A law is a function without arguments, generic over
/// the game.
#[macro_export]
macro_rules! every_law {
    ($then:ident $(, $($arguments:tt)*)?) => {
        $then! {
            [
                positions::random_play_ends_in_every_way,
                positions::listed_moves_are_the_legal_moves,
                positions::moves_have_numbers_and_plies_are_counted,
                positions::playing_out_is_drawing_moves_to_the_end,
                positions::play_is_play_unchecked_and_refuses_the_rest,
                positions::winning_move_is_the_first_that_wins,
                positions::notation_and_its_parser_are_inverse,
                positions::playing_commutes_with_symmetry,
                positions::keys_tell_positions_apart,
                positions::zobrist_hashes_follow_moves,
                evaluations::evaluations_are_linear_in_their_slots,
                evaluations::evaluations_obey_their_laws,
                evaluations::weights_rounded_up_to_the_bound_of_scores_do_not_overflow,
                lookahead::look_ahead_finds_what_playing_finds,
            ]
            $($($arguments)*)?
        }
    };
}

/// Makes `laws` and `check` of the list.
macro_rules! suite {
    ([$($file:ident::$law:ident,)*]) => {
        /// Every law, by its name.
        pub mod laws {
            $(pub use super::$file::$law;)*
        }

        /// Checks every law of a game and its evaluations.
        ///
        /// # Panics
        /// If one does not hold, with the position, its moves and the seed.
        pub fn check<P: Lawful>() {
            P::INFO.assert_consistent();
            $(laws::$law::<P>();)*
        }
    };
}

every_law!(suite);

/// What the laws need to know of a game beyond [`Game`]. Every item has a default, which suits a game without rule
/// variants, symmetries and a notation of positions: `impl Lawful for MyGame {}`.
pub trait Lawful: Game {
    /// The number of symmetries of the board, the identity (number 0) included.
    const SYMMETRIES: usize = 1;
    /// Whether positions are read from [`notation`](crate::game::Position::notation).
    const READS_NOTATION: bool = false;
    /// Whether an evaluation looks ahead further than one ply, which gives something to compare.
    const LOOKS_AHEAD: bool = false;

    /// In how few games laws are checked: in 1 of 50 for a game that has long games and many moves.
    const ONE_GAME_OF: u64 = 1;

    /// Every variant of the rules.
    fn every_rules() -> Vec<Self::Rules> {
        vec![Self::Rules::default()]
    }

    /// The ends that random games reach: by default a win of either player and a draw.
    fn ends() -> Vec<Outcome> {
        vec![Outcome::Win(Player::First), Outcome::Win(Player::Second), Outcome::Draw]
    }

    /// Every move that notation can name, legal anywhere or not, in generation order; by default those that are legal
    /// somewhere in 200 random games.
    fn every_move() -> Vec<Self::Move> {
        let games =
            (0..200).map(|seed| play::RandomGame::<Self>::new(Self::Rules::default(), seed));
        let mut moves = BTreeSet::new();
        for game in games {
            moves.extend(game.steps().flat_map(|step| step.position.legal_moves()));
        }
        moves.into_iter().collect()
    }

    /// Moves that a random game begins with, so that it can reach ends that chance alone hardly reaches.
    fn beginning(_generator: &mut Generator) -> Vec<Self::Move> {
        Vec::new()
    }

    /// The image of the position under a symmetry.
    fn image(&self, _symmetry: usize) -> Self {
        self.clone()
    }

    /// The image of a move under a symmetry.
    fn image_of_move(mv: Self::Move, _symmetry: usize) -> Self::Move {
        mv
    }

    /// The position with each mark given to the other player and the same side to move (where pieces have a direction, turn the
    /// board, too); `None` where no game has it. Implement it: nothing else checks that evaluations favour both players alike.
    fn with_marks_swapped(&self) -> Option<Self> {
        None
    }

    /// What positions that count as one opening have in common: by default the notation. Their
    /// [canonical keys](crate::game::Position::canonical_key) are equal.
    fn canonical_notation(&self) -> String {
        self.notation()
    }

    /// Whether a symmetry keeps the value of a position. Evaluations that weigh every square alone need not.
    fn evaluations_are_symmetric() -> bool {
        true
    }

    /// Whether an evaluation looks at who moves next, so that its value is not the negative when marks
    /// change places while the side to move stays: [`with_marks_swapped`](Self::with_marks_swapped) does not check it.
    fn looks_at_side_to_move(_layout: &WeightLayout) -> bool {
        false
    }
}

/// Checks what readers of configs say of mistakes. A section of `all` begins with a line `== SECTION` and ends with an empty line;
/// each line is `OLD => NEW => EXPECTED`: with NEW in place of OLD in the good config, the error contains EXPECTED. What is
/// no mistake has no error there. "\\n" is a line break.
#[doc(hidden)]
pub fn check_mistakes<T>(
    all: &str,
    section: &str,
    good: &str,
    read: impl Fn(&str) -> Result<T, String>,
) {
    let (_, lines) = all.split_once(&format!("== {section}\n")).expect("the section is there");
    for line in lines.lines().take_while(|line| !line.is_empty()) {
        let line = line.replace("\\n", "\n");
        let [old, new, expected] = line.split(" =>").collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let [new, expected] = [new, expected].map(|text| text.strip_prefix(' ').unwrap_or(text));
        let text = good.replacen(old, new, 1);
        assert_ne!(text, good, "{old} is not in the config");
        let error = read(&text).err().unwrap_or_default();
        assert_eq!(error.is_empty(), expected.is_empty(), "{new}: {error}");
        assert!(error.contains(expected), "{new}:\n  {error}\n  {expected}");
    }
}
