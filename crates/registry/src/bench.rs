//! What `tictune bench` measures, compiled here with the searches.

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use tictune_core::agent::Agents;
use tictune_core::arena::{Contest, MatchSettings, Openings, Schedule, play_match};
use tictune_core::game::{Blank, Position, perft};
use tictune_core::search::mcts::{MctsParameters, random_playout};
use tictune_core::search::{Budget, Mcts};
use tictune_core::seed::{Role, generator};
use tictune_games::uttt::{Rules, Uttt};

const PERFT_DEPTH: u32 = 6;
const PLAYOUTS: u64 = 1_000_000;
const ITERATIONS: u64 = 100_000;

/// Leaves of perft, random playouts, and iterations of UCT per second.
pub fn other_speeds() -> [f64; 3] {
    fn a_second(count: impl FnOnce() -> u64) -> f64 {
        let clock = Instant::now();
        let counted = count();
        counted as f64 / clock.elapsed().as_secs_f64()
    }
    let start = Uttt::start(Rules::default());
    let [mut of_playouts, mut of_search] = [0, 1].map(|seed| generator(seed, Role::AgentA));
    let mut search = Mcts::new(MctsParameters::default(), Arc::new(Blank));
    [
        a_second(|| perft(&start, PERFT_DEPTH)),
        a_second(|| {
            (0..PLAYOUTS).for_each(|_| _ = black_box(random_playout(&start, &mut of_playouts)));
            PLAYOUTS
        }),
        a_second(|| search.search(&start, Budget::of(ITERATIONS), &mut of_search).iterations),
    ]
}

pub struct BenchRun {
    pub nodes: u64,
    pub moves: u64,
    pub seconds: f64,
}

/// A match of two minimax agents of UTTT.
pub fn play(depth: u32, openings: &str, games: u64) -> anyhow::Result<BenchRun> {
    let agents = Agents::<Uttt>::default();
    let prepare = |weights| agents.ready(&format!("minimax:depth={depth},weights={weights}"));
    let (a, b) = (prepare("liang-comprehensive")?, prepare("liang-optimized")?);
    let rules = Rules::default();
    let openings = Openings::parse::<Uttt>(openings, rules, Path::new(""))?;
    let contest = Contest { a: &a, b: &b, rules, openings: &openings };
    let schedule = Schedule::HalfAndHalf;
    let settings = MatchSettings { games, seed: 0, schedule, replay_ties: false };
    let result = play_match(&contest, &settings, &|| true)?;
    let sides = result.summary.sides[0].plus(&result.summary.sides[1]);
    Ok(BenchRun { nodes: sides.nodes, moves: sides.moves, seconds: result.elapsed.as_secs_f64() })
}
