//! The selection of a child (Liang 4.3.1, 4.3.2; Cazenave 2015 for GRAVE).

use super::estimate::Estimates;
use super::tree::{Proof, Sums, TreeNode};

/// The UCT value of a child: q / n + C sqrt(ln t / n).
#[inline]
pub(super) fn uct(child: Sums, log_parent: f64, exploration: f64) -> f64 {
    child.mean() + exploration * (log_parent / f64::from(child.visits)).sqrt()
}

/// The share of the all-moves-as-first mean in a RAVE value: n_amaf / (n + n_amaf + R n n_amaf); 0 without any visits.
#[inline]
pub(super) fn beta(n: f64, n_amaf: f64, bias: f64) -> f64 {
    if n_amaf == 0.0 { 0.0 } else { n_amaf / (n + n_amaf + bias * n * n_amaf) }
}

/// The RAVE value of a child: (1 - beta) q / n + beta q_amaf / n_amaf + C sqrt(ln t / n), with the [`beta`] of its visits.
#[inline]
pub(super) fn rave(child: Sums, amaf: Sums, log_parent: f64, exploration: f64, bias: f64) -> f64 {
    if amaf.visits == 0 {
        return uct(child, log_parent, exploration);
    }
    let [n, n_amaf] = [child.visits, amaf.visits].map(f64::from);
    let beta = beta(n, n_amaf, bias);
    (1.0 - beta) * child.mean() + beta * amaf.mean() + exploration * (log_parent / n).sqrt()
}

/// Selects the child of the highest value, the first of several. A child that has won is selected first if the parent says so
/// ([`TreeNode::has_win`]). Otherwise a child without visits is selected before the others. With `solver`, a child that is proven to lose is selected only if all are.
#[inline]
pub(super) fn select(
    parent: &TreeNode,
    children: &[TreeNode],
    solver: bool,
    value: impl Fn(usize, &TreeNode, Sums, f64) -> f64,
) -> usize {
    if let Some(won) = won(parent, children) {
        return won;
    }
    let log_parent = libm::log(f64::from(parent.visits().max(1)));
    let eligible = |&index: &usize| !(solver && children[index].proof() == Proof::Loss);
    let indices = (0..children.len()).filter(eligible);
    best(children, indices, |index, child, sums| value(index, child, sums, log_parent))
}

/// The first child without visits, or if there is none, the first one of the highest value.
#[inline]
fn best(
    children: &[TreeNode],
    indices: impl Iterator<Item = usize>,
    value: impl Fn(usize, &TreeNode, Sums) -> f64,
) -> usize {
    let (mut best, mut highest) = (0, f64::NEG_INFINITY);
    for index in indices {
        let child = &children[index];
        let sums = child.sums();
        if sums.visits == 0 {
            return index;
        }
        let value = value(index, child, sums);
        if value > highest {
            (best, highest) = (index, value);
        }
    }
    best
}

#[inline]
fn won(parent: &TreeNode, children: &[TreeNode]) -> Option<usize> {
    if !parent.has_win() {
        return None;
    }
    children.iter().position(|child| child.proof() == Proof::Win)
}

/// Selects the same child as [`select`] with [`uct`], by the estimates of the children.
#[inline]
pub(super) fn select_estimated(
    parent: &TreeNode,
    children: &[TreeNode],
    estimates: &Estimates,
    exploration: f64,
) -> usize {
    if let Some(won) = won(parent, children) {
        return won;
    }
    let contenders = estimates.contenders(parent.estimates(), children.len(), parent.factor());
    let mut others = indices(contenders);
    let Some(first) = others.next() else { return 0 };
    if others.all(|other| children[other].sums() == children[first].sums()) {
        return first;
    }
    let log_parent = libm::log(f64::from(parent.visits().max(1)));
    best(children, indices(contenders), |_, _, sums| uct(sums, log_parent, exploration))
}

#[inline]
pub(super) fn indices(mut mask: u128) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (mask != 0).then(|| {
            let index = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            index
        })
    })
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::super::estimate::factor;
    use super::super::tree::{ONE, SearchTree};
    use super::*;
    use crate::seed::{Role, generator};

    /// Children with random sums: few or many visits, close together or far apart, some proven to lose.
    #[test]
    fn estimates_select_what_the_formula_selects() {
        let mut generator = generator(0, Role::AgentA);
        let mut below = |limit: u64| (generator.next_u64() >> 11) % limit;
        let (mut several, mut all) = (0, 0);
        for round in 0..8_000 {
            let tree = SearchTree::new(1000);
            let (root, count) = (tree.root(), 1 + below(81) as usize);
            assert!(tree.open::<false>(root, count).unwrap());
            let mut estimates = Estimates::default();
            root.set_estimates(estimates.open(count));
            let solver = below(2) == 0;
            let around = 1 + below([3, 50, 5000, 500_000_000][round % 4]);
            for (index, child) in tree.children(root).iter().enumerate() {
                let visits = (around + below(3)).saturating_sub(u64::from(below(300) == 0) << 60);
                let reward = match below(3) {
                    0 => visits * ONE,
                    1 => (visits / 2 + below(2)).min(visits) * ONE,
                    _ => below(visits + 1) * (ONE - below(2)),
                };
                child.add::<false>(visits as u32, reward);
                root.add::<false>(visits as u32, 0);
                let slot = Estimates::slot(root.estimates(), index);
                estimates.set(slot, child.sums());
                if below(20) == 0 {
                    child.prove(Proof::Loss);
                    if solver {
                        estimates.exclude(slot);
                    }
                }
            }
            let children = tree.children(root);
            for exploration in [0.0, 1e-320, 1e-38, 1e-9, 0.5, 1.4, 1e9, 1e38, f64::MAX] {
                root.set_factor(factor(root.visits(), exploration));
                let exact =
                    select(root, children, solver, |_, _, sums, log| uct(sums, log, exploration));
                let found = select_estimated(root, children, &estimates, exploration);
                assert_eq!(found, exact, "round {round}, C = {exploration}, {children:?}");
                let contenders = estimates.contenders(root.estimates(), count, root.factor());
                several += usize::from(contenders.count_ones() > 1);
                all += 1;
            }
        }
        assert!(several > all / 10 && several < all * 9 / 10, "{several} of {all}");
    }
}
