//! A slow and simple implementation of our own evaluation of Ultimate Tic-Tac-Toe, for comparison.

use tictune::game::{Player, Position};
use tictune::games::uttt::Uttt;

use crate::ultimate_values::{LINES, Square, has_three_in_a_row, held, is_decided, region};

/// The owner of a board on the macro board, if it can still have one.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Board {
    Open,
    Of(Player),
    Drawn,
}

/// A player's counts by slot name, times the weights.
struct Slots<'w> {
    names: Vec<&'static str>,
    weights: &'w [f64],
    points: f64,
}

impl Slots<'_> {
    fn add(&mut self, name: &str, count: f64) {
        let slot = self.names.iter().position(|known| *known == name);
        self.points += self.weights[slot.unwrap_or_else(|| panic!("no slot {name}"))] * count;
    }
}

/// Lines of a small board with this many marks of the player and none of the opponent.
fn live_lines(square: &Square, player: Player, own: usize) -> f64 {
    let count = |line: &[usize; 3], who| line.iter().filter(|&&c| square[c] == Some(who)).count();
    let live = |line: &&[usize; 3]| count(line, player) == own && count(line, player.other()) == 0;
    LINES.iter().filter(live).count() as f64
}

/// Free cells that would win the small board.
fn winning_cells(square: &Square, player: Player) -> usize {
    let wins = |cell: &usize| {
        let mut after = *square;
        after[*cell] = Some(player);
        square[*cell].is_none() && has_three_in_a_row(&after, player)
    };
    (0..9).filter(wins).count()
}

/// Whether a line of the small board has no mark of the opponent.
fn can_be_won(square: &Square, player: Player) -> bool {
    LINES.iter().any(|line| line.iter().all(|&cell| square[cell] != Some(player.other())))
}

/// Whether the player owns or can still get every board of the line.
fn is_live(line: &[usize; 3], boards: &[Board; 9], player: Player) -> bool {
    line.iter().all(|&board| [Board::Open, Board::Of(player)].contains(&boards[board]))
}

fn won_of(line: &[usize; 3], boards: &[Board; 9], player: Player) -> usize {
    line.iter().filter(|&&board| boards[board] == Board::Of(player)).count()
}

/// The number of live macro lines through an open board, the number of these with one board won,
/// and whether one has two.
pub(crate) fn factors(board: usize, boards: &[Board; 9], player: Player) -> [f64; 3] {
    let through = LINES.iter().filter(|line| line.contains(&board));
    let live: Vec<usize> = through
        .filter(|line| is_live(line, boards, player))
        .map(|line| won_of(line, boards, player))
        .collect();
    let near = live.iter().filter(|&&won| won == 1).count();
    [live.len() as f64, near as f64, f64::from(live.contains(&2))]
}

/// Adds a count in an open board: as it is, and times the factors of the board.
fn add_by_board(slots: &mut Slots<'_>, name: &str, count: f64, factors: [f64; 3]) {
    slots.add(name, count);
    for (suffix, factor) in ["live", "near", "game"].into_iter().zip(factors) {
        slots.add(&format!("{name}_{suffix}"), count * factor);
    }
}

fn of_player(slots: &mut Slots<'_>, player: Player, small: &[Square; 9], boards: &[Board; 9]) {
    let live: Vec<_> = LINES.iter().filter(|line| is_live(line, boards, player)).collect();
    let with = |won| live.iter().filter(|line| won_of(line, boards, player) == won).count() as f64;
    slots.add("macro_line_one", with(1));
    slots.add("macro_line_two", with(2));
    let winning = (0..9)
        .filter(|&board| boards[board] == Board::Open && factors(board, boards, player)[2] > 0.0)
        .count();
    slots.add("macro_fork", winning.saturating_sub(1) as f64);
    for (board, &owner) in boards.iter().enumerate() {
        let names = ["macro_middle", "macro_corner", "macro_side"];
        slots.add(names[region(board)], f64::from(owner == Board::Of(player)));
    }
    for board in (0..9).filter(|&board| boards[board] == Board::Open) {
        let (square, factors) = (&small[board], factors(board, boards, player));
        add_by_board(slots, "line_one", live_lines(square, player, 1), factors);
        add_by_board(slots, "line_two", live_lines(square, player, 2), factors);
        let fork = winning_cells(square, player).saturating_sub(1) as f64;
        add_by_board(slots, "fork", fork, factors);
        for cell in 0..9 {
            let name = ["middle", "corner", "side"][region(cell)];
            let mark = held(square, player, &[cell]);
            slots.add(name, mark);
            slots.add(&format!("{name}_live"), mark * factors[0]);
        }
    }
}

/// The boards are given from the view of the side to move and from that of its opponent.
fn of_turn(
    slots: &mut Slots<'_>,
    position: &Uttt,
    small: &[Square; 9],
    [boards, boards_of_other]: [[Board; 9]; 2],
) {
    let side = position.side_to_move();
    slots.add("to_move", 1.0);
    if let Some(board) = position.target() {
        let own = factors(board, &boards, side);
        let other = factors(board, &boards_of_other, side.other());
        if winning_cells(&small[board], side) > 0 {
            add_by_board(slots, "sent_two", 1.0, own);
        }
        if winning_cells(&small[board], side.other()) > 0 {
            add_by_board(slots, "sent_threat", 1.0, other);
        }
        slots.add("sent_live", own[0]);
        slots.add("sent_live_other", other[0]);
    } else if small.iter().any(is_decided) {
        slots.add("free_move", 1.0);
        let to_win = (0..9).filter(|&board| {
            boards[board] == Board::Open && winning_cells(&small[board], side) > 0
        });
        let factors: Vec<_> = to_win.map(|board| factors(board, &boards, side)).collect();
        let any = |is: &dyn Fn(&[f64; 3]) -> bool| f64::from(factors.iter().any(is));
        slots.add("free_two", any(&|_| true));
        slots.add("free_two_near", any(&|factors| factors[1] > 0.0));
        slots.add("free_two_game", any(&|factors| factors[2] > 0.0));
    }
}

/// The nine boards as a player sees them. If a drawn board counts for both players, its owner depends on the view.
pub(crate) fn boards_of(position: &Uttt, small: &[Square; 9], player: Player) -> [Board; 9] {
    let shared = position.rules().to_string().contains("drawn_board=both");
    small.each_ref().map(|square| {
        match Player::BOTH.into_iter().find(|&winner| has_three_in_a_row(square, winner)) {
            Some(winner) => Board::Of(winner),
            None if square.contains(&None) && can_be_won(square, player) => Board::Open,
            None if square.contains(&None) => Board::Drawn,
            None if shared => Board::Of(player),
            None => Board::Drawn,
        }
    })
}

/// The value from the first player's view, in weight units.
pub(crate) fn extended(position: &Uttt, weights: &[f64], small: &[Square; 9]) -> f64 {
    let boards_of = |player| boards_of(position, small, player);
    let names: Vec<_> =
        tictune::games::uttt::evaluation::EXTENDED.slots.iter().map(|slot| slot.name).collect();
    let of = |player: Player| {
        let mut slots = Slots { names: names.clone(), weights, points: 0.0 };
        of_player(&mut slots, player, small, &boards_of(player));
        slots.points
    };
    let side = position.side_to_move();
    let mut turn = Slots { names: names.clone(), weights, points: 0.0 };
    of_turn(&mut turn, position, small, [side, side.other()].map(boards_of));
    let sign = if side == Player::First { 1.0 } else { -1.0 };
    of(Player::First) - of(Player::Second) + sign * turn.points
}
