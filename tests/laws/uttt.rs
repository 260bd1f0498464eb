//! Tests that are specific to Ultimate Tic-Tac-Toe.
//!
//! The rules are compared with [`Drawing`], which applies them to a drawing of the board and shares no code with the crate, and
//! with the counts of `data/perft.csv`: from the start (DESIGN, "UTTT rules"), and from late positions under every variant,
//! which the drawing counted. From these, games end within the depth. They end earlier under `drawn_board = "both"`,
//! while `no_line` decides who wins but not when.
//!
//! Evaluations are compared with their formulas in `tests/programs/exports.rs`, which count from scratch.

use rand::RngExt;
use tictune::game::{Outcome, Player, Position, Searchable, perft};
use tictune::games::uttt::{DrawnBoard, NoLine, Rules, Uttt, UtttMove};
use tictune::seed::{Generator, Role, generator, mix};
use tictune::testing::play::{in_notation, on_random_play};

/// The 9x9 board as a drawing: `x`, `o` or `.` by row and column. The only other state is what a
/// drawing does not show: the side to move and the board that it is sent to.
#[derive(Clone)]
struct Drawing {
    squares: [[char; 9]; 9],
    mover: char,
    /// Column and row, 0 to 2, of the small board that the last move sends to.
    sent_to: Option<(usize, usize)>,
    rules: Rules,
}

/// The lines of three places as (column, row).
#[rustfmt::skip]
const LINES: [[(usize, usize); 3]; 8] = [
    [(0, 0), (1, 0), (2, 0)], [(0, 1), (1, 1), (2, 1)], [(0, 2), (1, 2), (2, 2)],
    [(0, 0), (0, 1), (0, 2)], [(1, 0), (1, 1), (1, 2)], [(2, 0), (2, 1), (2, 2)],
    [(0, 0), (1, 1), (2, 2)], [(2, 0), (1, 1), (0, 2)],
];

fn opponent(player: char) -> char {
    if player == 'x' { 'o' } else { 'x' }
}

impl Drawing {
    fn start(rules: Rules) -> Self {
        Self { squares: [['.'; 9]; 9], mover: 'x', sent_to: None, rules }
    }

    /// Reads the notation of a position.
    fn read(notation: &str, rules: Rules) -> Self {
        let fields: Vec<&str> = notation.split(' ').collect();
        let squares = |symbol: char| match symbol.to_digit(10) {
            Some(empty) => vec!['.'; empty as usize],
            None => vec![symbol],
        };
        let row = |row: &str| -> Vec<char> { row.chars().flat_map(squares).collect() };
        let rows = fields[0].split('/').map(|text| row(text).try_into().expect("nine squares"));
        let number = |text: &str| text.parse().expect("a target is two numbers");
        Self {
            squares: rows.collect::<Vec<_>>().try_into().expect("nine rows"),
            mover: if fields[1] == "x" { 'x' } else { 'o' },
            sent_to: fields[2].split_once(',').map(|(column, row)| (number(column), number(row))),
            rules,
        }
    }

    /// The state of a small board: won by `x` or `o`, drawn (`=`), or open (`.`).
    fn board(&self, column: usize, row: usize) -> char {
        let at = |(x, y): (usize, usize)| self.squares[3 * row + y][3 * column + x];
        for player in ['x', 'o'] {
            if LINES.iter().any(|line| line.iter().all(|&place| at(place) == player)) {
                return player;
            }
        }
        let full = (0..9).all(|place| at((place % 3, place / 3)) != '.');
        if full { '=' } else { '.' }
    }

    /// The state of the game: won by `x` or `o`, drawn (`=`), or not over (`.`).
    fn outcome(&self) -> char {
        let boards: Vec<char> = (0..9).map(|place| self.board(place % 3, place / 3)).collect();
        // The player who has just moved comes first: if the move makes a line for both, that player wins.
        for player in [opponent(self.mover), self.mover] {
            let counts = |board: char| {
                board == player || board == '=' && self.rules.drawn_board == DrawnBoard::Both
            };
            if LINES.iter().any(|line| line.iter().all(|&(x, y)| counts(boards[3 * y + x]))) {
                return player;
            }
        }
        if boards.contains(&'.') {
            return '.';
        }
        let won = |player| boards.iter().filter(|&&board| board == player).count();
        match self.rules.no_line {
            NoLine::MostBoards if won('x') > won('o') => 'x',
            NoLine::MostBoards if won('o') > won('x') => 'o',
            _ => '=',
        }
    }

    /// Legal moves as (column, row), in generation order.
    fn moves(&self) -> Vec<(usize, usize)> {
        let mut moves = Vec::new();
        if self.outcome() != '.' {
            return moves;
        }
        let sent_to_open = self.sent_to.filter(|&(column, row)| self.board(column, row) == '.');
        for board in 0..9 {
            let (column, row) = (board % 3, board / 3);
            let allowed = match sent_to_open {
                Some(target) => target == (column, row),
                None => self.board(column, row) == '.',
            };
            for cell in 0..9 {
                let (x, y) = (3 * column + cell % 3, 3 * row + cell / 3);
                if allowed && self.squares[y][x] == '.' {
                    moves.push((x, y));
                }
            }
        }
        moves
    }

    fn after(&self, (x, y): (usize, usize)) -> Self {
        let mut next = self.clone();
        next.squares[y][x] = self.mover;
        next.mover = opponent(self.mover);
        next.sent_to = Some((x % 3, y % 3));
        next
    }

    fn perft(&self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        self.moves().into_iter().map(|mv| self.after(mv).perft(depth - 1)).sum()
    }
}

fn square((x, y): (usize, usize)) -> UtttMove {
    UtttMove::from_column_row(x, y).expect("columns and rows are below nine")
}

#[test]
fn counts_are_the_pinned_ones_and_those_of_the_drawing() {
    let mut reader = csv::Reader::from_reader(include_str!("../data/perft.csv").as_bytes());
    for row in reader.deserialize() {
        let (drawn_board, no_line, text, depth, nodes): (String, String, String, u32, u64) =
            row.expect("data/perft.csv reads");
        let rules = format!("drawn_board={drawn_board},no_line={no_line}").parse().expect("rules");
        let position = Uttt::from_notation(&text, rules).expect("a position");
        let counted = perft(&position, depth);
        assert_eq!(counted, nodes, "perft {depth} of \"{text}\" under {rules}:\n{position}");
        // The drawing is slow, so large counts are left out.
        if nodes <= 500_000 {
            let drawn = Drawing::read(&text, rules).perft(depth);
            assert_eq!(drawn, nodes, "perft {depth} of \"{text}\" under {rules}, drawn");
        }
    }
}

/// The moves of a random game on the drawing, to its end.
fn random_game(rules: Rules, generator: &mut Generator) -> Vec<(usize, usize)> {
    let (mut drawing, mut played) = (Drawing::start(rules), Vec::new());
    loop {
        let moves = drawing.moves();
        if moves.is_empty() {
            return played;
        }
        let mv = moves[generator.random_range(0..moves.len() as u32) as usize];
        drawing = drawing.after(mv);
        played.push(mv);
    }
}

#[test]
fn random_games_under_every_variant_go_as_on_the_drawing() {
    for (rules, variant) in Rules::all().into_iter().zip(0_u64..) {
        for seed in 0..1000 {
            let mut generator = generator(mix(variant, seed), Role::Opening);
            let (mut drawing, mut position) = (Drawing::start(rules), Uttt::start(rules));
            for mv in random_game(rules, &mut generator) {
                let context =
                    || format!("{rules}, seed {seed}: {}\n{position}", position.notation());
                let legal: Vec<UtttMove> = drawing.moves().into_iter().map(square).collect();
                let listed: Vec<UtttMove> = position.legal_moves().collect();
                let (ours, drawn) = (in_notation(&listed), in_notation(&legal));
                assert!(listed == legal, "moves {ours}, drawn {drawn}, under {}", context());
                assert_eq!(position.outcome(), None, "ends early under {}", context());
                drawing = drawing.after(mv);
                position.play_unchecked(square(mv));
            }
            let expected = match drawing.outcome() {
                'x' => Outcome::Win(Player::First),
                'o' => Outcome::Win(Player::Second),
                _ => Outcome::Draw,
            };
            let notation = position.notation();
            assert_eq!(position.outcome(), Some(expected), "{rules}, seed {seed}: {notation}");
        }
    }
}

#[test]
fn moves_are_known_to_close_boards_and_to_free_the_choice() {
    on_random_play::<Uttt>(1000, |step| {
        for mv in step.position.legal_moves() {
            let after = step.position.after(mv);
            let closes = after.closed() != step.position.closed();
            assert_eq!(step.position.closes_board(mv), closes, "closes_board of {mv} in\n{step}");
            let order = -i8::from(after.target().is_none());
            assert_eq!(step.position.order(mv), order, "order of {mv} in\n{step}");
            let sent = after.target().unwrap_or(mv.cell());
            assert_eq!(sent, mv.cell(), "{mv} sends elsewhere in\n{step}");
        }
    });
}

#[test]
fn openings_of_two_plies_are_102_without_symmetry() {
    // DESIGN, "Openings": 720 openings, 102 up to symmetry.
    let start = Uttt::start(Rules::default());
    let replies = |first: UtttMove| {
        let position = start.after(first);
        position.legal_moves().map(move |second| position.after(second))
    };
    let positions: Vec<Uttt> = start.legal_moves().flat_map(replies).collect();
    let count = |key: fn(&Uttt) -> u64| {
        positions.iter().map(key).collect::<std::collections::HashSet<u64>>().len()
    };
    assert_eq!((positions.len(), count(Uttt::key), count(Uttt::canonical_key)), (720, 720, 102));
}
