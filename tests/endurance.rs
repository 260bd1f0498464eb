//! Five hundred generations: the memory and time of a generation do not grow with the number before it.
//!
//! This test's allocator counts the bytes of the whole process, so this file contains only one test.

use std::alloc::System;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, Stats, StatsAlloc};
use tictune::arena::Threads;
use tictune::built_in;
use tictune::config::{self, Overrides};
use tictune::evolve::{GenerationRow, Observer, RunDir, run};
use tictune::games::uttt::Uttt;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const CONFIG: &str = include_str!("configs/endurance.toml");

/// What was allocated by the end of each generation.
struct Counting(Region<'static, System>, Mutex<Vec<Stats>>);

impl Observer for Counting {
    fn generation_finished(&self, _: &GenerationRow, _: bool) {
        self.1.lock().unwrap().push(self.0.change());
    }
}

#[test]
fn the_last_of_five_hundred_generations_takes_no_more_than_the_two_hundredth() {
    let folder = tempfile::tempdir().unwrap();
    let plan =
        config::parse(CONFIG, Path::new("c.toml"), Overrides::default(), &built_in()).unwrap();
    let dir = RunDir::new(folder.path().join("run"), &built_in());
    dir.create(CONFIG, &plan).unwrap();
    let stats = Mutex::new(Vec::with_capacity(500));
    let observer = Counting(Region::new(ALLOCATOR), stats);
    let never = AtomicBool::new(false);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let executor = Threads::<Uttt>::default().in_pool(Some(Arc::new(pool)));
    run(&plan, &dir, &executor, &observer, &never).unwrap();
    let stats = observer.1.into_inner().unwrap();
    assert_eq!(stats.len(), 500);
    // Bytes held at the end of a generation.
    let held: Vec<i64> = (stats.iter())
        .map(|stats| stats.bytes_allocated as i64 - stats.bytes_deallocated as i64)
        .collect();
    // The smallest of several values, since a thread may be about to free something.
    let least = |range: std::ops::Range<usize>| held[range].iter().copied().min().unwrap();
    let (early, late) = (least(160..200), least(460..500));
    // The optimiser keeps two numbers for each generation, up to a limit.
    assert!(late - early < 16 * 1024, "{early} bytes are held at first, {late} in the end");
    // Bytes allocated and freed within generations.
    let taken = |from: usize, to: usize| stats[to].bytes_allocated - stats[from].bytes_allocated;
    let (early, late) = (taken(160, 199) as f64, taken(460, 499) as f64);
    assert!(late < 1.2 * early, "{early} bytes are taken in 39 generations, {late} in the last 39");
}
