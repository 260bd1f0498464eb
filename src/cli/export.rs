//! `tictune export`

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use strum::VariantNames;

use super::parameter_list::Form;
use super::run_folder::{not_of_a_run, or_run, winner_vector};
use super::{Session, export_bot, export_numbers, print};
use crate::evolve::{Comparison, Plan, RunDir, Vector};
use crate::export::{Format, Language, NO_FUNCTION, export};
use crate::files::NamedFile;
use crate::games::uttt::platforms::codingame::source::FORMAT as BOT;
use crate::weights::find_game;

#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// A weight file, the name of built-in weights, or the folder of a run (its winner: weights, or parameters of an agent);
    /// for a bot, also an agent pvs:...
    #[arg(value_name = "WEIGHTS|AGENT")]
    weights: String,
    /// The format to write: weights as data or as constants, a bot for CodinGame as one file, or setoption lines
    /// for a UCI engine
    #[arg(long, value_parser = formats())]
    format: Target,
    /// The file to write instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug)]
enum Target {
    Values(Format),
    /// Lines that set the options of a UCI engine.
    Uci,
    /// The parameters of a UCI engine as another tuner takes them.
    List(Form),
    Bot,
}

const UCI: &str = "uci";

fn formats() -> impl TypedValueParser<Value = Target> {
    let names = [Format::VARIANTS, &[UCI], Form::VARIANTS, &[BOT]].concat();
    let named = |name: &'static str| match name {
        "cpp" => PossibleValue::new(name).alias("c++"),
        "javascript" => PossibleValue::new(name).alias("js"),
        _ => PossibleValue::new(name),
    };
    let target = |name: String| match &*name {
        UCI => Ok(Target::Uci),
        BOT => Ok(Target::Bot),
        name => name.parse().map(Target::List).or_else(|_| name.parse().map(Target::Values)),
    };
    PossibleValuesParser::from(names.into_iter().map(named).collect::<Vec<_>>()).try_map(target)
}

pub(super) fn run(args: &ExportArgs, session: &Session) -> anyhow::Result<()> {
    let run = Path::new(&args.weights);
    let text = match args.format {
        Target::Values(format) => export_values(&args.weights, format, session)?,
        Target::Uci => export_numbers::set_options(run, session)?,
        Target::List(form) => export_numbers::parameter_list(run, form, session)?,
        Target::Bot => export_bot::export(&args.weights, session)?,
    };
    // Of weights there is no such file.
    let dir = RunDir::new(run, session.known());
    match dir.read_json::<Comparison>("comparison.json").ok().flatten() {
        Some(Comparison { verdict, no_result: true, .. }) => {
            session.note(&format!("warning: the run has {verdict}"));
        }
        Some(Comparison { result, of_start: true, shown: false, .. }) => session.note(&format!(
            "note: the mean is not shown to be stronger than the start, against which it scored {:.1} % of {} games",
            100.0 * (1.0 - result.figures.score),
            result.games
        )),
        _ => {}
    }
    let Some(path) = &args.out else { return print(&text) };
    not_of_a_run("--out", path)?;
    NamedFile::new("--out", path)?.write(text.as_bytes())?;
    let size = match args.format {
        Target::Bot => format!(", {} characters: CodinGame takes 100,000", text.chars().count()),
        _ => String::new(),
    };
    session.inform(&format!("wrote {}{size}", path.display()));
    Ok(())
}

/// Weights, or the numbers of a run that evolved no weights.
fn export_values(text: &str, format: Format, session: &Session) -> anyhow::Result<String> {
    let path = Path::new(text);
    let weights = if path.is_dir() {
        let (plan, winner) = winner_vector(path, session)?;
        let Some(mut weights) = winner.weights.clone() else {
            return Ok(export_numbers::export(&plan, &winner, format)?);
        };
        note_left_out(&plan, &winner, session);
        weights.name = plan.name;
        weights
    } else {
        session.weights(text).map_err(|error| or_run(error, path, session))?
    };
    let game = find_game(&session.known().games, weights.layout().game)?;
    let name = weights.layout().name;
    if Language::of(format).is_some_and(|language| language.evaluate(name, game).is_none()) {
        session.note(&format!("note: constants only. {NO_FUNCTION}"));
    }
    Ok(export(&weights, format, game))
}

/// Says which numbers of a run's winner are not in its weights.
pub(super) fn note_left_out(plan: &Plan, winner: &Vector, session: &Session) {
    let numbers: Vec<String> = winner.pairs().collect();
    if !numbers.is_empty() {
        session.note(&format!(
            "note: the run also evolved parameters of its agent ({}), which are not included: {}",
            plan.agent.kind_name(),
            numbers.join(", ")
        ));
    }
}
