//! Charts as files that stand alone, such as for an article: with title, key and a white background, and without references.

use minijinja::context;
use serde_json::{Value, json};
use thiserror::Error;

use super::draw::CHARACTER;
use super::{BarPlot, Plot, templates};
use crate::report::wrapped;

const WIDTH: f64 = 720.0;
const MARGIN: f64 = 16.0;
/// The width of a character of the title, about.
const OF_TITLE: f64 = 9.0;
/// The width of the sample of a line in the key.
const SAMPLE: f64 = 30.0;

/// A chart has no value that can be drawn: there is none, or none that is finite and, on a logarithmic axis, above 0.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("\"{0}\" has no value that can be drawn")]
pub(crate) struct NothingToDraw(String);

impl Plot {
    pub(crate) fn svg(&self) -> Result<String, NothingToDraw> {
        let plot = Self { small: false, ..self.clone() };
        file(&self.title, &self.note, plot.draw_in(WIDTH, 400.0))
    }
}

impl BarPlot {
    pub(crate) fn svg(&self) -> Result<String, NothingToDraw> {
        file(&self.title, "", self.draw_in(WIDTH))
    }
}

fn file(title: &str, note: &str, chart: Option<Value>) -> Result<String, NothingToDraw> {
    let chart = chart.ok_or_else(|| NothingToDraw(title.into()))?;
    let (title, notes) = (lines(title, OF_TITLE), lines(note, CHARACTER));
    let above = 14.0 + 20.0 * title.len() as f64 + 17.0 * notes.len() as f64;
    let below = above + chart["height"].as_f64().unwrap_or_default() + 14.0;
    let longest = ((WIDTH - 2.0 * MARGIN - SAMPLE) / CHARACTER) as usize;
    let shapes = chart["shapes"].as_array().into_iter().flatten();
    let named = shapes.filter(|shape| shape["name"] != "").zip(0_u32..);
    let entry = |(shape, line): (&Value, u32)| {
        let name = cut(shape["name"].as_str().unwrap_or_default(), longest);
        let y = below + 20.0 * f64::from(line);
        json!({ "name": name, "x": MARGIN, "y": y, "kind": shape["kind"], "paint": shape["paint"] })
    };
    let key: Vec<Value> = named.map(entry).collect();
    let height = if key.is_empty() { below } else { below - 2.0 + 20.0 * key.len() as f64 };
    let values = context! { width => WIDTH, height, title, notes, above, key, chart };
    let write = || templates()?.get_template("file.svg")?.render(values);
    // XML has no place for control characters, not even as references.
    let text = write().expect("the templates of the crate fit its values");
    Ok(text.chars().filter(|c| *c == '\n' || !c.is_control()).collect())
}

fn lines(text: &str, character: f64) -> Vec<String> {
    let longest = ((WIDTH - 2.0 * MARGIN) / character) as usize;
    let lines = wrapped(text, longest);
    lines.lines().filter(|line| !line.is_empty()).map(|line| cut(line, longest)).collect()
}

fn cut(text: &str, longest: usize) -> String {
    let start: String = text.chars().take(longest).collect();
    if start.len() < text.len() { start + "..." } else { start }
}
