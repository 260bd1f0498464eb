//! Tests of measuring, and what the tests of other modules need of it.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::plan::Combine;
use tictune_core::agent::{AgentSpec, Agents};
use tictune_core::arena::{Contest, MatchResult, MatchSettings, Schedule, Threads, play_match};
use tictune_core::weights::Weights;
use tictune_games::uttt::{Rules, Uttt};

pub fn spec(text: &str) -> AgentSpec {
    Agents::<Uttt>::default().parse(text, Path::new("")).unwrap()
}

pub fn builtin(name: &str) -> Vector {
    Vector::of_weights(Weights::builtin::<Uttt>(name).unwrap())
}

pub fn stage(schedule: Schedule, opponents: &[(&str, u64)]) -> StagePlan {
    stage_from("random:4:train", schedule, opponents)
}

pub fn stage_from(openings: &str, schedule: Schedule, opponents: &[(&str, u64)]) -> StagePlan {
    let games: u64 = opponents.iter().map(|(_, games)| games).sum();
    let pool = opponents
        .iter()
        .map(|(agent, games)| format!("[[opponents]]\nagent = '{agent}'\nshare = {games}\n"));
    let text = format!(
        "evaluation = \"advanced\"\n[cmaes]\nsigma = 0.3\npopulation = 3\n[fitness]\ngames = {games}\n\
         schedule = \"{schedule}\"\nopenings = \"{openings}\"\nseeds = \"fixed\"\n{}[[stages]]\ndepth = 2\n\
         max_generations = 1\nmax_evaluations = 10\n",
        pool.collect::<String>()
    );
    crate::known::read(&text).unwrap().stages.remove(0)
}

/// A plan of UTTT with an agent that carries candidates.
pub fn carrying(agent: &str) -> Plan {
    Plan { agent: spec(agent), ..crate::known::connecting("") }
}

/// What a batch gives on so many threads: candidates in order, and every game is told.
pub fn play(batch: &Batch<'_>, threads: usize) -> Vec<Measured> {
    let (mut seen, told) = (Vec::new(), AtomicU64::new(0));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut sink = |index, measured| {
            assert_eq!(index, seen.len(), "in order");
            seen.push(measured);
            Ok(())
        };
        let on_game = || {
            told.fetch_add(1, Ordering::Relaxed);
        };
        let (executor, stop) = (Threads::<Uttt>::default(), AtomicBool::new(false));
        measure_batch(&executor, batch, &mut sink, &on_game, &stop)
    })
    .unwrap();
    let games = seen.iter().map(|measured| measured.tally.games());
    assert_eq!(told.into_inner(), games.sum::<u64>(), "every game is told");
    seen
}

/// A match from the openings of a stage.
pub fn match_of(
    agents: [&AgentSpec; 2],
    stage: &StagePlan,
    (games, seed, schedule): (u64, u64, Schedule),
) -> MatchResult {
    let [a, b] = &agents.map(|agent| Agents::<Uttt>::default().prepare(agent).unwrap());
    let (rules, openings) = (Rules::default(), &stage.fitness.openings);
    let contest = Contest::<Uttt> { a, b, rules, openings };
    let settings = MatchSettings { games, seed, schedule, replay_ties: false };
    play_match(&contest, &settings, &|| true).unwrap()
}

fn measure(stage: &StagePlan, threads: usize) -> Vec<Measured> {
    let candidates = ["liang-default", "liang-optimized", "liang-default"].map(builtin);
    let plan = carrying("minimax");
    play(&Batch::new(&plan, stage, 11, candidates.iter().collect()), threads)
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
        let measured = &measure(&stage, 2)[1];
        let (a, b) = (spec("minimax:depth=2,weights=liang-optimized"), spec(opponent));
        let result = match_of([&a, &b.with_default_depth(2)], &stage, (30, 11, schedule));
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
    for Measured { tally, by_opponent, .. } in &measured {
        assert_eq!(by_opponent.iter().map(Tally::games).collect::<Vec<_>>(), [24, 8]);
        assert_eq!(by_opponent[0].plus(&by_opponent[1]), *tally);
    }
    // The first entry's games are those of a match at its depth.
    let agents = ["liang-optimized", "liang-simple"];
    let [a, b] = agents.map(|weights| spec(&format!("minimax:depth=1,weights={weights}")));
    let alone = match_of([&a, &b], &mixed, (12, 11, Schedule::Paired)).summary.tally;
    mixed.fitness.opponents.remove(1);
    assert_eq!(measure(&mixed, 2)[1].by_opponent[0], alone);
}
