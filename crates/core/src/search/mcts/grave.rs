//! The memory of a search. Besides the tree it holds, for GRAVE, all-moves-as-first values of every move of either player below
//! a node. They are kept in tables because a descendant's moves need not be moves of its ancestor.
//!
//! Source: Cazenave, "Generalized Rapid Action Value Estimation", IJCAI 2015.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock};

use super::estimate::Estimates;
use super::playout::Record;
use super::settings::{MctsParameters, Tree};
use super::tree::{Full, SearchTree, Sums, TreeNode};
use crate::game::Player;

#[derive(Debug)]
pub(super) struct Memory {
    pub(super) tree: SearchTree,
    /// The tree before the last one, whose memory is used again when a part of `tree` is kept.
    spare: Option<SearchTree>,
    tables: Option<GraveTables>,
    /// Used under UCT by a search on one thread.
    pub(super) estimates: Mutex<Estimates>,
}

/// Tables in the order in which nodes claimed them.
#[derive(Debug)]
struct GraveTables {
    all: Vec<OnceLock<GraveTable>>,
    next: AtomicU32,
    indices: usize,
}

#[derive(Debug)]
pub(super) struct GraveTable([Box<[GraveEntry]>; 2]);

#[derive(Debug, Default)]
struct GraveEntry {
    visits: AtomicU32,
    reward: AtomicU64,
}

/// The number of nodes that take as much memory as a table. A table counts as this many nodes towards the limit of the tree.
const fn nodes_of_a_table(indices: usize) -> u32 {
    (2 * indices * size_of::<GraveEntry>()).div_ceil(size_of::<TreeNode>()) as u32
}

impl Memory {
    #[inline]
    pub(super) fn new(settings: &MctsParameters, indices: usize) -> Self {
        let is_grave = settings.tree == Tree::Grave;
        // The tree and the tables get half of the memory each.
        let most = if is_grave { settings.max_nodes / 2 } else { settings.max_nodes };
        let tables = is_grave.then(|| {
            let count = (most / nodes_of_a_table(indices)).max(1);
            let all = (0..count).map(|_| OnceLock::new()).collect();
            GraveTables { all, next: AtomicU32::new(0), indices }
        });
        let (tree, estimates) = (SearchTree::new(most), Mutex::default());
        let memory = Self { tree, spare: None, tables, estimates };
        memory.clear();
        memory
    }

    /// Forgets the last search but keeps the allocated memory.
    #[inline]
    pub(super) fn clear(&self) {
        self.tree.clear();
        if let Some(tables) = &self.tables {
            tables.next.store(0, Relaxed);
            // There is at least one.
            let _ = self.claim(self.tree.root());
        }
    }

    /// Keeps the node after some moves, given by their numbers in generation order, as the new root, with all that is below it.
    /// Without such a node, nothing is kept. Not for GRAVE, whose tables belong to nodes.
    #[inline]
    pub(super) fn keep(&mut self, moves: &[usize]) {
        let child = |node, &index: &usize| self.tree.children(node).get(index);
        let kept = moves.iter().try_fold(self.tree.root(), child).filter(|node| node.visits() > 0);
        let Some(kept) = kept else { return self.clear() };
        let spare = self.spare.take().unwrap_or_else(|| SearchTree::new(self.tree.most));
        spare.copy_from(&self.tree, kept);
        self.spare = Some(std::mem::replace(&mut self.tree, spare));
    }

    #[inline]
    pub(super) fn claim(&self, node: &TreeNode) -> Result<(), Full> {
        let Some(tables) = &self.tables else { return Ok(()) };
        let index = tables.next.fetch_add(1, Relaxed);
        let Some(slot) = tables.all.get(index as usize) else {
            tables.next.fetch_sub(1, Relaxed);
            return Err(Full);
        };
        slot.get_or_init(|| GraveTable::new(tables.indices)).reset();
        node.set_table(index);
        Ok(())
    }

    #[inline]
    pub(super) fn table(&self, node: &TreeNode) -> Option<&GraveTable> {
        let index = node.table()?;
        self.tables.as_ref()?.all.get(index as usize)?.get()
    }
}

impl GraveTable {
    #[inline]
    fn new(indices: usize) -> Self {
        Self([0, 1].map(|_| (0..indices).map(|_| GraveEntry::default()).collect()))
    }

    #[inline]
    fn reset(&self) {
        for entry in self.0.iter().flat_map(|entries| &**entries) {
            entry.visits.store(0, Relaxed);
            entry.reward.store(0, Relaxed);
        }
    }

    #[inline]
    pub(super) fn sums(&self, player: Player, index: usize) -> Sums {
        let entry = &self.0[player.index()][index];
        Sums { visits: entry.visits.load(Relaxed), reward: entry.reward.load(Relaxed) }
    }

    /// Adds a result to all moves of a record, each from the view of the player who made it.
    #[inline]
    pub(super) fn add(&self, record: &Record, rewards: [u64; 2]) {
        for (player, moves) in record.iter().enumerate() {
            let (entries, reward) = (&*self.0[player], rewards[player]);
            moves.for_each(|index| {
                let entry = &entries[index];
                entry.visits.fetch_add(1, Relaxed);
                entry.reward.fetch_add(reward, Relaxed);
            });
        }
    }
}
