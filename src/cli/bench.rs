//! `tictune bench`

use clap::Args;
use serde::Serialize;
use tictune_registry::bench::{BenchRun, other_speeds, play};

use super::Session;
use crate::report::written;
use crate::stats::quantile;

#[derive(Debug, Args)]
pub(super) struct BenchArgs {
    /// How many times to measure everything; the results are medians
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    repeat: u16,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const SUITES: [(u32, &str, u64); 6] = [
    (3, "centre", 400),
    (3, "random:4", 400),
    (5, "centre", 100),
    (5, "random:4", 100),
    (7, "centre", 20),
    (7, "random:4", 20),
];

#[derive(Debug, Serialize)]
struct Suite {
    depth: u32,
    openings: &'static str,
    games: u64,
    nodes: u64,
    nodes_per_move: f64,
    /// The median time, and the speeds of it.
    seconds: f64,
    nodes_per_second: f64,
    games_per_second: f64,
    /// The slowest and the fastest time of playing it.
    games_per_second_low: f64,
    games_per_second_high: f64,
}

#[derive(Debug, Serialize)]
struct Bench {
    tictune: &'static str,
    repeats: u16,
    suites: [Suite; SUITES.len()],
    /// Nodes of all suites: a checksum of search, evaluation and seeds.
    node_total: u64,
    perft_leaves_per_second: f64,
    playouts_per_second: f64,
    /// UCT with random playouts from the start position, 100,000 iterations.
    iterations_per_second: f64,
    /// The greatest difference of a figure from its median, as a share of it.
    spread: f64,
}

pub(super) fn run(args: &BenchArgs, session: &Session) -> anyhow::Result<()> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let bench = pool.install(|| measure(args.repeat))?;
    let text = include_str!("bench.txt.jinja");
    session.print_result(args.json, &bench, |width| written(width, text, &bench))
}

/// Measures everything in rounds, so that what slows the machine for a while slows all figures of a round alike.
fn measure(repeats: u16) -> anyhow::Result<Bench> {
    let mut played = SUITES.map(|suite| (suite, Vec::new()));
    let mut others: [Vec<f64>; 3] = Default::default();
    for _ in 0..repeats {
        for ((depth, openings, games), played) in &mut played {
            played.push(play(*depth, openings, *games)?);
        }
        others.iter_mut().zip(other_speeds()).for_each(|(all, speed)| all.push(speed));
    }
    let suites = played.map(|(suite, played)| in_figures(suite, &played));
    let others = others.map(low_middle_high);
    let of_suites = suites
        .iter()
        .map(|one| [one.games_per_second_low, one.games_per_second, one.games_per_second_high]);
    let apart = |[low, middle, high]: [f64; 3]| (high / middle - 1.0).max(1.0 - low / middle);
    let spread = of_suites.chain(others).map(apart).fold(0.0, f64::max);
    let [leaves, playouts, iterations] = others.map(|[_, middle, _]| middle);
    Ok(Bench {
        tictune: env!("CARGO_PKG_VERSION"),
        repeats,
        node_total: suites.iter().map(|suite| suite.nodes).sum(),
        suites,
        perft_leaves_per_second: leaves,
        playouts_per_second: playouts,
        iterations_per_second: iterations,
        spread,
    })
}

fn low_middle_high(mut figures: Vec<f64>) -> [f64; 3] {
    figures.sort_by(f64::total_cmp);
    [0.0, 0.5, 1.0].map(|share| quantile(&figures, share))
}

fn in_figures((depth, openings, games): (u32, &'static str, u64), played: &[BenchRun]) -> Suite {
    let speeds = played.iter().map(|played| games as f64 / played.seconds).collect();
    let [low, games_per_second, high] = low_middle_high(speeds);
    let seconds = games as f64 / games_per_second;
    // Every time the same games are played.
    let BenchRun { nodes, moves, .. } = played[0];
    Suite {
        depth,
        openings,
        games,
        nodes,
        nodes_per_move: nodes as f64 / moves as f64,
        seconds,
        nodes_per_second: nodes as f64 / seconds,
        games_per_second,
        games_per_second_low: low,
        games_per_second_high: high,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_medians_with_their_spread() {
        let played = [4.0, 1.0, 2.0].map(|seconds| BenchRun { nodes: 800, moves: 40, seconds });
        let suite = in_figures((3, "centre", 100), &played);
        assert_eq!((suite.nodes, suite.nodes_per_move, suite.seconds), (800, 20.0, 2.0));
        assert_eq!((suite.games_per_second, suite.nodes_per_second), (50.0, 400.0));
        assert_eq!((suite.games_per_second_low, suite.games_per_second_high), (25.0, 100.0));
    }
}
