//! A run, or two side by side, as HTML: the report in a file, and the page of `tictune serve`, by the same templates.
//!
//! `data` reads the files of a run. `status`, `evolution`, `results` and `weights` say what is shown of them, `run` and
//! `compare` put it together. The templates are in the folder `templates`; they escape all that they are given.

mod compare;
mod data;
mod evolution;
mod results;
mod run;
mod status;
mod weights;

use minijinja::{Environment, context};
use serde::Serialize;

pub(crate) use compare::compare_view;
pub(crate) use data::RunData;
pub(crate) use run::run_view;
pub(crate) use status::Status;

use super::charts::{self, Plot};
use crate::evolve::{RunDir, RunError, StagePlan};

pub(crate) const STYLE: &str = include_str!("templates/style.css");

/// The templates that reports and pages share.
const TEMPLATES: [(&str, &str); 4] = [
    ("parts.html", include_str!("templates/parts.html")),
    ("run.html", include_str!("templates/run.html")),
    ("compare.html", include_str!("templates/compare.html")),
    ("report.html", include_str!("templates/report.html")),
];

/// The templates, and those of a caller beside them.
pub(crate) fn templates(
    more: &[(&'static str, &'static str)],
) -> Result<Environment<'static>, minijinja::Error> {
    let mut templates = charts::templates()?;
    for (name, text) in TEMPLATES.iter().chain(more) {
        templates.add_template(name, text)?;
    }
    Ok(templates)
}

/// The report of a run as far as it has come: one file without references.
pub(crate) fn run_report(dir: &RunDir) -> Result<String, RunError> {
    let run = RunData::read(dir)?;
    let title = run.plan().name.clone();
    Ok(report("run.html", &title, context! { run => run_view(&run), live => false }))
}

/// The charts of the report of a run, with its name, or of two side by side.
pub(crate) fn plots(dirs: &[RunDir]) -> Result<Vec<Plot>, RunError> {
    let runs = dirs.iter().map(RunData::read).collect::<Result<Vec<_>, _>>()?;
    Ok(match &runs[..] {
        [a, b] => compare::plots([a, b]),
        runs => {
            let of = |run| evolution::plots(run).into_iter().chain(evolution::paths(run));
            let named = |run: &RunData, plot: Plot| {
                let about = if plot.note.is_empty() { "" } else { ": " };
                Plot { note: format!("run {}{about}{}", run.plan().name, plot.note), ..plot }
            };
            runs.iter().flat_map(|run| of(run).map(|plot| named(run, plot))).collect()
        }
    })
}

/// The depth of a stage in words, if it has one.
fn depth_of(stage: &StagePlan) -> Option<String> {
    stage.has_depth().then(|| format!("depth {}", stage.depth_in_words()))
}

fn drawn(plots: &[Plot]) -> Vec<serde_json::Value> {
    plots.iter().filter_map(Plot::draw).collect()
}

/// The report of two runs side by side.
pub(crate) fn compare_report(dirs: [&RunDir; 2]) -> Result<String, RunError> {
    let (a, b) = (RunData::read(dirs[0])?, RunData::read(dirs[1])?);
    let title = format!("{} and {}", a.plan().name, b.plan().name);
    let both = compare_view([&a, &b]);
    Ok(report("compare.html", &title, context! { both, live => false }))
}

fn report(body: &str, title: &str, values: impl Serialize) -> String {
    let write = || {
        let templates = templates(&[])?;
        let body = templates.get_template(body)?.render(values)?;
        let body = minijinja::Value::from_safe_string(body);
        let style = minijinja::Value::from_safe_string(STYLE.into());
        templates.get_template("report.html")?.render(context! { title, style, body })
    };
    write().expect("the templates of the crate fit its values")
}
