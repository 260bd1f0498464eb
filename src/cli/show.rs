//! `tictune show`: a run, weights, games or a table of a paper, in words.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;
use minijinja::context;
use serde_json::{Value, json};

use super::Session;
use super::reproduce::read_report;
use super::run_folder::{near, not_there, other_file, winner_vector};
use super::runs::RunState;
use crate::evolve::{Comparison, Manifest, MatchRow, RunDir, StagePlan, Vector};
use crate::export;
use crate::game::{Pgn, PgnError, Slot};
use crate::input::{InputError, nearest, read_games};
use crate::papers::reproduce::{PaperTable, Sizes, find};
use crate::report::page::{RunData, RunStatus, Status};
use crate::report::pgn_results::results;
use crate::report::{
    CellAlignment, Lead, Width, comparison_section, noise_section, reproduced_table, table,
    validation_section, written,
};
use crate::weights::Weights;

#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    /// The folder of a run; a weight file or the name of built-in weights; games as PGN; or a table of a paper by name, such as
    /// 2.8, by file, or as JSON that `reproduce --out` wrote
    #[arg(value_name = "RUN|WEIGHTS|GAMES|TABLE")]
    what: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

struct Shown {
    text: String,
    json: Value,
}

pub(super) fn run(args: &ShowArgs, session: &Session) -> anyhow::Result<()> {
    let Shown { text, json } = find_what(args, session)?;
    session.print_result(args.json, &json, |_| text)
}

fn find_what(args: &ShowArgs, session: &Session) -> anyhow::Result<Shown> {
    let path = Path::new(&args.what);
    if let Some(message) = other_file(path, session) {
        bail!(InputError::in_file(path, message));
    }
    Ok(if path.is_dir() {
        of_folder(path, session)?
    } else if path.is_file() && path.extension().is_some_and(|ending| ending == "json") {
        let report = read_report(path)?;
        Shown {
            text: reproduced_table(session.width(), &report),
            json: serde_json::to_value(&report)?,
        }
    } else if path.extension().is_some_and(|ending| ending == "pgn") {
        of_games(session, path)?
    } else {
        match session.weights(&args.what) {
            Ok(weights) => of_weights(session.width(), &weights),
            Err(error) => match find(&args.what) {
                Ok(table) => of_table(session.width(), &table),
                Err(_) if path.exists() => bail!(error),
                Err(_) => bail!(unknown(&args.what, session)),
            },
        }
    })
}

/// What is there under no name, with the nearest name of a file, a run, weights or a table.
fn unknown(what: &str, session: &Session) -> InputError {
    let known = session.known().games.iter().flat_map(|game| game.vectors);
    let known = known.map(|vector| vector.name);
    let tables = PaperTable::built_in().unwrap_or_default();
    let tables = tables.iter().map(|table| table.name.as_str());
    let name = || nearest(what, known.chain(tables)).map(PathBuf::from);
    InputError::new(not_there(
        &format!("\"{what}\" is not a run, weights or a table"),
        near(Path::new(what)).or_else(name),
        "`runs`, `list weights` and `reproduce` list what exists",
    ))
}

fn of_folder(path: &Path, session: &Session) -> anyhow::Result<Shown> {
    let Some(state) = RunState::of(path, session) else {
        let message = "is not a run: there is no manifest.json, games.csv or log.txt";
        bail!(InputError::in_file(path, message));
    };
    let RunState { run, kind, progress, .. } = &state;
    let stop = if progress.is_empty() { "" } else { ", " };
    let text = format!("{run}: {kind}, {}{stop}{progress}\n", state.state);
    let mut shown = Shown { text, json: serde_json::to_value(&state)? };
    let dir = RunDir::new(path, session.known());
    match state.kind {
        "evolution" => of_evolution(&dir, &state, session, &mut shown)?,
        "tournament" => {
            if let Some(report) = dir.read_json::<Value>("tournament.json")? {
                shown.text += &standings(session.width(), &report);
                shown.json["tournament"] = report;
            }
        }
        _ => {
            if let Some(summary) = dir.read_json::<Value>("summary.json")? {
                shown.text += &format!("{summary:#}\n");
                shown.json["summary"] = summary;
            }
        }
    }
    if let Some(command) = &state.resume {
        shown.text += &format!("to continue: {command}\n");
    }
    Ok(shown)
}

fn of_evolution(
    dir: &RunDir,
    state: &RunState,
    session: &Session,
    shown: &mut Shown,
) -> anyhow::Result<()> {
    let Some(manifest) = dir.manifest()? else { return Ok(()) };
    let Shown { text, json: object } = &mut *shown;
    let width = session.width();
    let Manifest { plan, stages, config_hash, .. } = &manifest;
    let (evolves, fitness) = (plan.to_string(), plan.fitness_in_words());
    let few = plan.stages.iter().all(StagePlan::has_few_games);
    let values = context! { evolves, fitness, few, plan, config_hash, stages };
    *text += &written(width, include_str!("show/evolution.txt.jinja"), values);
    *text += &noise_section(plan, dir)?;
    // Of the stage that it is in, or of the last one.
    let in_stage = stages.len().min(plan.stages.len() - 1);
    let stage = &plan.stages[in_stage];
    let rows = dir.generations(in_stage, stage)?;
    if let Some(lead) = Lead::of(stage, &rows) {
        *text += &format!("\nmean {lead}\n");
        object["over_start"] = serde_json::to_value(lead)?;
    }
    object["config_hash"] = config_hash.clone().into();
    object["stages"] = serde_json::to_value(stages)?;
    if let Some(comparison) = dir.read_json::<Comparison>("comparison.json")? {
        *text += &comparison_section(width, &comparison);
        object["comparison"] = serde_json::to_value(&comparison)?;
    }
    if state.state != RunStatus::Finished {
        return so_far(dir, shown);
    }
    let (_, winner) = winner_vector(dir.path(), session)?;
    if let Some(rows) = dir.read_json::<Vec<MatchRow>>("validation.json")? {
        *text += &validation_section(width, plan, &winner.name, &rows);
        object["validation"] = serde_json::to_value(&rows)?;
    }
    let Vector { name, weights, parameters } = &winner;
    object["winner"] = name.clone().into();
    if let Some(weights) = weights {
        let Shown { text: values, json } = of_weights(width, weights);
        *text += &format!("\n{values}");
        object["weights"] = json;
    }
    if !parameters.is_empty() {
        let pairs: Vec<String> = winner.pairs().collect();
        *text += &format!("\nparameters: {}\n", pairs.join(","));
        object["parameters"] = parameters.iter().cloned().collect();
    }
    Ok(())
}

/// What a run that is not finished has measured last, and the numbers of its mean.
fn so_far(dir: &RunDir, Shown { text, json: object }: &mut Shown) -> anyhow::Result<()> {
    let run = RunData::read(dir)?;
    let Some((stage, row)) = run.last() else { return Ok(()) };
    let Status { best, mean, games, won, .. } = Status::of(&run);
    let measured = match won.is_empty() {
        true => format!("points lost in {games} games: mean vector {mean}, lowest {best}"),
        false => won,
    };
    *text += &format!("\nstage {}, generation {}: {measured}\n", stage + 1, row.generation);
    let numbers: Vec<_> = run.names().into_iter().zip(row.mean.iter().copied()).collect();
    let pairs = numbers.iter().map(|(name, value)| format!("{name}={value}"));
    let pairs = pairs.collect::<Vec<_>>().join(",");
    *text += &format!("the mean that this generation was drawn from: {pairs}\n");
    object["so_far"] = json!({
        "stage": stage + 1,
        "generation": row.generation,
        "best_fitness": row.best_fitness,
        "mean_vector_fitness": row.mean_vector_fitness,
        "mean": numbers.into_iter().collect::<Value>(),
    });
    Ok(())
}

fn standings(width: Width, report: &Value) -> String {
    let cell = |agent: &Value, key: &str| match &agent[key] {
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => {
            format!("{:.3}", number.as_f64().unwrap_or_default())
        }
        Value::Null => "-".into(),
        other => other.to_string(),
    };
    let keys = ["name", "elo", "elo_low", "elo_high", "games", "wins", "draws", "losses", "score"];
    let agents = report["agents"].as_array().map(Vec::as_slice).unwrap_or_default();
    let rows = agents.iter().map(|agent| keys.map(|key| cell(agent, key)).to_vec());
    table(width, CellAlignment::Right, &keys, rows)
}

fn of_weights(width: Width, weights: &Weights) -> Shown {
    let layout = weights.layout();
    let slots = layout.slots.iter().zip(weights.values());
    let slot = |(slot, value): (&Slot, &f64)| (slot.name, format!("{value:?}"), slot.description);
    let line = |(key, value): (&String, &toml::Value)| format!("{key} = {}", in_short(value));
    let values = context! {
        name => weights.name,
        evaluation => layout.name,
        game => layout.game,
        description => layout.description,
        slots => slots.map(slot).collect::<Vec<_>>(),
        provenance => weights.provenance.iter().map(line).collect::<Vec<_>>(),
    };
    let text = written(width, include_str!("show/weights.txt.jinja"), values);
    Shown { text, json: export::json(weights) }
}

/// A value, of a long list the first few and how many more there are.
fn in_short(value: &toml::Value) -> String {
    const FEW: usize = 3;
    match value.as_array() {
        Some(list) if list.len() > 2 * FEW => {
            let first: Vec<String> = list.iter().take(FEW).map(ToString::to_string).collect();
            format!("[{}, and {} more]", first.join(", "), list.len() - FEW)
        }
        _ => value.to_string(),
    }
}

fn of_table(width: Width, table: &PaperTable) -> Shown {
    let rows = table.rows.iter().map(|row| {
        json!({ "names": row.names(), "agents": row.agents, "printed": row.printed, "claim": row.claim })
    });
    let json = json!({
        "document": table.document,
        "table": table.name,
        "title": table.title,
        "game": table.game,
        "rules": table.rules,
        "games": table.games,
        "openings": table.openings,
        "schedule": table.schedule,
        "choices": table.choices,
        "rows": rows.collect::<Vec<_>>(),
    });
    let claims = table.rows.iter().map(|row| row.claim.map(|claim| claim.to_string()));
    let (claims, players) = (claims.collect::<Vec<_>>(), players(table));
    let values = context! { claims, players, ..minijinja::Value::from_serialize(&json) };
    Shown { text: written(width, include_str!("show/table.txt.jinja"), values), json }
}

/// The agents behind the names of a table as a shell takes them, each with its rows where one name stands for several.
fn players(table: &PaperTable) -> String {
    let mut players: Vec<(&str, String, Vec<String>)> = Vec::new();
    for (number, row) in (1..).zip(&table.rows) {
        let agents = Sizes::default().agents(row, table).unwrap_or_else(|_| row.agents.clone());
        for (name, agent) in [&row.a, &row.b].into_iter().zip(agents) {
            let agent = shlex::try_quote(&agent).map_or(agent.clone(), Into::into);
            let number = number.to_string();
            match players.iter_mut().find(|(of, is, _)| of == name && *is == agent) {
                Some((.., rows)) if rows.last() == Some(&number) => {}
                Some((.., rows)) => rows.push(number),
                None => players.push((name, agent, vec![number])),
            }
        }
    }
    let line = |(name, agent, rows): &(&str, String, Vec<String>)| {
        let several = players.iter().filter(|(of, ..)| of == name).count() > 1;
        let rows = match (several, rows.len()) {
            (false, _) => String::new(),
            (true, 1) => format!(", row {}", rows[0]),
            (true, _) => format!(", rows {}", rows.join(", ")),
        };
        format!("{name}{rows}: {agent}\n")
    };
    players.iter().map(line).collect()
}

/// The results of a PGN file, of the game that reads it. Games that it cannot read are left out.
fn of_games(session: &Session, path: &Path) -> anyhow::Result<Shown> {
    const MOST: usize = 10;
    let games = session.known().games.iter();
    let Some(Pgn { read, .. }) = games.clone().find_map(|game| game.extension()) else {
        bail!(InputError::in_file(path, "none of the games here is written as PGN"));
    };
    let text = read_games(path)?;
    let (mut games, mut errors) = (Vec::new(), Vec::new());
    for (number, game) in (1..).zip(read(&text, "")) {
        match game {
            Ok(game) => games.push(game),
            Err(PgnError { line, error }) => errors.push((number, line, error.to_string())),
        }
    }
    let (words, mut json) = results(&games).map_err(|error| match errors.first() {
        Some((_, line, first)) => InputError::in_line(path, *line, &text, first),
        None => InputError::in_file(path, error.message),
    })?;
    for (number, line, error) in errors.iter().take(MOST) {
        let place = format!("{}:{line}", path.display());
        session.note(&format!("warning: {place}: game {number} is left out: {error}"));
    }
    if let Some(more @ 1..) = errors.len().checked_sub(MOST) {
        session.note(&format!("warning: more games left out: {more}"));
    }
    let errors = errors.into_iter();
    let errors = errors.map(|(number, line, message): (usize, _, _)| {
        json!({ "game": number, "line": line, "message": message })
    });
    json["errors"] = errors.collect();
    Ok(Shown { text: words, json })
}
