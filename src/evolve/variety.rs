//! A law: no game of a training begins where a game of a validation does, nor at an image of it; and all candidates
//! of a generation meet the same openings, and those of the next generation others.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use super::measure::fitness::{Batch, Executor, LocalExecutor, Sink};
use super::measure::schedule::Programme;
use super::verdict::fixtures;
use super::{Plan, RunDir, RunError, Silent, run};
use crate::arena::{GameTask, Openings, Schedule};
use crate::config::{Overrides, parse};
use crate::game::Position;
use crate::games::KNOWN;
use crate::games::uttt::{Rules, Uttt};
use crate::seed::{Purpose, of_run};

/// The plan of a small run with these openings in training and in validation.
fn plan(train: &str, held_out: &str) -> Plan {
    let text = format!(
        "evaluation = \"connecting\"\n[cmaes]\npopulation = 5\nsigma = 0.5\n[fitness]\ngames = 16\n\
         openings = \"{train}\"\n[hall_of_fame]\nevery = 2\ngames = 16\nconfidence = 0.5\nmargin = 0\n\
         [coevolution]\nopponents = 2\nshare = 0.25\n[[opponents]]\nagent = \"random\"\n\
         [[stages]]\ndepth = 1\nmax_generations = 6\n[[stages]]\ndepth = 1\nmax_generations = 6\n\
         [comparison]\ngames = 20\nopenings = \"{held_out}\"\n[validation]\ngames = 200\ndepths = [1, 2]\n\
         opponents = [\"initial\"]\nopenings = [\"{held_out}\"]\n"
    );
    parse(&text, Path::new("c.toml"), Overrides::default(), crate::games::KNOWN).unwrap()
}

/// Where the games of a batch start: by candidate, in the order of games.
type Starts = Vec<Vec<u64>>;

/// Notes where the games of every batch start, and plays them.
#[derive(Default)]
struct Noting(Mutex<BTreeMap<(u64, u64), Vec<Starts>>>);

fn key_of(openings: &Openings, task: &GameTask) -> u64 {
    let opening = openings.draw::<Uttt>(Rules::default(), task.seed, task.number).unwrap();
    opening.position().canonical_key()
}

impl Executor for Noting {
    fn evaluate(
        &self,
        batch: &Batch<'_>,
        sink: &mut Sink<'_>,
        on_game: &(dyn Fn() + Sync),
        stop: &AtomicBool,
    ) -> Result<(), RunError> {
        let programme = Programme::<Uttt>::new(batch, Rules::default())?;
        let mut starts = vec![Vec::new(); batch.candidates.len()];
        for pairing in (0..).map_while(|index| programme.pairing(index)) {
            let key = key_of(
                batch.stage.fitness.openings_at(pairing.fixture.opponent),
                &pairing.fixture.task,
            );
            pairing.counts.iter().flatten().for_each(|&candidate| starts[candidate].push(key));
        }
        let games = batch.stage.fitness.games;
        self.0.lock().unwrap().entry((games, batch.seed)).or_default().push(starts);
        LocalExecutor::<Uttt>::new().evaluate(batch, sink, on_game, stop)
    }
}

/// Where the games of comparison and validation start.
fn starts_of_the_end(plan: &Plan) -> HashSet<u64> {
    let initial = plan.initial.as_ref().unwrap();
    let seed = of_run(plan.seed, Purpose::Validation, 0, 0);
    let rows = fixtures(&plan.validation, initial, seed);
    let rows = rows.iter().map(|row| (row.openings, row.seed, plan.validation.games));
    let seed = of_run(plan.seed, Purpose::Comparison, 0, 0);
    let all = rows.chain([(&plan.comparison.openings, seed, plan.comparison.games)]);
    all.flat_map(|(openings, seed, games)| {
        (0..games).map(move |game| key_of(openings, &Schedule::Paired.task(seed, 0, game, games)))
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
        let folder = tempfile::tempdir().unwrap();
        let dir = RunDir::new(folder.path().join("run"), KNOWN);
        dir.create("", &plan).unwrap();
        let noting = Noting::default();
        run::<Uttt>(&plan, &dir, &noting, &Silent, &AtomicBool::new(false)).unwrap();
        let seen = noting.0.into_inner().unwrap();
        let training: HashSet<u64> = seen.values().flatten().flatten().flatten().copied().collect();
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
    let plan = plan("random:4-8:train", "random:4:held-out");
    let folder = tempfile::tempdir().unwrap();
    let dir = RunDir::new(folder.path().join("run"), KNOWN);
    dir.create("", &plan).unwrap();
    let noting = Noting::default();
    run::<Uttt>(&plan, &dir, &noting, &Silent, &AtomicBool::new(false)).unwrap();
    let seen = noting.0.into_inner().unwrap();
    let mut earlier = HashSet::new();
    let mut batches = 0;
    for starts in seen.values().flatten().filter(|starts| starts.len() > 1) {
        let sorted = |keys: &[u64]| {
            let mut keys = keys.to_vec();
            keys.sort_unstable();
            keys.dedup();
            keys
        };
        let first = sorted(&starts[0]);
        assert!(starts.iter().all(|own| sorted(own) == first), "common to all candidates");
        assert!(first.iter().all(|&key| earlier.insert(key)), "and to no other generation");
        batches += 1;
    }
    assert_eq!(batches, 12);
}
