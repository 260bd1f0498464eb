//! The tree. A node takes 32 bytes. The children of a node lie side by side in generation order. The memory grows in chunks and
//! is used again for the next move.
//!
//! Fields are atomic so that several threads can grow one tree. A single thread reads and writes them without locked
//! instructions; see [`TreeNode::add`].

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

use crate::game::{Outcome, Player};

/// A reward of 1 in fixed point. Integer sums of rewards do not depend on the order.
pub(super) const ONE: u64 = 1 << 20;

/// What is proven about a node, from the view of the player who moved into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    Open,
    Win,
    Draw,
    Loss,
}

/// A node of the tree. Its sums are from the view of the player who moved into it.
#[derive(Debug, Default)]
pub(super) struct TreeNode {
    reward: AtomicU64,
    /// The all-moves-as-first rewards; under UCT the [`factor`](TreeNode::factor).
    amaf_reward: AtomicU64,
    visits: AtomicU32,
    /// The all-moves-as-first visits; under GRAVE the number of its table, from 1; under UCT its children's block of estimates.
    amaf_visits: AtomicU32,
    /// The index of the first child; 0 if there are none, [`CLAIMED`] while a thread adds them.
    children: AtomicU32,
    /// The number of children that are in use, in generation order.
    expanded: AtomicU16,
    /// Three fields in one number: a [`Proof`], the flag [`HAS_WIN`] for a child that wins at once, and above them the number
    /// of legal moves once the children are added. Bits are only ever set.
    state: AtomicU16,
}

const CLAIMED: u32 = u32::MAX;
const HAS_WIN: u16 = 4;
/// The lowest bit of the number of legal moves in a node's state.
const MOVES_SHIFT: u32 = 3;
const MOST_MOVES: usize = (u16::MAX >> MOVES_SHIFT) as usize;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sums {
    pub(super) visits: u32,
    pub(super) reward: u64,
}

impl Sums {
    /// The mean reward, 0 to 1. NaN without visits.
    #[inline]
    pub(super) fn mean(self) -> f64 {
        const UNIT: f64 = 1.0 / ONE as f64;
        self.reward as f64 * UNIT / f64::from(self.visits)
    }
}

impl TreeNode {
    #[inline]
    fn reset(&self) {
        self.copy(&Self::default());
        self.children.store(0, Relaxed);
    }

    /// Takes over all that is known about a node of another tree but its children.
    #[inline]
    fn copy(&self, other: &Self) {
        self.reward.store(other.reward.load(Relaxed), Relaxed);
        self.amaf_reward.store(other.amaf_reward.load(Relaxed), Relaxed);
        self.visits.store(other.visits.load(Relaxed), Relaxed);
        self.amaf_visits.store(other.amaf_visits.load(Relaxed), Relaxed);
        self.expanded.store(other.expanded.load(Relaxed), Relaxed);
        self.state.store(other.state.load(Relaxed), Relaxed);
    }

    #[inline]
    pub(super) fn visits(&self) -> u32 {
        self.visits.load(Relaxed)
    }

    #[inline]
    pub(super) fn sums(&self) -> Sums {
        Sums { visits: self.visits.load(Relaxed), reward: self.reward.load(Relaxed) }
    }

    #[inline]
    pub(super) fn amaf(&self) -> Sums {
        Sums { visits: self.amaf_visits.load(Relaxed), reward: self.amaf_reward.load(Relaxed) }
    }

    /// Adds to the sums. `SHARED` says whether other threads may change them at the same time.
    #[inline]
    pub(super) fn add<const SHARED: bool>(&self, visits: u32, reward: u64) {
        add32::<SHARED>(&self.visits, visits);
        add64::<SHARED>(&self.reward, reward);
    }

    #[inline]
    pub(super) fn take_back(&self, visits: u32) {
        self.visits.fetch_sub(visits, Relaxed);
    }

    #[inline]
    pub(super) fn add_amaf<const SHARED: bool>(&self, visits: u32, reward: u64) {
        add32::<SHARED>(&self.amaf_visits, visits);
        add64::<SHARED>(&self.amaf_reward, reward);
    }

    #[inline]
    pub(super) fn table(&self) -> Option<u32> {
        self.amaf_visits.load(Relaxed).checked_sub(1)
    }

    #[inline]
    pub(super) fn set_table(&self, index: u32) {
        self.amaf_visits.store(index + 1, Relaxed);
    }

    /// The block of its children's estimates, under UCT on one thread.
    #[inline]
    pub(super) fn estimates(&self) -> u32 {
        self.amaf_visits.load(Relaxed)
    }

    #[inline]
    pub(super) fn set_estimates(&self, block: u32) {
        self.amaf_visits.store(block, Relaxed);
    }

    /// The factor of its children's widths, under UCT on one thread.
    #[inline]
    pub(super) fn factor(&self) -> f32 {
        f32::from_bits(self.amaf_reward.load(Relaxed) as u32)
    }

    #[inline]
    pub(super) fn set_factor(&self, factor: f32) {
        self.amaf_reward.store(u64::from(factor.to_bits()), Relaxed);
    }

    #[inline]
    pub(super) fn proof(&self) -> Proof {
        match self.state.load(Relaxed) & 3 {
            0 => Proof::Open,
            1 => Proof::Win,
            2 => Proof::Draw,
            _ => Proof::Loss,
        }
    }

    #[inline]
    pub(super) fn prove(&self, proof: Proof) {
        self.state.fetch_or(proof as u16, Relaxed);
    }

    #[inline]
    pub(super) fn end(&self, outcome: Outcome, mover: Player) {
        self.prove(match outcome {
            Outcome::Draw => Proof::Draw,
            Outcome::Win(winner) if winner == mover => Proof::Win,
            Outcome::Win(_) => Proof::Loss,
        });
    }

    #[inline]
    fn moves(&self) -> u16 {
        self.state.load(Relaxed) >> MOVES_SHIFT
    }

    #[inline]
    pub(super) fn has_win(&self) -> bool {
        self.state.load(Relaxed) & HAS_WIN != 0
    }

    #[inline]
    pub(super) fn set_has_win(&self) {
        self.state.fetch_or(HAS_WIN, Relaxed);
    }

    /// Takes the next unused child, in generation order; `None` if all are in use.
    #[inline]
    pub(super) fn next_unmade<const SHARED: bool>(&self) -> Option<usize> {
        let (made, all) = (self.expanded.load(Relaxed), self.moves());
        if made >= all {
            return None;
        }
        if !SHARED {
            self.expanded.store(made + 1, Relaxed);
            return Some(usize::from(made));
        }
        let next = |made: u16| (made < all).then_some(made + 1);
        self.expanded.fetch_update(Relaxed, Relaxed, next).ok().map(usize::from)
    }

    #[inline]
    pub(super) fn set_all_made(&self) {
        self.expanded.store(self.moves(), Relaxed);
    }
}

#[inline]
fn add32<const SHARED: bool>(sum: &AtomicU32, value: u32) {
    if SHARED {
        sum.fetch_add(value, Relaxed);
    } else {
        sum.store(sum.load(Relaxed).wrapping_add(value), Relaxed);
    }
}

#[inline]
fn add64<const SHARED: bool>(sum: &AtomicU64, value: u64) {
    if SHARED {
        sum.fetch_add(value, Relaxed);
    } else {
        sum.store(sum.load(Relaxed).wrapping_add(value), Relaxed);
    }
}

/// The number of nodes in the first chunk. Every further chunk doubles the tree.
const FIRST_CHUNK: u32 = 1 << 12;
const CHUNKS: usize = 20;

#[derive(Debug)]
pub(super) struct SearchTree {
    chunks: [OnceLock<Box<[TreeNode]>>; CHUNKS],
    next: AtomicU32,
    pub(super) most: u32,
}

impl SearchTree {
    #[inline]
    pub(super) fn new(most: u32) -> Self {
        let chunks = [const { OnceLock::new() }; CHUNKS];
        let tree = Self { chunks, next: AtomicU32::new(0), most };
        tree.clear();
        tree
    }

    #[inline]
    pub(super) fn clear(&self) {
        self.next.store(0, Relaxed);
        self.make(1);
    }

    /// Replaces all nodes by copies of a node of another tree, as the root, and of all nodes below it.
    #[inline]
    pub(super) fn copy_from(&self, other: &Self, root: &TreeNode) {
        self.clear();
        self.root().copy(root);
        let mut open = vec![(root, self.root())];
        while let Some((from, to)) = open.pop() {
            let children = other.children(from);
            if children.is_empty() {
                continue;
            }
            if self.open::<false>(to, children.len()).is_err() {
                // Blocks may fit worse here. The children are then added again.
                to.expanded.store(0, Relaxed);
                continue;
            }
            for (from, to) in children.iter().zip(self.children(to)) {
                to.copy(from);
                open.push((from, to));
            }
        }
    }

    #[inline]
    pub(super) fn back_up_proofs(&self, path: &[&TreeNode]) {
        for pair in path.windows(2).rev() {
            let [parent, child] = [pair[0], pair[1]];
            match child.proof() {
                Proof::Open => return,
                Proof::Win => {
                    parent.set_has_win();
                    parent.prove(Proof::Loss);
                }
                Proof::Draw | Proof::Loss => {
                    let children = self.children(parent);
                    if children.iter().any(|child| child.proof() == Proof::Open) {
                        return;
                    }
                    let drawn = children.iter().any(|child| child.proof() == Proof::Draw);
                    parent.prove(if drawn { Proof::Draw } else { Proof::Win });
                }
            }
        }
    }

    #[inline]
    pub(super) fn root(&self) -> &TreeNode {
        &self.block(0, 1)[0]
    }

    #[inline]
    pub(super) fn len(&self) -> u32 {
        self.next.load(Relaxed).min(self.most)
    }

    /// Allocates a block of new nodes. Returns `None` if the tree is full.
    #[inline]
    fn make(&self, count: u32) -> Option<u32> {
        loop {
            let first = self.next.load(Relaxed);
            // A block never crosses the end of a chunk.
            let (chunk, offset) = place(first);
            let left = chunk_len(chunk) - offset;
            let skip = if count > left { left } else { 0 };
            let end = first.checked_add(skip)?.checked_add(count)?;
            if end > self.most {
                return None;
            }
            if self.next.compare_exchange(first, end, Relaxed, Relaxed).is_ok() {
                let first = first + skip;
                self.block(first, count).iter().for_each(TreeNode::reset);
                return Some(first);
            }
        }
    }

    #[inline]
    fn block(&self, first: u32, count: u32) -> &[TreeNode] {
        let (chunk, offset) = place(first);
        let fresh = || (0..chunk_len(chunk)).map(|_| TreeNode::default()).collect();
        let nodes = self.chunks[chunk].get_or_init(fresh);
        &nodes[offset as usize..(offset + count) as usize]
    }

    /// The children of a node: those in use, and space for the others.
    #[inline]
    pub(super) fn children(&self, node: &TreeNode) -> &[TreeNode] {
        // Acquire: the block was written before its index was published.
        match node.children.load(std::sync::atomic::Ordering::Acquire) {
            0 | CLAIMED => &[],
            first => self.block(first, u32::from(node.moves())),
        }
    }

    /// Allocates the children of a node with so many legal moves; `false` if another thread does, or has done so.
    pub(super) fn open<const SHARED: bool>(
        &self,
        node: &TreeNode,
        moves: usize,
    ) -> Result<bool, Full> {
        assert!(moves <= MOST_MOVES, "{moves} legal moves");
        if SHARED && node.children.compare_exchange(0, CLAIMED, Relaxed, Relaxed).is_err() {
            return Ok(false);
        }
        let Some(first) = self.make(moves as u32) else {
            node.children.store(0, Relaxed);
            return Err(Full);
        };
        node.state.fetch_or((moves as u16) << MOVES_SHIFT, Relaxed);
        node.children.store(first, std::sync::atomic::Ordering::Release);
        Ok(true)
    }
}

#[derive(Debug)]
pub(super) struct Full;

#[inline]
const fn place(index: u32) -> (usize, u32) {
    let shifted = index as u64 + FIRST_CHUNK as u64;
    let chunk = (shifted.ilog2() - FIRST_CHUNK.ilog2()) as usize;
    (chunk, (shifted - ((FIRST_CHUNK as u64) << chunk)) as u32)
}

#[inline]
const fn chunk_len(chunk: usize) -> u32 {
    FIRST_CHUNK << chunk
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_32_bytes_and_indices_fill_chunk_after_chunk() {
        assert_eq!(size_of::<TreeNode>(), 32);
        assert_eq!(place(0), (0, 0));
        assert_eq!(place(FIRST_CHUNK - 1), (0, FIRST_CHUNK - 1));
        assert_eq!(place(FIRST_CHUNK), (1, 0));
        assert_eq!(place(3 * FIRST_CHUNK - 1), (1, 2 * FIRST_CHUNK - 1));
        assert_eq!(place(3 * FIRST_CHUNK), (2, 0));
        let (chunk, offset) = place(super::super::MAX_NODES);
        assert!(chunk < CHUNKS && offset < chunk_len(chunk));
    }
}
