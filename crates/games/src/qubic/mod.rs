//! Qubic, 4x4x4 tic-tac-toe, on two 64-bit boards (rules: Papadam, "The 3D Tic-Tac-Toe"; Patashnik 1980).
//!
//! The players take turns to put a mark on a free cell. Four own marks on any of the 76 lines win. A full cube without such a
//! line is a draw.

pub mod cube;
pub mod evaluation;
mod notation;
mod threats;

use std::fmt;

use self::cube::{CELLS, CubeSymmetry};
use self::threats::Threats;
use tictune_core::game::{NoRules, NotationError, Outcome, Player, Position, Searchable};

/// A cell of the cube. Cells are numbered in generation order: layer by layer, row by row, column by column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QubicMove(u8);

impl QubicMove {
    /// The cell of a layer, row and column, each 0 to 3; `None` if one is larger.
    pub const fn new(layer: usize, row: usize, column: usize) -> Option<Self> {
        if layer < 4 && row < 4 && column < 4 {
            Some(Self(cube::cell(layer, row, column) as u8))
        } else {
            None
        }
    }

    /// The cell of a number in generation order, 0 to 63; `None` if it is larger.
    pub const fn from_index(index: usize) -> Option<Self> {
        if index < CELLS { Some(Self(index as u8)) } else { None }
    }

    /// The cell's number in generation order, 0 to 63.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The image under a symmetry of the cube.
    pub fn map(self, symmetry: CubeSymmetry) -> Self {
        Self(symmetry.cell(self.index()) as u8)
    }
}

impl fmt::Display for QubicMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [layer, row, column] = cube::coordinates(self.index()).map(|coordinate| coordinate + 1);
        write!(f, "{layer},{row},{column}")
    }
}

/// A position of Qubic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Qubic {
    /// The marks of the first and the second player.
    marks: [u64; 2],
    ply: u8,
    outcome: Option<Outcome>,
}

/// The legal moves of a [`Qubic`] position in generation order, as a set of cells.
#[derive(Clone, Debug)]
pub struct QubicMoves(u64);

impl Iterator for QubicMoves {
    type Item = QubicMove;

    #[inline]
    fn next(&mut self) -> Option<QubicMove> {
        if self.0 == 0 {
            return None;
        }
        let cell = self.0.trailing_zeros() as u8;
        self.0 &= self.0 - 1;
        Some(QubicMove(cell))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.0.count_ones() as usize;
        (left, Some(left))
    }
}

impl Qubic {
    /// The marks of a player, as a mask of cells.
    #[inline]
    pub const fn marks(&self, player: Player) -> u64 {
        self.marks[player.index()]
    }

    /// The cells that hold no mark.
    #[inline]
    pub const fn empty(&self) -> u64 {
        !(self.marks[0] | self.marks[1])
    }

    /// The player whose mark is on a cell.
    pub fn at(&self, cell: QubicMove) -> Option<Player> {
        Player::BOTH.into_iter().find(|&player| self.marks(player) >> cell.index() & 1 == 1)
    }

    /// The image of the position under a symmetry.
    pub fn map(&self, symmetry: CubeSymmetry) -> Self {
        Self { marks: self.marks.map(|marks| symmetry.mask(marks)), ..*self }
    }

    /// Creates a position from the marks of both players and the side to move.
    ///
    /// # Errors
    /// A reason, of those that are easy to check, why no game can reach the position.
    pub fn from_marks(marks: [u64; 2], side: Player) -> Result<Self, NotationError> {
        let wrong = |message: String| Err(NotationError(message));
        let [first, second] = marks.map(u64::count_ones);
        let (mover, mark) = (side.other(), side.mark());
        if first != second + u32::from(side == Player::Second) {
            return wrong(format!("{mark} is to move with {first} marks of x and {second} of o"));
        }
        if marks[0] & marks[1] != 0 {
            return wrong("a mark lies on another".into());
        }
        let lines = |player: Player| {
            let marks = marks[player.index()];
            cube::LINES.iter().filter(move |line| marks & line.mask == line.mask)
        };
        if lines(side).next().is_some() {
            return wrong(format!("{mark} has four in a row and is to move: the game was over"));
        }
        // The last move completed all lines, so it lies on each of them.
        let common = lines(mover).fold(u64::MAX, |common, line| common & line.mask);
        if common == 0 {
            return wrong(format!("no single move can have made all lines of {}", mover.mark()));
        }
        let mut position = Self { marks, ply: (first + second) as u8, outcome: None };
        position.outcome = position.outcome_of(lines(mover).next().is_some(), mover);
        Ok(position)
    }

    /// The outcome after a move of `mover`; `line` says whether it made a line.
    #[inline]
    fn outcome_of(&self, line: bool, mover: Player) -> Option<Outcome> {
        let is_full = usize::from(self.ply) == CELLS;
        if line { Some(Outcome::Win(mover)) } else { is_full.then_some(Outcome::Draw) }
    }
}

/// The eight cells whose three coordinates all are one of two given ones.
pub(super) const fn rich_cells(among: [usize; 2]) -> [QubicMove; 8] {
    let mut moves = [QubicMove(0); 8];
    let mut number = 0;
    while number < 8 {
        let [layer, row, column] = [number >> 2, number >> 1 & 1, number & 1];
        moves[number] = QubicMove(cube::cell(among[layer], among[row], among[column]) as u8);
        number += 1;
    }
    moves
}

impl Position for Qubic {
    type Move = QubicMove;
    type Rules = NoRules;
    type Moves = QubicMoves;

    const MAX_PLIES: u32 = CELLS as u32;
    const MOVE_INDICES: usize = CELLS;

    fn start(_: NoRules) -> Self {
        Self { marks: [0; 2], ply: 0, outcome: None }
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    #[inline]
    fn legal_moves(&self) -> QubicMoves {
        QubicMoves(if self.outcome.is_some() { 0 } else { self.empty() })
    }

    #[inline]
    fn legal_move_count(&self) -> usize {
        if self.outcome.is_some() { 0 } else { CELLS - usize::from(self.ply) }
    }

    #[inline]
    fn nth_legal_move(&self, index: usize) -> QubicMove {
        debug_assert!(index < self.legal_move_count());
        QubicMove(cube::nth_cell(self.empty(), index as u32) as u8)
    }

    #[inline]
    fn is_legal(&self, mv: QubicMove) -> bool {
        self.outcome.is_none() && self.empty() >> mv.index() & 1 == 1
    }

    #[inline]
    fn play_unchecked(&mut self, mv: QubicMove) {
        debug_assert!(self.is_legal(mv), "{mv} in\n{self}");
        let mover = self.side_to_move();
        let marks = &mut self.marks[mover.index()];
        *marks |= 1 << mv.index();
        let line = cube::has_line_through(*marks, mv.index());
        self.ply += 1;
        self.outcome = self.outcome_of(line, mover);
    }

    fn ply(&self) -> u32 {
        u32::from(self.ply)
    }

    #[inline]
    fn move_index(mv: QubicMove) -> usize {
        mv.index()
    }

    fn key(&self) -> u64 {
        // The marks determine who is to move. Source: the finaliser of SplitMix64 (Steele, Lea, Flood 2014), one round for
        // each player's marks.
        self.marks.iter().fold(0x9e37_79b9_7f4a_7c15, |hash: u64, &marks| {
            let mixed = hash ^ marks;
            let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^ mixed >> 31
        })
    }

    fn canonical_key(&self) -> u64 {
        CubeSymmetry::all().map(|symmetry| self.map(symmetry).key()).fold(u64::MAX, u64::min)
    }

    fn parse_move(text: &str) -> Result<QubicMove, NotationError> {
        text.parse()
    }

    fn notation(&self) -> String {
        notation::write_position(self)
    }

    fn from_notation(text: &str, _: NoRules) -> Result<Self, NotationError> {
        notation::read_position(text)
    }
}

impl Searchable for Qubic {
    #[inline]
    fn winning_move(&self) -> Option<QubicMove> {
        if self.outcome.is_some() {
            return None;
        }
        let cells = cube::completing(self.marks(self.side_to_move())) & self.empty();
        (cells != 0).then(|| QubicMove(cells.trailing_zeros() as u8))
    }

    fn forced_win(&self, most: u32, visited: &mut u64) -> Option<QubicMove> {
        let marks = |player| self.marks(player);
        let side = self.side_to_move();
        let mut threats = Threats::new(most);
        let found = threats.win(marks(side), marks(side.other()));
        *visited += u64::from(most - threats.left);
        found.map(|cell| QubicMove(cell as u8))
    }
}
