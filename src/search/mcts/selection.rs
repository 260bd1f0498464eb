//! Which child an iteration goes to (Liang 4.3.1, 4.3.2; Cazenave 2015 for GRAVE).

use super::tree::{Node, Proof, Sums};

/// How good a child looks, by UCT: q / n + C sqrt(ln t / n).
#[inline]
pub(super) fn uct(child: Sums, log_parent: f64, exploration: f64) -> f64 {
    child.mean() + exploration * (log_parent / f64::from(child.visits)).sqrt()
}

/// The same with all-moves-as-first values by the schedule of least mean square error:
/// (1 - beta) q / n + beta q_amaf / n_amaf + C sqrt(ln t / n), with
/// beta = n_amaf / (n + n_amaf + R n n_amaf).
#[inline]
pub(super) fn rave(
    child: Sums,
    amaf: Sums,
    log_parent: f64,
    exploration: f64,
    constant: f64,
) -> f64 {
    if amaf.visits == 0 {
        return uct(child, log_parent, exploration);
    }
    let [n, n_amaf] = [child.visits, amaf.visits].map(f64::from);
    let beta = n_amaf / (n + n_amaf + constant * n * n_amaf);
    (1.0 - beta) * child.mean() + beta * amaf.mean() + exploration * (log_parent / n).sqrt()
}

/// The child of the highest value, the first of several. A child that has won is always taken; one
/// without visits before those with some; with `solver`, one that has lost only if all have.
#[inline]
pub(super) fn select(
    parent: &Node,
    children: &[Node],
    solver: bool,
    value: impl Fn(usize, &Node, Sums, f64) -> f64,
) -> usize {
    if parent.has_win()
        && let Some(won) = children.iter().position(|child| child.proof() == Proof::Win)
    {
        return won;
    }
    let log_parent = libm::log(f64::from(parent.visits().max(1)));
    let (mut best, mut highest) = (0, f64::NEG_INFINITY);
    for (index, child) in children.iter().enumerate() {
        let sums = child.sums();
        if solver && child.proof() == Proof::Loss {
            continue;
        }
        if sums.visits == 0 {
            return index;
        }
        let value = value(index, child, sums, log_parent);
        if value > highest {
            (best, highest) = (index, value);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::super::tree::ONE;
    use super::*;

    fn sums(visits: u32, wins: u64) -> Sums {
        Sums { visits, reward: wins * ONE }
    }

    #[test]
    fn formulas_by_hand() {
        // ln e^2 = 2: 3/4 + 0.5 sqrt(2 / 8).
        assert!((uct(sums(8, 6), 2.0, 0.5) - 1.0).abs() < 1e-12);
        // beta = 8 / (2 + 8 + 0.1 x 2 x 8) = 0.6896...
        let beta = 8.0 / 11.6;
        let expected = (1.0 - beta) * 0.5 + beta * 0.25 + 0.5 * (2.0_f64 / 2.0).sqrt();
        assert!((rave(sums(2, 1), sums(8, 2), 2.0, 0.5, 0.1) - expected).abs() < 1e-12);
        assert_eq!(rave(sums(2, 1), sums(0, 0), 2.0, 0.5, 0.1), uct(sums(2, 1), 2.0, 0.5));
    }
}
