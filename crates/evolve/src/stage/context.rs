//! What all parts of a stage need from its run.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::result::Observer;
use crate::error::{Result, RunError};
use crate::measure::fitness::{Batch, Measured, Sink, measure_batch};
use crate::plan::{Part, Plan, Seeds, StagePlan, Vector};
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
    /// The members of the hall of fame of the stage before.
    pub members: &'r [Vector],
}

impl<'r> StageContext<'r> {
    pub(crate) fn stage(&self) -> &'r StagePlan {
        &self.plan.stages[self.index]
    }

    pub(crate) fn seed(&self, purpose: Purpose, number: u64) -> u64 {
        of_run(self.plan.seed, purpose, self.index as u64, number)
    }

    /// The generation whose games a generation plays: 0 where all play the same ones.
    pub(super) fn seed_generation(&self, generation: u64) -> u64 {
        match self.stage().fitness.seeds {
            Seeds::Fixed => 0,
            Seeds::Fresh => generation,
        }
    }

    pub(super) fn seed_of_games(&self, generation: u64) -> u64 {
        self.seed(Purpose::Fitness, self.seed_generation(generation))
    }

    /// A stage as a generation plays it, or a further round of it: with the positions of its books that are those of the
    /// generation, from an offset on.
    pub(super) fn training(
        &self,
        generation: u64,
        stage: StagePlan,
        offset: u64,
    ) -> Result<StagePlan, InputError> {
        // Generations are counted from 1; with fixed seeds, all have the positions of the first.
        let before = self.seed_generation(generation).saturating_sub(1);
        let openings = self.plan.openings_of_generation(self.stage());
        let first = before.saturating_mul(openings).saturating_add(offset);
        self.plan.stage_given(Part::Training(self.index), first, stage)
    }

    /// Measures vectors in the games of a stage, which are kept one by one; `sink` gets each vector in their order.
    pub(crate) fn measure(
        &self,
        stage: &StagePlan,
        seed: u64,
        vectors: Vec<&Vector>,
        sink: &mut Sink<'_>,
    ) -> Result<()> {
        let batch = Batch { keep_games: true, ..Batch::new(self.plan, stage, seed, vectors) };
        measure_batch(self.executor, &batch, sink, &|| self.observer.game_played(), self.stop)
    }

    pub(super) fn measure_one(
        &self,
        stage: &StagePlan,
        seed: u64,
        vector: &Vector,
    ) -> Result<Measured> {
        let mut measured = None;
        let mut sink = |_, found| {
            measured = Some(found);
            Ok(())
        };
        self.measure(stage, seed, vec![vector], &mut sink)?;
        measured.ok_or(RunError::Interrupted)
    }
}
