//! A plan with another start, which was learned or chosen.

use super::evolution::Plan;
use super::space::SlotPlan;
use super::start::least_step;
use tictune_core::weights::Weights;

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
    use super::*;

    fn plan(lines: &str) -> Plan {
        let text = format!(
            "evaluation = \"connecting\"\n[cmaes]\nsigma = 1\n{lines}\n[learn]\ngames = 10\n[fitness]\n\
             [[opponents]]\nagent = \"random\"\n[[opponents]]\nagent = \"initial\"\n[[stages]]\ndepth = 1\n"
        );
        crate::known::read(&text).unwrap()
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
        for lines in
            ["", "scale = \"initial\"\ninitial = [4, 8, 0.001]\nhold = [\"micro_connecting\"]"]
        {
            let plan = plan(lines);
            let point = plan.point_of(&learned(&plan));
            let weights = plan.vector_at("w", &point).unwrap().weights.unwrap();
            assert_eq!(weights.values(), [2.0, -4.0, 0.001], "{lines}");
        }
    }
}
