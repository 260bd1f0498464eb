//! Chess, played by outside programs: rules and notation, and no evaluation.
//!
//! The crate `cozy-chess` generates moves. What it lacks is here: draws by repetition and by bare material, and castling as
//! UCI writes it. Positions are written as FEN; the first four fields alone (EPD) can be read as well.

mod moves;
mod pgn;
mod rules;

use std::fmt;
use std::hash::{Hash, Hasher};

use cozy_chess::{
    BitBoard, Board, Color, FenParseError, File, Move, Piece, Rank, Square, get_pawn_attacks,
};
use strum::Display;

use tictune_core::game::notation::{in_parentheses, shorten};
use tictune_core::game::{
    Adjudication, Extension, Game, GameInfo, NotationError, Outcome, Pgn, Player, Position,
    Searchable,
};
use tictune_programs::Platforms;

pub use moves::ChessMove;
pub use rules::ChessRules;

/// A position of chess. The first player is White.
///
/// Two positions are equal if their FENs are. What repetitions need of the past is not compared.
#[derive(Clone)]
pub struct Chess {
    board: Board,
    rules: ChessRules,
    /// The hash of this position as repetitions see it.
    hash: u64,
    /// The hashes of the positions since the last capture or pawn's move.
    earlier: Vec<u64>,
    /// How often this position is among them.
    repeated: u8,
}

/// Why a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display)]
#[strum(serialize_all = "lowercase")]
pub enum Ending {
    /// The side to move is in check and has no move: it has lost.
    Checkmate,
    /// The side to move has no move and is not in check: a draw.
    Stalemate,
    /// The position is there for the third time: a draw.
    #[strum(to_string = "threefold repetition")]
    Repetition,
    /// Fifty moves of each side without a capture or a pawn's move: a draw.
    #[strum(to_string = "fifty-move rule")]
    FiftyMoves,
    /// No sequence of moves ends in mate, since there is too little material: a draw.
    #[strum(to_string = "insufficient material")]
    Material,
}

/// No game is longer: the fifty-move rule ends it, even if each capture and each of the pawns' moves comes as late as possible.
const MOST_PLIES: u32 = 11_800;

impl Chess {
    fn new(board: Board, rules: ChessRules) -> Self {
        Self { hash: repetition_hash(&board), board, rules, earlier: Vec::new(), repeated: 0 }
    }

    fn on_board(&self, mv: ChessMove) -> Move {
        mv.on_board(&self.board, self.rules.chess960)
    }

    fn named(&self, mv: Move) -> ChessMove {
        ChessMove::of_board(&self.board, mv, self.rules.chess960)
    }

    /// Why the game is over; `None` before its end.
    pub fn ending(&self) -> Option<Ending> {
        if !self.board.generate_moves(|_| true) {
            let checked = !self.board.checkers().is_empty();
            return Some(if checked { Ending::Checkmate } else { Ending::Stalemate });
        }
        match (self.repeated, self.board.halfmove_clock()) {
            (2.., _) => Some(Ending::Repetition),
            (_, 100..) => Some(Ending::FiftyMoves),
            _ => is_bare(&self.board).then_some(Ending::Material),
        }
    }
}

/// The squares of one colour.
const DARK: BitBoard = BitBoard(0xaa55_aa55_aa55_aa55);

/// Whether neither side can be mated: bare kings, a single knight or bishop, or bishops on squares of one colour only.
/// Dead positions of other kinds, such as walls of pawns, are not found.
fn is_bare(board: &Board) -> bool {
    let [pawns, rooks, queens, knights, bishops] =
        [Piece::Pawn, Piece::Rook, Piece::Queen, Piece::Knight, Piece::Bishop]
            .map(|p| board.pieces(p));
    let few = knights.len() + bishops.len() <= 1;
    let one_colour = bishops.is_subset(DARK) || bishops.is_disjoint(DARK);
    (pawns | rooks | queens).is_empty() && (few || knights.is_empty() && one_colour)
}

/// The hash of a position by what the rules of repetition compare: where pieces are, who moves, castling rights, and
/// en passant only where a pawn can take.
fn repetition_hash(board: &Board) -> u64 {
    let Some(file) = board.en_passant() else { return board.hash() };
    let side = board.side_to_move();
    let to = Square::new(file, Rank::Sixth.relative_to(side));
    let takes = |from| board.is_legal(cozy_chess::Move { from, to, promotion: None });
    let pawns = get_pawn_attacks(to, !side) & board.colored_pieces(side, Piece::Pawn);
    if pawns.into_iter().any(takes) { board.hash() } else { board.hash_without_ep() }
}

/// A right to castle of an X-FEN, by the file of its rook as in a Shredder-FEN, if it has none yet.
fn with_file(board: &Board, right: char) -> char {
    let color = if right.is_ascii_uppercase() { Color::White } else { Color::Black };
    let king = board.king(color);
    let rooks = board.colored_pieces(color, Piece::Rook) & king.rank().bitboard();
    let files = rooks.into_iter().map(Square::file);
    let file = match right.to_ascii_lowercase() {
        'k' => files.filter(|file| *file > king.file()).max(),
        'q' => files.filter(|file| *file < king.file()).min(),
        _ => None,
    };
    let Some(file) = file.map(char::from) else { return right };
    if right.is_ascii_uppercase() { file.to_ascii_uppercase() } else { file }
}

impl Position for Chess {
    type Move = ChessMove;
    type Rules = ChessRules;
    type Moves = std::vec::IntoIter<ChessMove>;

    const MAX_PLIES: u32 = MOST_PLIES;
    const MOVE_INDICES: usize = ChessMove::COUNT;

    fn start(rules: ChessRules) -> Self {
        Self::new(Board::startpos(), rules)
    }

    fn rules(&self) -> ChessRules {
        self.rules
    }

    fn side_to_move(&self) -> Player {
        match self.board.side_to_move() {
            Color::White => Player::First,
            Color::Black => Player::Second,
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        Some(match self.ending()? {
            Ending::Checkmate => Outcome::Win(self.side_to_move().other()),
            _ => Outcome::Draw,
        })
    }

    fn legal_moves(&self) -> Self::Moves {
        let mut moves = Vec::with_capacity(48);
        if self.outcome().is_none() {
            self.board.generate_moves(|of_piece| {
                moves.extend(of_piece.into_iter().map(|mv| self.named(mv)));
                false
            });
        }
        moves.sort_unstable();
        moves.into_iter()
    }

    fn legal_move_count(&self) -> usize {
        let mut count = 0;
        if self.outcome().is_none() {
            self.board.generate_moves(|of_piece| {
                count += of_piece.len();
                false
            });
        }
        count
    }

    fn is_legal(&self, mv: ChessMove) -> bool {
        let on_board = self.on_board(mv);
        // A king that takes its own rook is not how castling is written, unless in Chess960.
        self.board.is_legal(on_board) && self.named(on_board) == mv && self.outcome().is_none()
    }

    fn play_unchecked(&mut self, mv: ChessMove) {
        let before = self.hash;
        // An illegal move changes nothing: the board would panic.
        if self.board.try_play(self.on_board(mv)).is_err() {
            return;
        }
        self.hash = repetition_hash(&self.board);
        if self.board.halfmove_clock() == 0 {
            self.earlier.clear();
        } else {
            self.earlier.push(before);
        }
        let same = self.earlier.iter().filter(|&&earlier| earlier == self.hash).count();
        self.repeated = u8::try_from(same).unwrap_or(u8::MAX);
    }

    fn ply(&self) -> u32 {
        let moves = u32::from(self.board.fullmove_number()).saturating_sub(1);
        2 * moves + self.side_to_move().index() as u32
    }

    fn move_index(mv: ChessMove) -> usize {
        mv.index()
    }

    /// Positions that differ only in their counters of moves are one opening.
    fn canonical_key(&self) -> u64 {
        self.hash
    }

    /// A FEN; in Chess960 with the files of the rooks that may castle (Shredder-FEN).
    fn notation(&self) -> String {
        match self.rules.chess960 {
            true => format!("{:#}", self.board),
            false => self.board.to_string(),
        }
    }

    /// Reads a FEN, or an EPD, whose operations are ignored. Two things that other programs write are put right: the move
    /// number 0 is 1, and an en passant square without a pawn that could be taken is none. In Chess960, `K` and `Q` are the
    /// outermost rooks (X-FEN).
    fn from_notation(text: &str, rules: ChessRules) -> Result<Self, NotationError> {
        let wrong = |why: &str| {
            NotationError(format!("\"{}\" is not a position of chess: {why}", shorten(text)))
        };
        let fields: Vec<&str> = text.split_whitespace().collect();
        let needed =
            "a FEN or EPD has at least four fields: pieces, side to move, castling, en passant";
        let placement = fields.get(..4).ok_or_else(|| wrong(needed))?;
        let is_number = |field: &&&str| field.bytes().all(|byte| byte.is_ascii_digit());
        let counters: Vec<&str> =
            fields[4..].iter().take(2).take_while(is_number).copied().collect();
        let counters = match counters[..] {
            [clock, number] if number.bytes().all(|digit| digit == b'0') => [clock, "1"],
            [clock, number] => [clock, number],
            _ => ["0", "1"],
        };
        let ChessRules { chess960, .. } = rules;
        let read = |castling: &str, en_passant: &str| {
            let fen = [&placement[..2], &[castling, en_passant], &counters].concat().join(" ");
            Board::from_fen(&fen, chess960)
        };
        let (mut castling, en_passant) = (placement[2].to_string(), placement[3]);
        if chess960 && let Ok(board) = read("-", "-") {
            castling = castling.chars().map(|right| with_file(&board, right)).collect();
        }
        let board = match read(&castling, en_passant) {
            Err(FenParseError::InvalidEnPassant) if en_passant.parse::<Square>().is_ok() => {
                read(&castling, "-")
            }
            board => board,
        };
        let board = board.map_err(|error| match error {
            FenParseError::InvalidCastlingRights if !chess960 => {
                wrong("its castling rights are not those of chess; for Chess960, set chess960 = true in the rules")
            }
            FenParseError::InvalidBoard => wrong(
                "the board is invalid: it has eight ranks of eight squares, one king on each side, no pawn on the first or last rank, \
                 and the side that is not to move is not in check",
            ),
            error => wrong(&error.to_string()),
        })?;
        let castles_from_elsewhere = |color| {
            let rights = board.castle_rights(color);
            (rights.short.is_some() || rights.long.is_some()) && board.king(color).file() != File::E
        };
        if !chess960 && Color::ALL.into_iter().any(castles_from_elsewhere) {
            let why = "a king that may castle stands on its e file; for Chess960, set chess960 = true in the rules";
            return Err(wrong(why));
        }
        let position = Self::new(board, rules);
        if position.ply() >= MOST_PLIES {
            return Err(wrong("no game has this many moves"));
        }
        Ok(position)
    }
}

impl PartialEq for Chess {
    fn eq(&self, other: &Self) -> bool {
        self.board == other.board
    }
}

impl Eq for Chess {}

impl Hash for Chess {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.board.hash(), self.board.halfmove_clock(), self.board.fullmove_number()).hash(state);
    }
}

impl fmt::Debug for Chess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Chess({})", self.board)
    }
}

impl fmt::Display for Chess {
    /// The board as White sees it, with White's pieces in capitals.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for &rank in Rank::ALL.iter().rev() {
            let symbols = File::ALL.map(|file| {
                let square = Square::new(file, rank);
                let symbol = self.board.piece_on(square).map_or(".".into(), |p| p.to_string());
                let is_white = self.board.color_on(square) == Some(Color::White);
                if is_white { symbol.to_uppercase() } else { symbol }
            });
            writeln!(f, "{rank}  {}", symbols.join(" "))?;
        }
        f.write_str("   a b c d e f g h")
    }
}

impl Searchable for Chess {}

impl Game for Chess {
    const INFO: &'static GameInfo =
        &GameInfo { rule_keys: rules::KEYS, ..GameInfo::new::<Self>("chess", &[]) };

    fn adjudication(rules: ChessRules) -> Adjudication {
        rules.adjudication
    }

    fn drawing(&self, last: Option<ChessMove>) -> String {
        let drawing = self.to_string();
        let Some(to) = last.map(|mv| mv.to) else { return drawing };
        in_parentheses(&drawing, 7 - to.rank() as usize, 3 + 2 * to.file() as usize)
    }

    fn extensions() -> &'static [Extension] {
        static ALL: [Extension; 2] = [&PLATFORMS, &Pgn { write: pgn::write, read: pgn::read }];
        &ALL
    }
}

/// Chess on platforms: UCI engines play it.
static PLATFORMS: Platforms<Chess> = Platforms {
    uci_options: Some(|rules| match rules.chess960 {
        true => &[("UCI_Chess960", "true")],
        false => &[],
    }),
    ..Platforms::NONE
};
