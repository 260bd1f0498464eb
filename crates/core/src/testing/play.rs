//! Random games, and the positions in them as a failed law shows them.

use std::fmt;

use rand::RngExt;

use super::Lawful;
use crate::game::Game;
use crate::seed::{Role, generator, mix};

/// A game played at random to its end.
pub struct RandomGame<P: Game> {
    pub rules: P::Rules,
    pub seed: u64,
    pub moves: Vec<P::Move>,
}

impl<P: Lawful> RandomGame<P> {
    /// The random game of a seed. Panics if it has no end.
    pub fn new(rules: P::Rules, seed: u64) -> Self {
        let mut generator = generator(seed, Role::Opening);
        let mut moves = P::beginning(&mut generator);
        let mut position = moves.iter().fold(P::start(rules), |position, &mv| position.after(mv));
        while position.outcome().is_none() {
            let legal: Vec<P::Move> = position.legal_moves().collect();
            let (plies, notation) = (moves.len(), position.notation());
            assert!(
                plies < P::MAX_PLIES as usize,
                "Position::outcome is None after {plies} moves, which is Position::MAX_PLIES: {notation}"
            );
            assert!(
                !legal.is_empty(),
                "Position::legal_moves is empty, but Position::outcome is None: {notation}"
            );
            let mv = legal[generator.random_range(0..legal.len() as u32) as usize];
            position.play_unchecked(mv);
            moves.push(mv);
        }
        Self { rules, seed, moves }
    }
}

impl<P: Game> RandomGame<P> {
    /// Every position of the game, the start and the end included.
    pub fn steps(&self) -> impl Iterator<Item = RandomStep<'_, P>> {
        let mut position = P::start(self.rules);
        (0..=self.moves.len()).map(move |ply| {
            if ply > 0 {
                position.play_unchecked(self.moves[ply - 1]);
            }
            RandomStep { playout: self, ply, position: position.clone() }
        })
    }
}

/// A position of a random game. As text it is what a reader of a failed law needs.
pub struct RandomStep<'p, P: Game> {
    pub playout: &'p RandomGame<P>,
    pub ply: usize,
    pub position: P,
}

impl<P: Game> RandomStep<'_, P> {
    /// The next move of the game; `None` at its end.
    pub fn next_move(&self) -> Option<P::Move> {
        self.playout.moves.get(self.ply).copied()
    }

    /// Panics unless what was found is what a law expects, with both and the step.
    #[track_caller]
    pub fn same<T: PartialEq + fmt::Debug>(&self, what: impl fmt::Display, found: T, expected: T) {
        assert!(found == expected, "{what}: found {found:?}, expected {expected:?} in\n{self}");
    }

    /// The same of moves, which are named in notation.
    #[track_caller]
    pub fn same_moves(&self, what: impl fmt::Display, found: &[P::Move], expected: &[P::Move]) {
        let both = || [found, expected].map(in_notation).join(", expected ");
        assert!(found == expected, "{what}: found {} in\n{self}", both());
    }
}

impl<P: Game> fmt::Display for RandomStep<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RandomGame { rules, seed, moves } = self.playout;
        writeln!(f, "{} \"{}\"", P::INFO.name, self.position.notation())?;
        let moves = in_notation(&moves[..self.ply]);
        writeln!(f, "rules \"{rules}\", seed {seed}, after the moves {moves}")?;
        write!(f, "{}", self.position)
    }
}

pub fn in_notation<M: fmt::Display>(moves: &[M]) -> String {
    let moves = moves.iter().map(ToString::to_string).collect::<Vec<_>>();
    if moves.is_empty() { "none".into() } else { moves.join(" ") }
}

/// The given number of random games under each variant of the rules, or [the share](Lawful::ONE_GAME_OF) that the game has.
pub fn playouts<P: Lawful>(games: u64) -> impl Iterator<Item = RandomGame<P>> {
    let games = games.div_ceil(P::ONE_GAME_OF);
    let variants = P::every_rules().into_iter().zip(0_u64..);
    variants.flat_map(move |(rules, variant)| {
        (0..games).map(move |game| RandomGame::new(rules, mix(variant, game)))
    })
}

/// Checks a law at every position of random games.
pub fn on_random_play<P: Lawful>(games: u64, law: impl Fn(&RandomStep<'_, P>)) {
    for playout in playouts::<P>(games) {
        for step in playout.steps() {
            law(&step);
        }
    }
}
