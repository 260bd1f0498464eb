//! What an evolution does against noise.

use super::{Reader, Result, even_games, none_of};
use crate::plan::{
    BLOCKS, FinalistsPlan, HeldOutPlan, NoisePlan, ReevaluationPlan, RestartPlan, RestartStart,
    StagePlan,
};
use tictune_core::arena::{MAX_GAMES, Schedule};
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
        even_games(&table, plan.games)?;
        check_games(&table, stages, plan.games, (1, Some(2)))?;
        plan.openings = self.openings_of(&table, "random:4:held-out")?;
        Ok(Some(plan))
    }

    fn reevaluation(&self, stages: &[StagePlan]) -> Result<Option<ReevaluationPlan>> {
        let Some(plan) = &self.config.reevaluation else { return Ok(None) };
        let table = self.section("reevaluation");
        if stages.iter().any(|stage| stage.fitness.coevolution.is_some()) {
            let message =
                "there are no further rounds with [coevolution], whose games candidates share";
            return Err(table.error_here(message));
        }
        if let Some(games) = plan.games {
            let odd = |schedule: &Schedule| !games.is_multiple_of(schedule.unit());
            if let Some(schedule) = stages.iter().map(|stage| stage.fitness.schedule).find(odd) {
                let message =
                    format!("expected an even number with schedule {schedule}, found {games}");
                return Err(table.error("games", message));
            }
            check_games(&table, stages, games, (1, None))?;
        }
        Ok(Some(plan.clone()))
    }

    fn finalists(&self, stages: &[StagePlan]) -> Result<Option<FinalistsPlan>> {
        let Some(mut plan) = self.config.finalists.clone() else { return Ok(None) };
        let table = self.section("finalists");
        check_rounds(&table, stages, plan.games, plan.rounds)?;
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

/// Checks that games of a round can be played in blocks, in each of which every opponent is played in pairs.
pub(super) fn check_rounds(
    table: &Table<'_, '_>,
    stages: &[StagePlan],
    games: u64,
    rounds: u32,
) -> Result<()> {
    let (unit, most) = (2 * BLOCKS, MAX_GAMES >> rounds);
    if !games.is_multiple_of(unit) {
        let message = format!(
            "expected a multiple of {unit}, since a round is {BLOCKS} blocks of pairs; found {games}"
        );
        return Err(table.error("games", message));
    }
    if games > most {
        let message = format!(
            "doubled in each of {rounds} rounds they are too many: at most {most} for so many rounds, found {games}"
        );
        return Err(table.error("games", message));
    }
    check_games(table, stages, games, (BLOCKS, Some(2)))
}

/// Checks that every stage has opponents beside candidates of its own, and that games in so many blocks are enough for all of
/// them, in pairs or else as the stage plays them.
fn check_games(
    table: &Table<'_, '_>,
    stages: &[StagePlan],
    games: u64,
    (blocks, unit): (u64, Option<u64>),
) -> Result<()> {
    for (number, StagePlan { fitness, .. }) in (1..).zip(stages) {
        if fitness.opponents.is_empty() {
            return Err(table.error_here(format!(
                "it needs [[opponents]] to measure against: those of stage {number} play each other only"
            )));
        }
        let unit = unit.unwrap_or_else(|| fitness.schedule.unit());
        let too_few = |games: &u64| fitness.split(games / blocks, unit).contains(&0);
        if too_few(&games) {
            let played = match blocks {
                1 => String::new(),
                _ => format!(" to be played in each of {blocks} blocks"),
            };
            let mut more = (1..10_000).map(|factor| games + blocks * unit * factor);
            let enough = more.find(|games| !too_few(games));
            let hint = enough.map_or(String::new(), |games| format!("; {games} are enough"));
            let message =
                format!("{games} are too few for every opponent of stage {number}{played}{hint}");
            return Err(table.error("games", message));
        }
    }
    Ok(())
}
