//! Where a run starts, if not at a vector of its config: at learned weights, or at the best of many starts.

use serde::{Deserialize, Serialize};

use super::evolution::Plan;
use super::space::SlotPlan;
use crate::arena::Openings;
use crate::learn::regression::RegressionPlan;
use crate::weights::Weights;

/// The regression that a run begins with. Its weights take the place of the config's start vector.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LearnedStart {
    /// The regression. It begins with the config's start vector.
    pub regression: RegressionPlan,
    /// Whether steps are the sizes of the start vector, and so of the learned weights.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub steps: bool,
}

/// Many starts, measured before a stage begins: the best of them is the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScreeningPlan {
    /// Games of each start in the first round; each further round has twice as many for half of the starts.
    pub games: u64,
    /// The most rounds.
    pub rounds: u32,
    /// Where games start.
    pub openings: Openings,
    /// Weights that take part.
    pub weights: Vec<Weights>,
    /// How many vectors around the start take part.
    pub perturbed: u64,
    /// How far around it they lie: the multiple of the stage's step size.
    pub spread: f64,
    /// How many random vectors take part.
    pub random: u64,
    /// Whether it comes before every stage, not only before the first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub every_stage: bool,
}

impl ScreeningPlan {
    /// Whether it comes before a stage, counted from 0.
    #[must_use]
    pub const fn precedes(&self, stage: usize) -> bool {
        stage == 0 || self.every_stage
    }

    /// The most games before a stage, if so many learned vectors take part.
    #[must_use]
    pub fn most_games(&self, learned: u64) -> u64 {
        let mut left = 1 + self.weights.len() as u64 + learned + self.perturbed + self.random;
        let mut games = 0_u64;
        for round in 0..self.rounds {
            games = games.saturating_add(left.saturating_mul(self.games << round));
            left = left.div_ceil(2).max(2);
        }
        games
    }
}

/// The least step by the start vector's values, as a part of the largest of them: weights that begin at or near 0 have
/// to move as well. Those of one published vector differ in size by a factor of about 50.
const LEAST_STEP: f64 = 0.01;

/// The size of the smallest step that `LEAST_STEP` allows beside these values; `None` if all are 0, or so small that there
/// is none.
#[must_use]
pub fn least_step(values: &[f64]) -> Option<f64> {
    let largest = values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    (largest >= f64::MIN_POSITIVE / LEAST_STEP).then_some(LEAST_STEP * largest)
}

impl Plan {
    /// The same plan with learned weights as its start, also where opponents are the start. Slots that are held keep their
    /// values.
    #[must_use]
    pub fn started_from(&self, learned: &Weights) -> Self {
        let mut plan = self.clone();
        let Some(initial) = &self.initial else { return plan };
        let kept = self.slots().zip(learned.values());
        let values: Vec<f64> = kept
            .map(|((_, slot, held), learned)| if slot == SlotPlan::Held { held } else { *learned })
            .collect();
        let least = least_step(&values);
        if let (Some(least), true) = (least, self.learn.as_ref().is_some_and(|learn| learn.steps)) {
            plan.space.slots = (values.iter().enumerate())
                .map(|(index, value)| match self.space.slot(index) {
                    SlotPlan::Held => SlotPlan::Held,
                    _ => SlotPlan::Stepped(value.abs().max(least)),
                })
                .collect();
        }
        if let Ok(mut weights) = Weights::new(&*initial.name, initial.layout(), values) {
            weights.provenance.clone_from(&learned.provenance);
            for opponent in &mut plan.validation.opponents {
                if opponent == initial {
                    *opponent = weights.clone();
                }
            }
            let stages = plan.stages.iter_mut().flat_map(|stage| &mut stage.fitness.opponents);
            let agents = stages.map(|opponent| &mut opponent.agent);
            for agent in agents.chain(&mut plan.validation.agents) {
                if agent.weights() == Some(initial) {
                    *agent = agent.with_weights(weights.clone());
                }
            }
            plan.initial = Some(weights);
        }
        plan
    }

    /// The point that stands for weights, with parameters as they are at the start. Slots that are held keep their values.
    #[must_use]
    pub fn point_of(&self, weights: &Weights) -> Vec<f64> {
        let slots = self.slots().zip(weights.values());
        let point = slots.filter_map(|((_, slot, initial), value)| match slot {
            SlotPlan::Free => Some(*value),
            SlotPlan::Stepped(step) => Some((value - initial) / step),
            SlotPlan::Held => None,
        });
        point.chain(self.space.parameters.iter().map(|_| 0.0)).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::{Overrides, parse};
    use crate::games::KNOWN;

    fn plan(lines: &str) -> Plan {
        let text = format!(
            "evaluation = \"connecting\"\n[cmaes]\nsigma = 1\n{lines}\n[learn]\ngames = 10\n[fitness]\n\
             [[opponents]]\nagent = \"random\"\n[[opponents]]\nagent = \"initial\"\n[[stages]]\ndepth = 1\n"
        );
        parse(&text, Path::new("c.toml"), Overrides::default(), KNOWN).unwrap()
    }

    fn learned(plan: &Plan) -> Weights {
        Weights::new("learned", plan.layout().unwrap(), vec![2.0, -4.0, 0.001]).unwrap()
    }

    #[test]
    fn learned_weights_are_the_start_and_whoever_plays_as_it() {
        let plan = plan("scale = \"initial\"\nleave_out = [\"micro_win\"]");
        let begun = plan.started_from(&learned(&plan));
        let initial = begun.initial.as_ref().unwrap();
        assert_eq!(initial.values(), [0.0, -4.0, 0.001], "what is held keeps its value");
        assert_eq!(
            begun.space.slots,
            [SlotPlan::Held, SlotPlan::Stepped(4.0), SlotPlan::Stepped(0.04)],
            "the sizes of what was learned"
        );
        assert_eq!(begun.start_point(), [0.0, 0.0]);
        let opponents = &begun.stages[0].fitness.opponents;
        assert_eq!(opponents[0].agent.weights(), None);
        assert_eq!(opponents[1].agent.weights(), Some(initial));
        assert!(begun.validation.opponents.contains(initial));
        assert!(!begun.validation.opponents.contains(plan.initial.as_ref().unwrap()));
    }

    #[test]
    fn a_point_stands_for_the_weights_that_it_is_of() {
        for lines in ["", "steps = { micro_win = 4 }\nhold = { micro_connecting = 0.001 }"] {
            let plan = plan(lines);
            let point = plan.point_of(&learned(&plan));
            let weights = plan.vector_at("w", &point).unwrap().weights.unwrap();
            assert_eq!(weights.values(), [2.0, -4.0, 0.001], "{lines}");
        }
    }

    #[test]
    fn half_of_the_starts_go_on_to_twice_the_games() {
        let screening = ScreeningPlan {
            games: 20,
            rounds: 4,
            openings: Openings::None,
            weights: Vec::new(),
            perturbed: 5,
            spread: 1.0,
            random: 0,
            every_stage: false,
        };
        // Of 9 starts, 9, 5, 3 and 2 play.
        assert_eq!(screening.most_games(3), 9 * 20 + 5 * 40 + 3 * 80 + 2 * 160);
        assert!(screening.precedes(0) && !screening.precedes(1));
    }
}
