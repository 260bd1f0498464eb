//! What all parts of a stage need from its run.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::result::Observer;
use crate::plan::{Part, Plan, Seeds, StagePlan};
use tictune_core::arena::Executor;
use tictune_core::input::InputError;
use tictune_core::seed::{Purpose, of_run};

#[derive(Clone, Copy)]
pub(crate) struct StageContext<'r> {
    pub plan: &'r Plan,
    pub index: usize,
    pub folder: &'r Path,
    pub executor: &'r dyn Executor,
    pub observer: &'r dyn Observer,
    pub stop: &'r AtomicBool,
}

impl<'r> StageContext<'r> {
    pub(crate) fn stage(&self) -> &'r StagePlan {
        &self.plan.stages[self.index]
    }

    /// The generation whose games a generation plays: 0 where all play the same ones.
    pub(super) fn seed_generation(&self, generation: u64) -> u64 {
        match self.stage().fitness.seeds {
            Seeds::Fixed => 0,
            Seeds::Fresh => generation,
        }
    }

    pub(super) fn seed_of_games(&self, generation: u64) -> u64 {
        let generation = self.seed_generation(generation);
        of_run(self.plan.seed, Purpose::Fitness, self.index as u64, generation)
    }

    /// The stage as a generation plays it: with the positions of its books that are those of the generation.
    pub(super) fn training(&self, generation: u64) -> Result<StagePlan, InputError> {
        // Generations are counted from 1; with fixed seeds, all have the positions of the first.
        let before = self.seed_generation(generation).saturating_sub(1);
        let stage = self.stage();
        let first = before.saturating_mul(stage.openings_of_generation());
        self.plan.stage_given(Part::Training(self.index), first, stage.clone())
    }
}
