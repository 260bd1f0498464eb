//! One side of a game: playing it and learning from it.

use rand::RngExt;

use super::{Method, Model, returns};
use crate::agent::learned::{Prospect, draw_best};
use crate::game::{Game, Outcome, Player, Valuation};
use crate::seed::Generator;

/// What positions are worth: rewards are differences of it.
#[derive(Debug)]
pub struct Worth<P> {
    /// The value of a won game; a lost one has the negative.
    pub win: f64,
    /// The value of any other position, a drawn one included.
    pub evaluation: Box<dyn Valuation<P>>,
}

impl<P: Game> Worth<P> {
    /// The value of a position to a player.
    #[must_use]
    pub fn of(&self, position: &P, view: Player) -> f64 {
        match position.outcome() {
            Some(Outcome::Win(winner)) if winner == view => self.win,
            Some(Outcome::Win(_)) => -self.win,
            Some(Outcome::Draw) | None => self.evaluation.of(position, view),
        }
    }
}

/// Estimates that are learned, and how.
#[derive(Debug)]
pub struct Learner<P, M> {
    /// The estimates.
    pub model: M,
    /// What positions are worth.
    pub worth: Worth<P>,
    /// When and how estimates change.
    pub method: Method,
    /// The step size.
    pub alpha: f64,
    /// The discount.
    pub gamma: f64,
    /// Errors that estimates were changed by, without their signs, summed.
    pub errors: f64,
    /// How many.
    pub changes: u64,
}

/// The moves that a learner has made for one side of a game.
#[derive(Debug)]
pub struct Trajectory<T> {
    side: Player,
    steps: Vec<Step<T>>,
}

#[derive(Debug)]
struct Step<T> {
    prospect: Prospect<T>,
    /// What the position was worth.
    worth: f64,
    /// What the move was thought to return.
    estimate: f64,
}

impl<T> Trajectory<T> {
    /// A side that has not moved yet.
    #[must_use]
    pub const fn new(side: Player) -> Self {
        Self { side, steps: Vec::new() }
    }
}

impl<P: Game, M: Model<P>> Learner<P, M> {
    /// Learns from what followed the side's last move, and plays its next: a random one with probability
    /// `exploration`, else one of the highest estimate.
    pub fn play(
        &mut self,
        position: &P,
        trajectory: &mut Trajectory<M::Pair>,
        exploration: f64,
        generator: &mut Generator,
    ) -> P::Move {
        let side = trajectory.side;
        let worth = self.worth.of(position, side);
        let mut prospects = self.model.prospects(position);
        if self.method == Method::QLearning && !trajectory.steps.is_empty() {
            let estimate =
                |(prospect, mv)| self.estimate(prospect, || position.after(mv), side, worth);
            let estimates = prospects.iter().zip(position.legal_moves()).map(estimate);
            let best = estimates.fold(f64::NEG_INFINITY, f64::max);
            self.learn_from_last(trajectory, worth, best);
        }
        let explores = exploration > 0.0 && generator.random::<f64>() < exploration;
        let index = if explores {
            generator.random_range(0..prospects.len() as u32) as usize
        } else {
            let rank = |prospect: &Prospect<M::Pair>| {
                prospect.rank(side, |pair| self.model.estimate(pair))
            };
            draw_best(&prospects.iter().map(rank).collect::<Vec<_>>(), generator)
        };
        let mv = position.nth_legal_move(index);
        let prospect = prospects.swap_remove(index);
        let estimate = self.estimate(&prospect, || position.after(mv), side, worth);
        trajectory.steps.push(Step { prospect, worth, estimate });
        mv
    }

    /// What a move returns: an estimate, or what is known where it ends the game.
    fn estimate(
        &self,
        prospect: &Prospect<M::Pair>,
        after: impl FnOnce() -> P,
        side: Player,
        worth: f64,
    ) -> f64 {
        match prospect {
            Prospect::Learned(pair) => self.model.estimate(pair),
            Prospect::Ends(_) => self.worth.of(&after(), side) - worth,
        }
    }

    /// Learns from the end of a game.
    pub fn finish(&mut self, end: &P, trajectory: &Trajectory<M::Pair>) {
        let worth = self.worth.of(end, trajectory.side);
        let steps = &trajectory.steps;
        let estimates: Vec<f64> = steps.iter().map(|step| step.estimate).collect();
        let later = steps.iter().skip(1).map(|step| step.worth).chain([worth]);
        let rewards: Vec<f64> =
            steps.iter().zip(later).map(|(step, next)| next - step.worth).collect();
        let errors = match self.method {
            Method::QLearning => return self.learn_from_last(trajectory, worth, 0.0),
            Method::TdLambda { lambda } => {
                returns::td_lambda(&estimates, &rewards, self.gamma, lambda)
            }
            Method::MonteCarlo => returns::monte_carlo(&estimates, &rewards, self.gamma),
        };
        for (step, error) in steps.iter().zip(errors) {
            self.learn(&step.prospect, error);
        }
    }

    /// Q(s, a) += alpha (r + gamma max Q(s', .) - Q(s, a)) for the last move (s, a) of the side; `worth`
    /// and `best` are the value of s' and the highest estimate there, 0 where the game is over.
    fn learn_from_last(&mut self, trajectory: &Trajectory<M::Pair>, worth: f64, best: f64) {
        if let Some(Step { prospect, worth: before, .. }) = trajectory.steps.last()
            && let Prospect::Learned(pair) = prospect
        {
            let error = worth - before + self.gamma * best - self.model.estimate(pair);
            self.learn(prospect, error);
        }
    }

    /// What is known needs no learning.
    fn learn(&mut self, prospect: &Prospect<M::Pair>, error: f64) {
        if let Prospect::Learned(pair) = prospect {
            self.model.change(pair, self.alpha * error);
            self.errors += error.abs();
            self.changes += 1;
        }
    }
}
