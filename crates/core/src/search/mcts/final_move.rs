//! The move that is played in the end.

use rand::RngExt;

use super::search::Child;
use super::selection::beta;
use super::settings::{FinalMove, Settings};
use crate::seed::Generator;

/// The index of the child to play. A move that is proven to win comes first, one that is proven to lose last.
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

/// The children among `pool` that are equally good by the rule for the final move. The pool holds indices and is not empty.
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
    use super::*;

    fn child(&(visits, reward, amaf_visits, amaf_reward): &(u64, f64, u64, f64)) -> Child<()> {
        Child { mv: (), visits, reward, amaf_visits, amaf_reward, proven: None }
    }

    /// Examples worked out by hand.
    #[test]
    fn rules_for_the_final_move() {
        use FinalMove::{LeastLosses, Max, MaxRobust, MaxRobustRave, Ratio, Robust};
        let check = |settings: &Settings, children: &[Child<()>], expected: &[usize]| {
            let pool: Vec<usize> = (0..children.len()).collect();
            // Children outside the pool do not count.
            let more = [children, &[child(&(900, 800.0, 0, 0.0))]].concat();
            let found = final_candidates(settings, &more, &pool);
            assert_eq!(found, expected, "{:?}: {children:?}", settings.final_move);
        };
        let four = [(10, 9.0), (20, 8.0), (20, 9.0), (19, 1.0)];
        let ratios = [(2, 2.0), (10, 8.0), (20, 16.0), (20, 16.0), (50, 30.0)];
        for (final_move, min_visits, sums, expected) in [
            (Max, 0, &four[..], &[0, 2][..]),
            (Robust, 0, &four, &[1, 2]),
            (LeastLosses, 0, &[(9, 5.0), (4, 1.0), (20, 17.0)], &[1, 2]),
            (MaxRobust, 0, &four[..3], &[2]),
            (MaxRobust, 0, &[(20, 9.0), (20, 9.0), (20, 8.0)], &[0, 1]),
            (MaxRobust, 0, &[(10, 9.0), (20, 8.0), (20, 7.5)], &[1, 2]),
            (Ratio, 1, &ratios, &[0]),
            (Ratio, 3, &ratios, &[2, 3]),
            (Ratio, 21, &ratios, &[4]),
            (Ratio, 51, &ratios, &[4]),
        ] {
            let children = sums.iter().map(|&(visits, reward)| child(&(visits, reward, 0, 0.0)));
            let settings = Settings { final_move, min_visits, ..Settings::default() };
            check(&settings, &children.collect::<Vec<_>>(), expected);
        }
        // As max-robust without RAVE. With it and without R, beta is 60 / 80 and 90 / 108: 50 and 78 visits, 25.25 and 43.3
        // rewards. With a large R, beta is nearly 0.
        let (own, amaf) = (
            [(20, 11.0, 0, 0.0), (18, 10.0, 0, 0.0)],
            [(20, 11.0, 60, 30.0), (18, 10.0, 90, 50.0)],
        );
        for (rave, sums, expected) in [(0.1, own, 0), (0.0, amaf, 1), (1e6, amaf, 0)] {
            let settings = Settings { final_move: MaxRobustRave, rave, ..Settings::default() };
            check(&settings, &sums.each_ref().map(child), &[expected]);
        }
    }
}
