//! A run, or several side by side, as HTML: the report in a file, and the page of `tictune serve`, by the same templates.
//!
//! `data` reads the files of a run. `status`, `evolution`, `distribution`, `results` and `weights` say what is shown of them, in the `view` that a
//! reader chose, `run` and `compare` put it together. The templates are in the folder `templates`; they escape all that they are given.

mod compare;
mod data;
mod distribution;
mod evolution;
mod results;
mod run;
mod status;
mod view;
mod weights;

use minijinja::{Environment, Value, context};
use serde::Serialize;

pub(crate) use compare::compare_view;
pub(crate) use data::{RunData, RunStatus, read_state};
pub(crate) use run::run_view;
pub(crate) use status::Status;
pub(crate) use view::View;

use super::charts::{self, Plot};
use super::counted;
use crate::evolve::{RunDir, RunError, StagePlan};

pub(crate) const STYLE: &str = include_str!("templates/style.css");
const SCRIPT: &str = include_str!("templates/charts.js");

/// The templates that reports and pages share.
const TEMPLATES: [(&str, &str); 5] = [
    ("parts.html", include_str!("templates/parts.html")),
    ("run.html", include_str!("templates/run.html")),
    ("view.html", include_str!("templates/view.html")),
    ("compare.html", include_str!("templates/compare.html")),
    ("report.html", include_str!("templates/report.html")),
];

/// The templates, and those of a caller beside them.
pub(crate) fn templates(
    more: &[(&'static str, &'static str)],
) -> Result<Environment<'static>, minijinja::Error> {
    let mut templates = charts::templates()?;
    templates.add_filter("plain", |value: f64| value.to_string());
    templates.add_filter("counted", counted);
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

/// The charts of the report of a run, with its name, or of several side by side.
pub(crate) fn plots(dirs: &[RunDir]) -> Result<Vec<Plot>, RunError> {
    let runs = dirs.iter().map(RunData::read).collect::<Result<Vec<_>, _>>()?;
    let [run] = &runs[..] else {
        return Ok(compare::plots(&runs));
    };
    let named = |plot: Plot| {
        let about = if plot.note.is_empty() { "" } else { ": " };
        Plot { note: format!("run {}{about}{}", run.plan().name, plot.note), ..plot }
    };
    Ok(evolution::plots(run).into_iter().chain(evolution::paths(run)).map(named).collect())
}

fn depth_of(stage: &StagePlan) -> Option<String> {
    stage.has_depth().then(|| format!("depth {}", stage.depth_in_words()))
}

fn drawn(plots: &[Plot]) -> Vec<serde_json::Value> {
    plots.iter().filter_map(Plot::draw).collect()
}

pub(crate) fn compare_report(dirs: &[RunDir]) -> Result<String, RunError> {
    let runs = dirs.iter().map(RunData::read).collect::<Result<Vec<_>, _>>()?;
    let title = compare::names(&runs).join(", ");
    Ok(report("compare.html", &title, context! { all => compare_view(&runs), live => false }))
}

fn report(body: &str, title: &str, values: impl Serialize) -> String {
    let write = || {
        let templates = templates(&[])?;
        let body = templates.get_template(body)?.render(values)?;
        let [style, script, body] =
            [STYLE.into(), SCRIPT.into(), body].map(Value::from_safe_string);
        templates.get_template("report.html")?.render(context! { title, style, script, body })
    };
    write().expect("the templates of the crate fit its values")
}
