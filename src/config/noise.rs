//! What an evolution does against noise.

use super::Reader;
use crate::arena::MAX_GAMES;
use crate::eval::Game;
use crate::evolve::finalists::BLOCKS;
use crate::evolve::noise::{FinalistsPlan, NoisePlan};
use crate::evolve::plan::{StagePlan, share_games};
use crate::input::{InputError, Table};

/// The tables of a config that are read here.
pub(super) const TABLES: [&str; 1] = ["finalists"];

const FINALISTS_KEYS: [&str; 7] =
    ["games", "rounds", "best", "means", "average", "start", "openings"];

/// The most finalists of a kind: far above what can be told apart.
const MOST_FINALISTS: u32 = 1000;

/// The most rounds: each doubles the games.
const MOST_ROUNDS: u32 = 16;

impl<P: Game> Reader<'_, '_, '_, P> {
    pub(super) fn noise(&self, stages: &[StagePlan]) -> Result<NoisePlan, InputError> {
        Ok(NoisePlan { finalists: self.finalists(stages)? })
    }

    fn finalists(&self, stages: &[StagePlan]) -> Result<Option<FinalistsPlan>, InputError> {
        let Some(table) = self.root.table("finalists", &FINALISTS_KEYS)? else { return Ok(None) };
        let count = |key: &str, least: u32, default: u64| {
            let read = table.whole32(key, least, MOST_FINALISTS)?;
            Ok::<u64, InputError>(read.map_or(default, u64::from))
        };
        let games = table.whole("games", 1)?.unwrap_or(200);
        let rounds = table.whole32("rounds", 1, MOST_ROUNDS)?.unwrap_or(4);
        check_games(&table, stages, games, rounds)?;
        let openings = table.string("openings")?.unwrap_or("random:4:held-out");
        Ok(Some(FinalistsPlan {
            games,
            rounds,
            best: count("best", 1, 3)?,
            means: count("means", 1, 3)?,
            average: count("average", 0, 10)?,
            start: table.boolean("start")?.unwrap_or(true),
            openings: self.openings(&table, openings)?,
        }))
    }
}

/// Games of a round are played in blocks, and in each block every opponent is played in pairs.
fn check_games(
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
