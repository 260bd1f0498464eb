//! What an evolution does against noise.

use super::{Reader, Result, even_games, none_of};
use crate::plan::{
    BLOCKS, FinalistsPlan, FitnessPlan, HeldOutPlan, NoisePlan, ReevaluationPlan, RestartPlan,
    RestartStart, StagePlan,
};
use tictune_core::arena::MAX_GAMES;
use tictune_core::input::Table;

impl Reader<'_, '_, '_> {
    pub(super) fn noise(&self, stages: &[StagePlan]) -> Result<NoisePlan> {
        Ok(NoisePlan {
            held_out: self.held_out(stages)?,
            finalists: self.finalists(stages)?,
            restarts: self.restarts(stages)?,
            reevaluation: self.reevaluation(stages)?,
            mean_rate: self.config.cmaes.cm,
        })
    }

    fn held_out(&self, stages: &[StagePlan]) -> Result<Option<HeldOutPlan>> {
        let Some(mut plan) = self.config.held_out.clone() else { return Ok(None) };
        let table = self.section("held_out");
        check_pool(&table, stages)?;
        even_games(&table, plan.games)?;
        for (number, stage) in (1..).zip(stages) {
            check_opponents(&table, number, stage, plan.games, 2)?;
        }
        plan.openings = self.openings_of(&table, "random:4:held-out")?;
        Ok(Some(plan))
    }

    fn reevaluation(&self, stages: &[StagePlan]) -> Result<Option<ReevaluationPlan>> {
        let Some(keys) = &self.config.reevaluation else { return Ok(None) };
        let table = self.section("reevaluation");
        if stages.iter().any(|stage| stage.fitness.coevolution.is_some()) {
            let message =
                "there are no further rounds with [coevolution], whose games candidates share";
            return Err(table.error_here(message));
        }
        if let Some(games) = keys.games {
            for (number, stage) in (1..).zip(stages) {
                let schedule = stage.fitness.schedule;
                let unit = schedule.unit();
                if !games.is_multiple_of(unit) {
                    let message =
                        format!("expected an even number with schedule {schedule}, found {games}");
                    return Err(table.error("games", message));
                }
                check_opponents(&table, number, stage, games, unit)?;
                let of_hall = FitnessPlan { games, ..stage.fitness.clone() }.hall_games();
                if stage.fitness.hall.is_some() && of_hall == 0 {
                    let message = format!("{games} are too few for the hall of fame");
                    return Err(table.error("games", message));
                }
            }
        }
        Ok(Some(keys.clone()))
    }

    fn finalists(&self, stages: &[StagePlan]) -> Result<Option<FinalistsPlan>> {
        let Some(mut plan) = self.config.finalists.clone() else { return Ok(None) };
        let table = self.section("finalists");
        check_pool(&table, stages)?;
        check_games(&table, stages, plan.games, plan.rounds)?;
        plan.openings = self.openings_of(&table, "random:4:held-out")?;
        Ok(Some(plan))
    }

    fn restarts(&self, stages: &[StagePlan]) -> Result<Option<RestartPlan>> {
        let (keys, table) = (&self.config.cmaes, self.section("cmaes"));
        let Some(kind) = keys.restarts else {
            let message = "there are no restarts: give restarts = \"ipop\" or \"bipop\" too";
            return none_of(&table, &["restart_start"], message).map(|()| None);
        };
        let mut numbered = (1..).zip(stages);
        let unknown = numbered.find(|(_, stage)| stage.stops.stagnation.is_none());
        if let (Some((number, _)), None) = (unknown, &self.config.held_out) {
            let message = format!(
                "stage {number} does not say when it stalls: give it stagnation, or write a [held_out] table"
            );
            return Err(table.error("restarts", message));
        }
        let start = keys.restart_start.unwrap_or(RestartStart::Start);
        Ok(Some(RestartPlan { kind, start }))
    }
}

/// Checks that every stage has opponents beside candidates of its own.
pub(super) fn check_pool(table: &Table<'_, '_>, stages: &[StagePlan]) -> Result<()> {
    match stages.iter().position(|stage| stage.fitness.opponents.is_empty()) {
        None => Ok(()),
        Some(index) => Err(table.error_here(format!(
            "it needs [[opponents]] to measure against: those of stage {} play each other only",
            index + 1
        ))),
    }
}

fn check_opponents(
    table: &Table<'_, '_>,
    number: usize,
    stage: &StagePlan,
    games: u64,
    unit: u64,
) -> Result<()> {
    if stage.fitness.split(games, unit).contains(&0) {
        let message = format!("{games} are too few for every opponent of stage {number}");
        return Err(table.error("games", message));
    }
    Ok(())
}

/// Games of a round are played in blocks, and in each block every opponent is played in pairs.
pub(super) fn check_games(
    table: &Table<'_, '_>,
    stages: &[StagePlan],
    games: u64,
    rounds: u32,
) -> Result<()> {
    let unit = 2 * BLOCKS;
    if !games.is_multiple_of(unit) {
        let message = format!(
            "expected a multiple of {unit}, since a round is {BLOCKS} blocks of pairs; found {games}"
        );
        return Err(table.error("games", message));
    }
    if games > MAX_GAMES >> rounds {
        let message = format!(
            "doubled in each of {rounds} rounds they are too many: at most {} for so many rounds, found {games}",
            MAX_GAMES >> rounds
        );
        return Err(table.error("games", message));
    }
    for (number, stage) in (1..).zip(stages) {
        let too_few = |games: &u64| stage.fitness.split(games / BLOCKS, 2).contains(&0);
        if too_few(&games) {
            let enough = (1..).map(|factor| games + unit * factor).take(10_000);
            let enough = enough.into_iter().find(|games| !too_few(games));
            let hint = enough.map_or(String::new(), |games| format!("; {games} are enough"));
            let message = format!(
                "{games} are too few for every opponent of stage {number} to be played in each of \
                 {BLOCKS} blocks{hint}"
            );
            return Err(table.error("games", message));
        }
    }
    Ok(())
}
