//! Tests of measuring: games against opponents, and of candidates against each other. And what the tests of other modules need of it.

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::fitness::{Batch, Measured, measure_batch, standard_error};
use super::schedule::GenerationSchedule;
use crate::plan::{FitnessPlan, OpponentPlan, Plan, SelfPlayPlan, StagePlan, Vector};
use tictune_core::agent::{AgentSpec, Agents};
use tictune_core::arena::{
    BookRange, Contest, Detail, GameResult, GameTask, MatchResult, MatchSettings, Schedule,
    Threads, play_match, play_task,
};
use tictune_core::game::Position;
use tictune_core::search::Stop;
use tictune_core::stats::Tally;
use tictune_core::weights::Weights;
use tictune_games::uttt::{Rules, Uttt};

pub(crate) fn spec(text: &str) -> AgentSpec {
    Agents::<Uttt>::default().parse(text, Path::new("")).unwrap()
}

pub(crate) fn builtin(name: &str) -> Vector {
    Vector::of_weights(Weights::builtin::<Uttt>(name).unwrap())
}

pub(crate) fn stage(schedule: Schedule, opponents: &[(&str, u64)]) -> StagePlan {
    stage_from("random:4:train", schedule, opponents)
}

fn stage_from(openings: &str, schedule: Schedule, opponents: &[(&str, u64)]) -> StagePlan {
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

/// A plan of UTTT with an evolved agent.
pub(crate) fn carrying(agent: &str) -> Plan {
    Plan { agent: spec(agent), ..crate::known::connecting("") }
}

/// What a batch gives on so many threads: candidates in order, and every game is told.
fn play(batch: &Batch<'_>, threads: usize) -> Vec<Measured> {
    let (mut seen, told) = (Vec::new(), AtomicU64::new(0));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut sink = |index, measured| {
            assert_eq!(index, batch.done + seen.len(), "in order");
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
    let games: u64 = seen.iter().map(|measured| measured.tally.games()).sum();
    // What two of a pair play each other is played once.
    let pairs = (batch.candidates.len() / 2).saturating_sub(batch.done.div_ceil(2)) as u64;
    let twice = pairs * batch.stage.fitness.games_of_self_play();
    assert_eq!(told.into_inner(), games - twice, "every game is told");
    seen
}

/// A match from the openings of a stage.
fn match_of(
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
    // All that may be in a pool: other evaluations, trees of a fixed number of iterations, other searches.
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
fn depths_are_mixed() {
    let opponent = ("minimax:weights=liang-simple", 12);
    let mut mixed = stage(Schedule::Paired, &[opponent, opponent]);
    mixed.depths = vec![1, 2];
    mixed.fitness.opponents[0].depth = Some(1);
    let measured = measure(&mixed, 3);
    assert_eq!(measure(&mixed, 1), measured);
    assert!(measured.iter().all(|measured| measured.tally.games() == 24));
    // The first entry's games are those of a match at its depth.
    let agents = ["liang-optimized", "liang-simple"];
    let [a, b] = agents.map(|weights| spec(&format!("minimax:depth=1,weights={weights}")));
    let alone = match_of([&a, &b], &mixed, (12, 11, Schedule::Paired)).summary.tally;
    mixed.fitness.opponents.remove(1);
    assert_eq!(measure(&mixed, 2)[1].tally, alone);
}

/// Every game that counts for a candidate against the opponents: the entry, and what is to be played.
fn games_of(schedule: &GenerationSchedule, candidate: usize) -> Vec<(usize, GameTask)> {
    let mut games = Vec::new();
    for (unit, counts) in schedule.work.units.iter().zip(&schedule.counts_for) {
        if counts[0] == Some(candidate) {
            let MatchSettings { games: of, seed, schedule, .. } = unit.settings;
            games.extend(
                unit.range.clone().map(|index| {
                    (unit.agents[1], schedule.task(seed, unit.first_number, index, of))
                }),
            );
        }
    }
    games
}

#[test]
fn repeated_games_count_as_often_as_they_are_scheduled() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("two");
    std::fs::write(&file, "9/9/9/9/4x4/9/9/9/9 o 1,1\n9/9/9/9/9/9/9/9/9 x -\n").unwrap();
    let file = format!("file:{}", file.display());
    for schedule in [Schedule::Paired, Schedule::HalfAndHalf, Schedule::First, Schedule::Coin] {
        for openings in ["none", "centre", &*file, "random:4"] {
            let opponent = "minimax:weights=liang-simple,ties=first";
            let mut stage = stage_from(openings, schedule, &[(opponent, 30), ("random", 4)]);
            let range = BookRange { order: 1, first: 0, count: 34 };
            stage.fitness.openings = stage.fitness.openings.in_range(range).unwrap();
            let FitnessPlan { openings, opponents, .. } = &stage.fitness;
            let (candidate, plan) = (builtin("liang-optimized"), carrying("minimax:ties=first"));
            let batch = Batch::new(&plan, &stage, 11, vec![&candidate]);
            // All that are scheduled, one by one.
            let rules = Rules::default();
            let prepared = |agent: &AgentSpec| {
                Agents::<Uttt>::default().prepare(&agent.with_default_depth(2)).unwrap()
            };
            let a = prepared(&candidate.apply_to(&plan.agent).unwrap());
            let (mut tally, mut distinct) = (Tally::default(), HashSet::new());
            let games = games_of(&GenerationSchedule::new(&batch).unwrap(), 0);
            assert_eq!(games.len(), 34);
            let seeds: HashSet<u64> = games.iter().map(|(_, task)| task.seed).collect();
            let of_seed = if schedule == Schedule::Paired { 2 } else { 1 };
            assert_eq!(of_seed * seeds.len(), 34, "opponents do not share games");
            let first = games.iter().filter(|(of, task)| *of == 1 && task.a_first).count();
            assert!(first == 2 || matches!(schedule, Schedule::First | Schedule::Coin));
            for (opponent, task) in games {
                let b = prepared(&opponents[opponent].agent);
                let contest = Contest::<Uttt> { a: &a, b: &b, rules, openings };
                let record = play_task(&contest, &task, &|| true, Stop::NEVER).unwrap();
                distinct.insert((record.start.key(), record.moves.clone()));
                let game = GameResult::new(record, task.a_first, Detail::Costs);
                tally = tally.plus(&game.tally());
            }
            let distinct_games = distinct.len() as u64;
            assert_eq!(play(&batch, 2), [Measured { tally, distinct_games }]);
        }
    }
}

/// Six vectors of the advanced evaluation.
fn population() -> Vec<Vector> {
    let best = Weights::builtin::<Uttt>("liang-optimized").unwrap();
    let scaled = |factor: usize| {
        let shift = |(slot, value): (usize, &f64)| value + (slot * factor % 5) as f64;
        let values = best.values().iter().enumerate().map(shift).collect();
        Vector::of_weights(Weights::new(format!("w{factor}"), best.layout(), values).unwrap())
    };
    (0..6).map(scaled).collect()
}

/// Measures the population from one candidate on, then a mean and a start.
fn measure_from(stage: &StagePlan, done: usize, seed: u64, threads: usize) -> Vec<Measured> {
    let (mut all, plan) = (population(), carrying("minimax"));
    all.push(builtin("liang-default"));
    let (start, batch) =
        (builtin("liang-comprehensive"), Batch::new(&plan, stage, seed, all.iter().collect()));
    play(&Batch { done, start: Some(&start), ..batch }, threads)
}

/// A stage whose candidates play the other one of their pair.
fn in_self_play(depths: &[u32]) -> StagePlan {
    let mut stage = stage(Schedule::Paired, &[("random", 2)]);
    stage.fitness.opponents.clear();
    let plans = depths.iter().map(|&depth| SelfPlayPlan { depth, games: 4 });
    stage.fitness.self_play = plans.collect();
    stage.fitness.games = stage.fitness.games_of_self_play();
    stage
}

#[test]
fn a_generation_that_was_stopped_goes_on_with_the_results_that_it_would_have_had() {
    let mut with_an_opponent = in_self_play(&[2]);
    with_an_opponent.fitness.opponents =
        stage(Schedule::Paired, &[("random", 2)]).fitness.opponents;
    with_an_opponent.fitness.games += 2;
    // The mean plays the start four times as often as two of a pair play each other.
    with_an_opponent.population = 80;
    assert_eq!(with_an_opponent.matches_against_start(), 4);
    for stage in [in_self_play(&[1, 2]), in_self_play(&[2]), with_an_opponent] {
        let all = measure_from(&stage, 0, 9, 1);
        assert_eq!(all, measure_from(&stage, 0, 9, 3));
        for done in 1..=6 {
            assert_eq!(measure_from(&stage, done, 9, 2), all[done..]);
        }
        assert!(all[..6].iter().all(|one| one.tally.games() == stage.fitness.games));
        // Where a generation was stopped within a pair, what the two play each other is played again.
        assert_eq!(
            stage.games_of(3),
            stage.games_of(4) - stage.fitness.games + stage.fitness.games_of_self_play()
        );
        // The mean plays the opponents, and the start plays the mean.
        let of_two = stage.fitness.games_of_self_play();
        assert_eq!(all[6].tally.games(), stage.fitness.games - of_two);
        assert_eq!(all[7].tally.games(), stage.matches_against_start() * of_two);
        let candidates = all[..6].iter().map(|measured| measured.tally.games());
        let played = candidates.sum::<u64>() - 3 * of_two;
        let of_mean = all[6].tally.games() + all[7].tally.games();
        assert_eq!(played + of_mean, stage.games_of(6));
        // What one wins the other one loses, in the match of the same seed.
        for pair in all[..6].chunks(2).filter(|_| stage.fitness.opponents.is_empty()) {
            assert_eq!(pair[0].tally.reversed(), pair[1].tally);
        }
        if of_two == stage.fitness.games && of_two == 4 {
            let evolved = spec("minimax:depth=2");
            let [a, b] = [0, 1].map(|place: usize| population()[place].apply_to(&evolved));
            let agents = [&a.unwrap(), &b.unwrap()];
            let expected = match_of(agents, &stage, (4, 9, Schedule::Paired)).summary.tally;
            assert_eq!(all[0].tally, expected);
        }
        let without = stage.clone().one_by_one(&spec("random"));
        assert!(without.fitness.self_play.is_empty());
        let games = |plan: &OpponentPlan| plan.games;
        assert_eq!(without.fitness.opponents.iter().map(games).sum::<u64>(), without.fitness.games);
    }
}

#[test]
fn the_error_is_that_of_the_games_of_a_fitness() {
    let fitness = stage(Schedule::Paired, &[("random", 400)]).fitness;
    let error = |wins, losses, distinct_games| {
        let tally = Tally { wins, draws: 0, losses };
        standard_error(&fitness, &Measured { tally, distinct_games })
    };
    // 400 tosses of a coin: the number of heads has a standard deviation of 10.
    for (found, expected) in [
        (error(200, 200, 400), 9.96..10.04),
        (error(200, 200, 100), 19.96..20.04),
        // Four times the games have half the error, in the units of a fitness.
        (error(4 * 190, 4 * 210, 1600), 4.95..5.05),
        (error(400, 0, 400), 0.1..1.5),
        (error(0, 0, 0), 0.0..f64::MIN_POSITIVE),
    ] {
        assert!(expected.contains(&found), "{found}");
    }
}
