//! Cost of one generation of the optimiser beside its games: it replays all generations before, so that
//! it grows with their number. Population 20, 14 weights: the comprehensive evaluation's run.

use divan::Bencher;
use rand::RngExt;
use tictune::cma::{CmaEs, CmaEsSettings, Optimiser};
use tictune::seed::{Generator, Role, generator};

fn main() {
    divan::main();
}

const POPULATION: usize = 20;
const WEIGHTS: usize = 14;

/// Noisy whole numbers, as a fitness is: without the noise the distribution would shrink to a point.
fn costs(optimiser: &CmaEs, generator: &mut Generator) -> Vec<f64> {
    let cost = |point: &Vec<f64>| {
        let distance: f64 = point.iter().map(|x| x * x).sum();
        (100.0 * distance).min(280.0).round() + f64::from(generator.random_range(0..20_u32))
    };
    optimiser.population().iter().map(cost).collect()
}

/// An optimiser that was told the costs of so many generations, and those of the next.
fn after(generations: usize) -> (CmaEs, Vec<f64>) {
    let mut generator = generator(0, Role::AgentA);
    let initial = vec![0.5; WEIGHTS];
    let settings = CmaEsSettings { initial, sigma: 0.3, population: POPULATION, seed: 1 };
    let mut optimiser = CmaEs::new(settings).expect("settings in range");
    for _ in 0..generations {
        let costs = costs(&optimiser, &mut generator);
        optimiser.tell(&costs).expect("as many costs as points");
    }
    let costs = costs(&optimiser, &mut generator);
    (optimiser, costs)
}

#[divan::bench(args = [1, 100, 500], max_time = 2)]
fn tell_at_generation(bencher: Bencher<'_, '_>, generation: usize) {
    let (optimiser, costs) = after(generation - 1);
    bencher.with_inputs(|| optimiser.clone()).bench_local_values(|mut optimiser| {
        optimiser.tell(&costs).expect("as many costs as points");
        optimiser
    });
}

/// A whole stage of ask and tell.
#[divan::bench(args = [100, 500], max_time = 4, sample_size = 1, sample_count = 5)]
fn generations(bencher: Bencher<'_, '_>, generations: usize) {
    bencher.bench_local(|| after(generations));
}
