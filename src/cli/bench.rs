//! `tictune bench`

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use serde::Serialize;

use super::{print, print_json};
use crate::agent::AgentSpec;
use crate::arena::{Contest, MatchSettings, Openings, Schedule, play_match};
use crate::game::{Blank, Outcome, Player, Position, perft};
use crate::games::uttt::{Rules, Uttt};
use crate::report::table;
use crate::search::mcts::{Settings, random_playout};
use crate::search::{Budget, Mcts};
use crate::seed::{Role, generator};

#[derive(Debug, Args)]
pub(super) struct BenchArgs {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Fixed matches on one thread: depth, openings, games.
const SUITES: [(u32, &str, u64); 6] = [
    (3, "centre", 400),
    (3, "random:4", 400),
    (5, "centre", 100),
    (5, "random:4", 100),
    (7, "centre", 20),
    (7, "random:4", 20),
];

const PERFT_DEPTH: u32 = 6;
const PLAYOUTS: u64 = 1_000_000;
const ITERATIONS: u64 = 100_000;

#[derive(Debug, Serialize)]
struct Suite {
    depth: u32,
    openings: &'static str,
    games: u64,
    nodes: u64,
    nodes_per_move: f64,
    seconds: f64,
    nodes_per_second: f64,
    games_per_second: f64,
}

#[derive(Debug, Serialize)]
struct Bench {
    tictune: &'static str,
    suites: Vec<Suite>,
    /// Nodes of all suites: a checksum of search, evaluation and seeds.
    node_total: u64,
    perft_leaves_per_second: f64,
    playouts_per_second: f64,
    /// UCT with random playouts from the start position, 100,000 iterations.
    iterations_per_second: f64,
}

pub(super) fn run(args: &BenchArgs) -> anyhow::Result<()> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let bench = pool.install(measure)?;
    if args.json {
        return print_json(&bench);
    }
    let rows = bench.suites.iter().map(|suite| {
        vec![
            suite.depth.to_string(),
            suite.openings.to_string(),
            suite.games.to_string(),
            suite.nodes.to_string(),
            format!("{:.0}", suite.nodes_per_move),
            format!("{:.2}", suite.nodes_per_second / 1e6),
            format!("{:.1}", suite.games_per_second),
        ]
    });
    let heads = ["depth", "openings", "games", "nodes", "nodes/move", "Mnodes/s", "games/s"];
    let mut text = table(&heads, rows);
    text += &format!(
        "node total {}\nperft {:.1} M leaves/s\nrandom playouts {:.0}/s\nUCT {:.0} iterations/s\n(one thread)\n",
        bench.node_total,
        bench.perft_leaves_per_second / 1e6,
        bench.playouts_per_second,
        bench.iterations_per_second
    );
    print(&text)
}

fn measure() -> anyhow::Result<Bench> {
    let suites = SUITES.iter().map(|suite| measure_suite(*suite)).collect::<Result<Vec<_>, _>>()?;
    let node_total = suites.iter().map(|suite| suite.nodes).sum();
    let start = Uttt::start(Rules::default());
    let clock = Instant::now();
    let leaves = perft(&start, PERFT_DEPTH);
    let perft_leaves_per_second = leaves as f64 / clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    let mut generator = generator(0, Role::AgentA);
    let mut wins = 0;
    for _ in 0..PLAYOUTS {
        wins += u64::from(random_playout(&start, &mut generator) == Outcome::Win(Player::First));
    }
    let playouts_per_second = PLAYOUTS as f64 / clock.elapsed().as_secs_f64();
    anyhow::ensure!(wins > 0, "random playouts that nobody wins");
    let mut search = Mcts::new(Settings::default(), Arc::new(Blank));
    let clock = Instant::now();
    let found = search.search(&start, Budget::of(ITERATIONS), &mut generator);
    let iterations_per_second = found.iterations as f64 / clock.elapsed().as_secs_f64();
    let tictune = env!("CARGO_PKG_VERSION");
    Ok(Bench {
        tictune,
        suites,
        node_total,
        perft_leaves_per_second,
        playouts_per_second,
        iterations_per_second,
    })
}

fn measure_suite((depth, openings, games): (u32, &'static str, u64)) -> anyhow::Result<Suite> {
    let prepare = |weights: &str| {
        let text = format!("minimax:depth={depth},weights={weights}");
        AgentSpec::parse::<Uttt>(&text, Path::new(""))?.prepare::<Uttt>()
    };
    let (a, b) = (prepare("liang-comprehensive")?, prepare("liang-optimized")?);
    let rules = Rules::default();
    let openings_read = Openings::parse::<Uttt>(openings, rules, Path::new(""))?;
    let contest = Contest { a: &a, b: &b, rules, openings: &openings_read };
    let schedule = Schedule::HalfAndHalf;
    let settings = MatchSettings { games, seed: 0, schedule, replay_ties: false };
    let result = play_match(&contest, &settings, &|| true)?
        .ok_or_else(|| anyhow::anyhow!("the match was stopped"))?;
    let sides = result.summary.sides[0].plus(&result.summary.sides[1]);
    let seconds = result.elapsed.as_secs_f64();
    Ok(Suite {
        depth,
        openings,
        games,
        nodes: sides.nodes,
        nodes_per_move: sides.nodes as f64 / sides.moves as f64,
        seconds,
        nodes_per_second: sides.nodes as f64 / seconds,
        games_per_second: games as f64 / seconds,
    })
}
