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
