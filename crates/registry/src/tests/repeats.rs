//! Runs in which vectors occur several times. Results taken from the fitness cache give the same
//! bytes as played ones, whether or not a run was resumed.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::built_in;
use tictune_core::arena::{Calls, Executor, ExecutorError, Threads, Work};
use tictune_core::seed::{Purpose, of_run};
use tictune_evolve::config::{self, Overrides};
use tictune_evolve::measure::fitness::{Batch, Measured, measure_batch};
use tictune_evolve::{GenerationRow, Plan, RunDir, Silent, run};
use tictune_games::uttt::Uttt;

/// The step size is so small that weights rounded to integers are the same at first.
const CONFIG: &str = r#"name = "repeats"
evaluation = "advanced"
seed = 5
[cmaes]
population = 6
sigma = 1e-9
initial = 0.5
[fitness]
games = 20
seeds = "fixed"
[[opponents]]
agent = "minimax:weights=liang-default"
[[stages]]
depth = 2
max_generations = 12
[comparison]
games = 2
[validation]
depths = []
"#;

/// The executor of this process, with a count of the candidates it was given. Each candidate has
/// one unit of fitness games.
struct Counting(Threads<Uttt>, AtomicUsize);

impl Executor for Counting {
    fn play(&self, work: &Work, calls: Calls<'_>) -> Result<(), ExecutorError> {
        let candidates = work.units.iter().filter(|unit| unit.settings.games == 20).count();
        self.1.fetch_add(candidates, Ordering::Relaxed);
        self.0.play(work, calls)
    }
}

/// Runs or resumes a plan and gives the number of candidates that were played.
fn play(plan: &Plan, folder: &Path) -> usize {
    let executor = Counting(Threads::default(), AtomicUsize::new(0));
    let stop = AtomicBool::new(false);
    run(plan, &RunDir::new(folder, &built_in()), &executor, &Silent, &stop).unwrap();
    executor.1.into_inner()
}

fn rows(folder: &Path) -> Vec<csv::StringRecord> {
    let path = folder.join("stage-1-depth-2/evaluations.csv");
    csv::Reader::from_path(path).unwrap().records().map(Result::unwrap).collect()
}

fn assert_same(a: &Path, b: &Path) {
    assert_eq!(std::fs::read_to_string(a).unwrap(), std::fs::read_to_string(b).unwrap());
}

/// The generations of a run, but for their times.
fn generations(plan: &Plan, folder: &Path) -> Vec<GenerationRow> {
    let rows = RunDir::new(folder, &built_in()).generations(0, &plan.stages[0]).unwrap();
    assert_eq!(rows.len(), 12);
    rows.into_iter()
        .map(|row| GenerationRow { seconds: 0.0, games_per_second: 0.0, ..row })
        .collect()
}

#[test]
fn what_is_looked_up_is_what_would_have_been_played() {
    let root = tempfile::tempdir().unwrap();
    let overrides = Overrides::default();
    let plan = config::parse(CONFIG, Path::new("c.toml"), overrides, &built_in()).unwrap();
    let whole = root.path().join("whole");
    RunDir::new(&whole, &built_in()).create(CONFIG, &plan).unwrap();
    let played = play(&plan, &whole);
    let rows = rows(&whole);
    assert_eq!(rows.len(), 12 * 6);
    assert!((1..=rows.len() / 2).contains(&played), "{played} candidates played");

    // Each row again, from games of its own.
    let vector = |row: &csv::StringRecord| {
        let point: Vec<f64> = row.iter().skip(7).map(|field| field.parse().unwrap()).collect();
        plan.vector_at("candidate", &point).unwrap()
    };
    let candidates: Vec<_> = rows.iter().map(vector).collect();
    let seed = of_run(plan.seed, Purpose::Fitness, 0, 0);
    let batch = Batch::new(&plan, &plan.stages[0], seed, candidates.iter().collect());
    let mut sink = |index: usize, measured: Measured| {
        let logged: Vec<u64> = (3..7).map(|column| rows[index][column].parse().unwrap()).collect();
        let Measured { tally, distinct_games, .. } = measured;
        assert_eq!(logged, [tally.wins, tally.draws, tally.losses, distinct_games]);
        Ok(())
    };
    let never = AtomicBool::new(false);
    measure_batch(&Threads::<Uttt>::default(), &batch, &mut sink, &|| (), &never).unwrap();

    // Stopped in the third generation: the log ends within a row, and everything written after it
    // is missing.
    let resumed = root.path().join("resumed");
    RunDir::new(&resumed, &built_in()).create(CONFIG, &plan).unwrap();
    let stage = "stage-1-depth-2";
    std::fs::create_dir(resumed.join(stage)).unwrap();
    for (file, lines) in [("evaluations.csv", 16), ("generations.csv", 3)] {
        let text = std::fs::read_to_string(whole.join(stage).join(file)).unwrap();
        let kept: String = text.split_inclusive('\n').take(lines).collect();
        std::fs::write(resumed.join(stage).join(file), kept + "3,").unwrap();
    }
    let played_after = play(&plan, &resumed);
    assert!(played_after < played, "the log is known: {played_after} of {played} played");
    for file in ["evaluations.csv", "best.toml", "mean.toml"] {
        assert_same(&whole.join(stage).join(file), &resumed.join(stage).join(file));
    }
    for file in ["best.toml", "mean.toml", "comparison.json", "validation.json", "manifest.json"] {
        assert_same(&whole.join(file), &resumed.join(file));
    }
    assert_eq!(generations(&plan, &whole), generations(&plan, &resumed));
}
