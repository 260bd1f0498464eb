//! Measuring the candidates of a generation by playing.
//!
//! Their games are one list of units, candidate after candidate, for an executor: many threads are as busy as two,
//! and candidates are finished, and logged, in their order. Where neither side draws anything, a game that the schedule has
//! several times is played once and counted as often.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use super::batch::Batch;
use super::games::PlayedGame;
use super::schedule::{CountsFor, GenerationSchedule};
use crate::error::RunError;
use tictune_core::arena::{Executor, Fingerprint, GameResult, UnitResult, play_in_order};
use tictune_core::stats::Tally;

/// What measuring a candidate gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// Results from the candidate's view.
    pub tally: Tally,
    /// The same against each opponent; empty where only the sum matters.
    pub by_opponent: Vec<Tally>,
    /// Different games among them.
    pub distinct_games: u64,
    /// All of them in their order, where a batch is to keep them.
    pub games: Vec<PlayedGame>,
}

/// Receives candidates by index as they are measured, in order: `Err` ends the batch.
pub type Sink<'s> = dyn FnMut(usize, &Measured) -> Result<(), RunError> + Send + 's;

/// Measures every candidate of a batch. `sink` gets each in the order of the candidates; `on_game` is called once a game of
/// a candidate, from any thread. `stop` ends the batch early.
///
/// # Errors
/// Errors of the sink; [`RunError::Interrupted`] if `stop` was set; an opponent or opening that is wrong.
pub fn measure_batch(
    executor: &dyn Executor,
    batch: &Batch<'_>,
    sink: &mut Sink<'_>,
    on_game: &(dyn Fn() + Sync),
    stop: &AtomicBool,
) -> Result<(), RunError> {
    let schedule = GenerationSchedule::new(batch)?;
    let opponents = if batch.stage.fitness.combine.is_mean() { 0 } else { schedule.opponents };
    let units = schedule.units_of_candidates(batch.candidates.len());
    let mut counted: Vec<Counted> =
        units.into_iter().map(|units| Counted::new(units, opponents, batch.keep_games)).collect();
    let mut next = 0;
    let mut count = |unit: usize, result: UnitResult| {
        let CountsFor { opponent, candidates } = schedule.counts_for[unit];
        for (candidate, is_a) in candidates.into_iter().zip([true, false]) {
            if let Some(candidate) = candidate {
                counted[candidate].add(&result.games, opponent, is_a);
            }
        }
        while let Some(measured) = counted.get_mut(next).and_then(Counted::finish) {
            sink(next, &measured)?;
            next += 1;
        }
        Ok::<_, RunError>(ControlFlow::Continue(()))
    };
    let on_games = |unit: usize, games: u64| {
        let candidates = schedule.counts_for[unit].candidates.iter().flatten().count() as u64;
        (0..games * candidates).for_each(|_| on_game());
    };
    play_in_order(executor, &schedule.work, &mut count, &on_games, stop)
}

/// What is known of a candidate while its games are played.
struct Counted {
    units_left: usize,
    tally: Tally,
    by_opponent: Vec<Tally>,
    different: HashSet<Fingerprint>,
    games: Option<Vec<PlayedGame>>,
}

impl Counted {
    fn new(units_left: usize, opponents: usize, keep_games: bool) -> Self {
        let by_opponent = vec![Tally::default(); opponents];
        let (tally, different) = (Tally::default(), HashSet::new());
        Self { units_left, tally, by_opponent, different, games: keep_games.then(Vec::new) }
    }

    /// Counts the games of a unit against an opponent, in which the candidate was A or else B.
    fn add(&mut self, games: &[GameResult], opponent: usize, is_a: bool) {
        for game in games {
            let tally = game.tally();
            let tally = if is_a { tally } else { tally.reversed() };
            self.tally = self.tally.plus(&tally);
            if let Some(theirs) = self.by_opponent.get_mut(opponent) {
                *theirs = theirs.plus(&tally);
            }
            self.different.insert(game.fingerprint);
            if let Some(games) = &mut self.games {
                let (points, key) = (2 * tally.wins + tally.draws, game.fingerprint.key());
                games.push(PlayedGame { opponent, points, key });
            }
        }
        self.units_left -= 1;
    }

    /// The whole, once all units are counted.
    fn finish(&mut self) -> Option<Measured> {
        (self.units_left == 0).then(|| Measured {
            tally: self.tally,
            by_opponent: std::mem::take(&mut self.by_opponent),
            distinct_games: std::mem::take(&mut self.different).len() as u64,
            games: self.games.take().unwrap_or_default(),
        })
    }
}

#[cfg(test)]
pub mod tests {
    use std::path::Path;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::plan::{
        Combine, FitnessPlan, OpponentPlan, ScoreRule, Seeds, StagePlan, Start, Stops, Vector,
    };
    use tictune_core::agent::AgentSpec;
    use tictune_core::agent::Agents;
    use tictune_core::arena::{Contest, MatchSettings, Openings, Schedule, Threads, play_match};
    use tictune_core::weights::Weights;
    use tictune_games::uttt::{Rules, Uttt};

    pub fn spec(text: &str) -> AgentSpec {
        Agents::<Uttt>::default().parse(text, Path::new("")).unwrap()
    }

    pub fn stage(schedule: Schedule, opponents: &[(&str, u64)]) -> StagePlan {
        stage_from("random:4:train", schedule, opponents)
    }

    pub fn stage_from(openings: &str, schedule: Schedule, opponents: &[(&str, u64)]) -> StagePlan {
        let openings = Openings::parse::<Uttt>(openings, Rules::default(), Path::new(""));
        let opponents = opponents.iter().map(|(text, games)| OpponentPlan {
            agent: spec(text),
            depth: None,
            openings: None,
            games: *games,
            of_hall: false,
        });
        let opponents: Vec<_> = opponents.collect();
        StagePlan {
            depth: 2,
            depths: Vec::new(),
            population: 3,
            sigma: 0.3,
            start: Start::Initial,
            stops: Stops {
                max_generations: Some(1),
                max_evaluations: 10,
                target_fitness: None,
                max_seconds: None,
                stagnation: None,
            },
            fitness: FitnessPlan {
                games: opponents.iter().map(|o| o.games).sum(),
                schedule,
                openings: openings.unwrap(),
                seeds: Seeds::Fixed,
                score: ScoreRule::HalfTies,
                combine: Combine::Mean,
                opponents,
                hall: None,
                coevolution: None,
            },
        }
    }

    fn measure(stage: &StagePlan, threads: usize) -> Vec<(usize, Measured)> {
        let candidates = ["liang-default", "liang-optimized", "liang-default"]
            .map(|n| Weights::builtin::<Uttt>(n).unwrap());
        let agent = spec("minimax");
        let batch = Batch {
            stage,
            game: "uttt",
            agent: &agent,
            rules: "",
            seed: 11,
            candidates: candidates.map(Vector::of_weights).to_vec(),
            rivals: None,
            keep_games: false,
        };
        let (mut seen, told) = (Vec::new(), AtomicU64::new(0));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut sink = |index, measured: &Measured| {
                seen.push((index, measured.clone()));
                Ok(())
            };
            let on_game = || {
                told.fetch_add(1, Ordering::Relaxed);
            };
            let (executor, stop) = (Threads::<Uttt>::default(), AtomicBool::new(false));
            measure_batch(&executor, &batch, &mut sink, &on_game, &stop)
        })
        .unwrap();
        let games = seen.iter().map(|(_, measured)| measured.tally.games());
        assert_eq!(told.into_inner(), games.sum::<u64>(), "every game is told");
        seen
    }

    #[test]
    fn candidates_arrive_in_order_the_same_on_any_number_of_threads() {
        let stage =
            stage(Schedule::Paired, &[("minimax:weights=liang-simple", 20), ("random", 10)]);
        let one = measure(&stage, 1);
        assert_eq!(one.iter().map(|(index, _)| *index).collect::<Vec<_>>(), [0, 1, 2]);
        assert!(one.iter().all(|(_, m)| m.tally.games() == 30));
        assert_eq!(one[0].1, one[2].1, "equal candidates play equal games");
        assert_eq!(measure(&stage, 5), one);
    }

    #[test]
    fn a_fitness_is_what_a_match_of_the_same_seed_gives() {
        let schedules = [Schedule::Paired, Schedule::HalfAndHalf, Schedule::Coin];
        let searches = schedules.map(|schedule| (schedule, "minimax:weights=liang-simple"));
        // Whoever may be in a pool: other evaluations, trees of a fixed number of iterations, other searches.
        let others = [
            "minimax:weights=amar-cells",
            "minimax:depth=1,weights=lifshitz-heur4",
            "mcts:iterations=30",
            "mcts:iterations=20,playout=ept,weights=liang-default",
            "iterative:nodes=50,weights=sista",
            "greedy:weights=liang-default",
            "reflex",
        ];
        let others = others.map(|opponent| (Schedule::Paired, opponent));
        for (schedule, opponent) in searches.into_iter().chain(others) {
            let stage = stage(schedule, &[(opponent, 30)]);
            let measured = measure(&stage, 2)[1].1.clone();
            let a = Agents::<Uttt>::default()
                .prepare(&spec("minimax:depth=2,weights=liang-optimized"))
                .unwrap();
            let b =
                Agents::<Uttt>::default().prepare(&spec(opponent).with_default_depth(2)).unwrap();
            let contest = Contest::<Uttt> {
                a: &a,
                b: &b,
                rules: Rules::default(),
                openings: &stage.fitness.openings,
            };
            let settings = MatchSettings { games: 30, seed: 11, schedule, replay_ties: false };
            let result = play_match(&contest, &settings, &|| true).unwrap();
            assert_eq!(measured.tally, result.summary.tally);
            assert_eq!(measured.distinct_games, result.distinct_games);
        }
    }

    #[test]
    fn depths_are_mixed_and_results_are_told_by_opponent() {
        let all = [("minimax:weights=liang-simple", 12), ("random", 8)];
        let mut mixed = stage(Schedule::Paired, &[all[0], all[0], all[1]]);
        mixed.depths = vec![1, 2];
        mixed.fitness.combine = Combine::Worst;
        mixed.fitness.opponents[0].depth = Some(1);
        let measured = measure(&mixed, 3);
        assert_eq!(measure(&mixed, 1), measured);
        for (_, Measured { tally, by_opponent, .. }) in &measured {
            assert_eq!(by_opponent.iter().map(Tally::games).collect::<Vec<_>>(), [24, 8]);
            assert_eq!(by_opponent[0].plus(&by_opponent[1]), *tally);
        }
        // The first entry's games are those of a match at its depth.
        let a = Agents::<Uttt>::default()
            .prepare(&spec("minimax:depth=1,weights=liang-optimized"))
            .unwrap();
        let b = Agents::<Uttt>::default()
            .prepare(&spec("minimax:depth=1,weights=liang-simple"))
            .unwrap();
        let openings = &mixed.fitness.openings;
        let contest = Contest::<Uttt> { a: &a, b: &b, rules: Rules::default(), openings };
        let settings =
            MatchSettings { games: 12, seed: 11, schedule: Schedule::Paired, replay_ties: false };
        let alone = play_match(&contest, &settings, &|| true).unwrap().summary.tally;
        mixed.fitness.opponents.remove(1);
        assert_eq!(measure(&mixed, 2)[1].1.by_opponent[0], alone);
    }

    #[test]
    fn an_error_of_the_sink_ends_the_batch() {
        let stage = stage(Schedule::Paired, &[("random", 10)]);
        let agent = spec("minimax");
        let candidates =
            vec![Vector::of_weights(Weights::builtin::<Uttt>("liang-default").unwrap()); 3];
        let batch = Batch {
            stage: &stage,
            game: "uttt",
            agent: &agent,
            rules: "",
            seed: 1,
            candidates,
            rivals: None,
            keep_games: false,
        };
        let mut calls = 0;
        let mut sink = |_, _: &Measured| {
            calls += 1;
            Err(RunError::Interrupted)
        };
        let stop = AtomicBool::new(false);
        let result = measure_batch(&Threads::<Uttt>::default(), &batch, &mut sink, &|| (), &stop);
        assert!(result.is_err());
        assert_eq!(calls, 1);
    }
}
