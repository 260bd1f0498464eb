//! The equations of learning at the end of a game, as pure functions.
//!
//! A learner's game has T moves. `estimates[t]` is the estimated return of move t when it was played, `rewards[t]` the reward
//! after it. An error is what has to be added to an estimate, before it is multiplied by the step size.

/// Errors of Monte Carlo returns: G(t) - Q(t), where G(t) = r(t) + gamma G(t+1) and G(T) = 0.
///
/// Source: Sutton, Barto, "Reinforcement Learning", 2nd edition, 2018, 3.3 and 5.1 (every visit, constant step size).
pub fn monte_carlo(estimates: &[f64], rewards: &[f64], gamma: f64) -> Vec<f64> {
    let returns = backwards(rewards.iter().copied(), gamma);
    returns.iter().zip(estimates).map(|(total, estimate)| total - estimate).collect()
}

/// Errors of TD(lambda) with accumulating eligibility traces, all applied at the end of the game: the sum over u >= t of
/// (gamma lambda)^(u-t) d(u), where d(u) = r(u) + gamma Q(u+1) - Q(u) and Q(T) = 0.
///
/// Summing backwards from the end gives the same as adding each error through the traces. Q(u+1) belongs to the move that was
/// played (Sarsa). Lambda 1 therefore gives the Monte Carlo errors, and lambda 0 those of one step.
///
/// Source: Sutton, Barto, "Reinforcement Learning", 2nd edition, 2018, 12.1, 12.2 and 12.7.
pub fn td_lambda(estimates: &[f64], rewards: &[f64], gamma: f64, lambda: f64) -> Vec<f64> {
    let next = estimates.iter().skip(1).copied().chain([0.0]);
    let steps = rewards.iter().zip(estimates).zip(next);
    let one_step: Vec<f64> =
        steps.map(|((reward, estimate), next)| reward + gamma * next - estimate).collect();
    backwards(one_step.into_iter(), gamma * lambda)
}

/// S(t) = x(t) + factor S(t+1), where S is 0 after the last term.
fn backwards(terms: impl DoubleEndedIterator<Item = f64>, factor: f64) -> Vec<f64> {
    let mut sums: Vec<f64> = Vec::new();
    for term in terms.rev() {
        sums.push(term + factor * sums.last().unwrap_or(&0.0));
    }
    sums.reverse();
    sums
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The sums as they are defined: the trace of move t at time u is (gamma lambda)^(u-t).
    fn with_traces(estimates: &[f64], rewards: &[f64], gamma: f64, lambda: f64) -> Vec<f64> {
        let next = |time: usize| estimates.get(time + 1).copied().unwrap_or(0.0);
        let error = |time: usize| rewards[time] + gamma * next(time) - estimates[time];
        let trace = |since: usize| (gamma * lambda).powi(since as i32);
        let all = 0..estimates.len();
        let sum = |mv| (mv..all.end).map(|time| trace(time - mv) * error(time)).sum();
        all.clone().map(sum).collect()
    }

    fn near(a: &[f64], b: &[f64]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-9 * (1.0 + a.abs()))
    }

    proptest! {
        #[test]
        fn traces_and_lambda_1(
            steps in prop::collection::vec((-500.0..500.0, -500.0..500.0), 0..41),
            gamma in 0.0..=1.0,
            lambda in 0.0..=1.0,
        ) {
            let (estimates, rewards): (Vec<f64>, Vec<f64>) = steps.into_iter().unzip();
            let found = td_lambda(&estimates, &rewards, gamma, lambda);
            prop_assert!(near(&found, &with_traces(&estimates, &rewards, gamma, lambda)));
            for gamma in [gamma, 1.0] {
                let whole = td_lambda(&estimates, &rewards, gamma, 1.0);
                prop_assert!(near(&whole, &monte_carlo(&estimates, &rewards, gamma)));
            }
        }
    }
}
