//! Tests that are specific to Qubic.

use tictune::game::{NoRules, Outcome, Player, Position, perft};
use tictune::games::qubic::{Qubic, QubicMove};
use tictune::games::testing::cell;
use tictune::testing::play::{in_notation, on_random_play};

/// A slow and simple implementation: the cube as an array, with lines found by walking in every direction.
#[derive(Clone)]
struct Cube {
    cells: [Option<Player>; 64],
    moves: usize,
}

/// The cells of every line of four, each line from both ends.
fn lines() -> Vec<[usize; 4]> {
    let mut lines = Vec::new();
    for start in 0..64_i32 {
        for direction in 0..27_i32 {
            let steps = [direction / 9 - 1, direction / 3 % 3 - 1, direction % 3 - 1];
            let from = [start / 16, start / 4 % 4, start % 4];
            let end = [0, 1, 2].map(|axis| from[axis] + 3 * steps[axis]);
            if steps != [0, 0, 0] && end.iter().all(|coordinate| (0..4).contains(coordinate)) {
                let step = 16 * steps[0] + 4 * steps[1] + steps[2];
                lines.push([0, 1, 2, 3].map(|number| (start + number * step) as usize));
            }
        }
    }
    lines
}

impl Cube {
    fn mover(&self) -> Player {
        Player::BOTH[self.moves % 2]
    }

    fn outcome(&self, lines: &[[usize; 4]]) -> Option<Outcome> {
        for player in Player::BOTH {
            let owns = |line: &[usize; 4]| line.iter().all(|&at| self.cells[at] == Some(player));
            if lines.iter().any(owns) {
                return Some(Outcome::Win(player));
            }
        }
        self.cells.iter().all(Option::is_some).then_some(Outcome::Draw)
    }

    fn moves(&self, lines: &[[usize; 4]]) -> Vec<QubicMove> {
        if self.outcome(lines).is_some() {
            return Vec::new();
        }
        (0..64).filter(|&index| self.cells[index].is_none()).map(cell).collect()
    }

    fn after(&self, mv: QubicMove) -> Self {
        let mut next = self.clone();
        next.cells[mv.index()] = Some(self.mover());
        next.moves += 1;
        next
    }
}

#[test]
fn random_games_go_as_in_the_twin() {
    let lines = lines();
    assert_eq!(lines.len(), 2 * 76);
    on_random_play::<Qubic>(1000, |step| {
        let moves = &step.playout.moves[..step.ply];
        let twin =
            moves.iter().fold(Cube { cells: [None; 64], moves: 0 }, |cube, &mv| cube.after(mv));
        assert_eq!(step.position.outcome(), twin.outcome(&lines), "outcome of\n{step}");
        assert_eq!(step.position.side_to_move(), twin.mover(), "side to move in\n{step}");
        let listed: Vec<QubicMove> = step.position.legal_moves().collect();
        let expected = twin.moves(&lines);
        assert!(
            listed == expected,
            "moves {}, but in the twin {}, in\n{step}",
            in_notation(&listed),
            in_notation(&expected)
        );
        for index in 0..64 {
            assert_eq!(step.position.at(cell(index)), twin.cells[index], "cell {index} of\n{step}");
        }
    });
}

#[test]
fn counts_are_the_pinned_ones() {
    // Nobody can have four in a row before ply 7, so up to there the counts are products.
    let start = Qubic::start(NoRules);
    for (depth, nodes) in (1..).zip([64, 4032, 249_984, 15_249_024, 914_941_440]) {
        assert_eq!(perft(&start, depth), nodes, "perft {depth} of Qubic");
        assert_eq!(nodes, (0..u64::from(depth)).map(|ply| 64 - ply).product::<u64>());
    }
    // Both players have three in a row. o may block x or win; if o does neither, x may win.
    let late = "xxx1/4/4/4|ooo1/4/4/4|4/4/4/4|4/4/4/4 x";
    let late = Qubic::from_notation(late, NoRules).expect("the position reads");
    // 58 moves, of which one wins. Each other move has 57 replies, of which one wins unless its cell is taken.
    assert_eq!(perft(&late, 1), 58);
    assert_eq!(perft(&late, 2), 57 * 57);
    assert_eq!(perft(&late, 3), 56 * 56 * 56 + 57 * 56);
}

#[test]
fn openings_of_two_plies_are_35_without_symmetry() {
    // The group of all permutations that preserve the set of lines, found by search, has as many orbits.
    let start = Qubic::start(NoRules);
    let keys = |positions: &[Qubic]| {
        positions.iter().map(Qubic::canonical_key).collect::<std::collections::HashSet<u64>>().len()
    };
    let one: Vec<Qubic> = start.legal_moves().map(|mv| start.after(mv)).collect();
    let two: Vec<Qubic> = one
        .iter()
        .flat_map(|position| position.legal_moves().map(|mv| position.after(mv)))
        .collect();
    assert_eq!((one.len(), keys(&one)), (64, 2));
    assert_eq!((two.len(), keys(&two)), (4032, 35));
}
