//! Speed of what takes most of an evolution's time: games between two minimax agents on one thread.
//! The time includes building the candidate's evaluator.

use std::path::Path;

use divan::Bencher;
use divan::counter::ItemsCount;
use tictune::Agents;
use tictune::agent::AgentSpec;
use tictune::arena::{Contest, MatchSettings, Openings, Schedule, play_match};
use tictune::games::uttt::{Rules, Uttt};

fn main() {
    divan::main();
}

const GAMES: u64 = 20;

fn spec(text: &str) -> AgentSpec {
    Agents::<Uttt>::default().parse(text, Path::new("")).expect("an agent that reads")
}

/// The games of one candidate in a generation, as few as the benchmark needs.
fn fitness_match(bencher: Bencher<'_, '_>, depth: u32, openings: &str) {
    let candidate = spec(&format!("minimax:depth={depth},weights=liang-comprehensive"));
    let opponent = spec(&format!("minimax:depth={depth},weights=liang-optimized"));
    let opponent = Agents::<Uttt>::default().prepare(&opponent).expect("a complete agent");
    let rules = Rules::default();
    let openings = Openings::parse::<Uttt>(openings, rules, Path::new("")).expect("known openings");
    let schedule = Schedule::HalfAndHalf;
    let settings = MatchSettings { games: GAMES, seed: 0, schedule, replay_ties: false };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread");
    bencher.counter(ItemsCount::new(GAMES)).bench_local(|| {
        let candidate = Agents::<Uttt>::default().prepare(&candidate).expect("a complete agent");
        let contest = Contest { a: &candidate, b: &opponent, rules, openings: &openings };
        let result = pool.install(|| play_match(&contest, &settings, &|| true));
        result.expect("a match that can be played")
    });
}

#[divan::bench(args = [3, 5], max_time = 4)]
fn twenty_games_from_the_centre(bencher: Bencher<'_, '_>, depth: u32) {
    fitness_match(bencher, depth, "centre");
}

#[divan::bench(args = [3, 5], max_time = 4)]
fn twenty_games_from_random_openings(bencher: Bencher<'_, '_>, depth: u32) {
    fitness_match(bencher, depth, "random:4");
}
