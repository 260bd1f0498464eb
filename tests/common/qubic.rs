//! Games of Qubic that nobody wins, for tests: chance leads to a full cube less often than once in 40,000
//! games.
#![allow(dead_code, unreachable_pub, reason = "each test crate uses a part")]

use rand::RngExt;
use rand::seq::SliceRandom;
use tictune::games::qubic::QubicMove;
use tictune::seed::Generator;

/// Full cubes in which nobody has a line, as the first player's marks.
const DRAWN: [u64; 3] = [0x2a61_758e_d298_4ebe, 0x9978_9e66_29cb_d432, 0x2dc4_da93_8349_eab5];

/// The cell of a number.
pub fn cell(index: usize) -> QubicMove {
    QubicMove::from_index(index).expect("there are 64 cells")
}

/// The 64 moves of a drawn game.
pub fn drawn_game(generator: &mut Generator) -> Vec<QubicMove> {
    let first = DRAWN[generator.random_range(0..3_u32) as usize];
    let [first, second] = [first, !first].map(|marks| {
        let mut side: Vec<QubicMove> =
            (0..64).filter(|number| marks >> number & 1 == 1).map(cell).collect();
        side.shuffle(generator);
        side
    });
    first.into_iter().zip(second).flat_map(|(x, o)| [x, o]).collect()
}
