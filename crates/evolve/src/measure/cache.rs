//! The fitness cache: an identical vector with identical seeds is not played again.
//!
//! Vectors are identical when no search can tell them apart. For most searches that means the same integers in
//! [fixed point](tictune_core::game::FixedPoint), which happens when the step size has become small. Monte Carlo tree search
//! looks at the weights themselves, so there the bits must be the same. A resumed stage fills the cache from its log.
//! Nothing is kept where a clock, a race of threads or another program decides games.

use std::collections::HashMap;
use std::sync::Mutex;

use super::fitness::{Batch, Measured, Sink};
use crate::error::Result;
use crate::plan::{StagePlan, Vector};
use tictune_core::agent::AgentSpec;
use tictune_core::arena::lock;
use tictune_core::game::FixedPoint;

/// How many results are remembered; when there are more, all are forgotten.
const CAPACITY: usize = 1000;

/// What decides a candidate's games within a stage: their seed, and the vector.
type Key = (u64, Vec<u64>);

pub(crate) struct FitnessCache {
    repeatable: bool,
    /// Whether vectors are what their integers are.
    fixed_point: bool,
    results: Mutex<HashMap<Key, Measured>>,
}

impl FitnessCache {
    pub(crate) fn new(agent: &AgentSpec, stage: &StagePlan) -> Self {
        let mut opponents = stage.fitness.opponents.iter().map(|opponent| &opponent.agent);
        Self {
            // What candidates play each other depends on all of the generation.
            repeatable: stage.fitness.self_play.is_empty()
                && agent.kind.is_repeatable()
                && opponents.all(|agent| agent.kind.is_repeatable()),
            fixed_point: agent.kind.is_scale_invariant(),
            results: Mutex::default(),
        }
    }

    fn key(&self, seed: u64, vector: &Vector) -> Key {
        let mut key: Vec<u64> = vector.parameters.iter().map(|(_, x)| x.to_bits()).collect();
        if let Some(weights) = &vector.weights {
            let fixed = FixedPoint::new(weights.layout(), weights.values()).ok();
            match fixed.filter(|_| self.fixed_point) {
                Some(FixedPoint { weights, exponent }) => {
                    let numbers = weights.iter().chain([&exponent]);
                    key.extend(numbers.map(|&number| i64::from(number) as u64));
                }
                None => key.extend(weights.values().iter().map(|value| value.to_bits())),
            }
        }
        (seed, key)
    }

    pub(crate) fn put(&self, seed: u64, vector: &Vector, measured: Measured) {
        if self.repeatable {
            let mut results = lock(&self.results);
            if results.len() >= CAPACITY {
                results.clear();
            }
            results.insert(self.key(seed, vector), measured);
        }
    }

    /// Has those candidates played that have to be. For games that need not be played `on_game` is called all the same.
    pub(crate) fn measure(
        &self,
        batch: &Batch<'_>,
        sink: &mut Sink<'_>,
        on_game: &(dyn Fn() + Sync),
        play: impl FnOnce(&Batch<'_>, &mut Sink<'_>) -> Result<()>,
    ) -> Result<()> {
        let Batch { seed, candidates, .. } = batch;
        let keys: Vec<Key> = candidates.iter().map(|vector| self.key(*seed, vector)).collect();
        // Whose result is a candidate's: its own, or that of the first that is identical.
        let mut first = HashMap::new();
        let result_of = |(index, key)| match self.repeatable {
            true => *first.entry(key).or_insert(index),
            false => index,
        };
        let result_of: Vec<usize> = keys.iter().enumerate().map(result_of).collect();
        let known = lock(&self.results);
        let mut results: Vec<_> = keys.iter().map(|key| known.get(key).copied()).collect();
        drop(known);
        let to_play: Vec<usize> = (0..keys.len())
            .filter(|&index| result_of[index] == index && results[index].is_none())
            .collect();
        let mut next = 0;
        let mut hand_on = |results: &[Option<Measured>]| {
            while let Some(measured) =
                result_of.get(next).and_then(|&index| results[index].as_ref())
            {
                if to_play.binary_search(&next).is_err() {
                    (0..batch.stage.fitness.games).for_each(|_| on_game());
                }
                sink(next, *measured)?;
                next += 1;
            }
            Ok(())
        };
        hand_on(&results)?;
        if to_play.is_empty() {
            return Ok(());
        }
        let mut played = |place: usize, measured: Measured| {
            let index = to_play[place];
            self.put(*seed, candidates[index], measured);
            results[index] = Some(measured);
            hand_on(&results)
        };
        let candidates = to_play.iter().map(|&index| candidates[index]).collect();
        play(&Batch { candidates, ..batch.clone() }, &mut played)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::super::tests::{carrying, spec, stage};
    use super::*;
    use crate::plan::SelfPlayPlan;
    use tictune_core::arena::Schedule;
    use tictune_core::stats::Tally;
    use tictune_core::weights::Weights;
    use tictune_games::uttt::evaluation::CONNECTING;

    fn cache(repeatable: bool, fixed_point: bool) -> FitnessCache {
        FitnessCache { repeatable, fixed_point, results: Mutex::default() }
    }

    /// Has vectors with these first weights measured: gives those that were played. All are handed on in
    /// order, and every game is reported, played or not.
    fn ask(cache: &FitnessCache, seed: u64, firsts: &[f64]) -> Vec<f64> {
        let stage = stage(Schedule::Paired, &[("random", 6)]);
        let (plan, games) = (carrying("minimax"), AtomicU64::new(0));
        let weights =
            |&first: &f64| Weights::new("w", &CONNECTING, vec![first, 0.25, -0.5]).unwrap();
        let candidates: Vec<Vector> = firsts.iter().map(weights).map(Vector::of_weights).collect();
        let (mut played, mut handed_on) = (Vec::new(), Vec::new());
        let mut sink = |index, measured: Measured| {
            handed_on.push((index, measured.tally.wins));
            Ok(())
        };
        let on_game = || {
            games.fetch_add(1, Ordering::Relaxed);
        };
        // Counts the first weight as wins, and notes what it is asked for.
        let play = |batch: &Batch<'_>, sink: &mut Sink<'_>| {
            for (index, vector) in batch.candidates.iter().enumerate() {
                let first = vector.weights.as_ref().unwrap().values()[0];
                played.push(first);
                (0..batch.stage.fitness.games).for_each(|_| on_game());
                let tally = Tally { wins: first.round() as u64, draws: 0, losses: 0 };
                sink(index, Measured { tally, distinct_games: 1 })?;
            }
            Ok(())
        };
        let batch = Batch::new(&plan, &stage, seed, candidates.iter().collect());
        cache.measure(&batch, &mut sink, &on_game, play).unwrap();
        let all: Vec<_> =
            firsts.iter().enumerate().map(|(index, first)| (index, first.round() as u64)).collect();
        assert_eq!(handed_on, all);
        assert_eq!(games.into_inner(), 6 * firsts.len() as u64);
        played
    }

    #[test]
    fn a_vector_is_played_once_with_the_same_seed() {
        let cache = cache(true, true);
        assert_eq!(ask(&cache, 1, &[3.0, 5.0, 3.0, 3.0]), [3.0, 5.0]);
        assert_eq!(ask(&cache, 1, &[5.0, 4.0, 4.0, 3.0]), [4.0]);
        assert_eq!(ask(&cache, 2, &[3.0, 4.0]), [3.0, 4.0]);
        // Equal integers, the second ones at twice the scale.
        assert_eq!(ask(&cache, 2, &[3.0 + 1e-12]), [0.0; 0]);
        assert_eq!(ask(&cache, 2, &[6.0]), [6.0]);
    }

    #[test]
    fn what_a_clock_or_other_candidates_decide_is_played_again() {
        // Searches that look at weights as they are written tell bits apart.
        let nearly = 3.0 + 1e-12;
        assert_eq!(ask(&cache(true, false), 1, &[3.0, nearly, 3.0]), [3.0, nearly]);
        let by_clock = cache(false, true);
        assert_eq!(ask(&by_clock, 1, &[3.0, 3.0]), [3.0, 3.0]);
        assert!(lock(&by_clock.results).is_empty());
        let (mut stage, agent) = (stage(Schedule::Paired, &[("random", 6)]), spec("minimax"));
        assert!(FitnessCache::new(&agent, &stage).repeatable);
        stage.fitness.self_play = vec![SelfPlayPlan { depth: 2, games: 2 }];
        assert!(!FitnessCache::new(&agent, &stage).repeatable);
    }
}
