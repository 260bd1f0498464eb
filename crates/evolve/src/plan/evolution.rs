//! The whole of an evolution.

use serde::{Deserialize, Serialize};

use super::final_matches::{ComparisonPlan, ValidationPlan};
use super::noise::NoisePlan;
use super::space::Space;
use super::stage::StagePlan;
use super::start::{LearnedStart, ScreeningPlan};
use tictune_core::agent::AgentSpec;
use tictune_core::arena::Openings;
use tictune_core::files::fingerprint;
use tictune_core::game::WeightLayout;
use tictune_core::weights::Weights;

/// An evolution to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The run's name: what its folder is called.
    pub name: String,
    /// The game.
    pub game: String,
    /// The rules, in their text form.
    pub rules: String,
    /// The seed of everything.
    pub seed: u64,
    /// The start vector; its layout is the evaluation that is evolved. None where no weights are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial: Option<Weights>,
    /// What the optimiser moves, and in what units.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub space: Space,
    /// The regression that gives the start, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learn: Option<LearnedStart>,
    /// The starts of which the best is taken, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screening: Option<ScreeningPlan>,
    /// Who carries the candidates: a spec without depth, and without weights where those are evolved.
    pub agent: AgentSpec,
    /// The stages in order, at least one.
    pub stages: Vec<StagePlan>,
    /// Best against mean at the end.
    pub comparison: ComparisonPlan,
    /// The gauntlet of the winner; without depths there is none.
    pub validation: ValidationPlan,
    /// What is done against the noise of the fitness.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub noise: NoisePlan,
}

impl Plan {
    /// The evaluation whose slots are evolved; none where only parameters are.
    #[must_use]
    pub fn layout(&self) -> Option<&'static WeightLayout> {
        self.initial.as_ref().map(Weights::layout)
    }

    /// The openings of training among which held-out ones may be, where comparison, validation, finalists or
    /// checks of the mean play from held-out ones: what is shown there may then have been trained on. `None` if all is well.
    #[must_use]
    pub fn trains_on_held_out(&self) -> Option<&Openings> {
        let finalists = self.noise.finalists.as_ref().map(|plan| &plan.openings);
        let checks = self.noise.held_out.as_ref().map(|plan| &plan.openings);
        let at_the_end = self.validation.openings.iter().chain([&self.comparison.openings]);
        let mut at_the_end = at_the_end.chain(finalists).chain(checks);
        let training = self.stages.iter().flat_map(|stage| {
            let hall = stage.fitness.hall.as_ref().map(|hall| &hall.openings);
            [&stage.fitness.openings].into_iter().chain(stage.fitness.own_openings()).chain(hall)
        });
        let mut training = training.filter(|openings| openings.may_be_held_out());
        if at_the_end.any(Openings::are_held_out) { training.next() } else { None }
    }

    /// A fingerprint of all that decides the run: 16 hexadecimal digits.
    #[must_use]
    pub fn hash(&self) -> String {
        fingerprint(&serde_json::to_vec(self).unwrap_or_default())
    }
}
