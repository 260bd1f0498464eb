//! A law: no game of a training begins where a game of a validation does, nor at an image of it; and all candidates
//! of a generation meet the same openings, and those of the next generation others.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tictune_core::arena::{
    Calls, Executor, ExecutorError, GameTask, MatchSettings, Openings, Schedule, Threads, Work,
};
use tictune_core::game::Position;
use tictune_evolve::config::{Overrides, parse};
use tictune_evolve::{Fixture, Plan, RunDir, Silent, matches_at_the_end, run};
use tictune_games::uttt::{Rules, Uttt};
use tictune_registry::built_in;

/// The plan of a small run with these openings in training and in validation.
fn plan(train: &str, held_out: &str) -> Plan {
    let text = format!(
        "evaluation = \"connecting\"\n[cmaes]\npopulation = 5\nsigma = 0.5\n[fitness]\ngames = 16\n\
         openings = \"{train}\"\n[[opponents]]\nagent = \"random\"\n\
         [[stages]]\ndepth = 1\nmax_generations = 6\n[[stages]]\ndepth = 1\nmax_generations = 6\n\
         [comparison]\ngames = 20\nopenings = \"{held_out}\"\n[validation]\ngames = 200\ndepths = [1, 2]\n\
         iterative = []\nept = []\nopponents = [\"initial\"]\nopenings = [\"{held_out}\"]\n"
    );
    parse(&text, Path::new("c.toml"), Overrides::default(), &built_in()).unwrap()
}

/// Where the games of a work start: by agent that is A in any, in the order of games.
type Starts = BTreeMap<usize, Vec<u64>>;

/// Notes where the games of all work start, by seed, and plays it.
#[derive(Default)]
struct Noting(Mutex<Vec<(u64, Starts)>>);

fn key_of(openings: &Openings, task: &GameTask) -> u64 {
    let opening = openings.draw::<Uttt>(Rules::default(), task.seed, task.number).unwrap();
    opening.position().canonical_key()
}

impl Executor for Noting {
    fn play(&self, work: &Work, calls: Calls<'_>) -> Result<(), ExecutorError> {
        let mut starts: Starts =
            work.units.iter().map(|unit| (unit.agents[0], Vec::new())).collect();
        for unit in &work.units {
            let MatchSettings { games, seed, schedule, .. } = unit.settings;
            for index in unit.range.clone() {
                let task = schedule.task(seed, unit.first_number, index, games);
                let key = key_of(&work.openings[unit.openings], &task);
                for agent in unit.agents {
                    starts.entry(agent).and_modify(|starts| starts.push(key));
                }
            }
        }
        let seed = work.units[0].settings.seed;
        self.0.lock().unwrap().push((seed, starts));
        Threads::<Uttt>::default().play(work, calls)
    }
}

/// Runs a plan, and gives two logs of its first stage.
fn play(plan: &Plan, executor: &dyn Executor) -> [Vec<u8>; 2] {
    let folder = tempfile::tempdir().unwrap();
    let dir = RunDir::new(folder.path().join("run"), &built_in());
    dir.create("", plan).unwrap();
    // It continues if it is there, and no other run takes its place.
    dir.create("", plan).unwrap();
    let error = dir.create("", &Plan { seed: plan.seed + 1, ..plan.clone() }).unwrap_err();
    assert!(error.to_string().contains("holds the run of another config"), "{error}");
    run(plan, &dir, executor, &Silent, &AtomicBool::new(false)).unwrap();
    let log = |name: &str| std::fs::read(dir.file("stage-1-depth-1").join(name));
    ["evaluations.csv", "start.csv"].map(|name| log(name).unwrap_or_default())
}

/// Where the games of a run start.
fn starts_of(plan: &Plan) -> Vec<(u64, Starts)> {
    let noting = Noting::default();
    play(plan, &noting);
    noting.0.into_inner().unwrap()
}

fn starts_of_the_end(plan: &Plan) -> HashSet<u64> {
    let all = matches_at_the_end(plan).unwrap().into_iter();
    all.flat_map(|Fixture { openings, seed, games, .. }| {
        (0..games).map(move |game| key_of(&openings, &Schedule::Paired.task(seed, 0, game, games)))
    })
    .collect()
}

#[test]
fn no_game_of_a_training_begins_where_one_of_a_validation_does() {
    for (train, held_out) in [
        ("random:4:train", "random:4:held-out"),
        ("random:4-8:train", "random:4-8:held-out"),
        ("random:4-8:train", "random:4:held-out"),
        ("random:4:train", "random:4-8:held-out"),
    ] {
        let plan = plan(train, held_out);
        let mut seen = starts_of(&plan);
        seen.retain(|(seed, _)| {
            matches_at_the_end(&plan).unwrap().iter().all(|end| end.seed != *seed)
        });
        let starts = seen.iter().flat_map(|(_, starts)| starts.values());
        let training: HashSet<u64> = starts.flatten().copied().collect();
        let validation = starts_of_the_end(&plan);
        // Both are large enough that random openings would meet.
        assert!(training.len() > 70 && validation.len() > 80, "{train}, {held_out}");
        assert!(training.is_disjoint(&validation), "{train}, {held_out}");
    }
    let all = plan("random:4", "random:4");
    let train = (0..3000).map(|seed| GameTask { number: 0, seed, a_first: true });
    let train: HashSet<u64> =
        train.map(|task| key_of(&all.stages[0].fitness.openings, &task)).collect();
    assert!(!train.is_disjoint(&starts_of_the_end(&all)), "openings that are not split do meet");
}

#[test]
fn openings_are_fresh_each_generation_and_common_to_its_candidates() {
    let seen = starts_of(&plan("random:4-8:train", "random:4:held-out"));
    let mut earlier = HashSet::new();
    let mut batches = 0;
    for (_, starts) in seen.iter().filter(|(_, starts)| starts.len() > 1) {
        let mut of_candidates = starts.values().map(BTreeSet::from_iter);
        let first = of_candidates.next().unwrap();
        assert!(of_candidates.all(|own| own == first), "common to all candidates");
        assert!(first.iter().all(|&&key| earlier.insert(key)), "and to no other generation");
        batches += 1;
    }
    assert_eq!(batches, 12);
}

/// Plays works from the second to the last but one of the generations once the next one has begun: counts these.
struct Late {
    generations: usize,
    begun: AtomicUsize,
    overlaps: AtomicUsize,
}

impl Executor for Late {
    fn play(&self, work: &Work, calls: Calls<'_>) -> Result<(), ExecutorError> {
        let number = self.begun.fetch_add(1, Ordering::SeqCst) + 1;
        let until = Instant::now() + Duration::from_secs(30);
        if (2..self.generations).contains(&number) {
            let overlaps = || self.begun.load(Ordering::SeqCst) > number;
            while !overlaps() && Instant::now() < until {
                std::thread::yield_now();
            }
            self.overlaps.fetch_add(usize::from(overlaps()), Ordering::SeqCst);
        }
        Threads::<Uttt>::default().play(work, calls)
    }
}

#[test]
fn games_of_two_generations_of_pairs_overlap_and_the_order_in_which_they_end_decides_nothing() {
    let text = "evaluation = \"connecting\"\n[cmaes]\ninitial = [1.0, 2.0, 0.5]\n[budget]\ngames = 400\n[[stages]]\ndepth = 1\n\
                [comparison]\ngames = 2\n[validation]\ndepths = []\niterative = []\nept = []\n";
    let plan = parse(text, Path::new("c.toml"), Overrides::default(), &built_in()).unwrap();
    let generations = plan.stages[0].most_generations() as usize;
    let late = Late { generations, begun: 0.into(), overlaps: 0.into() };
    let logs = play(&plan, &late);
    assert_eq!(logs, play(&plan, &Threads::<Uttt>::default()));
    assert!(logs.iter().all(|log| !log.is_empty()));
    // The first generation is told before the second is asked; the last has none after it.
    assert!(generations > 5);
    assert_eq!(late.overlaps.into_inner(), generations - 2);
}
