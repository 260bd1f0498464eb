//! The schedule of a generation: what is played, and for whom it counts.
//!
//! Every candidate plays the same matches against the opponents of the stage, and then its own against others of its
//! generation, where there are any. Each of these is a unit of work.

use std::collections::BTreeSet;

use super::coevolution::{Meeting, Meetings, meetings};
use super::fitness::Batch;
use crate::plan::FitnessPlan;
use tictune_core::agent::AgentSpec;
use tictune_core::arena::{Detail, MatchSettings, Openings, Schedule, Unit, Work};
use tictune_core::input::InputError;

/// The matches of a candidate: against each entry of the opponents, and then in each match of the ring. Their agents are still to
/// be named.
fn matches(fitness: &FitnessPlan, seed: u64) -> (Vec<Unit>, Vec<Openings>) {
    let (mut matches, mut all_openings) = (Vec::new(), Vec::new());
    // Openings are numbered on from opponent to opponent, so that no two opponents share games.
    let mut first_number = 0;
    let schedule = fitness.schedule;
    let pool = fitness.opponents.iter().map(|plan| plan.games);
    let ring = fitness.ring_matches().into_iter().map(|ring_match| ring_match.games);
    for (entry, games) in pool.chain(ring).enumerate() {
        let own = fitness.openings_at(entry);
        let known = all_openings.iter().position(|openings| openings == own);
        let openings = known.unwrap_or(all_openings.len());
        if known.is_none() {
            all_openings.push(own.clone());
        }
        let settings = MatchSettings { games, seed, schedule, replay_ties: false };
        let (range, detail) = (0..games, Detail::Outcomes);
        matches.push(Unit { agents: [0; 2], openings, settings, first_number, range, detail });
        first_number += if schedule == Schedule::Paired { games / 2 } else { games };
    }
    (matches, all_openings)
}

/// For whom a unit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CountsFor {
    /// The number of the opponent: see [`FitnessPlan::opponent_numbers`].
    pub opponent: usize,
    /// The candidates, from A's view and from B's.
    pub candidates: [Option<usize>; 2],
}

pub(crate) struct GenerationSchedule {
    /// The games, candidate after candidate.
    pub work: Work,
    /// Of each unit.
    pub counts_for: Vec<CountsFor>,
    /// The number of different opponents.
    pub opponents: usize,
}

impl GenerationSchedule {
    pub(crate) fn new(batch: &Batch<'_>) -> Result<Self, InputError> {
        let Batch { stage, candidates, .. } = batch;
        let fitness = &stage.fitness;
        let Meetings { of, others } = match (&fitness.coevolution, &batch.rivals) {
            (Some(plan), Some(rivals)) => meetings(plan, rivals, batch.seed)?,
            (None, _) => Meetings::default(),
            (Some(_), None) => {
                return Err(InputError::new(
                    "candidates that play each other need their generation",
                ));
            }
        };
        let pool = fitness.opponents.iter().map(|plan| plan.depth.unwrap_or(stage.depth));
        let ring = fitness.ring_matches();
        let depth_of: Vec<u32> = pool.chain(ring.iter().map(|played| played.depth)).collect();
        let depths: BTreeSet<u32> = depth_of.iter().copied().collect();
        let depths: Vec<u32> = depths.into_iter().collect();

        // The opponents, and then all candidates and the others that they play, each once a depth.
        let in_pool = fitness.opponents.len();
        let mut agents: Vec<AgentSpec> =
            fitness.opponents.iter().map(|plan| stage.opponent(plan)).collect();
        let population = batch.rivals.as_ref().map_or(&[][..], |rivals| &rivals.population);
        let others = others.iter().filter_map(|&place| population.get(place));
        for vector in candidates.iter().chain(others) {
            let carried = vector.carried_by(batch.agent)?;
            agents.extend(depths.iter().map(|&depth| carried.with_default_depth(depth)));
        }
        let agent = |entrant: usize, entry: usize| {
            let depth = depths.partition_point(|&depth| depth < depth_of[entry]);
            in_pool + entrant * depths.len() + depth
        };

        let (matches, openings) = matches(fitness, batch.seed);
        let numbers = fitness.opponent_numbers();
        let (mut units, mut counts_for) = (Vec::new(), Vec::new());
        let mut add = |agents, entry: usize, candidates| {
            if matches[entry].settings.games > 0 {
                units.push(Unit { agents, ..matches[entry].clone() });
                counts_for.push(CountsFor { opponent: numbers[entry], candidates });
            }
        };
        for candidate in 0..candidates.len() {
            for entry in 0..in_pool {
                add([agent(candidate, entry), entry], entry, [Some(candidate), None]);
            }
            for &Meeting { a, b, ring_match, counts } in of.get(candidate).into_iter().flatten() {
                let entry = in_pool + ring_match;
                add([agent(a, entry), agent(b, entry)], entry, counts);
            }
        }
        let work = Work {
            game: batch.game.into(),
            rules: batch.rules.into(),
            agents,
            openings,
            units,
            // Games against an opponent that cannot start are no measure of a candidate.
            must_start: true,
        };
        let opponents = numbers.iter().max().map_or(0, |most| most + 1);
        Ok(Self { work, counts_for, opponents })
    }

    /// How many units count for each of so many candidates.
    pub(crate) fn units_of_candidates(&self, candidates: usize) -> Vec<usize> {
        let mut units = vec![0; candidates];
        for counts in &self.counts_for {
            counts.candidates.into_iter().flatten().for_each(|candidate| units[candidate] += 1);
        }
        units
    }
}

#[cfg(test)]
mod tests;
