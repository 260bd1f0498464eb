//! Whether the mean of a stage still improves: matches on openings that its training never sees.
//!
//! Every few generations the mean plays the stage's opponents, in the same games at every check. The stage, or this run
//! of its optimiser, ends when several checks in a row bring no improvement. `held-out.csv` has a row for each check. The
//! row is on disk before the optimiser is asked for the next generation.

use super::context::StageContext;
use super::result::StopReason;
use crate::error::{Result, RunError};
use crate::journal::{HeldOutRow, header};
use crate::measure::fitness::Measured;
use crate::measure::results::{share, worst_opponent};
use crate::plan::{HeldOutPlan, Part, StagePlan};
use tictune_core::files::Journal;
use tictune_core::seed::Purpose;

pub(super) struct HeldOut<'r> {
    context: &'r StageContext<'r>,
    plan: &'r HeldOutPlan,
    stage: StagePlan,
    pub(super) journal: Journal<HeldOutRow>,
    /// The best score of this run of the optimiser.
    best: Option<f64>,
    /// The best score of the stage, with its generation and its mean.
    best_of_all: Option<(f64, (u64, Vec<f64>))>,
    idle: u64,
}

impl<'r> HeldOut<'r> {
    pub(super) fn open(context: &'r StageContext<'r>) -> Result<Option<Self>> {
        let Some(plan) = &context.plan.noise.held_out else { return Ok(None) };
        let journal =
            Journal::open(&context.folder.join("held-out.csv"), &header(HeldOutRow::COLUMNS, []))?;
        let stage = context.stage().in_pairs(plan.games, &plan.openings);
        let stage = context.plan.stage_given(Part::HeldOut(context.index), 0, stage)?;
        Ok(Some(Self { context, plan, stage, journal, best: None, best_of_all: None, idle: 0 }))
    }

    /// Checks the mean after a generation; returns a reason to stop if it has not improved for too long.
    pub(super) fn check(&mut self, generation: u64, mean: &[f64]) -> Result<Option<StopReason>> {
        if !generation.is_multiple_of(self.plan.every) {
            return Ok(None);
        }
        let HeldOutRow { score, better, .. } = self.measure(generation, mean)?;
        tracing::info!(generation, score, better, "mean on held-out openings");
        self.context.observer.held_out_checked(generation, score, better);
        self.idle = if better { 0 } else { self.idle + 1 };
        if better {
            if self.best_of_all.as_ref().is_none_or(|(known, _)| score > *known) {
                self.best_of_all = Some((score, (generation, mean.to_vec())));
            }
            self.best = Some(score);
        }
        Ok((self.idle >= self.plan.patience).then(|| {
            let checks = self.idle;
            StopReason::stall(format!(
                "the mean did not improve on held-out openings in {checks} checks"
            ))
        }))
    }

    fn measure(&mut self, generation: u64, mean: &[f64]) -> Result<HeldOutRow> {
        let Self { context, plan, stage, journal, best, .. } = self;
        let row = |_, measured: Measured| {
            let worst = worst_opponent(&measured.by_opponent);
            let score = share(context.stage().fitness.combine, &measured, worst);
            let better = best.is_none_or(|best| score > best);
            HeldOutRow { generation, measured, score, better }
        };
        let mut rows = context.measured_rows(
            journal,
            (stage, context.seed(Purpose::HeldOut, 0)),
            &[&context.plan.candidate(mean)?.values],
            (|row| row.measured, &row),
            |_| context.observer.match_started("the mean on held-out openings", plan.games),
            |_| {
                let games = plan.games;
                format!("the mean after generation {generation} in {games} games, and what follows")
            },
        )?;
        rows.pop().ok_or(RunError::Interrupted)
    }

    pub(super) fn restart(&mut self) {
        self.best = None;
        self.idle = 0;
    }

    pub(super) fn into_best(self) -> Option<(u64, Vec<f64>)> {
        self.best_of_all.map(|(_, best)| best)
    }
}
