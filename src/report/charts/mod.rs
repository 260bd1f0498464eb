//! Charts of runs, matches and tables. A [`Plot`] or a [`BarPlot`] says what is drawn, `draw` says where it stands, and the
//! templates write it as SVG: `chart.html` for a page, whose style gives it colours, light or dark; `file.svg` for a file
//! that stands alone. The same data give the same bytes.

mod axis;
mod draw;
mod games;
mod svg;

pub(crate) use axis::AxisScale;
pub(crate) use games::{match_plots, plot_of_games, points_csv};
pub(crate) use svg::NothingToDraw;

use minijinja::{AutoEscape, Environment, UndefinedBehavior};

#[derive(Clone, Debug, Default)]
pub(crate) struct Plot {
    pub title: String,
    /// What else there is to say, in small letters.
    pub note: String,
    /// What the horizontal axis shows, with its unit.
    pub x_label: String,
    /// What the vertical axis shows, with its unit.
    pub y_label: String,
    pub x_scale: AxisScale,
    pub y_scale: AxisScale,
    pub from_zero: bool,
    /// The part of the horizontal axis that is drawn, if it is not all.
    pub range: Option<[f64; 2]>,
    /// Values that the vertical axis reaches, so that charts can be compared.
    pub also: Vec<f64>,
    pub lines: Vec<ChartLine>,
    /// Bands between two values, drawn below the curves.
    pub bands: Vec<Band>,
    /// Dashed horizontal lines to compare with: a name, a colour and a value.
    pub levels: Vec<(String, usize, f64)>,
    /// Vertical lines with what is written beside them.
    pub borders: Vec<(f64, String)>,
    /// Whether it is one of many on a page, and small, without key and labels.
    pub small: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ChartLine {
    pub name: String,
    /// Its number in the palette, 0 to 7.
    pub colour: usize,
    pub mark: Mark,
    /// Points, x first. Where one has no place on the axes, the curve is broken.
    pub points: Vec<(f64, f64)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Solid,
    /// As a dashed curve, for colour-blind readers.
    Dashed,
    /// As a curve with its points, where these are few.
    Points,
    Dots,
}

#[derive(Clone, Debug)]
pub(crate) struct Band {
    pub name: String,
    /// Its number in the palette, 0 to 7.
    pub colour: usize,
    /// The lower and the upper end at each place.
    pub points: Vec<(f64, [f64; 2])>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct BarPlot {
    pub title: String,
    /// What the bars show, with its unit.
    pub x_label: String,
    /// How values lie along the axis. On a logarithmic one, bars begin at its lower end.
    pub scale: AxisScale,
    /// What a group is, such as an agent.
    pub y_label: String,
    pub groups: Vec<String>,
    /// A name, and a value for each group; `None` leaves the place empty.
    pub series: Vec<(String, Vec<Option<f64>>)>,
}

/// The colours of a file; those of a page in the light. A test compares them with the style of the page.
const PALETTE: [&str; 8] =
    ["#0072b2", "#b34a00", "#00785a", "#a8487e", "#8a6400", "#6a51c7", "#1c2126", "#6b6b6b"];

/// The colour of what belongs to no line.
pub(crate) const INK: usize = 6;

impl Plot {
    /// Lines over linear axes: with a title, a note, and what the axes show, the horizontal one first.
    pub(crate) fn new(title: &str, note: &str, [x, y]: [&str; 2], lines: Vec<ChartLine>) -> Self {
        let [title, note, x_label, y_label] = [title, note, x, y].map(String::from);
        Self { title, note, x_label, y_label, lines, ..Self::default() }
    }
}

impl ChartLine {
    pub(crate) fn new(name: &str, colour: usize, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), colour, mark: Mark::Solid, points }
    }

    pub(crate) fn marked(self, mark: Mark) -> Self {
        Self { mark, ..self }
    }
}

/// The templates of charts. They escape all that they are given.
pub(crate) fn templates() -> Result<Environment<'static>, minijinja::Error> {
    let mut templates = Environment::new();
    templates.set_undefined_behavior(UndefinedBehavior::Strict);
    templates.set_auto_escape_callback(|_| AutoEscape::Html);
    templates.set_trim_blocks(true);
    templates.set_lstrip_blocks(true);
    templates.add_template("plot.svg", include_str!("templates/plot.svg"))?;
    templates.add_template("file.svg", include_str!("templates/file.svg"))?;
    templates.add_template("key.html", include_str!("templates/key.html"))?;
    templates.add_template("chart.html", include_str!("templates/chart.html"))?;
    Ok(templates)
}

pub(crate) fn short(value: f64) -> String {
    let decimals = match value.abs() {
        100.0.. => 0,
        10.0.. => 1,
        1.0.. => 2,
        0.01.. => 3,
        0.0 => 0,
        _ => return format!("{value:.1e}"),
    };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests;
