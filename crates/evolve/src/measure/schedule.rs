//! The schedule of a generation: what is played, and for whom it counts.
//!
//! Every candidate plays the same matches against the opponents of the stage and, where candidates are mirrored pairs, against
//! the other one of its pair. Each of these is a unit of work.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::fitness::Batch;
use crate::plan::{StagePlan, Vector};
use tictune_core::agent::AgentSpec;
use tictune_core::arena::{Detail, MatchSettings, Openings, Unit, Work};
use tictune_core::input::InputError;

/// The candidates of a generation, for a batch whose candidates are mirrored pairs that play each other.
#[derive(Clone, Debug)]
pub struct Rivals<'b> {
    /// All candidates of the generation, the two of a pair next to each other.
    pub population: Vec<&'b Vector>,
    /// Which of them each candidate of the batch is. Two come last, with the places after the last: the mean, which plays the
    /// opponents, and the start of the run, which plays the mean.
    pub places: Vec<usize>,
}

impl Rivals<'_> {
    fn is_start(&self, place: usize) -> bool {
        place > self.population.len()
    }

    /// Who plays whom, A and B, where `place` takes part: the same two in the same order from both places of a pair. The mean
    /// plays where the start does.
    fn players(&self, place: usize) -> Option<[usize; 2]> {
        let mean = self.population.len();
        match place.cmp(&mean) {
            Ordering::Less => Some([place & !1, place | 1]),
            Ordering::Equal => None,
            Ordering::Greater => Some([mean, place]),
        }
    }

    /// The candidates of the batch for whom a game counts, from A's view and from B's: for both of a pair, and for the start.
    fn counts(&self, candidate: usize, players: [usize; 2]) -> [Option<usize>; 2] {
        let place = self.places[candidate];
        let is_pair = place < self.population.len();
        players.map(|player| match player == place {
            true => Some(candidate),
            false => self.places.iter().position(|&of| of == player).filter(|_| is_pair),
        })
    }
}

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
    pub(crate) fn new(batch: &Batch<'_>) -> Result<Self, InputError> {
        let Batch { stage, candidates, .. } = batch;
        let fitness = &stage.fitness;
        if !fitness.self_play.is_empty() && batch.rivals.is_none() {
            let message = "candidates that play each other need their generation";
            return Err(InputError::new(message));
        }
        let pool = fitness.opponents.iter().map(|plan| plan.depth.unwrap_or(stage.depth));
        let self_play = fitness.self_play.iter().map(|plan| plan.depth);
        let depth_of: Vec<u32> = pool.chain(self_play.clone()).chain(self_play).collect();
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

        let (matches, openings) = matches(stage, batch.seed);
        let (mut units, mut counts_for) = (Vec::new(), Vec::new());
        let mut add = |agents, entry: usize, counts: [Option<usize>; 2]| {
            if matches[entry].settings.games > 0 {
                units.push(Unit { agents, ..matches[entry].clone() });
                counts_for.push(counts);
            }
        };
        for (candidate, &place) in places.iter().enumerate() {
            let is_start = batch.rivals.as_ref().is_some_and(|rivals| rivals.is_start(place));
            for entry in (0..in_pool).filter(|_| !is_start) {
                let players = [agent(place, entry), opponent(candidate, entry)];
                add(players, entry, [Some(candidate), None]);
            }
            let Some(rivals) = &batch.rivals else { continue };
            let Some(players) = rivals.players(place) else { continue };
            let counts = rivals.counts(candidate, players);
            // What counts for two stands with the first of them.
            if counts.iter().flatten().all(|&of| of >= candidate) {
                let of_start = in_pool + fitness.self_play.len();
                let entries = if is_start { of_start..matches.len() } else { in_pool..of_start };
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
