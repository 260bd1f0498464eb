//! Which children could have the highest value by UCT: values in single precision, several children at a
//! time. All but the contenders are ruled out, mostly all but one; where several are left, the exact
//! formula decides, so that selection is what it would be without estimates.
//!
//! An iteration changes the sums of one child of a node and looks at all of them. So what depends on a
//! child alone (its mean reward and 1 / sqrt(n)) is computed where its sums change, and selection is left
//! with a multiplication and an addition a child.

use arrayvec::ArrayVec;

use super::tree::{ONE, Sums};
use crate::position::MAX_MOVES;

/// Children that are estimated together.
const LANES: usize = 4;

/// An estimate is off by less than 2^-20 of itself: see [`Estimates::set`] and [`factor`]. Those of the
/// best child and of another may be off in either direction.
const TOLERANCE: f32 = 4.0 / (1 << 20) as f32;
/// Below it single precision knows no such bound.
const SMALLEST: f32 = 1e-30;

/// Children side by side: the value of one is `mean + factor * width`.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Group {
    mean: [f32; LANES],
    width: [f32; LANES],
}

impl Group {
    /// None of these could be selected.
    const NONE: Self = Self { mean: [f32::NEG_INFINITY; LANES], width: [1.0; LANES] };

    #[inline]
    fn values(&self, factor: f32) -> [f32; LANES] {
        std::array::from_fn(|lane| self.mean[lane] + factor * self.width[lane])
    }
}

/// Where the estimate of a child is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slot(u32);

/// Estimates for the children of all nodes of a tree.
#[derive(Debug, Default)]
pub(super) struct Estimates(Vec<Group>);

impl Estimates {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Makes room for the children of a node, which have no visits. Gives the number of their block.
    pub(super) fn open(&mut self, children: usize) -> u32 {
        let block = self.0.len();
        self.0.resize(block + children.div_ceil(LANES), Group::NONE);
        for child in 0..children {
            self.0[block + child / LANES].mean[child % LANES] = f32::INFINITY;
        }
        block as u32
    }

    #[inline]
    pub(super) fn slot(block: u32, child: usize) -> Slot {
        Slot(block * LANES as u32 + child as u32)
    }

    /// Notes the sums of a child. A child without visits has an infinite value.
    #[inline]
    pub(super) fn set(&mut self, Slot(slot): Slot, sums: Sums) {
        const UNIT: f32 = 1.0 / ONE as f32;
        let group = &mut self.0[slot as usize / LANES];
        let lane = slot as usize % LANES;
        let visits = sums.visits as f32;
        // Each of these steps is off by at most 2^-24. Rewards stay below 2^63.
        group.mean[lane] = if sums.visits == 0 {
            f32::INFINITY
        } else {
            sums.reward as i64 as f32 * UNIT / visits
        };
        group.width[lane] = 1.0 / visits.max(1.0).sqrt();
    }

    /// Notes that a child is not to be selected.
    pub(super) fn exclude(&mut self, Slot(slot): Slot) {
        self.0[slot as usize / LANES].mean[slot as usize % LANES] = f32::NEG_INFINITY;
    }

    /// Those children of a block, in order, that could have the highest value; none if all are excluded.
    #[inline]
    pub(super) fn contenders(
        &self,
        block: u32,
        children: usize,
        factor: f32,
    ) -> ArrayVec<u8, MAX_MOVES> {
        let groups = &self.0[block as usize..][..children.div_ceil(LANES)];
        let mut most = [f32::NEG_INFINITY; LANES];
        for group in groups {
            let values = group.values(factor);
            for lane in 0..LANES {
                most[lane] = if values[lane] > most[lane] { values[lane] } else { most[lane] };
            }
        }
        let most = most.into_iter().fold(f32::NEG_INFINITY, f32::max);
        let mut contenders = ArrayVec::new();
        if most == f32::NEG_INFINITY {
            return contenders;
        }
        let least = most * (1.0 - TOLERANCE) - SMALLEST;
        for (group, first) in groups.iter().zip((0..).step_by(LANES)) {
            let values = group.values(factor);
            if values.iter().any(|&value| value >= least) {
                for lane in 0..LANES {
                    if values[lane] >= least {
                        contenders.push(first + lane as u8);
                    }
                }
            }
        }
        contenders
    }
}

/// What the width of a child is multiplied with: C sqrt(ln t).
#[inline]
pub(super) fn factor(visits: u32, exploration: f64) -> f32 {
    let log = libm::logf(visits.max(1) as f32);
    (exploration * f64::from(log.sqrt())) as f32
}
