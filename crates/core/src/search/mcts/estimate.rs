//! Estimates of UCT values in single precision, for several children at a time. They rule out all children of a node that
//! cannot have the highest value; usually one is left. If several are left, the exact formula decides. Selection is therefore
//! the same as without estimates.
//!
//! An iteration changes the sums of one child of a node but compares all children. Terms that depend on one node alone are
//! therefore computed when its visits change: a child's mean reward q / n, its width 1 / sqrt(n), and the parent's factor C
//! sqrt(ln t). Selection then takes one multiplication and one addition for each child.
//!
//! Estimates are used on one thread only: several threads could not keep them up to date.

use std::array::from_fn;

use super::tree::{ONE, Sums};

const LANES: usize = 4;

pub(super) const MOST_CHILDREN: usize = u128::BITS as usize;

/// How far the estimate of the best child may lie below the highest estimate, as a share of the latter.
///
/// Both terms of a value are sums and products of non-negative numbers, so relative errors add up. Each rounding is off by at
/// most 2^-24. A mean has three roundings, a width three, a factor three (and one more for the logarithm), and the product and
/// the sum one each. An estimate is therefore off by less than 2^-20 of itself, and the difference of two estimates by less
/// than 2^-19. The error of the formula in double precision is far smaller.
const TOLERANCE: f32 = 1.0 / (1 << 18) as f32;
/// The absolute tolerance, for values so small that single precision rounds them to multiples of a fixed step.
const SMALLEST: f32 = 1e-30;

/// Several children. The value of each is `mean + factor * width`.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Group {
    mean: [f32; LANES],
    width: [f32; LANES],
}

impl Group {
    const NONE: Self = Self { mean: [f32::NEG_INFINITY; LANES], width: [1.0; LANES] };

    #[inline]
    fn values(&self, factor: f32) -> [f32; LANES] {
        from_fn(|lane| self.mean[lane] + factor * self.width[lane])
    }
}

/// The number of groups allocated first: 4 MiB, enough for 100,000 iterations without reallocation.
const FIRST_GROUPS: usize = 1 << 17;

#[derive(Debug, Default)]
pub(super) struct Estimates(Vec<Group>);

impl Estimates {
    #[inline]
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds the children of a node, which have no visits yet. Returns the index of their block.
    #[inline]
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
    pub(super) const fn slot(block: u32, child: usize) -> usize {
        block as usize * LANES + child
    }

    /// Updates the estimate of a child. A child without visits has an infinite value.
    #[inline]
    pub(super) fn set(&mut self, slot: usize, sums: Sums) {
        const UNIT: f32 = 1.0 / ONE as f32;
        let group = &mut self.0[slot / LANES];
        let lane = slot % LANES;
        let visits = sums.visits as f32;
        // Rewards stay below 2^63, and a signed number is converted in one instruction.
        group.mean[lane] = if sums.visits == 0 {
            f32::INFINITY
        } else {
            sums.reward as i64 as f32 * UNIT / visits
        };
        group.width[lane] = 1.0 / visits.max(1.0).sqrt();
    }

    #[inline]
    pub(super) fn exclude(&mut self, slot: usize) {
        self.0[slot / LANES].mean[slot % LANES] = f32::NEG_INFINITY;
    }

    /// The children of a block, at most [`MOST_CHILDREN`], that could have the highest value, as bits; 0 if all are excluded.
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

/// The factor of the children's widths at a node with this many visits: C sqrt(ln t).
#[inline]
pub(super) fn factor(visits: u32, exploration: f64) -> f32 {
    let log = libm::logf(visits.max(1) as f32);
    (exploration * f64::from(log.sqrt())) as f32
}
