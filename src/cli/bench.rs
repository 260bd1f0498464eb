//! `tictune bench`

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use serde::Serialize;

use super::{Session, print_json};
use crate::agent::Agents;
use crate::arena::{Contest, MatchSettings, Openings, Schedule, play_match};
use crate::game::{Blank, Outcome, Player, Position, perft};
use crate::games::uttt::{Rules, Uttt};
use crate::report::{Width, table};
use crate::search::mcts::{Settings, random_playout};
use crate::search::{Budget, Mcts};
use crate::seed::{Role, generator};
use crate::stats::quantile;

#[derive(Debug, Args)]
pub(super) struct BenchArgs {
    /// How often everything is measured; the figures are medians
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
    suites: Vec<Suite>,
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
    if args.json {
        return print_json(&bench);
    }
    session.print_report(&in_words(session.width(), &bench))
}

fn in_words(width: Width, bench: &Bench) -> String {
    let columns = if bench.repeats > 1 { 8 } else { 7 };
    let rows = bench.suites.iter().map(|suite| {
        let mut row = vec![
            suite.depth.to_string(),
            suite.openings.to_string(),
            suite.games.to_string(),
            suite.nodes.to_string(),
            format!("{:.0}", suite.nodes_per_move),
            format!("{:.2}", suite.nodes_per_second / 1e6),
            format!("{:.1}", suite.games_per_second),
            format!("{:.1} to {:.1}", suite.games_per_second_low, suite.games_per_second_high),
        ];
        row.truncate(columns);
        row
    });
    let heads =
        ["depth", "openings", "games", "nodes", "nodes/move", "Mnodes/s", "games/s", "spread"];
    let how = match bench.repeats {
        1 => "measured once".into(),
        repeats => {
            let spread = 100.0 * bench.spread;
            format!("medians of {repeats} that differ by {spread:.0} % at most")
        }
    };
    format!(
        "{}node total {}\nperft {:.1} M leaves/s\nrandom playouts {:.0}/s\nUCT {:.0} iterations/s\n\
         (one thread; {how})\n",
        table(width, &heads[..columns], rows),
        bench.node_total,
        bench.perft_leaves_per_second / 1e6,
        bench.playouts_per_second,
        bench.iterations_per_second,
    )
}

/// Measures everything in rounds, so that what slows the machine for a while slows all figures of a round alike.
fn measure(repeats: u16) -> anyhow::Result<Bench> {
    let mut played: Vec<Vec<Played>> = SUITES.iter().map(|_| Vec::new()).collect();
    let mut others: [Vec<f64>; 3] = Default::default();
    for _ in 0..repeats {
        for (suite, played) in SUITES.iter().zip(&mut played) {
            played.push(play(*suite)?);
        }
        let speeds = [perft_leaves_per_second(), playouts_per_second()?, iterations_per_second()];
        for (all, speed) in others.iter_mut().zip(speeds) {
            all.push(speed);
        }
    }
    let spread = |speeds: &[f64]| {
        let middle = median(speeds);
        speeds.iter().map(|speed| (speed / middle - 1.0).abs()).fold(0.0, f64::max)
    };
    let of_suites = played.iter().map(|played| {
        spread(&played.iter().map(|played| 1.0 / played.seconds).collect::<Vec<_>>())
    });
    let spread = of_suites.chain(others.iter().map(|all| spread(all))).fold(0.0, f64::max);
    let suites: Vec<Suite> =
        SUITES.iter().zip(&played).map(|(suite, played)| in_figures(*suite, played)).collect();
    let [leaves, playouts, iterations] = others.each_ref().map(|all| median(all));
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

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    quantile(&sorted, 0.5)
}

fn perft_leaves_per_second() -> f64 {
    let clock = Instant::now();
    let leaves = perft(&Uttt::start(Rules::default()), PERFT_DEPTH);
    leaves as f64 / clock.elapsed().as_secs_f64()
}

fn playouts_per_second() -> anyhow::Result<f64> {
    let start = Uttt::start(Rules::default());
    let clock = Instant::now();
    let mut generator = generator(0, Role::AgentA);
    let mut wins = 0;
    for _ in 0..PLAYOUTS {
        wins += u64::from(random_playout(&start, &mut generator) == Outcome::Win(Player::First));
    }
    let speed = PLAYOUTS as f64 / clock.elapsed().as_secs_f64();
    anyhow::ensure!(wins > 0, "random playouts that nobody wins");
    Ok(speed)
}

fn iterations_per_second() -> f64 {
    let mut generator = generator(1, Role::AgentA);
    let mut search = Mcts::new(Settings::default(), Arc::new(Blank));
    let clock = Instant::now();
    let start = Uttt::start(Rules::default());
    let found = search.search(&start, Budget::of(ITERATIONS), &mut generator);
    found.iterations as f64 / clock.elapsed().as_secs_f64()
}

struct Played {
    nodes: u64,
    moves: u64,
    seconds: f64,
}

fn play((depth, openings, games): (u32, &'static str, u64)) -> anyhow::Result<Played> {
    let prepare = |weights: &str| {
        let text = format!("minimax:depth={depth},weights={weights}");
        Agents::<Uttt>::default().ready(&text)
    };
    let (a, b) = (prepare("liang-comprehensive")?, prepare("liang-optimized")?);
    let rules = Rules::default();
    let openings = Openings::parse::<Uttt>(openings, rules, Path::new(""))?;
    let contest = Contest { a: &a, b: &b, rules, openings: &openings };
    let schedule = Schedule::HalfAndHalf;
    let settings = MatchSettings { games, seed: 0, schedule, replay_ties: false };
    let result = play_match(&contest, &settings, &|| true)?;
    let sides = result.summary.sides[0].plus(&result.summary.sides[1]);
    let seconds = result.elapsed.as_secs_f64();
    Ok(Played { nodes: sides.nodes, moves: sides.moves, seconds })
}

fn in_figures((depth, openings, games): (u32, &'static str, u64), played: &[Played]) -> Suite {
    let seconds: Vec<f64> = played.iter().map(|played| played.seconds).collect();
    // Every time the same games are played.
    let (nodes, moves) = played.first().map_or((0, 0), |played| (played.nodes, played.moves));
    let games_per_second = |seconds: f64| games as f64 / seconds;
    let (longest, shortest) =
        seconds.iter().fold((0.0_f64, f64::INFINITY), |(high, low), &s| (high.max(s), low.min(s)));
    let seconds = median(&seconds);
    Suite {
        depth,
        openings,
        games,
        nodes,
        nodes_per_move: nodes as f64 / moves as f64,
        seconds,
        nodes_per_second: nodes as f64 / seconds,
        games_per_second: games_per_second(seconds),
        games_per_second_low: games_per_second(longest),
        games_per_second_high: games_per_second(shortest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_medians_with_their_spread() {
        let played = [4.0, 1.0, 2.0].map(|seconds| Played { nodes: 800, moves: 40, seconds });
        let suite = in_figures((3, "centre", 100), &played);
        assert_eq!((suite.nodes, suite.nodes_per_move, suite.seconds), (800, 20.0, 2.0));
        assert_eq!((suite.games_per_second, suite.nodes_per_second), (50.0, 400.0));
        assert_eq!((suite.games_per_second_low, suite.games_per_second_high), (25.0, 100.0));
    }
}
