//! What all parts of a stage need from its run.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::result::Observer;
use crate::error::Result;
use crate::journal::fits;
use crate::measure::fitness::{Batch, Measured, Sink, measure_batch};
use crate::plan::{Part, Plan, Seeds, StagePlan, Vector};
use tictune_core::arena::Executor;
use tictune_core::files::{Found, Journal};
use tictune_core::input::InputError;
use tictune_core::seed::{Purpose, of_run};

/// Makes the row of a vector, by its place, from its results.
type MakeRow<'m, R> = dyn Fn(usize, Measured) -> R + Sync + 'm;

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
    pub(super) fn measure(
        &self,
        stage: &StagePlan,
        seed: u64,
        vectors: Vec<&Vector>,
        sink: &mut Sink<'_>,
    ) -> Result<()> {
        let batch = Batch { keep_games: true, ..Batch::new(self.plan, stage, seed, vectors) };
        measure_batch(self.executor, &batch, sink, &|| self.observer.game_played(), self.stop)
    }

    /// The rows of vectors that play the games of a stage. Those that a journal holds are read back, and have to be the `row` that
    /// follows from their results; the others are played, once `started` is told how many, and logged.
    pub(crate) fn measured_rows<R: Serialize + DeserializeOwned + Send>(
        &self,
        journal: &mut Journal<R>,
        (stage, seed): (&StagePlan, u64),
        vectors: &[&Vector],
        (results, row): (fn(R) -> Measured, &MakeRow<'_, R>),
        started: impl FnOnce(u64),
        expected: impl Fn(usize) -> String,
    ) -> Result<Vec<R>> {
        let check = |place: usize, found: Found<'_>| {
            let read = found.read().map(results).filter(|read| fits(read, &stage.fitness));
            let row = read.map(|read| row(place, read)).filter(|row| found.is(row));
            row.ok_or_else(|| format!("expected {}", expected(place)))
        };
        journal.next_rows(vectors.len(), check, |done, put| {
            let done = done.len();
            started((vectors.len() - done) as u64);
            let mut sink = |number: usize, measured| put(row(done + number, measured));
            self.measure(stage, seed, vectors[done..].to_vec(), &mut sink)
        })
    }
}
