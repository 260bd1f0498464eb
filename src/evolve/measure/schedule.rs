//! All games of a batch, in their order.
//!
//! Every candidate plays the same games against the opponents of the stage, and then its bouts against others of its
//! generation, where there are any.

use std::collections::{BTreeSet, HashMap};

use rayon::prelude::*;

use super::coevolution::{Bout, Bouts, bouts};
use super::fitness::Batch;
use crate::agent::{AgentFactory, AgentSpec, Playable};
use crate::arena::{GameTask, Schedule};
use crate::evolve::plan::FitnessPlan;
use crate::game::Game;
use crate::input::InputError;

/// A game that candidates play: against whom, and how.
pub(crate) struct Fixture {
    /// The entry of the opponents of the stage; above those the lane.
    pub(crate) opponent: usize,
    pub(crate) task: GameTask,
    /// How many games of the schedule it stands for.
    pub(crate) times: u64,
}

/// The games of a candidate, in the order of the schedule.
pub(crate) fn fixtures(fitness: &FitnessPlan, seed: u64) -> Vec<Fixture> {
    let mut all = Vec::new();
    // Openings of different opponents go on counting: nobody's games are another's.
    let mut first_number = 0;
    let pool = fitness.opponents.iter().map(|plan| plan.games);
    let lanes = fitness.ring_matches().into_iter().map(|lane| lane.games);
    for (opponent, games) in pool.chain(lanes).enumerate() {
        all.extend((0..games).map(|index| {
            let task = fitness.schedule.task(seed, first_number, index, games);
            Fixture { opponent, task, times: 1 }
        }));
        let paired = fitness.schedule == Schedule::Paired;
        first_number += if paired { games / 2 } else { games };
    }
    all
}

/// The same games, but those against opponents without chance only once each: from one opening and with
/// the same side moving first, a candidate without chance plays them one game.
pub(crate) fn once_each<P: Game>(
    all: Vec<Fixture>,
    without_chance: &[bool],
    fitness: &FitnessPlan,
    rules: P::Rules,
) -> Result<Vec<Fixture>, InputError> {
    let mut places = HashMap::new();
    let mut kept: Vec<Fixture> = Vec::new();
    for fixture in all {
        let Fixture { opponent, task, .. } = fixture;
        if without_chance[opponent] {
            let opening = fitness.openings_at(opponent).draw::<P>(rules, task.seed, task.number)?;
            let game = (opponent, task.a_first, opening.start.key(), opening.moves);
            let place = *places.entry(game).or_insert(kept.len());
            if let Some(same) = kept.get_mut(place) {
                same.times += 1;
                continue;
            }
        }
        kept.push(fixture);
    }
    Ok(kept)
}

/// Who plays a game, and for whom it counts.
pub(crate) struct Pairing<'p, P: Game> {
    pub(crate) a: &'p AgentFactory<P>,
    pub(crate) b: &'p AgentFactory<P>,
    pub(crate) fixture: &'p Fixture,
    /// The number of the opponent: see [`FitnessPlan::opponent_numbers`].
    pub(crate) opponent: usize,
    /// The candidates that it counts for, from A's view and from B's.
    pub(crate) counts: [Option<usize>; 2],
}

/// The games of a batch.
pub(crate) struct Programme<P: Game> {
    /// Those of the stage.
    opponents: Vec<AgentFactory<P>>,
    /// The candidates, and the others that they play: each with an agent a depth.
    entrants: Vec<AgentFactory<P>>,
    depths: usize,
    /// Which of an entrant's agents plays in each entry of opponents and lanes.
    agent_of: Vec<usize>,
    numbers: Vec<usize>,
    /// What every candidate plays.
    common: Vec<Fixture>,
    /// The games of a bout in each lane.
    lanes: Vec<Vec<Fixture>>,
    /// Bouts by candidate, one entry a game: the bout, and its game.
    of_bouts: Vec<(Bout, usize)>,
    /// How many games of bouts stand before those of each candidate.
    bouts_before: Vec<usize>,
    /// Games that count for each candidate.
    games_of: Vec<usize>,
}

impl<P: Playable> Programme<P> {
    /// Prepares all agents.
    ///
    /// # Errors
    /// An agent or an opening that cannot be had; a generation too small for its candidates' rivals.
    pub(crate) fn new(batch: &Batch<'_>, rules: P::Rules) -> Result<Self, InputError> {
        let Batch { stage, candidates, .. } = batch;
        let fitness = &stage.fitness;
        let lanes = fitness.ring_matches();
        let pool = fitness.opponents.iter().map(|plan| plan.depth.unwrap_or(stage.depth));
        let depth_of: Vec<u32> = pool.chain(lanes.iter().map(|lane| lane.depth)).collect();
        let depths: BTreeSet<u32> = depth_of.iter().copied().collect();
        let depths: Vec<u32> = depths.into_iter().collect();
        let agent_of = depth_of
            .iter()
            .map(|&wanted| depths.partition_point(|&depth| depth < wanted))
            .collect();
        let Bouts { of, others } = match (&fitness.coevolution, &batch.rivals) {
            (Some(plan), Some(rivals)) => bouts(plan, rivals, batch.seed)?,
            (None, _) => Bouts::default(),
            (Some(_), None) => {
                return Err(InputError::new(
                    "candidates that play each other need their generation",
                ));
            }
        };
        let population = batch.rivals.iter().flat_map(|rivals| &rivals.population);
        let population: Vec<_> = population.collect();
        let others = others.iter().filter_map(|&place| population.get(place).copied());
        let entrants = candidates.iter().chain(others);
        let carried = entrants.map(|vector| vector.carried_by(batch.agent));
        let carried = carried.collect::<Result<Vec<_>, _>>()?;
        let entrants = carried
            .iter()
            .flat_map(|agent| depths.iter().map(move |&depth| agent.with_default_depth(depth)));
        let opponents = fitness.opponents.iter().map(|plan| stage.opponent(plan));
        let specs: Vec<AgentSpec> = opponents.chain(entrants).collect();
        let mut opponents: Vec<AgentFactory<P>> =
            specs.par_iter().map(AgentSpec::prepare).collect::<Result<_, _>>()?;
        let entrants = opponents.split_off(fitness.opponents.len());
        let agent = batch.agent;
        let without_chance: Vec<bool> = (specs[..opponents.len()].iter())
            .chain(lanes.iter().map(|_| agent))
            .map(|spec| agent.is_without_chance() && spec.is_without_chance())
            .collect();
        let all = fixtures(fitness, batch.seed);
        let mut common = once_each::<P>(all, &without_chance, fitness, rules)?;
        let of_lanes = common.partition_point(|fixture| fixture.opponent < opponents.len());
        let mut of_lane: Vec<Vec<Fixture>> = lanes.iter().map(|_| Vec::new()).collect();
        for fixture in common.split_off(of_lanes) {
            of_lane[fixture.opponent - opponents.len()].push(fixture);
        }
        let mut games_of = vec![common.len(); candidates.len()];
        let (mut of_bouts, mut bouts_before) = (Vec::new(), Vec::new());
        for candidate in 0..candidates.len() {
            bouts_before.push(of_bouts.len());
            for bout in of.get(candidate).into_iter().flatten() {
                let games = of_lane[bout.lane].len();
                of_bouts.extend((0..games).map(|game| (*bout, game)));
                bout.counts.into_iter().flatten().for_each(|counted| games_of[counted] += games);
            }
        }
        Ok(Self {
            opponents,
            entrants,
            depths: depths.len(),
            agent_of,
            numbers: fitness.opponent_numbers(),
            common,
            lanes: of_lane,
            of_bouts,
            bouts_before,
            games_of,
        })
    }
}

impl<P: Game> Programme<P> {
    /// How many opponents are told apart.
    pub(crate) fn opponents(&self) -> usize {
        self.numbers.iter().max().map_or(0, |most| most + 1)
    }

    /// Games that count for a candidate.
    pub(crate) fn games_of(&self, candidate: usize) -> usize {
        self.games_of[candidate]
    }

    /// The game of an index, candidate after candidate; `None` after the last.
    pub(crate) fn pairing(&self, index: u64) -> Option<Pairing<'_, P>> {
        let index = usize::try_from(index).ok()?;
        let begin = |candidate: usize| candidate * self.common.len() + self.bouts_before[candidate];
        // The last candidate whose games begin at or before this one.
        let (mut candidate, mut end) = (0, self.bouts_before.len());
        if index >= end * self.common.len() + self.of_bouts.len() {
            return None;
        }
        while end - candidate > 1 {
            let middle = usize::midpoint(candidate, end);
            if begin(middle) <= index { candidate = middle } else { end = middle }
        }
        let agent = |entrant: usize, entry: usize| {
            &self.entrants[entrant * self.depths + self.agent_of[entry]]
        };
        let of_candidate = index - begin(candidate);
        let pairing = if let Some(fixture) = self.common.get(of_candidate) {
            let entry = fixture.opponent;
            let (a, b) = (agent(candidate, entry), &self.opponents[entry]);
            let opponent = self.numbers[entry];
            Pairing { a, b, fixture, opponent, counts: [Some(candidate), None] }
        } else {
            let place = self.bouts_before[candidate] + of_candidate - self.common.len();
            let (bout, game) = self.of_bouts.get(place)?;
            let fixture = &self.lanes[bout.lane][*game];
            let entry = fixture.opponent;
            let (a, b) = (agent(bout.a, entry), agent(bout.b, entry));
            Pairing { a, b, fixture, opponent: self.numbers[entry], counts: bout.counts }
        };
        Some(pairing)
    }
}

#[cfg(test)]
mod tests;
