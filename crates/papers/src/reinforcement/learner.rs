//! One side of a game that plays and learns.

use rand::RngExt;

use super::{LearnPlan, Method, Prospect, ReturnModel, returns};
use tictune_core::game::{Game, Outcome, Player, Valuation, WeightsError, valuation};
use tictune_core::seed::Generator;

/// Learned estimates and how they are learned.
#[doc(hidden)]
pub struct Learner<P> {
    pub model: ReturnModel<P>,
    plan: LearnPlan,
    /// The value of a position that is not won or lost, drawn games included. Rewards are differences of values.
    evaluation: Box<dyn Valuation<P>>,
    /// The sum of the absolute errors by which estimates were changed, and how many changes there were.
    pub errors: f64,
    pub changes: u64,
}

/// The moves that a learner has made on one side of a game.
#[derive(Debug)]
pub struct Trajectory {
    side: Player,
    steps: Vec<Step>,
}

#[derive(Debug)]
struct Step {
    prospect: Prospect,
    /// The value of the position.
    worth: f64,
    /// Of the move, when it was played.
    estimate: f64,
}

impl Trajectory {
    /// The trajectory of a side that has not moved yet.
    pub const fn new(side: Player) -> Self {
        Self { side, steps: Vec::new() }
    }
}

impl<P: Game> Learner<P> {
    /// A learner that knows nothing yet.
    pub fn new(plan: &LearnPlan) -> Result<Self, WeightsError> {
        let (model, weights) = (ReturnModel::new(plan.representation)?, &plan.value.weights);
        let evaluation = valuation(weights.layout(), weights.values())?;
        Ok(Self { model, plan: plan.clone(), evaluation, errors: 0.0, changes: 0 })
    }

    /// The value of a position from a player's view.
    fn worth(&self, position: &P, view: Player) -> f64 {
        match position.outcome() {
            Some(Outcome::Win(winner)) if winner == view => self.plan.value.win,
            Some(Outcome::Win(_)) => -self.plan.value.win,
            Some(Outcome::Draw) | None => self.evaluation.of(position, view),
        }
    }

    /// Learns from what followed the side's last move, and plays the next one: with probability `exploration` a random move,
    /// otherwise one of those with the highest estimate.
    pub fn play(
        &mut self,
        position: &P,
        trajectory: &mut Trajectory,
        exploration: f64,
        generator: &mut Generator,
    ) -> P::Move {
        let side = trajectory.side;
        let worth = self.worth(position, side);
        let mut prospects = self.model.prospects(position);
        if self.plan.method == Method::QLearning && !trajectory.steps.is_empty() {
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
            self.model.best(&prospects, side, generator)
        };
        let mv = position.nth_legal_move(index);
        let prospect = prospects.swap_remove(index);
        let estimate = self.estimate(&prospect, || position.after(mv), side, worth);
        trajectory.steps.push(Step { prospect, worth, estimate });
        mv
    }

    /// The return of a move: an estimate, or the known value if the move ends the game.
    fn estimate(
        &self,
        prospect: &Prospect,
        after: impl FnOnce() -> P,
        side: Player,
        worth: f64,
    ) -> f64 {
        match prospect {
            Prospect::Ends(_) => self.worth(&after(), side) - worth,
            learned => self.model.estimate(learned),
        }
    }

    /// Learns from the end of a game.
    pub fn finish(&mut self, end: &P, trajectory: &Trajectory) {
        let worth = self.worth(end, trajectory.side);
        let steps = &trajectory.steps;
        let estimates: Vec<f64> = steps.iter().map(|step| step.estimate).collect();
        let later = steps.iter().skip(1).map(|step| step.worth).chain([worth]);
        let rewards: Vec<f64> = later.zip(steps).map(|(next, step)| next - step.worth).collect();
        let errors = match self.plan.method {
            Method::QLearning => return self.learn_from_last(trajectory, worth, 0.0),
            Method::TdLambda { lambda } => {
                returns::td_lambda(&estimates, &rewards, self.plan.gamma, lambda)
            }
            Method::MonteCarlo => returns::monte_carlo(&estimates, &rewards, self.plan.gamma),
        };
        for (step, error) in steps.iter().zip(errors) {
            self.learn(&step.prospect, error);
        }
    }

    /// Q(s, a) += alpha (r + gamma max Q(s', .) - Q(s, a)) for the side's last move (s, a). `worth` is the value of s' and
    /// `best` the highest estimate there, 0 if the game is over.
    fn learn_from_last(&mut self, trajectory: &Trajectory, worth: f64, best: f64) {
        if let Some(Step { prospect, worth: before, .. }) = trajectory.steps.last() {
            let error = worth - before + self.plan.gamma * best - self.model.estimate(prospect);
            self.learn(prospect, error);
        }
    }

    /// Only estimates are learned; a known value does not change.
    fn learn(&mut self, prospect: &Prospect, error: f64) {
        if !matches!(prospect, Prospect::Ends(_)) {
            self.model.change(prospect, self.plan.alpha * error);
            self.errors += error.abs();
            self.changes += 1;
        }
    }
}
