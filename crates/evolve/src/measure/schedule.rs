//! The schedule of a generation: what is played, and for whom it counts.
//!
//! Every candidate plays the same matches against the opponents of the stage, and then its own against others of its
//! generation, where there are any. Each of these is a unit of work.

use std::collections::BTreeSet;

use super::coevolution::meetings;
use super::fitness::Batch;
use crate::plan::FitnessPlan;
use tictune_core::agent::AgentSpec;
use tictune_core::arena::{Detail, MatchSettings, Openings, Unit, Work};
use tictune_core::input::InputError;

/// The matches of a candidate: against each entry of the opponents, and then in each match of the ring. Their agents are still to
/// be named.
fn matches(fitness: &FitnessPlan, seed: u64) -> (Vec<Unit>, Vec<Openings>) {
    let (mut matches, mut all_openings) = (Vec::new(), Vec::new());
    // Openings are numbered on from opponent to opponent, so that no two opponents share games.
    let mut first_number = 0;
    let pool = fitness.opponents.iter().map(|plan| plan.games);
    let ring = fitness.ring_matches().into_iter().map(|ring_match| ring_match.games);
    for (entry, games) in pool.chain(ring).enumerate() {
        let own = fitness.openings_at(entry);
        let known = all_openings.iter().position(|openings| openings == own);
        let openings = known.unwrap_or(all_openings.len());
        if known.is_none() {
            all_openings.push(own.clone());
        }
        let settings =
            MatchSettings { games, seed, schedule: fitness.schedule, replay_ties: false };
        let (range, detail) = (0..games, Detail::Outcomes);
        matches.push(Unit { agents: [0; 2], openings, settings, first_number, range, detail });
        first_number += fitness.openings_of(games);
    }
    (matches, all_openings)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CountsFor {
    /// The number of the opponent: see [`FitnessPlan::opponent_numbers`].
    pub opponent: usize,
    /// The candidates, from A's view and from B's.
    pub candidates: [Option<usize>; 2],
}

pub(crate) struct GenerationSchedule {
    pub work: Work,
    /// Of each unit.
    pub counts_for: Vec<CountsFor>,
    pub opponents: usize,
}

impl GenerationSchedule {
    pub(crate) fn new(batch: &Batch<'_>) -> Result<Self, InputError> {
        let Batch { stage, candidates, .. } = batch;
        let fitness = &stage.fitness;
        let meetings = match (&fitness.coevolution, &batch.rivals) {
            (Some(plan), Some(rivals)) => meetings(plan, rivals, batch.seed)?,
            (None, _) => Vec::new(),
            (Some(_), None) => {
                let message = "candidates that play each other need their generation";
                return Err(InputError::new(message));
            }
        };
        let pool = fitness.opponents.iter().map(|plan| plan.depth.unwrap_or(stage.depth));
        let ring = fitness.ring_matches();
        let depth_of: Vec<u32> = pool.chain(ring.iter().map(|played| played.depth)).collect();
        let depths: BTreeSet<u32> = depth_of.iter().copied().collect();
        let depths: Vec<u32> = depths.into_iter().collect();

        // The opponents, and then those who play them or each other, each once a depth: the generation, if there is one, and
        // candidates from outside.
        let in_pool = fitness.opponents.len();
        let mut agents: Vec<AgentSpec> =
            fitness.opponents.iter().map(|plan| stage.opponent(plan)).collect();
        let (population, places) = match &batch.rivals {
            Some(rivals) => (rivals.population.clone(), rivals.places.clone()),
            None => (Vec::new(), (0..candidates.len()).collect()),
        };
        let from_outside =
            places.iter().zip(candidates).filter(|(place, _)| **place >= population.len());
        for vector in population.iter().chain(from_outside.map(|(_, vector)| vector)) {
            let carried = vector.carried_by(&batch.plan.agent)?;
            agents.extend(depths.iter().map(|&depth| carried.with_default_depth(depth)));
        }
        let first_against = (agents.len() - in_pool) / depths.len();
        for vector in &batch.against {
            let carried = vector.carried_by(&batch.plan.agent)?;
            agents.extend(depths.iter().map(|&depth| carried.with_default_depth(depth)));
        }
        let agent = |entrant: usize, entry: usize| {
            let depth = depths.partition_point(|&depth| depth < depth_of[entry]);
            in_pool + entrant * depths.len() + depth
        };
        let opponent = |candidate: usize, entry: usize| match batch.against.is_empty() {
            true => entry,
            false => agent(first_against + candidate, entry),
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
        for (candidate, &place) in places.iter().enumerate() {
            for entry in 0..in_pool {
                let players = [agent(place, entry), opponent(candidate, entry)];
                add(players, entry, [Some(candidate), None]);
            }
            for meeting in meetings.get(candidate).into_iter().flatten() {
                let entry = in_pool + meeting.ring_match;
                add(meeting.players.map(|player| agent(player, entry)), entry, meeting.counts);
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
        let opponents = numbers.iter().max().map_or(0, |most| most + 1);
        Ok(Self { work, counts_for, opponents })
    }

    pub(crate) fn units_of_candidates(&self, candidates: usize) -> Vec<usize> {
        let mut units = vec![0; candidates];
        for counts in &self.counts_for {
            counts.candidates.into_iter().flatten().for_each(|candidate| units[candidate] += 1);
        }
        units
    }
}
