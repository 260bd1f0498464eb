//! The move that is played in the end.

use rand::RngExt;

use super::search::Child;
use super::selection::beta;
use super::settings::{FinalMove, Settings};
use crate::seed::Generator;

/// The index of the child to play. A move that is proven to win comes first, one that is proven
/// to lose last.
pub(super) fn pick<M>(
    settings: &Settings,
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

/// The children among `pool` that are equally good by the rule for the final move. The pool holds
/// indices and is not empty.
fn final_candidates<M>(settings: &Settings, children: &[Child<M>], pool: &[usize]) -> Vec<usize> {
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
        let beta = beta(child.visits as f64, child.amaf_visits as f64, settings.rave);
        (1.0 - beta) * own + beta * amaf
    };
    match settings.final_move {
        FinalMove::Robust => most_visits,
        FinalMove::Max => most_reward,
        FinalMove::LeastLosses => best_by(pool, &|child| child.reward - child.visits as f64),
        FinalMove::MaxRobust => max_robust(most_visits, &most_reward),
        FinalMove::MaxRobustRave => max_robust(
            best_by(pool, &|child| weighed(child, child.visits as f64, child.amaf_visits as f64)),
            &best_by(pool, &|child| weighed(child, child.reward, child.amaf_reward)),
        ),
        FinalMove::Ratio => {
            let visited = |&index: &usize| children[index].visits >= settings.min_visits.into();
            let enough: Vec<usize> = pool.iter().copied().filter(visited).collect();
            if enough.is_empty() {
                return most_visits;
            }
            let highest = best_by(&enough, &|child| child.reward / child.visits as f64);
            best_by(&highest, &|child| child.visits as f64)
        }
    }
}

#[cfg(test)]
mod tests {
    //! The rules on examples worked out by hand.

    use super::*;

    /// Visits and reward of each child.
    fn children(sums: &[(u64, f64)]) -> Vec<Child<usize>> {
        let child = |(mv, &(visits, reward))| Child {
            mv,
            visits,
            reward,
            amaf_visits: 0,
            amaf_reward: 0.0,
            proven: None,
        };
        sums.iter().enumerate().map(child).collect()
    }

    /// The candidates among all children.
    fn best(final_move: FinalMove, min_visits: u32, sums: &[(u64, f64)]) -> Vec<usize> {
        let settings = Settings { final_move, min_visits, ..Settings::default() };
        let pool: Vec<usize> = (0..sums.len()).collect();
        final_candidates(&settings, &children(sums), &pool)
    }

    #[test]
    fn max_goes_by_reward_and_robust_by_visits() {
        let sums = [(10, 9.0), (20, 8.0), (20, 9.0), (19, 1.0)];
        assert_eq!(best(FinalMove::Max, 0, &sums), [0, 2]);
        assert_eq!(best(FinalMove::Robust, 0, &sums), [1, 2]);
        assert_eq!(best(FinalMove::LeastLosses, 0, &[(9, 5.0), (4, 1.0), (20, 17.0)]), [1, 2]);
    }

    #[test]
    fn max_robust_is_both_or_else_robust() {
        assert_eq!(best(FinalMove::MaxRobust, 0, &[(10, 9.0), (20, 8.0), (20, 9.0)]), [2]);
        assert_eq!(best(FinalMove::MaxRobust, 0, &[(20, 9.0), (20, 9.0), (20, 8.0)]), [0, 1]);
        assert_eq!(best(FinalMove::MaxRobust, 0, &[(10, 9.0), (20, 8.0), (20, 7.5)]), [1, 2]);
    }

    #[test]
    fn ratio_asks_for_visits_and_breaks_ties_by_them() {
        let sums = [(2, 2.0), (10, 8.0), (20, 16.0), (20, 16.0), (50, 30.0)];
        assert_eq!(best(FinalMove::Ratio, 1, &sums), [0]);
        assert_eq!(best(FinalMove::Ratio, 3, &sums), [2, 3]);
        assert_eq!(best(FinalMove::Ratio, 21, &sums), [4]);
        assert_eq!(best(FinalMove::Ratio, 51, &sums), [4], "no child has enough visits");
    }

    #[test]
    fn beta_weighs_visits_and_rewards() {
        let mut sums = children(&[(20, 11.0), (18, 10.0)]);
        let rule = |children: &[Child<usize>], rave| {
            let final_move = FinalMove::MaxRobustRave;
            let settings = Settings { final_move, rave, ..Settings::default() };
            final_candidates(&settings, children, &[0, 1])
        };
        assert_eq!(rule(&sums, 0.1), [0], "as max-robust without RAVE");
        (sums[0].amaf_visits, sums[0].amaf_reward) = (60, 30.0);
        (sums[1].amaf_visits, sums[1].amaf_reward) = (90, 50.0);
        // Without R, beta is 60 / 80 and 90 / 108: 50 and 78 visits, 25.25 and 43.3 rewards.
        assert_eq!(rule(&sums, 0.0), [1]);
        // With a large R, beta is nearly 0.
        assert_eq!(rule(&sums, 1e6), [0]);
    }

    #[test]
    fn children_outside_the_pool_do_not_count() {
        let sums = children(&[(90, 80.0), (5, 1.0), (6, 1.0)]);
        let pool = [1, 2];
        for (final_move, expected) in [
            (FinalMove::Max, &[1, 2][..]),
            (FinalMove::Robust, &[2]),
            (FinalMove::MaxRobust, &[2]),
            (FinalMove::MaxRobustRave, &[2]),
            (FinalMove::Ratio, &[1]),
        ] {
            let settings = Settings { final_move, ..Settings::default() };
            assert_eq!(final_candidates(&settings, &sums, &pool), expected, "{final_move:?}");
        }
    }
}
