//! What an evolution does against noise.

use super::{Reader, even_games};
use crate::arena::MAX_GAMES;
use crate::evolve::plan::{
    BLOCKS, FinalistsPlan, FitnessPlan, HeldOutPlan, NoisePlan, ReevaluationPlan, RestartPlan,
    RestartStart, StagePlan, share_games,
};
use crate::input::{InputError, Table};

/// The tables of a config that are read here.
pub(super) const TABLES: [&str; 3] = ["finalists", "held_out", "reevaluation"];

/// The keys of `[cmaes]` that are read here.
pub(super) const CMAES_KEYS: [&str; 3] = ["cm", "restarts", "restart_start"];

const HELD_OUT_KEYS: [&str; 4] = ["every", "games", "patience", "openings"];
const REEVALUATION_KEYS: [&str; 2] = ["games", "rounds"];

const FINALISTS_KEYS: [&str; 8] =
    ["games", "rounds", "best", "means", "average", "start", "model", "openings"];

/// The most finalists of a kind: far above what can be told apart.
const MOST_FINALISTS: u32 = 1000;

/// The most rounds: each doubles the games.
pub(super) const MOST_ROUNDS: u32 = 16;

impl Reader<'_, '_, '_> {
    pub(super) fn noise(
        &self,
        cmaes: &Table<'_, '_>,
        stages: &[StagePlan],
    ) -> Result<NoisePlan, InputError> {
        let held_out = self.held_out(stages)?;
        Ok(NoisePlan {
            finalists: self.finalists(stages)?,
            restarts: restarts(cmaes, stages, held_out.is_some())?,
            held_out,
            reevaluation: self.reevaluation(stages)?,
            mean_rate: match cmaes.positive("cm")? {
                Some(rate) if rate > 1.0 => {
                    let message = format!("expected a number above 0 and at most 1, found {rate}");
                    return Err(cmaes.error("cm", message));
                }
                rate => rate,
            },
        })
    }

    fn held_out(&self, stages: &[StagePlan]) -> Result<Option<HeldOutPlan>, InputError> {
        let Some(table) = self.root.table("held_out", &HELD_OUT_KEYS)? else { return Ok(None) };
        check_pool(&table, stages)?;
        let games = even_games(&table, 200)?;
        for (number, stage) in (1..).zip(stages) {
            check_opponents(&table, number, stage, games, 2)?;
        }
        Ok(Some(HeldOutPlan {
            every: table.whole("every", 1)?.unwrap_or(5),
            games,
            patience: table.whole("patience", 1)?.unwrap_or(4),
            openings: self.openings_of(&table, "random:4:held-out")?,
        }))
    }

    fn reevaluation(&self, stages: &[StagePlan]) -> Result<Option<ReevaluationPlan>, InputError> {
        let Some(table) = self.root.table("reevaluation", &REEVALUATION_KEYS)? else {
            return Ok(None);
        };
        if stages.iter().any(|stage| stage.fitness.coevolution.is_some()) {
            let message =
                "there are no further rounds with [coevolution], whose games candidates share";
            return Err(table.error_here(message));
        }
        let games = table.whole("games", 1)?;
        if let Some(games) = games {
            if games > MAX_GAMES {
                let message = format!("expected at most {MAX_GAMES}, found {games}");
                return Err(table.error("games", message));
            }
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
        Ok(Some(ReevaluationPlan {
            games,
            rounds: table.whole32("rounds", 1, MOST_FINALISTS)?.unwrap_or(2),
        }))
    }

    fn finalists(&self, stages: &[StagePlan]) -> Result<Option<FinalistsPlan>, InputError> {
        let Some(table) = self.root.table("finalists", &FINALISTS_KEYS)? else { return Ok(None) };
        check_pool(&table, stages)?;
        let count = |key: &str, least: u32, default: u64| {
            let read = table.whole32(key, least, MOST_FINALISTS)?;
            Ok::<u64, InputError>(read.map_or(default, u64::from))
        };
        let games = table.whole("games", 1)?.unwrap_or(200);
        let rounds = table.whole32("rounds", 1, MOST_ROUNDS)?.unwrap_or(4);
        check_games(&table, stages, games, rounds)?;
        Ok(Some(FinalistsPlan {
            games,
            rounds,
            best: count("best", 1, 3)?,
            means: count("means", 1, 3)?,
            average: count("average", 0, 10)?,
            start: table.boolean("start")?.unwrap_or(true),
            model: table.boolean("model")?.unwrap_or(false),
            openings: self.openings_of(&table, "random:4:held-out")?,
        }))
    }
}

/// The restarts of the optimiser.
fn restarts(
    cmaes: &Table<'_, '_>,
    stages: &[StagePlan],
    held_out: bool,
) -> Result<Option<RestartPlan>, InputError> {
    let Some(kind) = cmaes.word("restarts")? else {
        let other = CMAES_KEYS[2..].iter().find(|key| cmaes.has(key));
        let message = "there are no restarts: give restarts = \"ipop\" or \"bipop\" too";
        return other.map_or(Ok(None), |key| Err(cmaes.misplaced(key, message)));
    };
    if let Some(at) = stages.iter().position(|stage| stage.stops.stagnation.is_none())
        && !held_out
    {
        let message = format!(
            "stage {} does not say when it stalls: give it stagnation, or write a [held_out] table",
            at + 1
        );
        return Err(cmaes.error("restarts", message));
    }
    Ok(Some(RestartPlan {
        kind,
        start: cmaes.word("restart_start")?.unwrap_or(RestartStart::Start),
    }))
}

/// Checks that every stage has opponents beside candidates of its own.
pub(super) fn check_pool(table: &Table<'_, '_>, stages: &[StagePlan]) -> Result<(), InputError> {
    match stages.iter().position(|stage| stage.fitness.opponents.is_empty()) {
        None => Ok(()),
        Some(index) => Err(table.error_here(format!(
            "it needs [[opponents]] to measure against: those of stage {} play each other only",
            index + 1
        ))),
    }
}

/// Checks that every opponent of a stage (from 1) has a share of so many games.
fn check_opponents(
    table: &Table<'_, '_>,
    number: usize,
    stage: &StagePlan,
    games: u64,
    unit: u64,
) -> Result<(), InputError> {
    let shares: Vec<f64> =
        stage.fitness.opponents.iter().map(|opponent| opponent.games as f64).collect();
    if share_games(games, unit, &shares).contains(&0) {
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
) -> Result<(), InputError> {
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
        let shares: Vec<f64> =
            stage.fitness.opponents.iter().map(|opponent| opponent.games as f64).collect();
        let too_few = |games: &u64| share_games(games / BLOCKS, 2, &shares).contains(&0);
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
