//! Which children of a node could have the highest value by UCT: estimates in single precision, several
//! children at a time. They rule out all but the contenders, mostly all but one. Where several are left, the
//! exact formula decides, so that selection gives what it would give without estimates.
//!
//! An iteration changes the sums of one child of a node, and looks at all its children. So what depends on
//! one node alone is computed where its visits change: a child's mean reward q / n and its width 1 / sqrt(n),
//! and C sqrt(ln t) of the parent. Selection is left with a multiplication and an addition a child.
//!
//! For one thread: several could not keep this up to date.

use std::array::from_fn;

use super::tree::{ONE, Sums};

/// Children that are estimated together.
const LANES: usize = 4;

/// The most children of a node among which estimates can select.
pub(super) const MOST_CHILDREN: usize = u128::BITS as usize;

/// How far below the highest estimate, in shares of it, that of the best child may be.
///
/// Both terms of a value are sums and products of numbers that are not negative, so that relative errors add
/// up. Each rounding is off by at most 2^-24: a mean by three of them, a width by three, a factor by three
/// (the logarithm by one more), product and sum by one each. So an estimate is off by less than 2^-20 of
/// itself, the difference of two by less than 2^-19; the formula in double precision by far less.
const TOLERANCE: f32 = 1.0 / (1 << 18) as f32;
/// The same for values that are so small that single precision rounds them to multiples of a fixed step.
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
        from_fn(|lane| self.mean[lane] + factor * self.width[lane])
    }
}

/// The groups that memory is taken for at first, 4 MiB: enough for 100,000 iterations without a move to a
/// larger place. Most systems hand it out page by page as it is used.
const FIRST_GROUPS: usize = 1 << 17;

/// Where the estimate of a child is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slot(usize);

/// Estimates for the children of all nodes of a tree.
#[derive(Debug, Default)]
pub(super) struct Estimates(Vec<Group>);

impl Estimates {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Makes room for the children of a node, which have no visits. Gives the number of their block.
    pub(super) fn open(&mut self, children: usize) -> u32 {
        if self.0.capacity() == 0 {
            self.0.reserve(FIRST_GROUPS);
        }
        let block = self.0.len();
        self.0.resize(block + children.div_ceil(LANES), Group::NONE);
        for child in 0..children {
            self.0[block + child / LANES].mean[child % LANES] = f32::INFINITY;
        }
        block as u32
    }

    #[inline]
    pub(super) fn slot(block: u32, child: usize) -> Slot {
        Slot(block as usize * LANES + child)
    }

    /// Notes the sums of a child. A child without visits has an infinite value.
    #[inline]
    pub(super) fn set(&mut self, Slot(slot): Slot, sums: Sums) {
        const UNIT: f32 = 1.0 / ONE as f32;
        let group = &mut self.0[slot / LANES];
        let lane = slot % LANES;
        let visits = sums.visits as f32;
        // Rewards stay below 2^63, and signed numbers are converted in one instruction.
        group.mean[lane] = if sums.visits == 0 {
            f32::INFINITY
        } else {
            sums.reward as i64 as f32 * UNIT / visits
        };
        group.width[lane] = 1.0 / visits.max(1.0).sqrt();
    }

    /// Notes that a child is not to be selected.
    pub(super) fn exclude(&mut self, Slot(slot): Slot) {
        self.0[slot / LANES].mean[slot % LANES] = f32::NEG_INFINITY;
    }

    /// Those children of a block, at most [`MOST_CHILDREN`], that could have the highest value, as a mask; none
    /// if all are excluded.
    #[inline]
    pub(super) fn contenders(&self, block: u32, children: usize, factor: f32) -> u128 {
        const { assert!(MOST_CHILDREN.is_multiple_of(LANES)) };
        debug_assert!(children <= MOST_CHILDREN);
        let groups = &self.0[block as usize..][..children.div_ceil(LANES)];
        let mut most = [f32::NEG_INFINITY; LANES];
        for group in groups {
            let values = group.values(factor);
            most =
                from_fn(|lane| if values[lane] > most[lane] { values[lane] } else { most[lane] });
        }
        let most = most[0].max(most[1]).max(most[2].max(most[3]));
        if most == f32::NEG_INFINITY {
            return 0;
        }
        let least = most * (1.0 - TOLERANCE) - SMALLEST;
        groups.iter().rev().fold(0, |mask, group| {
            let contends = group.values(factor).map(|value| value >= least);
            let bits = (0..LANES).fold(0_u8, |bits, lane| bits | u8::from(contends[lane]) << lane);
            mask << LANES | u128::from(bits)
        })
    }
}

/// What the widths of the children of a node with so many visits are multiplied with: C sqrt(ln t).
#[inline]
pub(super) fn factor(visits: u32, exploration: f64) -> f32 {
    let log = libm::logf(visits.max(1) as f32);
    (exploration * f64::from(log.sqrt())) as f32
}
