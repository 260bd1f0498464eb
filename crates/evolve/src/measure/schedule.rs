//! The schedule of a generation: what is played, and for whom it counts.
//!
//! Every candidate plays the same matches against the opponents of the stage and, where candidates are mirrored pairs, against
//! the other one of its pair. Each of these is a unit of work.

use std::collections::BTreeSet;

use super::fitness::Batch;
use crate::plan::StagePlan;
use tictune_core::agent::AgentSpec;
use tictune_core::arena::{Detail, MatchSettings, Openings, Unit, Work};
use tictune_core::input::{InputError, Result};

/// The matches of a candidate: against each entry of the opponents, and then against the other one of its pair at each depth;
/// then those of mean and start at each depth. Their agents are still to be named.
fn matches(stage: &StagePlan, seed: u64) -> (Vec<Unit>, Vec<Openings>) {
    let fitness = &stage.fitness;
    let (mut matches, mut all_openings) = (Vec::new(), Vec::new());
    // Openings are numbered on from opponent to opponent, so that no two opponents share games.
    let mut first_number = 0;
    let pool = fitness.opponents.iter().map(|plan| plan.games);
    let self_play = fitness.self_play.iter().map(|plan| plan.games);
    let of_start = self_play.clone().map(|games| games * stage.matches_against_start());
    for (entry, games) in pool.chain(self_play).chain(of_start).enumerate() {
        let own = fitness.openings_at(entry);
        let known = all_openings.iter().position(|openings| openings == own);
        let openings = known.unwrap_or(all_openings.len());
        if known.is_none() {
            all_openings.push(own.clone());
        }
        let settings =
            MatchSettings { games, seed, schedule: fitness.schedule, replay_ties: false };
        let (range, detail) = (0..games, Detail::Costs);
        matches.push(Unit { agents: [0; 2], openings, settings, first_number, range, detail });
        first_number += fitness.openings_of(games);
    }
    (matches, all_openings)
}

pub(crate) struct GenerationSchedule {
    pub work: Work,
    /// The candidates for whom each unit counts, from A's view and from B's.
    pub counts_for: Vec<[Option<usize>; 2]>,
}

impl GenerationSchedule {
    pub(crate) fn new(batch: &Batch<'_>) -> Result<Self> {
        let Batch { stage, done, against, .. } = batch;
        let candidates: Vec<_> = batch.candidates.iter().chain(&batch.start).collect();
        let (fitness, in_pool, count) =
            (&stage.fitness, stage.fitness.opponents.len(), candidates.len());
        let in_pairs = batch.start.is_some();
        if in_pairs == fitness.self_play.is_empty() || in_pairs && count % 2 == 1 {
            return Err(InputError::new("candidates in pairs come with a mean and a start"));
        }
        let [mean, start] = if in_pairs { [count - 2, count - 1] } else { [count; 2] };
        let pool = fitness.opponents.iter().map(|plan| plan.depth.unwrap_or(stage.depth));
        let self_play = fitness.self_play.iter().map(|plan| plan.depth);
        let depth_of: Vec<u32> = pool.chain(self_play.clone()).chain(self_play).collect();
        let depths: BTreeSet<u32> = depth_of.iter().copied().collect();
        let depths: Vec<u32> = depths.into_iter().collect();

        // The opponents, and then those who play them or each other, each once a depth: the first may be the other of a pair.
        let first = if in_pairs { done & !1 } else { *done };
        let mut agents: Vec<AgentSpec> =
            fitness.opponents.iter().map(|plan| stage.opponent(plan)).collect();
        for vector in candidates[first..].iter().copied().chain(against) {
            let agent = vector.apply_to(&batch.plan.agent)?;
            agents.extend(depths.iter().map(|&depth| agent.with_default_depth(depth)));
        }
        let agent = |entrant: usize, entry: usize| {
            let depth = depths.partition_point(|&depth| depth < depth_of[entry]);
            in_pool + (entrant - first) * depths.len() + depth
        };
        let opponent = |candidate: usize, entry: usize| match against.is_empty() {
            true => entry,
            false => agent(count + candidate, entry),
        };

        let (matches, openings) = matches(stage, batch.seed);
        let (mut units, mut counts_for) = (Vec::new(), Vec::new());
        let mut add = |agents, entry: usize, counts: [Option<usize>; 2]| {
            if matches[entry].settings.games > 0 {
                units.push(Unit { agents, ..matches[entry].clone() });
                counts_for.push(counts);
            }
        };
        let of_start = in_pool + fitness.self_play.len();
        for candidate in *done..count {
            for entry in (0..in_pool).filter(|_| candidate != start) {
                let players = [agent(candidate, entry), opponent(candidate, entry)];
                add(players, entry, [Some(candidate), None]);
            }
            // The same two in the same order from both places of a pair.
            let (players, entries) = match candidate {
                _ if !in_pairs || candidate == mean => continue,
                _ if candidate == start => ([mean, start], of_start..matches.len()),
                _ => ([candidate & !1, candidate | 1], in_pool..of_start),
            };
            let counts = players.map(|one| (one >= *done && one != mean).then_some(one));
            // What counts for two stands with the first of them.
            if counts.iter().flatten().next() == Some(&candidate) {
                for entry in entries {
                    add(players.map(|player| agent(player, entry)), entry, counts);
                }
            }
        }
        let work = Work {
            game: batch.plan.game.clone(),
            rules: batch.plan.rules.clone(),
            agents,
            openings,
            units,
            // Games against an opponent that cannot start are no measure of a candidate.
            must_start: true,
        };
        Ok(Self { work, counts_for })
    }
}
