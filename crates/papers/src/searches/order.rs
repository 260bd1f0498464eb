//! The order in which a selective search tries moves (Papadam, "Move Sorting").
//!
//! Where a program sorts its moves with C++'s `std::sort` and plays the first of the best, the sort decides between equal
//! moves. Up to 16 items are sorted by insertion, which is stable. More are divided around pivots first, which is not.

use std::cmp::{Ordering, Reverse};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tictune_core::game::{Evaluator, MoveList, Position, Score};
use tictune_core::search::minimax::take_best;

/// How moves are sorted that the ordering evaluation values alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sorting {
    /// They stay in generation order.
    #[default]
    Stable,
    /// They are left as C++'s `std::sort` leaves them (Papadam's program).
    Introsort,
}

impl Sorting {
    /// Gives moves values by which a search that takes the first of the highest ones follows this sort.
    pub fn ranked<M: Copy>(self, mut moves: Sorted<M>) -> Sorted<M> {
        if self == Self::Introsort {
            introsort(&mut moves, &|a, b| b.0.cmp(&a.0));
            for (number, (value, _)) in (0..).zip(&mut moves) {
                *value = Score(-number);
            }
        }
        moves
    }
}

/// An evaluation that sorts moves. A trait object, called once for each inner node, so that the search is not compiled for
/// each pair of evaluations.
pub trait MoveOrder<P: Position>: Send + Sync {
    /// Starts a line of play at a position.
    fn along<'o>(&'o self, root: &P) -> Box<dyn OrderAlong<P> + 'o>;
}

/// A [`MoveOrder`] along the current line of play.
pub trait OrderAlong<P: Position> {
    /// Continues the line of play by a move.
    fn enter(&mut self, before: &P, mv: P::Move, after: &P);

    /// Takes back the last move of the line.
    fn leave(&mut self);

    /// The legal moves of the line's last position in generation order, with their values.
    fn values(&self, position: &P) -> Sorted<P::Move>;
}

impl<P: Position, O: Evaluator<P>> MoveOrder<P> for O {
    fn along<'o>(&'o self, root: &P) -> Box<dyn OrderAlong<P> + 'o> {
        Box::new(Along { order: self, states: vec![self.state(root)] })
    }
}

/// An ordering evaluator and its states along the line of play.
struct Along<'o, P: Position, O: Evaluator<P>> {
    order: &'o O,
    states: Vec<O::State>,
}

impl<P: Position, O: Evaluator<P>> OrderAlong<P> for Along<'_, P, O> {
    fn enter(&mut self, before: &P, mv: P::Move, after: &P) {
        let mut state = self.states[self.states.len() - 1];
        self.order.update(&mut state, before, mv, after);
        self.states.push(state);
    }

    fn leave(&mut self) {
        self.states.pop();
    }

    fn values(&self, position: &P) -> Sorted<P::Move> {
        let (state, side) = (&self.states[self.states.len() - 1], position.side_to_move());
        let value = |mv| self.order.score_after(state, position, mv).seen_by(side);
        position.legal_moves().map(|mv| (value(mv), mv)).collect()
    }
}

/// Moves with the ordering evaluator's value of the position after each, for the side that plays it.
pub(super) type Sorted<M> = MoveList<(Score, M)>;

/// Takes out the move of the highest value, the first in generation order among equals. The list is not sorted: one of the
/// first moves often causes a cutoff.
pub(super) fn take_first<M: Copy + Ord>(moves: &mut Sorted<M>) -> Option<M> {
    take_best(moves, |&(value, mv)| (value, Reverse(mv))).map(|(_, mv)| mv)
}

/// Items up to this number are left to the insertion sort.
const FEW: usize = 16;

/// Sorts as `std::sort` of GCC's library does, with equal items in the same order.
///
/// Source: Musser, "Introspective sorting and selection algorithms", Software: Practice and Experience 27, 1997: quicksort with
/// the median of three items as pivot, then one insertion sort of it all, which is any stable sort. The limit of the depth, which
/// lists of moves hardly reach, ends in a stable sort here.
fn introsort<T>(items: &mut [T], order: &impl Fn(&T, &T) -> Ordering) {
    if !items.is_empty() {
        divide(items, 2 * items.len().ilog2(), order);
        items.sort_by(order);
    }
}

/// Divides until parts are of [`FEW`] items, none of which belongs before one of an earlier part.
fn divide<T>(mut items: &mut [T], mut depth: u32, order: &impl Fn(&T, &T) -> Ordering) {
    while items.len() > FEW {
        if depth == 0 {
            return items.sort_by(order);
        }
        depth -= 1;
        let cut = partition(items, order);
        let (left, right) = items.split_at_mut(cut);
        divide(right, depth, order);
        items = left;
    }
}

/// Puts the median of three items first, and divides the others around it. Returns where the second part begins.
fn partition<T>(items: &mut [T], order: &impl Fn(&T, &T) -> Ordering) -> usize {
    let before = |a: &T, b: &T| order(a, b).is_lt();
    let [a, b, c] = [1, items.len() / 2, items.len() - 1];
    let less = |x: usize, y: usize| before(&items[x], &items[y]);
    let (low, high) = if less(a, b) { (a, b) } else { (b, a) };
    let median = if less(high, c) {
        high
    } else if less(low, c) {
        c
    } else {
        low
    };
    items.swap(0, median);
    let (mut first, mut last) = (1, items.len());
    loop {
        while before(&items[first], &items[0]) {
            first += 1;
        }
        last -= 1;
        while before(&items[0], &items[last]) {
            last -= 1;
        }
        if first >= last {
            return first;
        }
        items.swap(first, last);
        first += 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The order of `std::sort` of GCC 12 for the values i * 7 % 5 % 3, the greatest first.
    const OF_64: [usize; 64] = [
        1, 26, 31, 36, 21, 41, 16, 46, 11, 51, 56, 6, 61, 38, 28, 63, 62, 32, 33, 58, 37, 52, 57,
        42, 43, 47, 48, 53, 2, 3, 12, 23, 13, 27, 22, 7, 8, 18, 17, 55, 50, 10, 9, 54, 14, 5, 4,
        59, 60, 0, 49, 45, 44, 15, 40, 39, 19, 20, 35, 34, 24, 25, 30, 29,
    ];

    fn sorted(values: &[usize]) -> Vec<usize> {
        let mut items: Vec<(usize, usize)> =
            values.iter().enumerate().map(|(index, &value)| (value, index)).collect();
        introsort(&mut items, &|a, b| b.0.cmp(&a.0));
        items.into_iter().map(|(_, index)| index).collect()
    }

    #[test]
    fn equal_items_are_where_gcc_leaves_them() {
        let values: Vec<usize> = (0..64).map(|index| index * 7 % 5 % 3).collect();
        assert_eq!(sorted(&values), OF_64);
    }

    proptest! {
        #[test]
        fn the_order_is_sorted_and_that_of_few_items_is_stable(
            values in prop::collection::vec(0_usize..9, 0..81),
        ) {
            let order = sorted(&values);
            prop_assert!(order.windows(2).all(|pair| values[pair[0]] >= values[pair[1]]));
            let mut all = order.clone();
            all.sort_unstable();
            prop_assert_eq!(all, (0..values.len()).collect::<Vec<_>>());
            if values.len() <= FEW {
                let mut stable: Vec<usize> = (0..values.len()).collect();
                stable.sort_by_key(|&index| std::cmp::Reverse(values[index]));
                prop_assert_eq!(order, stable);
            }
        }
    }
}
