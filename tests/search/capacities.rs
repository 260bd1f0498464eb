//! A game that has more moves in a position, more move indices and longer games than those of the
//! crate. Players take turns to take one of 300 numbers. No search may have a limit that this game exceeds.

use std::fmt;
use std::sync::Arc;

use rand::SeedableRng;
use tictune::game::{Linear, NoRules, Outcome, Player, Position, Searchable, Slot, WeightLayout};
use tictune::papers::searches::plain::{Pruning, Unsorted};
use tictune::papers::searches::selective::Selective;
use tictune::papers::searches::{Sorting, Widths};
use tictune::search::mcts::{MctsParameters, Stopped};
use tictune::search::{Budget, Expectimax, Iterative, Mcts, Minimax, Stop};
use tictune::seed::Generator;

use crate::mcts::TREES;
use crate::plain_minimax;

const NUMBERS: u16 = 300;

/// The owners of the numbers. Taking [`PRIZE`] wins. The game is drawn when all numbers are taken.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Numbers {
    taken: [Option<Player>; NUMBERS as usize],
    ply: u32,
    has_prize: bool,
}

const PRIZE: u16 = 290;

impl Position for Numbers {
    type Move = u16;
    type Moves = std::vec::IntoIter<u16>;
    type Rules = NoRules;
    const MAX_PLIES: u32 = NUMBERS as u32;
    const MOVE_INDICES: usize = NUMBERS as usize;

    fn start(_: NoRules) -> Self {
        Self { taken: [None; NUMBERS as usize], ply: 0, has_prize: true }
    }

    fn outcome(&self) -> Option<Outcome> {
        let winner = self.taken[usize::from(PRIZE)].filter(|_| self.has_prize);
        let draw = (self.ply == Self::MAX_PLIES).then_some(Outcome::Draw);
        winner.map(Outcome::Win).or(draw)
    }

    fn legal_moves(&self) -> Self::Moves {
        let numbers = if self.outcome().is_some() { 0 } else { NUMBERS };
        let free = |number: &u16| self.taken[usize::from(*number)].is_none();
        Vec::from_iter((0..numbers).filter(free)).into_iter()
    }

    fn play_unchecked(&mut self, number: u16) {
        self.taken[usize::from(number)] = Some(self.side_to_move());
        self.ply += 1;
    }

    fn ply(&self) -> u32 {
        self.ply
    }

    fn move_index(number: u16) -> usize {
        usize::from(number)
    }
}

impl Searchable for Numbers {}

impl fmt::Display for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} numbers taken", self.ply)
    }
}

static LAYOUT: WeightLayout = WeightLayout {
    game: "numbers",
    name: "residues",
    description: "numbers by their residue",
    slots: &[Slot { name: "residue", description: "residues of 41", greatest_count: 12_000 }],
};

fn evaluator() -> Linear<Numbers> {
    let counts = |position: &Numbers| {
        let residue = |number: usize| (number * 17 % 41) as i32;
        let signed = |(number, player): (usize, &Option<Player>)| match player {
            Some(Player::First) => residue(number),
            Some(Player::Second) => -residue(number),
            None => 0,
        };
        [position.taken.iter().enumerate().map(signed).sum()]
    };
    Linear::new(&LAYOUT, &[1.0], counts).expect("one value")
}

/// A game that nobody wins before all numbers are taken.
fn without_prize() -> Numbers {
    Numbers { has_prize: false, ..Numbers::start(NoRules) }
}

#[test]
fn minimax_finds_every_best_move_of_300() {
    let evaluator = Arc::new(evaluator());
    for position in [without_prize(), Numbers::start(NoRules), without_prize().after(299)] {
        for depth in [1, 2] {
            let (score, best) = plain_minimax(&*evaluator, &position, depth);
            let selective = Selective {
                evaluator: &*evaluator,
                order: &*evaluator,
                widths: &Widths::all(),
                sorting: Sorting::Stable,
                quiescence: 0,
                stop: Stop::NEVER,
            };
            for found in [
                Minimax::new(&*evaluator).analyse(&position, depth),
                Unsorted::new(&*evaluator, Pruning::None, Stop::NEVER).analyse(&position, depth),
                selective.analyse(&position, depth),
                Iterative::new(Arc::clone(&evaluator), Some(depth), Some(1))
                    .search(&position, Budget::of(1_000_000))
                    .analysis,
            ] {
                assert_eq!((found.score, &found.best[..]), (score, &best[..]), "depth {depth}");
            }
        }
    }
}

#[test]
fn a_list_of_moves_grows_beyond_the_stack() {
    // Every evaluation is 0 and no game ends within the depth, so all first moves have the same value.
    let flat = Linear::<Numbers>::new(&LAYOUT, &[1.0], |_| [0]).expect("one value");
    let all: Vec<u16> = (0..NUMBERS).collect();
    assert_eq!(Minimax::new(&flat).analyse(&without_prize(), 1).best.as_slice(), all);
    let expected = Expectimax::new(&flat, 10_000.0).analyse(&without_prize(), 2);
    assert_eq!((expected.value, expected.best.as_slice()), (0.0, &all[..]));
    assert_eq!(expected.nodes, 300 + 300 * 299);
}

#[test]
fn tree_searches_take_moves_of_any_number_and_prove_the_end_of_a_long_game() {
    // The remaining moves have the greatest numbers.
    let late = (0..NUMBERS - 6).fold(without_prize(), |position, number| position.after(number));
    for tree in TREES {
        let search = |position: &Numbers, iterations, solver| {
            let settings =
                MctsParameters { tree, solver, reference: 5, ..MctsParameters::default() };
            let mut generator = Generator::seed_from_u64(7);
            let mut search = Mcts::new(settings, Arc::new(evaluator()));
            search.search(position, Budget::of(iterations), &mut generator)
        };
        // Playouts of this game are longer than 128 moves.
        let found = search(&without_prize(), 400, false);
        assert_eq!((found.iterations, found.stopped), (400, Stopped::Budget), "{tree:?}");
        let visits: u64 = found.children.iter().map(|child| child.visits).sum();
        assert_eq!((found.children.len(), visits), (300, 400), "{tree:?}");
        let won = search(&Numbers::start(NoRules), 400, false);
        assert_eq!(won.mv, PRIZE, "{tree:?} wins at once");
        let found = search(&late, 100_000, true);
        assert_eq!(found.stopped, Stopped::Proven, "{tree:?}: six numbers are left, a draw");
        assert!(found.children.iter().all(|child| child.proven == Some(0)), "{tree:?}");
    }
}
