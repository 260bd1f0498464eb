//! Time of one optimiser generation without its games. It does not grow with the number of
//! generations before. The population is 20 with 14 weights, as for the comprehensive evaluation.

use divan::Bencher;
use rand::RngExt;
use tictune::optimiser::{CmaEs, CmaEsSettings, Optimiser};
use tictune::seed::{Generator, Role, generator};

fn main() {
    divan::main();
}

const POPULATION: usize = 20;
const WEIGHTS: usize = 14;

/// Noisy integer costs, like those of a fitness. Without noise the distribution would shrink to a
/// point.
fn costs(optimiser: &mut CmaEs, generator: &mut Generator) -> Vec<f64> {
    let cost = |point: &Vec<f64>| {
        let distance: f64 = point.iter().map(|x| x * x).sum();
        (100.0 * distance).min(280.0).round() + f64::from(generator.random_range(0..20_u32))
    };
    optimiser.ask().iter().map(cost).collect()
}

/// An optimiser at its first generation.
fn optimiser() -> CmaEs {
    let initial = vec![0.5; WEIGHTS];
    let settings = CmaEsSettings { initial, sigma: 0.3, population: POPULATION, seed: 1 };
    CmaEs::new(settings).expect("settings in range")
}

/// Runs an optimiser for `generations` generations.
fn go_on(optimiser: &mut CmaEs, generations: usize, generator: &mut Generator) {
    for _ in 0..generations {
        let costs = costs(optimiser, generator);
        optimiser.tell(&costs).expect("as many costs as points");
    }
}

/// One generation of ask and tell after `generation` others.
#[divan::bench(args = [1, 100, 500], max_time = 2)]
fn tell_at_generation(bencher: Bencher<'_, '_>, generation: usize) {
    let start = || {
        let (mut optimiser, mut generator) = (optimiser(), generator(0, Role::AgentA));
        go_on(&mut optimiser, generation - 1, &mut generator);
        (optimiser, generator)
    };
    bencher.with_inputs(start).bench_local_values(|(mut optimiser, mut generator)| {
        go_on(&mut optimiser, 1, &mut generator);
        optimiser
    });
}

/// A whole stage of ask and tell.
#[divan::bench(args = [100, 500], max_time = 4, sample_size = 1, sample_count = 5)]
fn generations(bencher: Bencher<'_, '_>, generations: usize) {
    bencher.bench_local(|| {
        let mut optimiser = optimiser();
        go_on(&mut optimiser, generations, &mut generator(0, Role::AgentA));
        optimiser
    });
}
