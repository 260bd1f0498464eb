//! One iteration: selection, expansion, simulation, backpropagation (Liang 4.3).

use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use rand::{RngExt, SeedableRng};

use super::estimate::{Estimates, MOST_CHILDREN, factor};
use super::grave::Memory;
use super::helpers::Helpers;
use super::playout::{Record, Rewards, Values, playout, rewards};
use super::selection::{rave, select, select_estimated, uct};
use super::settings::{Expansion, ExpansionOrder, MctsParameters, RewardView, Tree};
use super::tree::{Full, ONE, Proof, TreeNode};
use crate::game::{MoveList, Outcome, Player, Searchable};
use crate::search::budget::{Budget, ITERATIONS_BETWEEN_CLOCKS};
use crate::seed::Generator;

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Its iterations or its time ran out.
    Budget,
    /// A tree reached its node limit.
    Nodes,
    /// The solver proved the result.
    Proven,
    /// Only one move was legal.
    OneMove,
}

pub(super) struct Searcher<'s, P> {
    pub(super) settings: &'s MctsParameters,
    pub(super) values: &'s dyn Values<P>,
    pub(super) memory: &'s Memory,
    pub(super) root: &'s P,
    pub(super) helpers: Option<&'s Helpers<P>>,
}

/// The path from the root to a leaf. All iterations of a search share its memory.
struct Path<'s, P> {
    nodes: Vec<&'s TreeNode>,
    /// The estimates of all nodes but the root, if estimates are used.
    slots: Vec<usize>,
    /// The positions of all nodes but the last, for RAVE and GRAVE.
    positions: Vec<P>,
    /// The move indices between the nodes, for RAVE and GRAVE.
    moves: Vec<u32>,
}

impl<P> Path<'_, P> {
    fn clear(&mut self) {
        self.nodes.clear();
        self.slots.clear();
        self.positions.clear();
        self.moves.clear();
    }
}

impl<'s, P: Searchable> Searcher<'s, P> {
    /// Iterates until the budget is spent. Returns the number of iterations and the reason for the end.
    pub(super) fn run<const SHARED: bool>(&self, budget: Budget<'_>, seed: u64) -> (u64, Stopped) {
        // Every search starts with new estimates, so a panic during the last one does not matter.
        let mut estimates = self.memory.estimates.lock().unwrap_or_else(PoisonError::into_inner);
        estimates.clear();
        if self.estimates::<SHARED>() {
            self.estimate_kept(&mut estimates);
        }
        if self.is_proven() {
            return (0, Stopped::Proven);
        }
        let has_more = |done| done < budget.most.max(1);
        self.iterate_while::<SHARED>(has_more, budget, seed, &mut estimates)
    }

    /// Like [`run`](Self::run), on one of several threads that share a count of iterations and stop together.
    pub(super) fn run_shared(
        &self,
        budget: Budget<'_>,
        seed: u64,
        taken: &AtomicU64,
        stop: &AtomicBool,
    ) -> (u64, Stopped) {
        let has_more = |_| !stop.load(Relaxed) && taken.fetch_add(1, Relaxed) < budget.most;
        let result = self.iterate_while::<true>(has_more, budget, seed, &mut Estimates::default());
        stop.store(true, Relaxed);
        result
    }

    /// Iterates as long as `has_more` says so, which is given the number of iterations made.
    #[inline(always)]
    fn iterate_while<const SHARED: bool>(
        &self,
        has_more: impl Fn(u64) -> bool,
        budget: Budget<'_>,
        seed: u64,
        estimates: &mut Estimates,
    ) -> (u64, Stopped) {
        let mut generator = Generator::seed_from_u64(seed);
        let (nodes, slots, positions, moves) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut path = Path { nodes, slots, positions, moves };
        let mut done = 0_u64;
        while has_more(done) {
            if !self.iterate::<SHARED>(&mut path, estimates, &mut generator) {
                return (done, Stopped::Nodes);
            }
            done += 1;
            if self.is_proven() {
                return (done, Stopped::Proven);
            }
            if done.is_multiple_of(ITERATIONS_BETWEEN_CLOCKS) && budget.is_late() {
                break;
            }
        }
        (done, Stopped::Budget)
    }

    #[inline]
    fn is_proven(&self) -> bool {
        self.settings.solver && self.memory.tree.root().proof() != Proof::Open
    }

    #[inline]
    fn estimates<const SHARED: bool>(&self) -> bool {
        !SHARED && self.settings.tree == Tree::Uct
    }

    /// Runs one iteration. Returns `false` and changes nothing if the tree is full.
    fn iterate<const SHARED: bool>(
        &self,
        path: &mut Path<'s, P>,
        estimates: &mut Estimates,
        generator: &mut Generator,
    ) -> bool {
        path.clear();
        let mut position = self.root.clone();
        path.nodes.push(self.memory.tree.root());
        let mut at_leaf = false;
        while !at_leaf {
            let node = path.nodes[path.nodes.len() - 1];
            if node.proof() != Proof::Open || position.outcome().is_some() {
                break;
            }
            let next = self.next_child::<SHARED>(path, node, &position, estimates, generator);
            let Ok(next) = next else {
                self.take_back_losses::<SHARED>(path);
                return false;
            };
            let Some((index, is_leaf)) = next else { break };
            at_leaf = is_leaf;
            let mv = position.nth_legal_move(index);
            let child = &self.memory.tree.children(node)[index];
            if self.estimates::<SHARED>() {
                path.slots.push(Estimates::slot(node.estimates(), index));
            }
            if self.settings.tree != Tree::Uct {
                path.positions.push(position.clone());
                path.moves.push(P::move_index(mv) as u32);
            }
            let mover = position.side_to_move();
            position.play_unchecked(mv);
            if at_leaf {
                let outcome = position.outcome();
                if let Some(outcome) = outcome {
                    self.end(node, child, outcome, mover);
                }
                if self.settings.expansion == Expansion::OneHeuristic {
                    let value =
                        outcome.map_or_else(|| Ok(self.values.of(&position, Player::First)), Err);
                    self.add_initial::<SHARED>(child, value, Player::First, mover);
                }
            }
            path.nodes.push(child);
            if SHARED {
                child.add::<SHARED>(self.settings.virtual_loss, 0);
            }
        }
        self.take_back_losses::<SHARED>(path);
        self.simulate::<SHARED>(path, position, generator);
        if self.settings.solver {
            self.memory.tree.back_up_proofs(&path.nodes);
        }
        if self.estimates::<SHARED>() {
            self.renew(estimates, path);
        }
        true
    }

    #[inline]
    fn renew(&self, estimates: &mut Estimates, path: &Path<'_, P>) {
        for (slot, node) in path.slots.iter().zip(&path.nodes[1..]) {
            self.estimate(estimates, *slot, node);
        }
        for node in &path.nodes[..path.slots.len()] {
            node.set_factor(factor(node.visits(), self.settings.exploration));
        }
    }

    #[inline]
    fn estimate(&self, estimates: &mut Estimates, slot: usize, node: &TreeNode) {
        if self.settings.solver && node.proof() == Proof::Loss {
            estimates.exclude(slot);
        } else {
            estimates.set(slot, node.sums());
        }
    }

    /// Estimates all children that are in the tree before the search.
    fn estimate_kept(&self, estimates: &mut Estimates) {
        let tree = &self.memory.tree;
        let mut nodes = vec![tree.root()];
        while let Some(node) = nodes.pop() {
            let children = tree.children(node);
            if children.is_empty() {
                continue;
            }
            node.set_estimates(estimates.open(children.len()));
            node.set_factor(factor(node.visits(), self.settings.exploration));
            for (index, child) in children.iter().enumerate() {
                self.estimate(estimates, Estimates::slot(node.estimates(), index), child);
            }
            nodes.extend(children);
        }
    }

    fn take_back_losses<const SHARED: bool>(&self, path: &Path<'_, P>) {
        if SHARED {
            path.nodes[1..].iter().for_each(|node| node.take_back(self.settings.virtual_loss));
        }
    }

    /// The next child, and whether it is played out from there. `None` if another thread is adding the children.
    fn next_child<const SHARED: bool>(
        &self,
        path: &Path<'_, P>,
        node: &TreeNode,
        position: &P,
        estimates: &mut Estimates,
        generator: &mut Generator,
    ) -> Result<Option<(usize, bool)>, Full> {
        let tree = &self.memory.tree;
        let is_new = tree.children(node).is_empty();
        if is_new {
            if !tree.open::<SHARED>(node, position.legal_move_count())? {
                return Ok(None);
            }
            if path.nodes.len() > 1 {
                self.memory.claim(node)?;
            }
            if self.estimates::<SHARED>() {
                node.set_estimates(estimates.open(tree.children(node).len()));
                node.set_factor(factor(node.visits(), self.settings.exploration));
            }
            if self.settings.expansion == Expansion::Heuristic {
                self.initialise::<SHARED>(node, position, estimates);
            }
        }
        if !node.has_win()
            && let Some(index) = node.next_unmade::<SHARED>()
        {
            let at_random = self.settings.expansion_order == ExpansionOrder::Random;
            let untried = at_random.then(|| any_untried(tree.children(node), generator)).flatten();
            return Ok(Some((untried.unwrap_or(index), true)));
        }
        let index = self.select::<SHARED>(path, node, position, estimates);
        Ok(Some((index, is_new)))
    }

    /// Notes that the game ends with `mover`'s move to the child.
    fn end(&self, parent: &TreeNode, child: &TreeNode, outcome: Outcome, mover: Player) {
        child.end(outcome, mover);
        if outcome == Outcome::Win(mover) && self.settings.takes_wins() {
            parent.set_has_win();
        }
    }

    /// Heuristic expansion (Liang 4.4.2): the values of the children give their initial rewards and visits.
    fn initialise<const SHARED: bool>(&self, node: &TreeNode, position: &P, known: &mut Estimates) {
        let side = position.side_to_move();
        let mut children = self.memory.tree.children(node).iter().enumerate();
        self.values.after_moves(position, &mut |value| {
            let Some((index, child)) = children.next() else { return };
            if let Err(outcome) = value {
                self.end(node, child, outcome, side);
            }
            self.add_initial::<SHARED>(child, value, side, side);
            if self.estimates::<SHARED>() {
                self.estimate(known, Estimates::slot(node.estimates(), index), child);
            }
        });
        node.set_all_made();
    }

    /// Adds the initial rewards and visits of a child. `value` is from the view of `of`; `mover` made the move to the child.
    fn add_initial<const SHARED: bool>(
        &self,
        child: &TreeNode,
        value: Result<f64, Outcome>,
        of: Player,
        mover: Player,
    ) {
        let MctsParameters { bias, confidence, amaf_confidence, .. } = *self.settings;
        let offset = self.settings.offset.unwrap_or(0.0);
        let view = match self.settings.view {
            RewardView::Mover => mover,
            RewardView::Root => self.root.side_to_move(),
        };
        let value = match value {
            Ok(value) if view == of => value,
            Ok(value) => -value,
            Err(Outcome::Draw) => 0.0,
            Err(Outcome::Win(winner)) if winner == view => offset,
            Err(Outcome::Win(_)) => -offset,
        };
        let reward = ((value + offset) * bias).clamp(0.0, MOST_INITIAL_REWARD);
        let units = (reward * ONE as f64) as u64;
        child.add::<SHARED>((reward * confidence) as u32, units);
        if self.settings.tree == Tree::Rave {
            child.add_amaf::<SHARED>((reward * amaf_confidence) as u32, units);
        }
    }

    fn select<const SHARED: bool>(
        &self,
        path: &Path<'_, P>,
        node: &TreeNode,
        position: &P,
        estimates: &Estimates,
    ) -> usize {
        let MctsParameters { exploration, rave: constant, solver, .. } = *self.settings;
        let children = self.memory.tree.children(node);
        match self.settings.tree {
            Tree::Uct if self.estimates::<SHARED>() && children.len() <= MOST_CHILDREN => {
                select_estimated(node, children, estimates, exploration)
            }
            Tree::Uct => {
                select(node, children, solver, |_, _, sums, log| uct(sums, log, exploration))
            }
            Tree::Rave => select(node, children, solver, |_, child, sums, log| {
                rave(sums, child.amaf(), log, exploration, constant)
            }),
            Tree::Grave => {
                let side = position.side_to_move();
                let moves: MoveList<u32> =
                    position.legal_moves().map(|mv| P::move_index(mv) as u32).collect();
                let enough = |node: &&&TreeNode| node.visits() >= self.settings.reference;
                let reference = path.nodes.iter().rev().find(enough).unwrap_or(&path.nodes[0]);
                let table = self.memory.table(reference);
                select(node, children, solver, |index, _, sums, log| {
                    let amaf = table.map(|table| table.sums(side, moves[index] as usize));
                    rave(sums, amaf.unwrap_or_default(), log, exploration, constant)
                })
            }
        }
    }

    /// Plays out from the end of a path, unless its result is known, and adds the rewards to the nodes of the path.
    fn simulate<const SHARED: bool>(&self, path: &Path<'_, P>, position: P, draws: &mut Generator) {
        let first_mover = self.root.side_to_move();
        let leaf = path.nodes[path.nodes.len() - 1];
        let leaf_mover =
            if path.nodes.len().is_multiple_of(2) { first_mover } else { first_mover.other() };
        let known = position.outcome().or(match leaf.proof() {
            Proof::Open => None,
            Proof::Draw => Some(Outcome::Draw),
            Proof::Win => Some(Outcome::Win(leaf_mover)),
            Proof::Loss => Some(Outcome::Win(leaf_mover.other())),
        });
        let (mut visits, mut sums) = (0, [0; 2]);
        let mut take = |rewards: Rewards, record: &mut Record| {
            visits += 1;
            sums = [0, 1].map(|player| sums[player] + rewards[player]);
            match self.settings.tree {
                Tree::Uct => {}
                Tree::Rave => self.add_amaf::<SHARED>(path, record, rewards),
                Tree::Grave => self.add_to_tables(path, record, rewards),
            }
        };
        if let Some(outcome) = known {
            take(rewards(self.settings, outcome), &mut Record::default());
        } else {
            if let Some(helpers) = self.helpers {
                helpers.ask(&position);
            }
            let mut record = Record::default();
            let (&Self { settings, values, .. }, moves) = (self, &mut record);
            let rewards = match settings.tree {
                Tree::Uct => playout::<P, false>(settings, values, position, draws, moves),
                Tree::Rave | Tree::Grave => {
                    playout::<P, true>(settings, values, position, draws, moves)
                }
            };
            take(rewards, &mut record);
            if let Some(helpers) = self.helpers {
                helpers.collect(|rewards, mut record| take(rewards, &mut record));
            }
        }
        path.nodes[0].add::<SHARED>(visits, 0);
        let mut mover = first_mover;
        for node in &path.nodes[1..] {
            node.add::<SHARED>(visits, sums[mover.index()]);
            mover = mover.other();
        }
    }

    /// RAVE (Liang 4.3.2): adds the rewards to the path, and to siblings whose moves the same player made in the simulation.
    fn add_amaf<const SHARED: bool>(&self, path: &Path<'_, P>, record: &Record, rewards: Rewards) {
        for (depth, position) in path.positions.iter().enumerate() {
            let player = position.side_to_move().index();
            let chosen = path.moves[depth] as usize;
            let children = self.memory.tree.children(path.nodes[depth]);
            for (mv, child) in position.legal_moves().zip(children) {
                let index = P::move_index(mv);
                if index == chosen || record[player].contains(index) && child.visits() > 0 {
                    child.add_amaf::<SHARED>(1, rewards[player]);
                }
            }
        }
    }

    /// GRAVE: adds to the table of every node on the path all moves made below it. `below` collects them.
    fn add_to_tables(&self, path: &Path<'_, P>, below: &mut Record, rewards: Rewards) {
        for (depth, position) in path.positions.iter().enumerate().rev() {
            let player = position.side_to_move().index();
            below[player].insert(path.moves[depth] as usize);
            if let Some(table) = self.memory.table(path.nodes[depth]) {
                table.add(below, rewards);
            }
        }
    }
}

/// The index of a child without visits, at random. On several threads all may have been visited in the meantime.
#[inline]
fn any_untried(children: &[TreeNode], generator: &mut Generator) -> Option<usize> {
    let untried = || (0..children.len()).filter(|&index| children[index].visits() == 0);
    let count = untried().count() as u32;
    (count > 0).then(|| untried().nth(generator.random_range(0..count) as usize)).flatten()
}

/// The largest initial reward of a child; a larger one could overflow the sums.
const MOST_INITIAL_REWARD: f64 = 1e6;
