//! Ultimate Tic-Tac-Toe on bitboards (rules: Liang 1.3; variants: [`Rules`]).

pub mod evaluation;
mod moves;
mod notation;
pub mod platforms;
mod playout;
pub mod rules;
pub mod square;

use self::square::{FULL, SquareSymmetry};
use tictune_core::game::{
    NotationError, Outcome, Player, Position, Searchable, try_all_for_win, zobrist,
};

pub use moves::{UtttMove, UtttMoves};
pub use rules::{DrawnBoard, NoLine, Rules};

/// A position of Ultimate Tic-Tac-Toe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Uttt {
    /// The marks in each small board: the first player's in the low half, the second's in the high half.
    marks: [u32; 9],
    /// The boards that each player has won.
    won: [u16; 2],
    /// The boards that are won or full.
    closed: u16,
    /// The board that the side to move must play in, or [`ANYWHERE`].
    target: u8,
    side: Player,
    outcome: Option<Outcome>,
    rules: Rules,
}

/// The target if the side to move may choose any open board.
const ANYWHERE: u8 = 9;

/// The random numbers of Zobrist hashing. The side to move follows from the marks.
static MARKS: [[u64; 81]; 2] = [zobrist::numbers(1), zobrist::numbers(2)];
static TARGETS: [u64; 10] = zobrist::numbers(3);

/// The marks of both players in one word.
const fn in_one_word([first, second]: [u16; 2]) -> u32 {
    first as u32 | (second as u32) << 16
}

impl Uttt {
    /// The marks of a player in a small board.
    #[inline]
    pub const fn marks(&self, player: Player, board: usize) -> u16 {
        (self.marks[board] >> (16 * player.index())) as u16
    }

    /// The marks of both players in a small board.
    #[inline]
    pub const fn both(&self, board: usize) -> [u16; 2] {
        [self.marks[board] as u16, (self.marks[board] >> 16) as u16]
    }

    /// The boards that a player has won, as a mask.
    #[inline]
    pub const fn won(&self, player: Player) -> u16 {
        self.won[player.index()]
    }

    /// The position in which both players have won the drawn boards, for tests: no game leads there.
    #[doc(hidden)]
    pub fn with_drawn_boards_won_by_both(self) -> Self {
        let drawn = self.closed & !(self.won[0] | self.won[1]);
        Self { won: self.won.map(|won| won | drawn), rules: Rules::default(), ..self }
    }

    /// The boards that are won or full, as a mask.
    #[inline]
    pub const fn closed(&self) -> u16 {
        self.closed
    }

    /// The boards that are not closed, as a mask.
    #[inline]
    pub const fn open(&self) -> u16 {
        FULL & !self.closed
    }

    /// The boards that the side to move may play in, if the game is not over.
    #[inline]
    pub const fn playable(&self) -> u16 {
        if self.target == ANYWHERE { self.open() } else { 1 << self.target }
    }

    /// The board that the side to move must play in; `None` if it may choose any open board.
    pub const fn target(&self) -> Option<usize> {
        if self.target == ANYWHERE { None } else { Some(self.target as usize) }
    }

    /// The player whose mark is on a square.
    pub fn at(&self, square: UtttMove) -> Option<Player> {
        let bit = 1 << square.cell();
        Player::BOTH.into_iter().find(|&p| self.marks(p, square.board()) & bit != 0)
    }

    /// The image of the position under a symmetry.
    pub fn map(&self, symmetry: SquareSymmetry) -> Self {
        let mut image = *self;
        for board in 0..9 {
            let marks = self.both(board).map(|marks| symmetry.mask(marks));
            image.marks[symmetry.cell(board)] = in_one_word(marks);
        }
        image.won = self.won.map(|won| symmetry.mask(won));
        image.closed = symmetry.mask(self.closed);
        if let Some(target) = self.target() {
            image.target = symmetry.cell(target) as u8;
        }
        image
    }

    /// Creates a position from the marks of both players in each small board, the side to move, and the board that it must play in.
    ///
    /// # Errors
    /// A reason, of those that are easy to check, why no game can reach the position.
    pub fn from_marks(
        marks: [[u16; 9]; 2],
        side: Player,
        target: Option<usize>,
        rules: Rules,
    ) -> Result<Self, NotationError> {
        let count = |p: usize| marks[p].iter().map(|m| m.count_ones()).sum::<u32>();
        let ahead = u32::from(side == Player::Second);
        let wrong = |message: String| Err(NotationError(message));
        if count(0) != count(1) + ahead {
            let (mark, x, o) = (side.mark(), count(0), count(1));
            return wrong(format!("{mark} is to move with {x} marks of x and {o} of o"));
        }
        let overlap = |(x, o): (&u16, &u16)| x & o != 0 || (x | o) & !FULL != 0;
        if marks[0].iter().zip(&marks[1]).any(overlap) {
            return wrong("a mark lies on another or outside the board".into());
        }
        let together = std::array::from_fn(|board| in_one_word(marks.map(|boards| boards[board])));
        let mut position = Self { marks: together, side, ..Self::start(rules) };
        for board in 0..9 {
            let small = marks.map(|boards| boards[board]);
            let lines = small.map(square::has_line);
            if lines == [true; 2] {
                return wrong(format!("both players have three in a row in small board {board}"));
            }
            for (won, line) in position.won.iter_mut().zip(lines) {
                *won |= u16::from(line) << board;
            }
            position.closed |= u16::from(square::is_closed(small)) << board;
        }
        position.outcome = position.find_outcome(side.other());
        if let Some(board) = target {
            if position.closed >> board & 1 == 1 {
                return wrong(format!(
                    "the side to move is sent to board {board}, which is closed"
                ));
            }
            position.target = board as u8;
        } else if count(0) > 0 && position.closed == 0 {
            return wrong("the side to move may choose its board, but no board is closed".into());
        }
        Ok(position)
    }

    /// The outcome after a move of `mover`, if the game is over.
    #[inline]
    fn find_outcome(&self, mover: Player) -> Option<Outcome> {
        let shared = match self.rules.drawn_board {
            DrawnBoard::Nobody => 0,
            DrawnBoard::Both => self.closed & !(self.won[0] | self.won[1]),
        };
        for player in [mover, mover.other()] {
            if square::has_line(self.won(player) | shared) {
                return Some(Outcome::Win(player));
            }
        }
        if self.closed != FULL {
            return None;
        }
        let [first, second] = self.won.map(u16::count_ones);
        Some(match self.rules.no_line {
            NoLine::MostBoards if first > second => Outcome::Win(Player::First),
            NoLine::MostBoards if second > first => Outcome::Win(Player::Second),
            _ => Outcome::Draw,
        })
    }

    /// Whether a legal move wins or fills its small board.
    #[inline]
    pub fn closes_board(&self, mv: UtttMove) -> bool {
        let bit = 1 << mv.cell();
        square::has_line(self.marks(self.side, mv.board()) | bit) || self.empty(mv.board()) == bit
    }

    /// Puts a mark of the side to move on a cell of a board.
    #[inline]
    fn place_mark(&mut self, board: usize, cell: usize) {
        let player = self.side.index();
        self.marks[board] |= 1 << (16 * player + cell);
        let line = square::has_line(self.marks(self.side, board));
        if line || self.empty(board) == 0 {
            self.won[player] |= u16::from(line) << board;
            self.closed |= 1 << board;
            self.outcome = self.find_outcome(self.side);
        }
        self.target = if self.closed >> cell & 1 == 0 { cell as u8 } else { ANYWHERE };
        self.side = self.side.other();
    }

    /// The cells of a small board that hold no mark.
    #[inline]
    const fn empty(&self, board: usize) -> u16 {
        !(self.marks[board] | self.marks[board] >> 16) as u16 & FULL
    }
}

impl Position for Uttt {
    type Move = UtttMove;
    type Rules = Rules;
    type Moves = UtttMoves;

    const MAX_PLIES: u32 = 81;
    const MOVE_INDICES: usize = 81;

    fn start(rules: Rules) -> Self {
        Self {
            marks: [0; 9],
            won: [0; 2],
            closed: 0,
            target: ANYWHERE,
            side: Player::First,
            outcome: None,
            rules,
        }
    }

    fn rules(&self) -> Rules {
        self.rules
    }

    #[inline]
    fn side_to_move(&self) -> Player {
        self.side
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    #[inline]
    fn legal_moves(&self) -> UtttMoves {
        if self.outcome.is_some() {
            return UtttMoves(0);
        }
        if self.target != ANYWHERE {
            let board = usize::from(self.target);
            return UtttMoves(u128::from(self.empty(board)) << (9 * board));
        }
        let open = (0..9).filter(|board| self.closed >> board & 1 == 0);
        UtttMoves(open.fold(0, |all, board| all | u128::from(self.empty(board)) << (9 * board)))
    }

    #[inline]
    fn legal_move_count(&self) -> usize {
        if self.outcome.is_some() {
            return 0;
        }
        if self.target != ANYWHERE {
            return self.empty(usize::from(self.target)).count_ones() as usize;
        }
        let open = (0..9).filter(|board| self.closed >> board & 1 == 0);
        open.map(|board| self.empty(board).count_ones() as usize).sum()
    }

    #[inline]
    fn nth_legal_move(&self, index: usize) -> UtttMove {
        debug_assert!(index < self.legal_move_count());
        if self.target != ANYWHERE {
            let board = usize::from(self.target);
            return UtttMove((9 * board + square::nth_cell(self.empty(board), index)) as u8);
        }
        let mut left = index;
        for board in 0..9 {
            let empty = if self.closed >> board & 1 == 0 { self.empty(board) } else { 0 };
            let count = empty.count_ones() as usize;
            if left < count {
                return UtttMove((9 * board + square::nth_cell(empty, left)) as u8);
            }
            left -= count;
        }
        UtttMove::CENTRE
    }

    #[inline]
    fn ply(&self) -> u32 {
        self.marks.iter().map(|marks| marks.count_ones()).sum()
    }

    #[inline]
    fn move_index(mv: UtttMove) -> usize {
        mv.index()
    }

    #[inline]
    fn is_legal(&self, mv: UtttMove) -> bool {
        self.outcome.is_none()
            && self.playable() >> mv.board() & 1 == 1
            && self.empty(mv.board()) >> mv.cell() & 1 == 1
    }

    #[inline]
    fn play_unchecked(&mut self, mv: UtttMove) {
        debug_assert!(self.is_legal(mv), "{mv} in\n{self}");
        self.place_mark(mv.board(), mv.cell());
    }

    #[inline]
    fn key(&self) -> u64 {
        // The marks determine the boards won and closed, but not the target.
        let words = Player::BOTH
            .into_iter()
            .flat_map(|player| (0..9).map(move |board| u64::from(self.marks(player, board))));
        let rest = u64::from(self.target) << 1 | self.side as u64;
        // Source: FNV-1a, here over words instead of bytes, with the 64-bit prime.
        words.chain([rest]).fold(0xcbf2_9ce4_8422_2325, |hash, word| {
            let hash = (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3);
            hash ^ hash >> 29
        })
    }

    fn canonical_key(&self) -> u64 {
        SquareSymmetry::ALL.iter().map(|&s| self.map(s).key()).fold(u64::MAX, u64::min)
    }

    fn parse_move(text: &str) -> Result<UtttMove, NotationError> {
        text.parse()
    }

    fn notation(&self) -> String {
        notation::write_position(self)
    }

    fn from_notation(text: &str, rules: Rules) -> Result<Self, NotationError> {
        notation::read_position(text, rules)
    }
}

impl Searchable for Uttt {
    #[inline]
    fn play_drawn(&mut self, draw: impl FnOnce(u32) -> u32) -> UtttMove {
        let (board, index) = if self.target == ANYWHERE {
            // The number of open squares up to each board, computed without branches.
            let mut up_to = [0; 10];
            for board in 0..9 {
                let open = (self.closed >> board & 1).wrapping_sub(1);
                up_to[board + 1] = up_to[board] + square::count(self.empty(board) & open);
            }
            let index = draw(up_to[9]);
            let board = up_to[1..9].iter().filter(|&&squares| squares <= index).count();
            (board, index - up_to[board])
        } else {
            let board = usize::from(self.target);
            (board, draw(square::count(self.empty(board))))
        };
        let cell = square::nth_cell(self.empty(board), index as usize);
        self.place_mark(board, cell);
        UtttMove((9 * board + cell) as u8)
    }

    #[inline]
    fn play_out(&self, draw: impl FnMut(u32) -> u32, log: impl FnMut(Player, UtttMove)) -> Outcome {
        playout::play_out(self, draw, log)
    }

    #[inline]
    fn winning_move(&self) -> Option<UtttMove> {
        if self.rules.drawn_board == DrawnBoard::Both || self.rules.no_line == NoLine::MostBoards {
            // A move may win the game without making a line in its small board.
            return try_all_for_win(self);
        }
        if self.outcome.is_some() {
            return None;
        }
        let mut boards = square::completing(self.won(self.side)) & !self.closed;
        if let Some(target) = self.target() {
            boards &= 1 << target;
        }
        while boards != 0 {
            let board = boards.trailing_zeros() as usize;
            boards &= boards - 1;
            let cells = square::completing(self.marks(self.side, board)) & self.empty(board);
            if cells != 0 {
                return Some(UtttMove::at(board, cells.trailing_zeros() as usize));
            }
        }
        None
    }

    /// Moves that win a small board.
    #[inline]
    fn is_loud(&self, mv: UtttMove) -> bool {
        square::has_line(self.marks(self.side, mv.board()) | 1 << mv.cell())
    }

    /// Moves that leave the opponent a free choice come last.
    #[inline]
    fn order(&self, mv: UtttMove) -> i8 {
        let closes = || mv.board() == mv.cell() && self.closes_board(mv);
        -i8::from(self.closed >> mv.cell() & 1 == 1 || closes())
    }

    fn zobrist(&self) -> u64 {
        let marks = (0..81).filter_map(|square| Some((self.at(UtttMove(square))?, square.into())));
        zobrist::key(&MARKS, marks) ^ TARGETS[usize::from(self.target)]
    }

    #[inline]
    fn zobrist_after(&self, own: u64, mv: UtttMove, after: &Self) -> u64 {
        let targets = [self, after].map(|position| TARGETS[usize::from(position.target)]);
        own ^ MARKS[self.side.index()][mv.index()] ^ targets[0] ^ targets[1]
    }
}
