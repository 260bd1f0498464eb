//! `tictune compare`

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;

use super::executor::ExecutorArgs;
use super::run_folder::{named_after_run, open_run};
use super::{Session, even_games, quoted};
use crate::agent::AgentSpec;
use crate::arena::Openings;
use crate::config::{self, Overrides};
use crate::evolve::plan::ComparisonPlan;
use crate::evolve::{
    Comparison, Plan, RunDir, Starts, Vector, compare, vector_of_agent, with_learned_start,
};
use crate::input::InputError;
use crate::report::comparison_table;
use crate::seed::{Purpose, of_run};

#[derive(Debug, Args)]
pub(super) struct CompareArgs {
    /// The folder of a run; or, for results of another optimiser, the config of the evolution, then the best and the mean
    #[arg(value_name = "RUN|CONFIG")]
    run: PathBuf,
    /// With a config: the best candidate as an agent, KIND[:KEY=VALUE,...] or @FILE
    best: Option<String>,
    /// With a config: the mean in the same form
    mean: Option<String>,
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

pub(super) fn run(args: &CompareArgs, session: &Session) -> anyhow::Result<()> {
    let (evolution, [best, mean]) = match (&args.best, &args.mean) {
        (Some(best), Some(mean)) => read_agents(&args.run, [best, mean], session)?,
        (Some(other), None) => bail!(two_given(&args.run, Path::new(other), session)),
        _ => open_run(&args.run, session).map(|(manifest, vectors)| (manifest.plan, vectors))?,
    };
    let game = session.find(Some(&evolution.game))?;
    let of_start = args.best.is_none() && evolution.pairs.is_some();
    let best = if of_start { start_of(&args.run, &evolution, session)? } else { best };
    let plan = ComparisonPlan { games: args.games, ..evolution.comparison.clone() };
    let rules = &evolution.rules;
    // A run itself compared in "stage" 0.
    let seed = of_run(evolution.seed, Purpose::Comparison, 1, args.seed);
    let starts = Starts::AfterRun(&evolution, args.seed);
    let comparison = args.players.play_matches(session, game, rules, |context| {
        compare(context, &plan, (seed, starts), [&best, &mean], of_start)
    })??;
    session.print_result(args.json, &comparison, |width| comparison_table(width, &comparison))?;
    if matches!(plan.openings, Openings::Random { .. } | Openings::File(_)) {
        session.inform("these openings are drawn for this command; another --seed draws others");
    }
    let dir = RunDir::new(&args.run, session.known());
    if let Ok(Some(Comparison { verdict, result, .. })) = dir.read_json("comparison.json") {
        session.inform(&format!("in the games of the run: {verdict} ({} games)", result.games));
    }
    if comparison.no_result { bail!("{}", comparison.verdict) } else { Ok(()) }
}

/// The start of a run, learned or not.
fn start_of(run: &Path, plan: &Plan, session: &Session) -> anyhow::Result<Vector> {
    let plan = with_learned_start(plan, &RunDir::new(run, session.known()))?;
    Ok(plan.vector_at("start", &plan.start_point())?)
}

/// What to do instead where two runs are given, or the best without the mean.
fn two_given(run: &Path, other: &Path, session: &Session) -> InputError {
    let program = session.program();
    if !other.is_dir() {
        return InputError::new(format!(
            "with a config, compare needs the best and the mean: {program} compare CONFIG BEST MEAN"
        ));
    }
    let winner = named_after_run(other, session);
    let (run, other) = (quoted(run), quoted(other));
    let against = format!("validate {run} --opponents {other}");
    let against = winner.map_or(String::new(), |_| {
        format!("; their winners against each other: {program} {against}")
    });
    InputError::new(format!(
        "compare plays the best (or start) of one run against its mean. Two runs side by side: {program} report {run} {other}{against}"
    ))
}

/// The plan of a config, and what agents have of what it evolves.
fn read_agents(
    config: &Path,
    [best, mean]: [&String; 2],
    session: &Session,
) -> anyhow::Result<(Plan, [Vector; 2])> {
    if config.is_dir() {
        let message = "is a folder: the best and the mean of a run are found there; leave BEST and MEAN out, or give a config";
        bail!(InputError::in_file(config, message));
    }
    let plan = config::load(config, Overrides::default(), session.known())?;
    let scope = session.scope(session.find(Some(&plan.game))?.info());
    let vector = |name: &str, text: &str| {
        let agent = AgentSpec::parse_in(text, scope)?;
        vector_of_agent(&plan, name, &agent)
            .map_err(|error| error.context(&format!("{name}: agent \"{agent}\"")))
    };
    let vectors = [vector("best", best)?, vector("mean", mean)?];
    Ok((plan, vectors))
}
