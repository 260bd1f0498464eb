//! The hall of fame of a stage: every few generations the mean plays an admission match against the pool and the
//! members, and is admitted if it beats them.
//!
//! `hall.csv` is a write-ahead log like `evaluations.csv`: the row of an admission match is on disk before the next
//! generation is played. A resumed stage reads the matches from it, and refuses rows that do not follow
//! from its other logs. The time of admission matches is not counted in `max_seconds`.

use super::context::StageContext;
use crate::error::{Result, RunError};
use crate::journal::Admission;
use crate::measure::results::evidence_of;
use crate::plan::{HallPlan, Part, StagePlan, Vector};
use tictune_core::files::{Found, Journal};
use tictune_core::input::InputError;
use tictune_core::seed::Purpose;
use tictune_core::stats::{Evidence, Tally};

/// The hall of fame of a stage as it grows; without a plan it stays empty and keeps no journal.
pub(super) struct Hall<'r> {
    context: &'r StageContext<'r>,
    pub(super) journal: Option<Journal<Admission>>,
    pub(super) members: Vec<Vector>,
}

impl<'r> Hall<'r> {
    pub(super) fn open(context: &'r StageContext<'r>) -> Result<Self> {
        let Some(plan) = &context.stage().fitness.hall else {
            return Ok(Self { context, journal: None, members: Vec::new() });
        };
        let header = Admission::header(&context.plan.columns());
        let journal = Journal::open(&context.folder.join(Admission::FILE), &header)?;
        let members = if plan.carry { context.members.to_vec() } else { Vec::new() };
        Ok(Self { context, journal: Some(journal), members })
    }

    pub(super) fn stage(&self, seed: u64) -> Result<StagePlan, InputError> {
        self.context.stage().clone().with_members(&self.members, &self.context.plan.agent, seed)
    }

    /// The same stage with another number of games, and results by opponent.
    pub(super) fn stage_with_games(&self, games: u64, seed: u64) -> Result<StagePlan, InputError> {
        let stage = self.context.stage().with_games(games);
        stage.with_members(&self.members, &self.context.plan.agent, seed)
    }

    /// Plays the admission match that is due after a generation, or reads it from the journal. Returns whether the
    /// members changed. `later` says that the other journals of the stage already hold later generations.
    pub(super) fn generation_finished(
        &mut self,
        generation: u64,
        mean: &[f64],
        later: bool,
    ) -> Result<bool> {
        let Self { context, journal, members } = self;
        let (Some(plan), Some(journal)) = (&context.stage().fitness.hall, journal) else {
            return Ok(false);
        };
        if !generation.is_multiple_of(plan.every) {
            return Ok(false);
        }
        if later && !journal.has_next() {
            let message = format!(
                "the admission match of generation {generation} is missing: it was written before the \
                 generations that follow in evaluations.csv"
            );
            return Err(journal.wrong(message).into());
        }
        let candidate = context.plan.candidate(mean)?;
        let values = context.plan.values_at(mean);
        let check = |found: Found<'_>| {
            let read: Option<Admission> = found.read();
            let read = read.filter(|read| read.tally.games() == plan.games);
            let expected = read.map(|Admission { tally, distinct_games, evidence, .. }| {
                admission(plan, generation, &values, members, (tally, distinct_games, evidence))
            });
            expected.filter(|expected| found.is(expected)).ok_or_else(|| {
                format!(
                    "is not the admission match of generation {generation} that follows from the stage's \
                     other logs; the log is of another run, or was made by another version or on another \
                     kind of machine"
                )
            })
        };
        let row = journal.next(check, || {
            let counts = play(context, generation, &candidate.values, members)?;
            Ok::<_, RunError>(admission(plan, generation, &values, members, counts))
        })?;
        context.observer.admission_finished(&row);
        let Admission { score, members: met, entered, .. } = row;
        tracing::info!(generation, score, members = met, entered, "admission match");
        if entered {
            if row.left.is_some() {
                members.remove(0);
            }
            let name = format!("stage-{}-generation-{generation}", context.index + 1);
            members.push(candidate.values.named(&name));
        }
        Ok(entered)
    }
}

fn admission(
    plan: &HallPlan,
    generation: u64,
    values: &[f64],
    members: &[Vector],
    (tally, distinct_games, evidence): (Tally, u64, Evidence),
) -> Admission {
    let entered = plan.admits(&tally, &evidence);
    let full = members.len() >= plan.size as usize;
    Admission {
        generation,
        members: members.len() as u64,
        games: tally.games(),
        tally,
        distinct_games,
        evidence,
        score: tally.score(),
        p: evidence.p(),
        entered,
        left: members.first().filter(|_| entered && full).map(|member| member.name.clone()),
        values: values.to_vec(),
    }
}

fn play(
    context: &StageContext<'_>,
    generation: u64,
    mean: &Vector,
    members: &[Vector],
) -> Result<(Tally, u64, Evidence)> {
    let seed = context.seed(Purpose::HallOfFame, generation);
    let stage = context.stage().admission_match().ok_or(RunError::Interrupted)?;
    let stage = stage.with_members(members, &context.plan.agent, seed)?;
    let offset = generation.saturating_mul(stage.fitness.games);
    let stage = context.plan.stage_given(Part::Hall(context.index), offset, stage)?;
    let label = format!("admission match of generation {generation}");
    context.observer.match_started(&label, stage.fitness.games);
    let mut measured = Vec::new();
    let mut sink = |_, found| {
        measured.push(found);
        Ok(())
    };
    context.measure(&stage, seed, vec![mean], &mut sink)?;
    let measured = measured.pop().ok_or(RunError::Interrupted)?;
    let evidence = evidence_of(&stage.fitness, &measured.games);
    Ok((measured.tally, measured.distinct_games, evidence))
}
