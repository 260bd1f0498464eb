//! The squares that the cursor walks over, and where they stand.

use crate::registry::{BoardView, PositionView};

/// Parts in a single row are wrapped beyond so many squares side by side.
const WIDEST_ROW: usize = 10;

/// How many moves stand in a row, where a game has no board.
const MOVES_IN_A_ROW: usize = 6;

/// The squares of a board, or the legal moves of a game without one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Squares {
    pub(super) parts: Vec<Part>,
    pub(super) squares: Vec<Square>,
    /// Whether squares have marks; else each shows its move.
    pub(super) is_board: bool,
}

/// A part of the board. It takes a rectangle of squares, and a line above it for its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) name: String,
    pub(super) owner: Option<char>,
    /// Where it stands among the parts.
    pub(super) across: usize,
    pub(super) down: usize,
    /// Its first square, counted over all parts.
    pub(super) column: usize,
    pub(super) row: usize,
    pub(super) columns: usize,
    pub(super) rows: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Square {
    pub(super) mv: String,
    pub(super) mark: Option<char>,
    pub(super) part: usize,
    /// Counted over all parts.
    pub(super) column: usize,
    pub(super) row: usize,
}

/// A direction of the arrow keys, as steps right and down.
pub(super) type Direction = (isize, isize);

impl Squares {
    pub(super) fn of(view: &PositionView) -> Self {
        match &view.board {
            Some(board) => Self::of_board(board),
            None => Self::of_moves(&view.legal),
        }
    }

    fn of_board(board: &BoardView) -> Self {
        let across = parts_across(board);
        let mut found = Self { is_board: true, ..Self::default() };
        let mut row = 0;
        for (down, parts) in board.parts.chunks(across).enumerate() {
            let (mut column, mut rows_here) = (0, 0);
            for (across, part) in parts.iter().enumerate() {
                let columns = part.columns.max(1);
                let rows = part.squares.len().div_ceil(columns);
                for (number, square) in part.squares.iter().enumerate() {
                    found.squares.push(Square {
                        mv: square.mv.clone(),
                        mark: square.mark,
                        part: found.parts.len(),
                        column: column + number % columns,
                        row: row + number / columns,
                    });
                }
                let (name, owner) = (part.name.clone(), part.owner);
                found.parts.push(Part { name, owner, across, down, column, row, columns, rows });
                column += columns;
                rows_here = rows_here.max(rows);
            }
            row += rows_here;
        }
        found
    }

    fn of_moves(legal: &[String]) -> Self {
        let rows = legal.len().div_ceil(MOVES_IN_A_ROW);
        let square = |(number, mv): (usize, &String)| Square {
            mv: mv.clone(),
            mark: None,
            part: 0,
            column: number % MOVES_IN_A_ROW,
            row: number / MOVES_IN_A_ROW,
        };
        let part = Part {
            name: "legal moves".into(),
            owner: None,
            across: 0,
            down: 0,
            column: 0,
            row: 0,
            columns: MOVES_IN_A_ROW,
            rows,
        };
        let squares = legal.iter().enumerate().map(square).collect();
        Self { parts: vec![part], squares, is_board: false }
    }

    /// The number of the square of a move.
    pub(super) fn find(&self, mv: &str) -> Option<usize> {
        self.squares.iter().position(|square| square.mv == mv)
    }

    /// The next square in a direction: straight ahead if there is one, else the nearest.
    pub(super) fn neighbour(&self, from: usize, (right, down): Direction) -> Option<usize> {
        let here = self.squares.get(from)?;
        let distance = |square: &Square| {
            let columns = square.column as isize - here.column as isize;
            let rows = square.row as isize - here.row as isize;
            let along = columns * right + rows * down;
            (along > 0).then(|| along + 4 * (columns * down).abs().max((rows * right).abs()))
        };
        let near = self.squares.iter().enumerate();
        let near = near.filter_map(|(number, square)| Some((distance(square)?, number)));
        near.min().map(|(_, number)| number)
    }

    /// The same square of the next part, or of the one before.
    pub(super) fn in_next_part(&self, from: usize, back: bool) -> Option<usize> {
        let here = self.squares.get(from)?;
        let of = self.parts.get(here.part)?;
        let count = self.parts.len();
        let next = (here.part + if back { count - 1 } else { 1 }) % count;
        let part = &self.parts[next];
        let (column, row) = (here.column - of.column, here.row - of.row);
        self.squares.iter().position(|square| {
            square.part == next
                && (square.column, square.row) == (part.column + column, part.row + row)
        })
    }

    /// The square nearest to another among those that are wanted.
    pub(super) fn nearest(&self, to: usize, wanted: impl Fn(&Square) -> bool) -> Option<usize> {
        let Some(here) = self.squares.get(to) else {
            return self.squares.iter().position(wanted);
        };
        let far = |square: &Square| {
            square.column.abs_diff(here.column).pow(2) + square.row.abs_diff(here.row).pow(2)
        };
        let near = self.squares.iter().enumerate().filter(|(_, square)| wanted(square));
        near.min_by_key(|(_, square)| far(square)).map(|(number, _)| number)
    }
}

/// How many parts stand in a row. A board in parts keeps its shape; parts that only follow each other are wrapped.
fn parts_across(board: &BoardView) -> usize {
    let (count, given) = (board.parts.len().max(1), board.columns.max(1));
    let columns = board.parts.iter().map(|part| part.columns).max().unwrap_or(1).max(1);
    if given < count || given * columns <= WIDEST_ROW {
        return given;
    }
    let rows = count.div_ceil((WIDEST_ROW / columns).max(1));
    count.div_ceil(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Registry;
    use crate::registry::SessionRequest;

    fn squares(game: &str) -> Squares {
        let mut registry = Registry::default();
        registry.add::<crate::games::Uttt>();
        registry.add::<crate::games::Qubic>();
        registry.add::<crate::games::Chess>();
        let game = registry.find(Some(game)).unwrap();
        let request = SessionRequest {
            agent: Some("random"),
            rules: "",
            second: None,
            from: None,
            seed: 0,
            command: "",
        };
        Squares::of(&game.session(&request).unwrap().view())
    }

    /// The moves of a walk from a square.
    fn walk(squares: &Squares, from: &str, steps: &[Direction]) -> Vec<String> {
        let mut at = squares.find(from).unwrap();
        let moves = steps.iter().map(|step| {
            at = squares.neighbour(at, *step).unwrap_or(at);
            squares.squares[at].mv.clone()
        });
        moves.collect()
    }

    const RIGHT: Direction = (1, 0);
    const LEFT: Direction = (-1, 0);
    const DOWN: Direction = (0, 1);
    const UP: Direction = (0, -1);

    #[test]
    fn the_cursor_walks_from_part_to_part() {
        let uttt = squares("uttt");
        assert_eq!((uttt.squares.len(), uttt.parts.len()), (81, 9));
        let steps = [RIGHT, DOWN, LEFT, UP, UP];
        assert_eq!(walk(&uttt, "2,2", &steps), ["3,2", "3,3", "2,3", "2,2", "2,1"]);
        assert_eq!(walk(&uttt, "8,0", &[RIGHT, UP]), ["8,0", "8,0"], "it stops at the edge");
    }

    #[test]
    fn layers_are_wrapped_and_a_key_changes_them() {
        let qubic = squares("qubic");
        let places: Vec<_> = qubic.parts.iter().map(|part| (part.across, part.down)).collect();
        assert_eq!(places, [(0, 0), (1, 0), (0, 1), (1, 1)]);
        assert_eq!(walk(&qubic, "1,4,4", &[RIGHT, DOWN, LEFT]), ["2,4,1", "4,1,1", "3,1,4"]);
        let next = |from: &str, back| {
            let at = qubic.in_next_part(qubic.find(from).unwrap(), back).unwrap();
            qubic.squares[at].mv.clone()
        };
        assert_eq!((next("1,2,3", false), next("1,2,3", true)), ("2,2,3".into(), "4,2,3".into()));
    }

    #[test]
    fn a_game_without_a_board_has_its_moves() {
        let chess = squares("chess");
        assert_eq!((chess.squares.len(), chess.is_board, chess.parts.len()), (20, false, 1));
        assert_eq!((chess.squares[7].column, chess.squares[7].row), (1, 1));
        let far = chess.nearest(0, |square| square.row == 2).unwrap();
        assert_eq!((chess.squares[far].column, chess.squares[far].row), (0, 2));
    }
}
