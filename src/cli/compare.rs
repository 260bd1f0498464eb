//! `tictune compare`

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;

use super::executor::ExecutorArgs;
use super::progress::RunProgress;
use super::{even_games, note_forfeits, print, print_json, program, stop_flag};
use crate::arena::CountForfeits;
use crate::evolve::plan::ComparisonPlan;
use crate::evolve::{Manifest, MatchContext, RunDir, Vector, agent_file, compare, read_vector};
use crate::input::InputError;
use crate::registry::Registry;
use crate::report::comparison_table;
use crate::seed::{Purpose, of_run};

#[derive(Debug, Args)]
pub(super) struct CompareArgs {
    /// The folder of a run
    run: PathBuf,
    /// The number of games, even
    #[arg(long, default_value_t = 1000, value_name = "N", value_parser = even_games)]
    games: u64,
    /// The seed of the games; no seed repeats the games of the run
    #[arg(long, default_value_t = 0, value_name = "S")]
    seed: u64,
    #[command(flatten)]
    players: ExecutorArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &CompareArgs, registry: &Registry) -> anyhow::Result<()> {
    let (manifest, [best, mean]) = open_run(&args.run, registry)?;
    let game = registry.find(Some(&manifest.plan.game))?;
    let plan = ComparisonPlan { games: args.games, ..manifest.plan.comparison.clone() };
    let rules = &manifest.plan.rules;
    // The run itself compared in "stage" 0.
    let seed = of_run(manifest.plan.seed, Purpose::Comparison, 1, args.seed);
    let stop = stop_flag()?;
    let progress = RunProgress::new(0);
    let (players, game) = (args.players.open(game)?, game.info().name);
    let executor = CountForfeits::new(&*players);
    let context = MatchContext { executor: &executor, game, rules, observer: &progress, stop };
    let compare = || compare(&context, &plan, seed, [&best, &mean]);
    let comparison = args.players.install(compare);
    progress.finish();
    note_forfeits(&executor);
    let comparison = comparison??;
    if args.json {
        print_json(&comparison)?
    } else {
        print(&comparison_table(&comparison))?
    }
    if comparison.no_result { bail!("{}", comparison.verdict) } else { Ok(()) }
}

/// The manifest and the two vectors of a finished run.
pub(super) fn open_run(
    path: &Path,
    registry: &Registry,
) -> anyhow::Result<(Manifest, [Vector; 2])> {
    let dir = RunDir::new(path, registry.known());
    let Some(manifest) = dir.manifest()? else {
        let message = "holds no run: there is no manifest.json";
        return Err(InputError::in_file(path, message).into());
    };
    if !dir.file("mean.toml").exists() && !dir.file(&agent_file("mean")).exists() {
        let message = format!(
            "this run is not finished; continue it with {} evolve CONFIG --resume",
            program()
        );
        return Err(InputError::in_file(path, message).into());
    }
    let read = |name| read_vector(&manifest.plan, &dir, name);
    let vectors = [read("best")?, read("mean")?];
    Ok((manifest, vectors))
}
