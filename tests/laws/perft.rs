//! Perft, compared with pinned counts and with the rules applied to a drawing of the board.
//!
//! `data/perft.csv` holds counts from the start (DESIGN, "UTTT rules") and from late positions
//! under every variant of the rules. From the late positions, games end within the depth. They end
//! earlier under `drawn_board = "both"`, while `no_line` decides who wins but not when.
//! [`Drawing`], which shares no code with the crate, counted the late positions.

use rand::RngExt;
use serde::Deserialize;
use tictune::game::{NoRules, Outcome, Player, Position, perft};
use tictune::games::qubic::Qubic;
use tictune::games::uttt::{DrawnBoard, NoLine, Rules, Uttt, UtttMove};
use tictune::seed::{Generator, Role, generator, mix};

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
const LINES: [[(usize, usize); 3]; 8] = [
    [(0, 0), (1, 0), (2, 0)],
    [(0, 1), (1, 1), (2, 1)],
    [(0, 2), (1, 2), (2, 2)],
    [(0, 0), (0, 1), (0, 2)],
    [(1, 0), (1, 1), (1, 2)],
    [(2, 0), (2, 1), (2, 2)],
    [(0, 0), (1, 1), (2, 2)],
    [(2, 0), (1, 1), (0, 2)],
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
        let mut drawing = Self::start(rules);
        let fields: Vec<&str> = notation.split(' ').collect();
        for (row, symbols) in fields[0].split('/').enumerate() {
            let mut column = 0;
            for symbol in symbols.chars() {
                match symbol.to_digit(10) {
                    Some(empty) => column += empty as usize,
                    None => {
                        drawing.squares[row][column] = symbol;
                        column += 1;
                    }
                }
            }
        }
        drawing.mover = if fields[1] == "x" { 'x' } else { 'o' };
        drawing.sent_to = fields[2].split_once(',').map(|(column, row)| {
            let number = |text: &str| text.parse().expect("a target is two numbers");
            (number(column), number(row))
        });
        drawing
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
        // The player who has just moved comes first: if the move makes a line for both, that player
        // wins.
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
}

/// For games of a number of plies: how many are not over, and how many have ended by then, by
/// result: won by the first player, won by the second, drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Ends {
    going_on: u64,
    first: u64,
    second: u64,
    drawn: u64,
}

impl Ends {
    fn plus(self, other: Self) -> Self {
        Self {
            going_on: self.going_on + other.going_on,
            first: self.first + other.first,
            second: self.second + other.second,
            drawn: self.drawn + other.drawn,
        }
    }
}

fn ends_of_drawing(drawing: &Drawing, depth: u32) -> Ends {
    match drawing.outcome() {
        'x' => Ends { first: 1, ..Ends::default() },
        'o' => Ends { second: 1, ..Ends::default() },
        '=' => Ends { drawn: 1, ..Ends::default() },
        _ if depth == 0 => Ends { going_on: 1, ..Ends::default() },
        _ => {
            let after = drawing
                .moves()
                .into_iter()
                .map(|mv| ends_of_drawing(&drawing.after(mv), depth - 1));
            after.fold(Ends::default(), Ends::plus)
        }
    }
}

fn ends_of_position(position: &Uttt, depth: u32) -> Ends {
    match position.outcome() {
        Some(Outcome::Win(Player::First)) => Ends { first: 1, ..Ends::default() },
        Some(Outcome::Win(Player::Second)) => Ends { second: 1, ..Ends::default() },
        Some(Outcome::Draw) => Ends { drawn: 1, ..Ends::default() },
        None if depth == 0 => Ends { going_on: 1, ..Ends::default() },
        None => {
            let after =
                position.legal_moves().map(|mv| ends_of_position(&position.after(mv), depth - 1));
            after.fold(Ends::default(), Ends::plus)
        }
    }
}

/// The number of sequences of `depth` moves on the drawing.
fn perft_of_drawing(drawing: &Drawing, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    drawing.moves().into_iter().map(|mv| perft_of_drawing(&drawing.after(mv), depth - 1)).sum()
}

fn square((x, y): (usize, usize)) -> UtttMove {
    UtttMove::from_column_row(x, y).expect("columns and rows are below nine")
}

/// Moves as text for messages of failed comparisons.
fn in_notation(moves: &[UtttMove]) -> String {
    moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// The moves of a random game on the drawing, to its end.
fn random_game(rules: Rules, generator: &mut Generator) -> Vec<(usize, usize)> {
    let mut drawing = Drawing::start(rules);
    let mut played = Vec::new();
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

/// A line of `data/perft.csv`.
#[derive(Deserialize)]
struct Row {
    drawn_board: DrawnBoard,
    no_line: NoLine,
    position: String,
    depth: u32,
    nodes: u64,
}

fn rows() -> Vec<Row> {
    let mut reader = csv::Reader::from_reader(include_str!("../data/perft.csv").as_bytes());
    reader.deserialize().map(|row| row.expect("data/perft.csv reads")).collect()
}

#[test]
fn counts_are_the_pinned_ones() {
    for row in rows() {
        let rules = Rules { drawn_board: row.drawn_board, no_line: row.no_line };
        let position = Uttt::from_notation(&row.position, rules)
            .unwrap_or_else(|error| panic!("\"{}\": {error}", row.position));
        assert_eq!(
            perft(&position, row.depth),
            row.nodes,
            "perft {} of \"{}\" under {rules}, and the pinned count; the position is\n{position}",
            row.depth,
            row.position
        );
    }
}

#[test]
fn the_drawing_counts_the_same() {
    // The drawing is slow, so large counts are left out.
    for row in rows().into_iter().filter(|row| row.nodes <= 500_000) {
        let rules = Rules { drawn_board: row.drawn_board, no_line: row.no_line };
        let count = perft_of_drawing(&Drawing::read(&row.position, rules), row.depth);
        let Row { position, depth, nodes, .. } = row;
        assert_eq!(count, nodes, "perft {depth} of \"{position}\" under {rules}, drawn and pinned");
    }
}

#[test]
fn variants_do_not_differ_before_a_game_can_end() {
    for rules in Rules::all() {
        assert_eq!(perft(&Uttt::start(rules), 6), 4_020_960, "perft 6 under {rules}");
    }
}

#[test]
fn random_games_under_every_variant_go_as_on_the_drawing() {
    for (rules, variant) in Rules::all().into_iter().zip(0_u64..) {
        for seed in 0..1000 {
            let mut generator = generator(mix(variant, seed), Role::Opening);
            let (mut drawing, mut position) = (Drawing::start(rules), Uttt::start(rules));
            for mv in random_game(rules, &mut generator) {
                let legal: Vec<UtttMove> = drawing.moves().into_iter().map(square).collect();
                let listed: Vec<UtttMove> = position.legal_moves().collect();
                assert!(
                    listed == legal,
                    "legal moves {}, drawn {}, under {rules}, seed {seed}: \"{}\"\n{position}",
                    in_notation(&listed),
                    in_notation(&legal),
                    position.notation()
                );
                assert_eq!(
                    position.outcome(),
                    None,
                    "ends early under {rules}, seed {seed}:\n{position}"
                );
                drawing = drawing.after(mv);
                position.play_unchecked(square(mv));
            }
            let expected = match drawing.outcome() {
                'x' => Outcome::Win(Player::First),
                'o' => Outcome::Win(Player::Second),
                _ => Outcome::Draw,
            };
            assert_eq!(
                position.outcome(),
                Some(expected),
                "outcome, ours and drawn, under {rules}, seed {seed}:\n\"{}\"\n{position}",
                position.notation()
            );
        }
    }
}

#[test]
fn games_from_late_positions_end_as_on_the_drawing() {
    let mut seen = Ends::default();
    for (rules, variant) in Rules::all().into_iter().zip(0_u64..) {
        for seed in 0..40 {
            let mut generator = generator(mix(100 + variant, seed), Role::Opening);
            let moves = random_game(rules, &mut generator);
            for plies_to_end in [1, 3, 6, 10] {
                let played = &moves[..moves.len() - plies_to_end];
                let start = (Drawing::start(rules), Uttt::start(rules));
                let (drawing, position) = played.iter().fold(start, |(drawing, position), &mv| {
                    (drawing.after(mv), position.after(square(mv)))
                });
                // As deep as a few thousand games with this number of moves allow.
                let choices = position.legal_move_count().max(2) as f64;
                let depth = (4000_f64.ln() / choices.ln()).clamp(1.0, 6.0) as u32;
                let ends = ends_of_position(&position, depth);
                assert_eq!(
                    ends,
                    ends_of_drawing(&drawing, depth),
                    "ends within {depth} plies, ours and drawn, under {rules}, seed {seed}, of \"{}\"\n{position}",
                    position.notation()
                );
                seen = seen.plus(ends);
            }
        }
    }
    let Ends { going_on, first, second, drawn } = seen;
    assert!(
        going_on.min(first).min(second).min(drawn) > 1000,
        "every end should be common: {seen:?}"
    );
}

#[test]
fn qubic_counts_are_the_pinned_ones() {
    // Nobody can have four in a row before ply 7, so up to there the counts are products.
    let start = Qubic::start(NoRules);
    for (depth, nodes) in (1..).zip([64, 4032, 249_984, 15_249_024, 914_941_440]) {
        assert_eq!(perft(&start, depth), nodes, "perft {depth} of Qubic");
        assert_eq!(nodes, (0..u64::from(depth)).map(|ply| 64 - ply).product::<u64>());
    }
    // Both players have three in a row. o may block x or win; if o does neither, x may win.
    let late = "xxx1/4/4/4|ooo1/4/4/4|4/4/4/4|4/4/4/4 x";
    let late = Qubic::from_notation(late, NoRules).expect("the position reads");
    // 58 moves, of which one wins. Each other move has 57 replies, of which one wins unless its
    // cell is taken.
    assert_eq!(perft(&late, 1), 58);
    assert_eq!(perft(&late, 2), 57 * 57);
    assert_eq!(perft(&late, 3), 56 * 56 * 56 + 57 * 56);
}
