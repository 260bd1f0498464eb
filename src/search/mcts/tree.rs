//! The tree: nodes of 32 bytes, the children of a node side by side in the order of its moves, in
//! memory that grows in chunks and is used again for the next move.
//!
//! Fields are atomic so that several threads may grow one tree. A single thread reads and writes them
//! without a locked instruction: see [`Node::add`].

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

/// A reward of 1 in fixed point. Sums of rewards are whole numbers, whatever their order.
pub(super) const ONE: u64 = 1 << 20;

/// What is proven of a node, from the view of the player who moved into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// Nothing.
    Open,
    /// The player has won.
    Win,
    /// Nobody has.
    Draw,
    /// The opponent has.
    Loss,
}

/// A position of the tree, with its sums from the view of the player who moved into it.
#[derive(Debug)]
pub(super) struct Node {
    reward: AtomicU64,
    /// Rewards for all-moves-as-first; under UCT the [`factor`](Node::factor).
    amaf_reward: AtomicU64,
    visits: AtomicU32,
    /// Visits for all-moves-as-first; under GRAVE the number of the node's table, from 1; under UCT the
    /// block of its children's estimates.
    amaf_visits: AtomicU32,
    /// Where its children are; 0 for none, [`CLAIMED`] while a thread makes them.
    children: AtomicU32,
    /// How many of the children have been made, in the order of the moves.
    expanded: AtomicU16,
    /// A [`Proof`], whether a child wins at once ([`HAS_WIN`]), and above both how many legal moves it has, once
    /// its children are: bits are only ever added.
    state: AtomicU16,
}

const CLAIMED: u32 = u32::MAX;
const HAS_WIN: u16 = 4;
/// Where the number of legal moves begins in a node's state.
const MOVES_SHIFT: u32 = 3;
/// The most legal moves of a position.
const MOST_MOVES: usize = (u16::MAX >> MOVES_SHIFT) as usize;

/// Sums of one kind: visits and rewards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sums {
    pub(super) visits: u32,
    pub(super) reward: u64,
}

impl Sums {
    /// The mean reward, 0..=1. NaN without visits.
    #[inline]
    pub(super) fn mean(self) -> f64 {
        const UNIT: f64 = 1.0 / ONE as f64;
        self.reward as f64 * UNIT / f64::from(self.visits)
    }
}

impl Node {
    const fn new() -> Self {
        Self {
            reward: AtomicU64::new(0),
            amaf_reward: AtomicU64::new(0),
            visits: AtomicU32::new(0),
            amaf_visits: AtomicU32::new(0),
            children: AtomicU32::new(0),
            expanded: AtomicU16::new(0),
            state: AtomicU16::new(0),
        }
    }

    fn reset(&self) {
        self.reward.store(0, Relaxed);
        self.amaf_reward.store(0, Relaxed);
        self.visits.store(0, Relaxed);
        self.amaf_visits.store(0, Relaxed);
        self.children.store(0, Relaxed);
        self.expanded.store(0, Relaxed);
        self.state.store(0, Relaxed);
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

    /// Adds to the sums. `SHARED` says whether other threads may be at it too.
    #[inline]
    pub(super) fn add<const SHARED: bool>(&self, visits: u32, reward: u64) {
        add32::<SHARED>(&self.visits, visits);
        add64::<SHARED>(&self.reward, reward);
    }

    /// Takes back visits that were pretended.
    #[inline]
    pub(super) fn take_back(&self, visits: u32) {
        self.visits.fetch_sub(visits, Relaxed);
    }

    #[inline]
    pub(super) fn add_amaf<const SHARED: bool>(&self, visits: u32, reward: u64) {
        add32::<SHARED>(&self.amaf_visits, visits);
        add64::<SHARED>(&self.amaf_reward, reward);
    }

    /// Under GRAVE: the node's table.
    #[inline]
    pub(super) fn table(&self) -> Option<u32> {
        self.amaf_visits.load(Relaxed).checked_sub(1)
    }

    pub(super) fn set_table(&self, index: u32) {
        self.amaf_visits.store(index + 1, Relaxed);
    }

    /// Under UCT on one thread: the block of its children's estimates.
    #[inline]
    pub(super) fn estimates(&self) -> u32 {
        self.amaf_visits.load(Relaxed)
    }

    pub(super) fn set_estimates(&self, block: u32) {
        self.amaf_visits.store(block, Relaxed);
    }

    /// Under UCT on one thread: what the widths of its children are multiplied with.
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

    pub(super) fn prove(&self, proof: Proof) {
        self.state.fetch_or(proof as u16, Relaxed);
    }

    /// How many legal moves it has, once its children are made.
    #[inline]
    fn moves(&self) -> u16 {
        self.state.load(Relaxed) >> MOVES_SHIFT
    }

    #[inline]
    pub(super) fn has_win(&self) -> bool {
        self.state.load(Relaxed) & HAS_WIN != 0
    }

    pub(super) fn set_has_win(&self) {
        self.state.fetch_or(HAS_WIN, Relaxed);
    }

    /// Takes the next child to be made, in the order of the moves; `None` if all are.
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

    /// Says that all children have been made.
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

/// The nodes of the first chunk; every further chunk doubles the tree.
const FIRST_CHUNK: u32 = 1 << 12;
/// Enough chunks for any 32-bit index.
const CHUNKS: usize = 20;

/// A tree; the root is node 0.
#[derive(Debug)]
pub(super) struct Tree {
    chunks: [OnceLock<Box<[Node]>>; CHUNKS],
    next: AtomicU32,
    most: u32,
}

impl Tree {
    /// A tree of at most so many nodes, with only its root.
    pub(super) fn new(most: u32) -> Self {
        let tree =
            Self { chunks: [const { OnceLock::new() }; CHUNKS], next: AtomicU32::new(0), most };
        tree.clear();
        tree
    }

    /// Forgets all nodes and makes a new root.
    pub(super) fn clear(&self) {
        self.next.store(0, Relaxed);
        self.make(1);
    }

    pub(super) fn root(&self) -> &Node {
        &self.block(0, 1)[0]
    }

    /// Nodes in use.
    pub(super) fn len(&self) -> u32 {
        self.next.load(Relaxed).min(self.most)
    }

    /// Makes a block of fresh nodes; `None` if the tree is full.
    fn make(&self, count: u32) -> Option<u32> {
        loop {
            let first = self.next.load(Relaxed);
            // No block lies across the end of a chunk.
            let (chunk, offset) = place(first);
            let skip =
                if offset + count > chunk_len(chunk) { chunk_len(chunk) - offset } else { 0 };
            let end = first.checked_add(skip)?.checked_add(count)?;
            if end > self.most {
                return None;
            }
            if self.next.compare_exchange(first, end, Relaxed, Relaxed).is_ok() {
                let first = first + skip;
                self.block(first, count).iter().for_each(Node::reset);
                return Some(first);
            }
        }
    }

    #[inline]
    fn block(&self, first: u32, count: u32) -> &[Node] {
        let (chunk, offset) = place(first);
        let fresh = || (0..chunk_len(chunk)).map(|_| Node::new()).collect();
        let nodes = self.chunks[chunk].get_or_init(fresh);
        &nodes[offset as usize..(offset + count) as usize]
    }

    /// The children of a node that have been made, and space for the others.
    #[inline]
    pub(super) fn children(&self, node: &Node) -> &[Node] {
        // Acquire: the block was made before its index was published.
        match node.children.load(std::sync::atomic::Ordering::Acquire) {
            0 | CLAIMED => &[],
            first => self.block(first, u32::from(node.moves())),
        }
    }

    /// Makes space for the children of a node with so many legal moves.
    ///
    /// # Panics
    /// If they are more than [`MOST_MOVES`].
    pub(super) fn open<const SHARED: bool>(&self, node: &Node, moves: usize) -> Opened {
        assert!(moves <= MOST_MOVES, "{moves} legal moves");
        if SHARED && node.children.compare_exchange(0, CLAIMED, Relaxed, Relaxed).is_err() {
            return Opened::Elsewhere;
        }
        let Some(first) = self.make(moves as u32) else {
            node.children.store(0, Relaxed);
            return Opened::Full;
        };
        node.state.fetch_or((moves as u16) << MOVES_SHIFT, Relaxed);
        node.children.store(first, std::sync::atomic::Ordering::Release);
        Opened::Here
    }
}

/// What became of an attempt to make children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opened {
    /// They have their space.
    Here,
    /// Another thread was first.
    Elsewhere,
    /// The tree may not grow.
    Full,
}

/// The chunk of an index, and its place there.
#[inline]
const fn place(index: u32) -> (usize, u32) {
    let shifted = index as u64 + FIRST_CHUNK as u64;
    let chunk = (shifted.ilog2() - FIRST_CHUNK.ilog2()) as usize;
    (chunk, (shifted - ((FIRST_CHUNK as u64) << chunk)) as u32)
}

const fn chunk_len(chunk: usize) -> u32 {
    FIRST_CHUNK << chunk
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_32_bytes() {
        assert_eq!(size_of::<Node>(), 32);
    }

    #[test]
    fn indices_fill_chunk_after_chunk() {
        assert_eq!(place(0), (0, 0));
        assert_eq!(place(FIRST_CHUNK - 1), (0, FIRST_CHUNK - 1));
        assert_eq!(place(FIRST_CHUNK), (1, 0));
        assert_eq!(place(3 * FIRST_CHUNK - 1), (1, 2 * FIRST_CHUNK - 1));
        assert_eq!(place(3 * FIRST_CHUNK), (2, 0));
        let (chunk, offset) = place(super::super::MAX_NODES);
        assert!(chunk < CHUNKS && offset < chunk_len(chunk));
    }

    #[test]
    fn a_tree_grows_to_its_limit_and_starts_anew() {
        let tree = Tree::new(20_000);
        for _ in 0..2 {
            let mut blocks = 0;
            let mut node = tree.root();
            while tree.open::<false>(node, 9) == Opened::Here {
                let children = tree.children(node);
                assert_eq!(children.len(), 9);
                assert!(children.iter().all(|child| child.sums() == Sums::default()));
                children[3].add::<false>(2, ONE);
                node = &children[8];
                blocks += 1;
            }
            assert!(blocks > 2000 && tree.len() <= 20_000, "{blocks}");
            assert_eq!(tree.children(node).len(), 0);
            tree.clear();
        }
    }

    #[test]
    fn children_are_taken_in_order_and_once() {
        let tree = Tree::new(2000);
        let root = tree.root();
        assert_eq!(tree.open::<true>(root, 5), Opened::Here);
        assert_eq!(tree.open::<true>(root, 5), Opened::Elsewhere);
        let taken: Vec<_> = (0..7).map(|_| root.next_unmade::<true>()).collect();
        assert_eq!(taken, [Some(0), Some(1), Some(2), Some(3), Some(4), None, None]);
    }
}
