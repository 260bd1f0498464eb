//! A search: iterations on one thread or several until the budget is spent, and the choice of the move.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use rand::{Rng, RngExt};

use super::grave;
use super::helpers::Helpers;
use super::iteration::{Searcher, Stopped};
use super::playout::Values;
use super::selection::beta;
use super::settings::{FinalMove, MctsParameters, Parallel, Tree};
use super::tree::{ONE, Proof, TreeNode};
use crate::game::{Evaluator, Position, Searchable};
use crate::search::Budget;
use crate::seed::{Generator, mix};

/// A Monte Carlo tree search. It keeps its memory from move to move, but nothing of the tree unless [`MctsParameters::reuse`] is set.
pub struct Mcts<P: Position> {
    settings: MctsParameters,
    values: Arc<dyn Values<P>>,
    /// One for each thread with root parallelism, otherwise one.
    trees: Vec<grave::Memory>,
    /// The position of the root of the trees, if they are kept from move to move.
    root: Option<P>,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct MctsResult<M> {
    /// The move to play.
    pub mv: M,
    /// The number of iterations; 0 if only one move was legal.
    pub iterations: u64,
    /// The number of nodes of all trees at the end.
    pub nodes: u64,
    /// The children of the root that were visited, in generation order.
    pub children: Vec<Child<M>>,
    /// Why the search ended.
    pub stopped: Stopped,
}

/// A child of the root, from the view of the side to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Child<M> {
    /// The move.
    pub mv: M,
    /// The number of visits, including the initial visits of a heuristic expansion.
    pub visits: u64,
    /// The sum of rewards, including the initial rewards of a heuristic expansion. A win counts 1, a draw as set in
    /// [`MctsParameters::draw`], a loss 0. The sum is exact, so equal rewards compare equal.
    pub reward: f64,
    /// The all-moves-as-first visits under RAVE, otherwise 0.
    pub amaf_visits: u64,
    /// The sum of all-moves-as-first rewards under RAVE, otherwise 0.
    pub amaf_reward: f64,
    /// `Some(1)`, `Some(0)` or `Some(-1)` if the child is proven to win, draw or lose.
    pub proven: Option<i8>,
}

impl<P: Searchable> Mcts<P> {
    /// Creates a search. An offset that the settings leave open is 0.
    pub fn new<E: Evaluator<P>>(settings: MctsParameters, evaluator: Arc<E>) -> Self {
        let trees = match settings.parallel {
            Parallel::Root => settings.threads,
            Parallel::Tree | Parallel::Leaf => 1,
        };
        let trees = (0..trees).map(|_| grave::Memory::new(&settings, P::MOVE_INDICES)).collect();
        Self { settings, values: evaluator, trees, root: None }
    }

    /// Searches a position that is not over, with at least one iteration; with none if only one move is legal.
    pub fn search(
        &mut self,
        position: &P,
        budget: Budget<'_>,
        generator: &mut Generator,
    ) -> MctsResult<P::Move> {
        self.begin(position);
        if position.legal_move_count() == 1 {
            let (mv, stopped) = (position.nth_legal_move(0), Stopped::OneMove);
            return MctsResult { mv, iterations: 0, nodes: 0, children: Vec::new(), stopped };
        }
        let seed = generator.next_u64();
        let (iterations, stopped) = match (self.settings.threads, self.settings.parallel) {
            (1, _) => self.searcher(0, position).run::<false>(budget, seed),
            (_, Parallel::Root) => self.grow_own_trees(position, budget, seed),
            (_, Parallel::Tree) => self.grow_one_tree(position, budget, seed),
            (_, Parallel::Leaf) => self.play_from_one_leaf(position, budget, seed),
        };
        let children = self.children(position);
        let mv = children[pick(&self.settings, &children, generator)].mv;
        let nodes = self.trees.iter().map(|memory| u64::from(memory.tree.len())).sum();
        MctsResult { mv, iterations, nodes, children, stopped }
    }

    /// Removes what the last search left, or keeps the part of it that is below the position.
    fn begin(&mut self, position: &P) {
        let root = self.root.take();
        if self.settings.reuse && self.settings.tree != Tree::Grave {
            self.root = Some(position.clone());
        }
        match root.and_then(|root| moves_between(&root, position)) {
            Some(moves) => self.trees.iter_mut().for_each(|memory| memory.keep(&moves)),
            None => self.trees.iter().for_each(grave::Memory::clear),
        }
    }

    fn searcher<'s>(&'s self, tree: usize, root: &'s P) -> Searcher<'s, P> {
        let (settings, values) = (&self.settings, &*self.values);
        Searcher { settings, values, memory: &self.trees[tree], root, helpers: None }
    }

    /// Root parallelism. The iterations are divided in advance, so that the result does not depend on speed.
    fn grow_own_trees(&self, position: &P, budget: Budget<'_>, seed: u64) -> (u64, Stopped) {
        let threads = u64::from(self.settings.threads);
        let share = |thread: u64| {
            let most = match budget.most {
                u64::MAX => u64::MAX,
                most => (most / threads + u64::from(thread < most % threads)).max(1),
            };
            Budget { most, ..budget }
        };
        self.on_threads(|thread| {
            let searcher = self.searcher(thread as usize, position);
            searcher.run::<false>(share(thread), mix(seed, thread))
        })
    }

    /// Tree parallelism with virtual losses. All threads take iterations from one budget.
    fn grow_one_tree(&self, position: &P, budget: Budget<'_>, seed: u64) -> (u64, Stopped) {
        // The root's children are added first. A thread that arrived while another adds them would have no child to select, and
        // its iteration would be wasted.
        let first = Budget { most: 1, ..budget };
        let (done, stopped) = self.searcher(0, position).run::<true>(first, seed);
        if stopped != Stopped::Budget {
            return (done, stopped);
        }
        let (taken, stop) = (AtomicU64::new(done), AtomicBool::new(false));
        let (more, stopped) = self.on_threads(|thread| {
            let searcher = self.searcher(0, position);
            searcher.run_shared(budget, mix(seed, thread), &taken, &stop)
        });
        (done + more, stopped)
    }

    fn on_threads(&self, work: impl Fn(u64) -> (u64, Stopped) + Sync) -> (u64, Stopped) {
        let work = &work;
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..u64::from(self.settings.threads))
                .map(|thread| scope.spawn(move || work(thread)))
                .collect();
            let first = work(0);
            let others = others.into_iter().map(|other| other.join());
            let results = others.map(|result| result.unwrap_or_else(|panic| resume_unwind(panic)));
            results.fold(first, |(iterations, stopped), (more, why)| {
                (iterations + more, if why == Stopped::Budget { stopped } else { why })
            })
        })
    }

    /// Leaf parallelism: one thread grows the tree, and all threads play out from its leaf.
    fn play_from_one_leaf(&self, position: &P, budget: Budget<'_>, seed: u64) -> (u64, Stopped) {
        std::thread::scope(|scope| {
            let helpers = Helpers::start(scope, &self.settings, &*self.values, seed);
            let searcher = Searcher { helpers: Some(&helpers), ..self.searcher(0, position) };
            searcher.run::<false>(budget, seed)
        })
    }

    /// The children of the roots, with their sums added up.
    fn children(&self, position: &P) -> Vec<Child<P::Move>> {
        let mut children = Vec::new();
        for (index, mv) in position.legal_moves().enumerate() {
            let nodes = self.trees.iter().filter_map(|memory| {
                memory.tree.children(memory.tree.root()).get(index).filter(|n| n.visits() > 0)
            });
            let (amaf_visits, amaf_reward, proven) = (0, 0.0, None);
            let mut child = Child { mv, visits: 0, reward: 0.0, amaf_visits, amaf_reward, proven };
            for node in nodes {
                let sums = node.sums();
                child.visits += u64::from(sums.visits);
                child.reward += sums.reward as f64 / ONE as f64;
                if self.settings.tree == Tree::Rave {
                    let amaf = node.amaf();
                    child.amaf_visits += u64::from(amaf.visits);
                    child.amaf_reward += amaf.reward as f64 / ONE as f64;
                }
                child.proven = child.proven.or(match node.proof() {
                    Proof::Open => None,
                    Proof::Win => Some(1),
                    Proof::Draw => Some(0),
                    Proof::Loss => Some(-1),
                });
            }
            if child.visits > 0 {
                children.push(child);
            }
        }
        children
    }

    /// A move of the root of the last search, and the moves that were visited most from there in the first tree, the first of
    /// equals: as far as the search tried each several times. `position` is that of the last search.
    pub fn most_visited_line(&self, position: &P, mv: P::Move) -> Vec<P::Move> {
        /// Visits below which a move says nothing.
        const FEWEST: u32 = 10;
        let tree = &self.trees[0].tree;
        let children = |position: &P, node| position.legal_moves().zip(tree.children(node));
        let visits = |(_, child): &(P::Move, &TreeNode)| child.visits();
        let mut next = children(position, tree.root()).find(|(other, _)| *other == mv);
        let (mut line, mut position) = (vec![mv], position.after(mv));
        while let Some((_, node)) = next {
            let tried = children(&position, node).filter(|(_, child)| child.visits() >= FEWEST);
            let more = |best, other| if visits(&other) > visits(&best) { other } else { best };
            next = tried.reduce(more);
            if let Some((mv, _)) = next {
                line.push(mv);
                position.play_unchecked(mv);
            }
        }
        line
    }
}

/// The moves from one position to another, by their numbers in generation order, if they are at most two: a move and the reply.
fn moves_between<P: Position>(from: &P, to: &P) -> Option<Vec<usize>> {
    match to.ply().checked_sub(from.ply())? {
        0 => (from == to).then(Vec::new),
        1 | 2 if from.outcome().is_none() => {
            from.legal_moves().enumerate().find_map(|(index, mv)| {
                let reply = moves_between(&from.after(mv), to)?;
                Some([vec![index], reply].concat())
            })
        }
        _ => None,
    }
}

/// The index of the child to play. A move that is proven to win comes first, one that is proven to lose last.
pub(super) fn pick<M>(
    settings: &MctsParameters,
    children: &[Child<M>],
    generator: &mut Generator,
) -> usize {
    let any = |proven| children.iter().any(|child| child.proven == Some(proven));
    let all_lose = children.iter().all(|child| child.proven == Some(-1));
    let eligible = |child: &Child<M>| {
        if any(1) { child.proven == Some(1) } else { all_lose || child.proven != Some(-1) }
    };
    let pool: Vec<usize> = (0..children.len()).filter(|&i| eligible(&children[i])).collect();
    let best = final_candidates(settings, children, &pool);
    best[generator.random_range(0..best.len() as u32) as usize]
}

/// The children among `pool` that are equally good by the rule for the final move. The pool holds indices and is not empty.
fn final_candidates<M>(mcts: &MctsParameters, children: &[Child<M>], pool: &[usize]) -> Vec<usize> {
    let best_by = |pool: &[usize], value: &dyn Fn(&Child<M>) -> f64| -> Vec<usize> {
        let value = |&index: &usize| value(&children[index]);
        let highest = pool.iter().map(value).fold(f64::NEG_INFINITY, f64::max);
        pool.iter().copied().filter(|index| value(index) == highest).collect()
    };
    let most_visits = best_by(pool, &|child| child.visits as f64);
    let most_reward = best_by(pool, &|child| child.reward);
    let max_robust = |most_visits: Vec<usize>, most_reward: &[usize]| {
        let both = most_visits.iter().copied().filter(|index| most_reward.contains(index));
        let both: Vec<usize> = both.collect();
        if both.is_empty() { most_visits } else { both }
    };
    let weighed = |child: &Child<M>, own: f64, amaf: f64| {
        let beta = beta(child.visits as f64, child.amaf_visits as f64, mcts.rave);
        (1.0 - beta) * own + beta * amaf
    };
    match mcts.final_move {
        FinalMove::Robust => most_visits,
        FinalMove::Max => most_reward,
        FinalMove::LeastLosses => best_by(pool, &|child| child.reward - child.visits as f64),
        FinalMove::MaxRobust => max_robust(most_visits, &most_reward),
        FinalMove::MaxRobustRave => max_robust(
            best_by(pool, &|child| weighed(child, child.visits as f64, child.amaf_visits as f64)),
            &best_by(pool, &|child| weighed(child, child.reward, child.amaf_reward)),
        ),
        FinalMove::Ratio => {
            let visited = |&index: &usize| children[index].visits >= mcts.min_visits.into();
            let enough: Vec<usize> = pool.iter().copied().filter(visited).collect();
            if enough.is_empty() {
                return most_visits;
            }
            let highest = best_by(&enough, &|child| child.reward / child.visits as f64);
            best_by(&highest, &|child| child.visits as f64)
        }
    }
}
