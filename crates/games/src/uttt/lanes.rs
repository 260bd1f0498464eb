//! Plays many random games at once, one in each lane of 16-bit vectors.
//!
//! There are no branches and no table look-ups: every lane computes what any lane could need. The
//! compiler can therefore turn the loops over lanes into vector instructions of any instruction
//! set. A board is found by comparing with all nine, a cell by clearing bits, a line by shifts.
//! [`when`] keeps or drops a number, because a conditional store would prevent vectorisation.

use crate::uttt::Uttt;
use crate::uttt::square::FULL;
use tictune_core::game::{Outcome, Player};

/// The number of games that are played at once. It fills two of the widest vectors with 16-bit
/// numbers; one vector alone would mostly wait for its own results.
#[doc(hidden)]
pub(super) const LANES: usize = 64;

/// A number for each lane.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
#[doc(hidden)]
pub(super) struct PerLane(pub [u16; LANES]);

impl PerLane {
    #[doc(hidden)]
    pub(super) const ZERO: Self = Self([0; LANES]);

    /// Sets the lanes where all bits of `fresh` are set to a value.
    #[inline(always)]
    fn fill(&mut self, fresh: &Self, value: u16) {
        for lane in 0..LANES {
            self.0[lane] = self.0[lane] & !fresh.0[lane] | value & fresh.0[lane];
        }
    }
}

/// The random numbers of one ply: 32 bits for each lane, in two halves.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub(super) struct Draws {
    #[doc(hidden)]
    pub high: PerLane,
    #[doc(hidden)]
    pub low: PerLane,
}

/// Games from one position, which must not be over. A lane whose game is over rests until it starts
/// again.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub(super) struct Lanes {
    start: Uttt,
    /// The empty cells of open boards, by board; 0 for closed boards.
    empty: [PerLane; 9],
    /// The marks by player and board. The player to move at the start comes first.
    marks: [[PerLane; 9]; 2],
    /// The boards won, in the same order of players.
    won: [PerLane; 2],
    /// The boards that are not closed; none if the game is over.
    open: PerLane,
    /// The boards that may be played in.
    allowed: PerLane,
    /// 1 or 2 if the first or second of these players has won by a line.
    winner: PerLane,
}

/// Returns 1 if the marks contain three in a row, otherwise 0.
#[inline(always)]
fn lines(marks: u16) -> u16 {
    let [one, two, three] = [marks >> 1, marks >> 2, marks >> 3];
    let [four, six, eight] = [marks >> 4, marks >> 6, marks >> 8];
    let rows = marks & one & two & 0b001_001_001;
    let columns = marks & three & six & 0b111;
    let diagonals = (marks & four & eight | two & four & six) & 1;
    u16::from(rows | columns | diagonals != 0)
}

/// The upper half of a product.
#[inline(always)]
fn upper_product(a: u16, b: u16) -> u16 {
    ((u32::from(a) * u32::from(b)) >> 16) as u16
}

/// Returns the value if the condition holds, otherwise 0. It avoids an `if`, so that loops contain no
/// branch.
#[inline(always)]
fn when(condition: bool, value: u16) -> u16 {
    value & u16::from(condition).wrapping_neg()
}

impl Lanes {
    /// Creates lanes that all rest.
    #[doc(hidden)]
    pub(super) fn new(start: &Uttt) -> Self {
        Self {
            start: *start,
            empty: [PerLane::ZERO; 9],
            marks: [[PerLane::ZERO; 9]; 2],
            won: [PerLane::ZERO; 2],
            open: PerLane::ZERO,
            allowed: PerLane::ZERO,
            winner: PerLane::ZERO,
        }
    }

    /// Starts a new game in the lanes where all bits of `fresh` are set. The other lanes hold 0.
    #[inline(always)]
    #[doc(hidden)]
    pub(super) fn begin(&mut self, fresh: &PerLane) {
        let start = &self.start;
        let (own, other) = (start.side, start.side.other());
        let open = !start.closed & FULL;
        let allowed = start.target().map_or(open, |board| 1 << board);
        for board in 0..9 {
            self.empty[board].fill(fresh, when(open >> board & 1 == 1, start.empty(board)));
            self.marks[0][board].fill(fresh, start.marks(own, board));
            self.marks[1][board].fill(fresh, start.marks(other, board));
        }
        self.won[0].fill(fresh, start.won(own));
        self.won[1].fill(fresh, start.won(other));
        self.open.fill(fresh, open);
        self.allowed.fill(fresh, allowed);
        self.winner.fill(fresh, 0);
    }

    /// The lanes that rest, one bit each.
    #[inline(always)]
    #[doc(hidden)]
    pub(super) fn resting(&self) -> u64 {
        let mut resting = 0;
        for lane in 0..LANES {
            resting |= u64::from(self.open.0[lane] == 0) << lane;
        }
        resting
    }

    /// The outcome of a lane's finished game.
    #[inline(always)]
    #[doc(hidden)]
    pub(super) fn outcome(&self, lane: usize) -> Outcome {
        let own = self.start.side;
        let (mine, other) = (self.won[0].0[lane], self.won[1].0[lane]);
        let won = if own == Player::First { [mine, other] } else { [other, mine] };
        let by_line = [Outcome::Win(own), Outcome::Win(own.other())];
        [self.start.outcome_without_line(won), by_line[0], by_line[1], Outcome::Draw]
            [usize::from(self.winner.0[lane] & 3)]
    }

    /// Plays one ply in every lane that does not rest. `MOVER` is 0 in the first, third, fifth ply
    /// of games and 1 in the others. With `BOTH`, drawn boards count for both players.
    #[inline(always)]
    #[expect(clippy::needless_range_loop, reason = "iterators over arrays need not be inlined")]
    #[doc(hidden)]
    pub(super) fn play<const MOVER: usize, const BOTH: bool>(&mut self, draws: &Draws) {
        for lane in 0..LANES {
            let allowed = self.allowed.0[lane];
            // The number of squares to choose from: in each board, and in the boards before it.
            let (mut cells, mut counts, mut before) = ([0_u16; 9], [0_u16; 9], [0_u16; 9]);
            let mut squares = 0_u16;
            for board in 0..9 {
                let may = allowed & 1 << board != 0;
                cells[board] = when(may, self.empty[board].0[lane]);
                counts[board] = cells[board].count_ones() as u16;
                before[board] = squares;
                squares += counts[board];
            }
            // The upper 32 bits of random number x squares, computed from halves.
            let [high, low] = [draws.high.0[lane], draws.low.0[lane]];
            let rest = upper_product(low, squares);
            let carry = u16::from(high.wrapping_mul(squares).wrapping_add(rest) < rest);
            let index = upper_product(high, squares) + carry;

            // At most one board contains the square, and the others add nothing, so all can be
            // summed.
            let (mut left, mut skip, mut mine, mut chosen) = (0, 0, 0, 0_u16);
            let mut here = [false; 9];
            for board in 0..9 {
                let within = index.wrapping_sub(before[board]);
                here[board] = within < counts[board];
                left += when(here[board], cells[board]);
                skip += when(here[board], within);
                mine += when(here[board], self.marks[MOVER][board].0[lane]);
                chosen += when(here[board], 1 << board);
            }
            let mut from = left;
            for taken in 0..8 {
                // Clears the lowest bit if more cells are to be skipped.
                from &= from.wrapping_sub(u16::min(skip.saturating_sub(taken), 1));
            }
            let bit = from & from.wrapping_neg();
            mine |= bit;
            let line = lines(mine);
            let gone = bit | when(line == 1, left);
            left -= gone;
            for board in 0..9 {
                self.marks[MOVER][board].0[lane] += when(here[board], bit);
                self.empty[board].0[lane] -= when(here[board], gone);
            }
            let won = self.won[MOVER].0[lane] | when(line == 1, chosen);
            self.won[MOVER].0[lane] = won;
            let open = self.open.0[lane] & !when(left == 0, chosen);
            // The boards that count for both players: full and won by nobody.
            let other = self.won[1 - MOVER].0[lane];
            let shared = if BOTH { FULL & !(open | won | other) } else { 0 };
            let moved = u16::from(bit != 0);
            let by_mover = lines(won | shared) & moved;
            let by_other = if BOTH { lines(other | shared) & moved } else { 0 };
            // If one move makes a line for both players, the player who made it has won.
            let mover = when(by_mover == 1, 1 + MOVER as u16);
            let other = when(by_mover == 0 && by_other == 1, 2 - MOVER as u16);
            self.winner.0[lane] |= mover | other;
            let open = when(by_mover | by_other == 0, open);
            self.open.0[lane] = open;
            self.allowed.0[lane] = open & !when(open & bit != 0, !bit);
        }
    }
}
