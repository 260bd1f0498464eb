//! Refuses what cannot fit into memory before it begins.

use std::fs::read_to_string;
use std::path::Path;

use crate::arena::Detail;
use crate::evolve::learn::RegressionPlan;
use crate::evolve::{Plan, StagePlan};
use crate::game::GameInfo;
use crate::input::InputError;

/// The bytes of a game that was played, without its moves.
const GAME: u64 = 256;

/// The bytes of a move with its costs, and then as a row of a file.
const MOVE: u64 = 160;

/// The bytes of a candidate beside its values: its agent and its units.
const CANDIDATE: u64 = 2048;

/// The most moves that a game is counted with: few have more.
const MOST_MOVES: u64 = 120;

/// About what a match holds at its end, in bytes.
pub(super) fn of_match(info: &GameInfo, games: u64, detail: Detail) -> u64 {
    let moves = (info.move_indices as u64).min(MOST_MOVES);
    let a_game = GAME + if detail == Detail::Moves { moves * MOVE } else { 0 };
    games.saturating_mul(a_game)
}

/// About what a generation of a plan holds, in bytes: that of the stage that holds most, or a match at the end, if that
/// holds more. Of pairs two generations are played at once. On every thread games of a candidate may wait for the others of it.
pub(super) fn of_plan(plan: &Plan, threads: u64) -> u64 {
    let of_stage = |stage: &StagePlan| {
        let population = stage.population as u64;
        let values = 8 * plan.columns().len() as u64;
        let generations = if plan.pairs.is_some() { 2 } else { 1 };
        let candidates = population.saturating_mul(generations * (CANDIDATE + values));
        let waiting = stage.fitness.games.saturating_mul(threads.min(population));
        candidates.saturating_add(waiting.saturating_mul(GAME))
    };
    let at_the_end = plan.comparison.games.max(plan.validation.games).saturating_mul(GAME);
    plan.stages.iter().map(of_stage).chain([at_the_end]).max().unwrap_or(0)
}

/// About what a round of a regression holds, in bytes: its positions, twice.
pub(super) fn of_regression(plan: &RegressionPlan) -> u64 {
    let values = plan.initial.values().len() + plan.labels.depths.len() + 8;
    let positions = plan.games.saturating_mul(u64::from(RegressionPlan::POSITIONS).min(MOST_MOVES));
    positions.saturating_mul(2 * 8 * values as u64)
}

/// Refuses work that wants more memory than there is, where the system says how much that is. `config` says what is to be done.
pub(super) fn check(
    config: Option<&Path>,
    what: &str,
    wanted: u64,
    remedy: &str,
) -> Result<(), InputError> {
    let Some(there_is) = there_is().filter(|there_is| wanted > *there_is) else { return Ok(()) };
    let [wanted, there_is] = [wanted, there_is].map(|bytes| bytes.div_ceil(1 << 30));
    let message = format!(
        "{what} would need about {wanted} GiB of memory, but this machine has {there_is} GiB: {remedy}"
    );
    Err(config.map_or(InputError::new(&*message), |config| InputError::in_file(config, &*message)))
}

/// The memory that this process may use: that of the machine, or less if its control group has a limit.
fn there_is() -> Option<u64> {
    let [machine, group] = ["/proc/meminfo", "/sys/fs/cgroup/memory.max"]
        .map(|file| read_to_string(file).unwrap_or_default());
    let kilobytes =
        |line: &str| line.strip_prefix("MemTotal:")?.trim().strip_suffix(" kB")?.parse().ok();
    let machine =
        machine.lines().find_map(kilobytes).and_then(|total: u64| total.checked_mul(1024));
    machine.into_iter().chain(group.trim().parse().ok()).min()
}
