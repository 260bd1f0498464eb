//! `tictune profile`

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use serde_json::{Value, json};

use super::executor::ExecutorArgs;
use super::run_folder::winner_vector;
use super::validate::all_have_results;
use super::{Session, even_games};
use crate::evolve::{Changed, MatchRow, RunDir, RunError, Starts, fixtures_of_profile, validate};
use crate::files::lock;
use crate::input::InputError;
use crate::report::{merged, profile_table};
use crate::seed::{Purpose, of_run};

#[derive(Debug, Args)]
#[command(
    after_help = "A weight is tried at 0, half, one and a half times and twice its value, a parameter at the ends of its range and halfway to them on \
                        its scale (but not halfway to an end that is near). Finished matches are in RUN/profile.csv: the same command continues after a stop, and the page of the run \
                        draws them. For another number of games, delete that file"
)]
pub(super) struct ProfileArgs {
    /// The folder of a finished run
    run: PathBuf,
    /// The number of games at each value, even. An interval of 95 % is about ±30 Elo with 400, ±15 with 1600
    #[arg(long, default_value_t = 400, value_name = "N", value_parser = even_games)]
    games: u64,
    #[command(flatten)]
    players: ExecutorArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ProfileArgs, session: &Session) -> anyhow::Result<()> {
    let (plan, winner) = winner_vector(&args.run, session)?;
    let dir = RunDir::new(&args.run, session.known());
    if dir.manifest()?.is_some_and(|manifest| !manifest.finished) {
        let message = "this run is not finished, and its winner is not known: continue it first, or end it with --resume --finish";
        bail!(InputError::in_file(&args.run, message));
    }
    // For as long as this is played.
    let run = std::fs::File::open(dir.file("log.txt"));
    if let Ok(run) = &run {
        lock(run, &args.run, "another process plays this run, or a profile of it")?;
    }
    let game = session.find(Some(&plan.game))?;
    // The run itself validated in "stage" 0, and `validate` does in 1.
    let seed = of_run(plan.seed, Purpose::Validation, 2, 0);
    let fixtures = fixtures_of_profile(&plan, &winner, args.games, seed)?;
    let log = dir.file("profile.csv");
    if let Some(MatchRow { result, .. }) = dir.matches("profile.csv")?.first()
        && result.games != args.games
    {
        let (before, now) = (result.games, args.games);
        let message = format!(
            "has {before} games at each value: delete it for a profile with {now}, or give --games {before}"
        );
        bail!(InputError::in_file(&log, message));
    }
    let matches = fixtures.len() as u64;
    session.inform(&format!("{matches} matches, {} games", matches * args.games));
    let rows = args.players.play_matches(session, game, &plan.rules, |context| {
        validate(context, &fixtures, Starts::AfterRun(&plan, 0), Some(&log))
    })?;
    let rows = rows.map_err(|mut error| {
        if let RunError::Input(input) = &mut error {
            input.message += "; delete profile.csv and its matches are played again";
        }
        error
    })?;
    let agent = winner.apply_to(&plan.comparison.agent)?;
    let agent = if winner.weights.is_some() { agent.without_weights() } else { agent };
    let about = json!({
        "run": plan.name,
        "winner": winner.name,
        "agent": agent.to_string(),
        "rows": rows.iter().map(with_change).collect::<Vec<_>>(),
    });
    session.print_result(args.json, &about, |width| profile_table(width, &winner.name, &rows))?;
    all_have_results(&rows)
}

/// A row as JSON, with its number and values in place of the names of the two sides.
fn with_change(row: &MatchRow) -> Value {
    let mut object = json!(row);
    if let (Some(keys), Some(change)) = (object.as_object_mut(), Changed::of_row(row)) {
        ["search", "opponent", "depth"].iter().for_each(|key| drop(keys.remove(*key)));
        let change = json!({ "number": change.number, "value": change.value, "winner_value": change.winner });
        return merged(&[change, object]);
    }
    object
}
