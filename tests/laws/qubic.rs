//! Tests that are specific to Qubic.

use tictune::game::{NoRules, Outcome, Player, Position, perft};
use tictune::games::qubic::{Qubic, QubicMove};
use tictune::games::testing::qubic::cell;
use tictune::testing::evaluations::evaluations_are_those_of_the_twin;
use tictune::testing::play::{in_notation, on_random_play, playouts};

/// A slow and simple implementation: the cube as an array, with lines found by walking in every
/// direction.
#[derive(Clone)]
pub(crate) struct Cube {
    cells: [Option<Player>; 64],
    moves: usize,
}

/// The cells of every line of four, each line from both ends.
pub(crate) fn lines() -> Vec<[usize; 4]> {
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
    fn start() -> Self {
        Self { cells: [None; 64], moves: 0 }
    }

    pub(crate) fn of(position: &Qubic) -> Self {
        let mut cube = Self { cells: [None; 64], moves: position.ply() as usize };
        for index in 0..64 {
            cube.cells[index] = position.at(cell(index));
        }
        cube
    }

    pub(crate) fn at(&self, index: usize) -> Option<Player> {
        self.cells[index]
    }

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

    fn perft(&self, depth: u32, lines: &[[usize; 4]]) -> u64 {
        if depth == 0 {
            return 1;
        }
        self.moves(lines).into_iter().map(|mv| self.after(mv).perft(depth - 1, lines)).sum()
    }
}

#[test]
fn the_twin_has_the_76_lines_from_both_ends() {
    assert_eq!(lines().len(), 2 * 76);
    assert_eq!(Cube::start().perft(2, &lines()), 4032);
}

#[test]
fn random_games_go_as_in_the_twin() {
    let lines = lines();
    on_random_play::<Qubic>(3000, |step| {
        let moves = &step.playout.moves[..step.ply];
        let twin = moves.iter().fold(Cube::start(), |cube, &mv| cube.after(mv));
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
            assert_eq!(step.position.at(cell(index)), twin.at(index), "cell {index} of\n{step}");
        }
    });
}

#[test]
fn late_positions_are_counted_as_in_the_twin() {
    let lines = lines();
    let mut ends = 0;
    for playout in playouts::<Qubic>(250) {
        for step in playout.steps().filter(|step| step.ply % 3 == 0) {
            let free = step.position.legal_move_count() as u64;
            let depth = match free {
                1..=6 => 4,
                7..=14 => 3,
                _ => 2,
            };
            let counted = perft(&step.position, depth);
            let expected = Cube::of(&step.position).perft(depth, &lines);
            assert_eq!(counted, expected, "perft {depth}, and in the twin, of\n{step}");
            let without_ends = (0..u64::from(depth)).map(|ply| free.saturating_sub(ply)).product();
            ends += u64::from(counted < without_ends);
        }
    }
    // Without enough finished games, this would count only permutations.
    assert!(ends > 300, "games end within the depth from only {ends} positions");
}

#[test]
fn openings_of_two_plies_are_35_without_symmetry() {
    // The group of all permutations that preserve the set of lines, found by search, has as many
    // orbits.
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

/// The value of a player's marks in the cube under an evaluation of Papadam or `lines`.
fn points_of(player: Player, evaluation: &str, weights: &[f64], cube: &Cube) -> f64 {
    let rich = |index: usize| {
        let border = [index / 16, index / 4 % 4, index % 4].map(|at| at == 0 || at == 3);
        border == [true; 3] || border == [false; 3]
    };
    let mut points = 0.0;
    // Every line occurs twice, once from each end.
    for line in lines().into_iter().filter(|line| line[0] < line[3]) {
        let own = line.iter().filter(|&&at| cube.at(at) == Some(player)).count();
        let blocked = line.iter().any(|&at| cube.at(at) == Some(player.other()));
        let axes_crossed =
            [16, 4, 1].iter().filter(|&&size| line[0] / size % 4 != line[3] / size % 4).count();
        let kind = match axes_crossed {
            1 if !line.iter().any(|&at| rich(at)) => 0,
            1 => 1,
            2 => 2,
            _ => 3,
        };
        points += match (evaluation, own) {
            ("ef1", 2) => weights[0],
            ("ef1", 3) => weights[1],
            ("ef2", 2) if !blocked => weights[0],
            ("ef2", 3) if !blocked => weights[1],
            ("lines", 1..=3) if !blocked => weights[3 * kind + own - 1],
            _ => 0.0,
        };
    }
    if evaluation == "lines" {
        let held = (0..64).filter(|&index| cube.at(index) == Some(player));
        points += held.map(|index| weights[if rich(index) { 13 } else { 12 }]).sum::<f64>();
    }
    points
}

fn obvious_value(position: &Qubic, evaluation: &str, weights: &[f64]) -> f64 {
    let cube = Cube::of(position);
    points_of(Player::First, evaluation, weights, &cube)
        - points_of(Player::Second, evaluation, weights, &cube)
}

#[test]
fn evaluations_of_qubic_are_what_papadam_describes() {
    evaluations_are_those_of_the_twin(40, |position, _, name, weights| {
        obvious_value(position, name, weights)
    });
}
