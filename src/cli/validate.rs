//! `tictune validate`

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;
use serde_json::{Value, json};

use super::executor::ExecutorArgs;
use super::run_folder::{named_after_run, or_run, winner_vector};
use super::{GameArgs, Session, even_games};
use crate::agent::{IterativeSettings, KindInfo, Limit, MctsSettings, Scope};
use crate::arena::Openings;
use crate::evolve::plan::ValidationPlan;
use crate::evolve::{
    Fixture, MatchRow, Plan, RunDir, Starts, Vector, fixtures, fixtures_of_agent, validate,
    with_learned_start,
};
use crate::input::{InputError, Result};
use crate::registry::AnyGame;
use crate::report::validation_table;
use crate::search::minimax::MAX_DEPTH;
use crate::seed::{Purpose, of_run};
use crate::weights::{Weights, find_game, number_namesakes, tell_apart};

#[derive(Debug, Args)]
#[command(
    after_help = "With all defaults this plays thousands of games at depths up to 8, and takes long. For a quick \
                        look: tictune validate WEIGHTS --depths 1,2,3 --iterative none --ept none --games 50"
)]
pub(super) struct ValidateArgs {
    /// A weight file, the name of built-in weights, or the folder of a run (its winner) [default: the strongest
    /// built-in weights of the game]
    weights: Option<String>,
    #[command(flatten)]
    game: GameArgs,
    /// The number of games in each row, even; fewer are quicker
    #[arg(long, default_value_t = 200, value_name = "N", value_parser = even_games)]
    games: u64,
    /// Depths of minimax in plies, or none; the deep ones take longest [default: 1,2,3,4,5,6,7,8]
    #[arg(long, value_delimiter = ',', value_name = "D,...", value_parser = depth)]
    depths: Vec<Option<u32>>,
    /// Limits of iterative deepening, the same for both sides: nodes=N, time=T, or none [default: nodes=50000,time=5ms]
    #[arg(long, value_delimiter = ',', value_name = "LIMIT,...")]
    iterative: Vec<String>,
    /// Limits of Monte Carlo tree search, the same for both sides: playouts that end early in an
    /// evaluation (EPT) against random playouts: iterations=N, time=T, or none [default: iterations=5000,time=5ms]
    #[arg(long, value_delimiter = ',', value_name = "LIMIT,...")]
    ept: Vec<String>,
    /// Weights to play against: names, files or folders of runs, or initial for the start of a run [default: published vectors
    /// of the game]
    #[arg(long, value_delimiter = ',', value_name = "W,...")]
    opponents: Vec<String>,
    /// Where games start [default: centre, where the game has one, and random:4:held-out]
    #[arg(long, value_delimiter = ',', value_name = "SPEC,...")]
    openings: Vec<String>,
    /// The seed of all games
    #[arg(long, default_value_t = 0, value_name = "S")]
    seed: u64,
    #[command(flatten)]
    players: ExecutorArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ValidateArgs, session: &Session) -> anyhow::Result<()> {
    let known = &session.known().games;
    let game = args.game.game.as_deref().map(|name| find_game(known, name)).transpose()?;
    let Some(text) = &args.weights else {
        let game = game.unwrap_or(session.find(None)?.info());
        let message = format!("{} has no built-in weights: name a file", game.name);
        let layout = game.layouts.first();
        let weights = layout.and_then(|layout| Weights::strongest(game, layout.name));
        let weights = weights.ok_or_else(|| InputError::new(message))?;
        return validate_weights(args, session, weights, None);
    };
    let path = PathBuf::from(text);
    if !path.is_dir() {
        let weights = match game {
            Some(game) => session.scope(game).weights(text),
            None => session.weights(text),
        };
        let weights = weights.map_err(|error| or_run(error, &path, session))?;
        return validate_weights(args, session, weights, None);
    }
    let (plan, winner) = winner_vector(&path, session)?;
    let Some(mut weights) = winner.weights.clone() else {
        return validate_numbers(args, session, plan, &winner);
    };
    weights.name.clone_from(&plan.name);
    if let Some(game) = game {
        weights.check_game(text, game)?;
    }
    let plan = with_learned_start(&plan, &RunDir::new(&path, session.known()))?;
    validate_weights(args, session, weights, Some(&plan))
}

/// Plays weights by name, file or folder of a run; of a run, its plan is known as well.
fn validate_weights(
    args: &ValidateArgs,
    session: &Session,
    mut weights: Weights,
    of_run: Option<&Plan>,
) -> anyhow::Result<()> {
    let game = session.find(Some(weights.layout().game))?;
    let scope = session.scope(game.info());
    let rules = match of_run {
        Some(plan) if args.game.rules.is_empty() => plan.rules.clone(),
        _ => args.game.rules_of(game)?,
    };
    let or_default = |given: &[String], default: &[&str]| -> Vec<String> {
        match given {
            [] => default.iter().map(ToString::to_string).collect(),
            given => given.to_vec(),
        }
    };
    let names = or_default(&args.opponents, game.info().pool);
    if names.is_empty() {
        let game = game.info().name;
        let message = format!("{game} has no built-in weights: name some with --opponents W,...");
        bail!(InputError::new(message));
    }
    let start = of_run.and_then(|plan| plan.initial.as_ref());
    let mut opponents = opponents(&names, start, scope, session)?;
    // The winner of a run may meet that of another, which has the same name.
    number_namesakes(std::iter::once(&mut weights).chain(&mut opponents));
    let openings = or_default(&args.openings, &Openings::of_validation(game.info()));
    let openings = openings.iter().map(|text| Openings::parse_in(text, &rules, scope));
    let plan = ValidationPlan {
        agents: Vec::new(),
        games: args.games,
        depths: match &args.depths[..] {
            [] => (1..=8).collect(),
            given => given.iter().copied().flatten().collect(),
        },
        iterative: limits(
            KindInfo::of::<IterativeSettings>(),
            &or_default(&args.iterative, &["nodes=50000", "time=5ms"]),
        )?,
        early_termination: limits(
            KindInfo::of::<MctsSettings>(),
            &or_default(&args.ept, &["iterations=5000", "time=5ms"]),
        )?,
        opponents: tell_apart(opponents),
        openings: openings.collect::<Result<_, _>>()?,
    };
    let fixtures = fixtures(&plan, &weights, args.seed);
    let starts = of_run.map_or(Starts::OfSeed(args.seed), |plan| Starts::AfterRun(plan, args.seed));
    let about = json!({ "weights": weights.name, "evaluation": weights.layout().name });
    play(args, session, (game, &rules), &fixtures, starts, (&weights.name, about))
}

/// The opponents that were named: weights, the winners of other runs, and the start of the run.
fn opponents(
    names: &[String],
    start: Option<&Weights>,
    scope: Scope<'_>,
    session: &Session,
) -> anyhow::Result<Vec<Weights>> {
    let opponent = |name: &String| match (name.as_str(), start) {
        ("initial", Some(start)) => Ok(start.clone()),
        ("initial", None) => {
            let message = "only a run has a start: initial needs the folder of one";
            bail!(InputError::new(message))
        }
        _ if Weights::built_in(scope.game, name).is_none() && Path::new(name).is_dir() => {
            let weights = named_after_run(Path::new(name), session)?;
            weights.check_game(name, scope.game)?;
            Ok(weights)
        }
        _ => Ok(scope.weights(name)?),
    };
    names.iter().map(opponent).collect()
}

/// Plays the rows, and prints them with what they are about. It fails where one has no result.
fn play(
    args: &ValidateArgs,
    session: &Session,
    (game, rules): (&dyn AnyGame, &str),
    fixtures: &[Fixture],
    starts: Starts<'_>,
    (name, mut about): (&str, Value),
) -> anyhow::Result<()> {
    let rows = args.players.play_matches(session, game, rules, |context| {
        validate(context, fixtures, starts, None)
    })??;
    about["seed"] = args.seed.into();
    about["rows"] = serde_json::to_value(&rows)?;
    session.print_result(args.json, &about, |width| validation_table(width, name, &rows))?;
    all_have_results(&rows)
}

pub(super) fn all_have_results(rows: &[MatchRow]) -> anyhow::Result<()> {
    match rows.iter().filter(|row| row.no_result).count() {
        0 => Ok(()),
        count => bail!(
            "no result in {count} of {} rows: more than half of their games were forfeited",
            rows.len()
        ),
    }
}

/// Reads a depth; `none` stands for no match with minimax.
fn depth(text: &str) -> Result<Option<u32>, String> {
    if text == "none" {
        return Ok(None);
    }
    let depth = text.parse().ok().filter(|depth| (1..=MAX_DEPTH).contains(depth));
    let expected = || format!("expected a number of plies from 1 to {MAX_DEPTH}, or none");
    depth.map(Some).ok_or_else(expected)
}

/// Reads limits; `none` stands for no match of this kind.
fn limits(kind: &KindInfo, texts: &[String]) -> Result<Vec<Limit>> {
    texts.iter().filter(|text| *text != "none").map(|text| kind.limit(text)).collect()
}

/// Plays the agent of a run that evolved no weights: against itself at the start and the opponents of the run, in games that
/// the run never played.
fn validate_numbers(
    args: &ValidateArgs,
    session: &Session,
    mut plan: Plan,
    winner: &Vector,
) -> anyhow::Result<()> {
    let for_weights = [
        (!args.opponents.is_empty(), "--opponents"),
        (!args.openings.is_empty(), "--openings"),
        (!args.depths.is_empty(), "--depths"),
        (!args.iterative.is_empty(), "--iterative"),
        (!args.ept.is_empty(), "--ept"),
        (!args.game.rules.is_empty(), "--rules"),
    ];
    if let Some((_, given)) = for_weights.into_iter().find(|(is_given, _)| *is_given) {
        let message = format!(
            "{given} is for weights, and this run evolved none: its agent plays those of its config"
        );
        bail!(InputError::new(message));
    }
    let game = session.find(Some(&plan.game))?;
    // The run itself validated in "stage" 0.
    let seed = of_run(plan.seed, Purpose::Validation, 1, args.seed);
    let initial = plan.vector_at("initial", &plan.start_point())?;
    if plan.validation.openings.is_empty() {
        plan.validation.openings = vec![plan.comparison.openings.clone()];
    }
    let mut fixtures = fixtures_of_agent(&plan, [winner, &initial], seed)?;
    fixtures.iter_mut().for_each(|fixture| fixture.games = args.games);
    let starts = Starts::AfterRun(&plan, args.seed);
    let about = json!({ "agent": winner.apply_to(&plan.agent)?.to_string() });
    let named = (winner.name.as_str(), about);
    play(args, session, (game, &plan.rules), &fixtures, starts, named)
}
