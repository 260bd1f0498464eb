//! Whether the mean of a stage still improves: matches on openings that its training never sees.
//!
//! Every few generations the mean plays the stage's opponents, the same games at every check. A stage, or a run
//! of its optimiser, is over when several checks in a row brought nothing better. `held-out.csv` has a row a
//! check; it is on disk before the next generation is asked for.

use super::RunError;
use super::comparison::SIGNIFICANCE;
use super::measure::fitness::{Batch, Measured, measure_batch};
use super::plan::HeldOutPlan;
use super::plan::StagePlan;
use super::remeasure::{RESULT_COLUMNS, parse_results, result_fields, share, worst_opponent};
use super::stage::{StageContext, candidate};
use super::stops::StopReason;
use crate::files::GrowingCsv;
use crate::seed::{Purpose, of_run};
use crate::stats::p_value_of_lead;

/// A mean that was the best of the checks so far.
#[derive(Clone)]
struct Best {
    generation: u64,
    mean: Vec<f64>,
    measured: Measured,
    score: f64,
}

/// The checks of a stage.
pub(super) struct HeldOut<'r> {
    plan: &'r HeldOutPlan,
    stage: StagePlan,
    log: GrowingCsv,
    logged: std::vec::IntoIter<csv::StringRecord>,
    rows: usize,
    /// The best of this run of the optimiser.
    best: Option<Best>,
    /// The best of the stage.
    best_of_all: Option<Best>,
    /// Checks since the best one.
    idle: u64,
}

impl<'r> HeldOut<'r> {
    /// The checks of a stage, if it has any.
    pub(super) fn open(context: &StageContext<'r>) -> Result<Option<Self>, RunError> {
        let StageContext { plan, index, folder, .. } = *context;
        let Some(settings) = &plan.noise.held_out else { return Ok(None) };
        let header: Vec<String> = ["generation"]
            .into_iter()
            .chain(RESULT_COLUMNS)
            .chain(["score", "better"])
            .map(String::from)
            .collect();
        let (log, rows) = GrowingCsv::open(&folder.join("held-out.csv"), &header)?;
        Ok(Some(Self {
            plan: settings,
            stage: plan.stages[index].in_pairs(settings.games, &settings.openings),
            log,
            logged: rows.into_iter(),
            rows: 0,
            best: None,
            best_of_all: None,
            idle: 0,
        }))
    }

    /// Takes note of the mean after a generation; a reason to stop if it has not improved for so long.
    pub(super) fn check(
        &mut self,
        context: &StageContext<'_>,
        generation: u64,
        mean: &[f64],
    ) -> Result<Option<StopReason>, RunError> {
        if !generation.is_multiple_of(self.plan.every) {
            return Ok(None);
        }
        let logged = self.logged.next();
        let measured = match &logged {
            Some(row) => {
                let of_here = row.get(0) == Some(generation.to_string().as_str());
                let found = parse_results(row, 1, &self.stage.fitness).filter(|_| of_here);
                let expected = format!(
                    "expected the mean after generation {generation} in {} games",
                    self.plan.games
                );
                found.ok_or_else(|| self.log.wrong_row(self.rows, expected))?
            }
            None => self.play(context, mean)?,
        };
        let worst = worst_opponent(&measured.by_opponent);
        let score = share(context.plan.stages[context.index].fitness.combine, &measured, worst);
        let better = self.is_better(&measured, score);
        let fields: Vec<String> = [generation.to_string()]
            .into_iter()
            .chain(result_fields(&measured))
            .chain([score.to_string(), better.to_string()])
            .collect();
        match logged {
            Some(row) if row != fields => {
                let message = "score and better do not follow from the results so far";
                return Err(self.log.wrong_row(self.rows, message).into());
            }
            Some(_) => {}
            None => {
                self.log.append(&fields)?;
                self.log.sync()?;
            }
        }
        self.rows += 1;
        tracing::info!(generation, score, better, "mean on held-out openings");
        context.observer.held_out_checked(generation, score, better);
        self.idle = if better { 0 } else { self.idle + 1 };
        if better {
            let best = Best { generation, mean: mean.to_vec(), measured, score };
            if self.best_of_all.as_ref().is_none_or(|known| score > known.score) {
                self.best_of_all = Some(best.clone());
            }
            self.best = Some(best);
        }
        Ok((self.idle >= self.plan.patience).then_some(StopReason::HeldOut(self.idle)))
    }

    fn is_better(&self, measured: &Measured, score: f64) -> bool {
        let Some(best) = &self.best else { return true };
        let significant = || p_value_of_lead(&measured.tally, &best.measured.tally) < SIGNIFICANCE;
        score > best.score && (!self.plan.significantly || significant())
    }

    /// Begins anew for another run of the optimiser.
    pub(super) fn restart(&mut self) {
        self.best = None;
        self.idle = 0;
    }

    /// The generation and the mean of the best check of the stage.
    pub(super) fn best(&self) -> Option<(u64, Vec<f64>)> {
        self.best_of_all.as_ref().map(|best| (best.generation, best.mean.clone()))
    }

    /// Checks that the log has no more rows than were checked.
    pub(super) fn finish(mut self, stopped: &StopReason) -> Result<(), RunError> {
        match self.logged.next() {
            Some(_) => {
                let message = format!("the stage ended before this row: {stopped}");
                Err(self.log.wrong_row(self.rows, message).into())
            }
            None => Ok(()),
        }
    }

    fn play(&self, context: &StageContext<'_>, mean: &[f64]) -> Result<Measured, RunError> {
        let StageContext { plan, index, executor, observer, stop, .. } = *context;
        observer.match_started("the mean on held-out openings", self.plan.games);
        let batch = Batch {
            stage: &self.stage,
            game: &plan.game,
            agent: &plan.agent,
            rules: &plan.rules,
            seed: of_run(plan.seed, Purpose::HeldOut, index as u64, 0),
            candidates: vec![candidate(plan, mean)?],
            rivals: None,
        };
        let mut played = None;
        let mut sink = |_, measured: &Measured| {
            played = Some(measured.clone());
            Ok(())
        };
        measure_batch(executor, &batch, &mut sink, &|| observer.game_played(), stop)?;
        played.ok_or(RunError::Interrupted)
    }
}
