//! What stands where in a chart, as data. Lengths are in units of the drawing.

use std::collections::HashSet;

use serde::Serialize;

use super::axis::Span;
use super::{Band, BarPlot, Line, Mark, PALETTE, Plot, short};

/// What the templates write as SVG.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Chart {
    pub(super) title: String,
    pub(super) note: String,
    pub(super) about: String,
    x_label: String,
    y_label: String,
    small: bool,
    pub(super) width: f64,
    pub(super) height: f64,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    x_ticks: Vec<Tick>,
    y_ticks: Vec<Tick>,
    /// Lines through the ticks, as a path.
    grid: String,
    /// The line that curves or bars stand on, as a path.
    axis: String,
    borders: Vec<Tick>,
    bars: Vec<Bar>,
    /// What is drawn, in the order of the key, which has those with a name.
    pub(super) shapes: Vec<Shape>,
}

#[derive(Clone, Debug, Serialize)]
struct Tick {
    at: String,
    label: String,
    /// Whether what is written ends at the right end of the plot, since there is no room behind the place.
    at_end: bool,
}

#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Shape {
    pub(super) name: String,
    colour: usize,
    paint: &'static str,
    /// `line`, `dashed`, `dots`, `band` or `bar`, which is drawn by itself.
    kind: &'static str,
    points: String,
    /// The points that are marked, as a path of lines without length.
    dots: String,
}

#[derive(Clone, Debug, Serialize)]
struct Bar {
    paint: &'static str,
    x: String,
    y: String,
    width: String,
    height: f64,
    /// Where the value is written, and the value.
    end: String,
    middle: String,
    label: String,
    negative: bool,
}

/// About as many points a curve has at most.
const MOST_POINTS: usize = 600;

/// Curves have their points marked up to so many.
const FEW_POINTS: usize = 40;

/// As many ticks a small chart has at most.
const FEW_TICKS: usize = 4;

/// The width of a character, about.
pub(super) const CHARACTER: f64 = 6.8;

impl Mark {
    const fn kind(self) -> &'static str {
        match self {
            Self::Solid | Self::Points => "line",
            Self::Dashed => "dashed",
            Self::Dots => "dots",
        }
    }
}

impl Plot {
    /// The chart for a page; `None` without a value that can be drawn.
    pub(crate) fn draw(&self) -> Option<Chart> {
        self.draw_in(if self.small { (260.0, 150.0) } else { (520.0, 300.0) })
    }

    pub(super) fn draw_in(&self, (width, height): (f64, f64)) -> Option<Chart> {
        let (left, right) = (if self.small { 46.0 } else { 70.0 }, width - 10.0);
        let (top, bottom) = (if self.borders.is_empty() { 10.0 } else { 22.0 }, height - 40.0);
        let place = |(x, y): (f64, f64)| Some((self.x_scale.place(x)?, self.y_scale.place(y)?));
        let of_lines = self.lines.iter().flat_map(|line| line.points.iter().copied());
        let of_bands = self.bands.iter().flat_map(|band| &band.points);
        let of_bands = of_bands.flat_map(|&(x, low, high)| [(x, low), (x, high)]);
        let points: Vec<(f64, f64)> = of_lines.chain(of_bands).collect();
        let xs: Vec<f64> = points.iter().filter_map(|point| self.x_scale.place(point.0)).collect();
        let levels = self.levels.iter().map(|(_, _, y)| *y);
        let ys = points.iter().map(|point| point.1).chain(levels);
        let ys: Vec<f64> = ys.filter_map(|y| self.y_scale.place(y)).collect();
        let x = Span::of(self.x_scale, xs.into_iter(), false)?;
        let y = Span::of(self.y_scale, ys.into_iter(), self.from_zero)?;
        let at_x = |place: f64| x.between(place, left, right);
        let at_y = |place: f64| y.between(place, bottom, top);
        let at = |point: (f64, f64)| place(point).map(|(x, y)| (at_x(x), at_y(y)));
        let ticks = |span: &Span, at: &dyn Fn(f64) -> f64| -> Vec<Tick> {
            let stride = if self.small { span.ticks.len().div_ceil(FEW_TICKS) } else { 1 };
            let ticks = span.ticks.iter().step_by(stride.max(1));
            ticks.map(|(place, label)| Tick::new(at(*place), label)).collect()
        };
        let y_ticks = ticks(&y, &at_y);
        let line = |tick: &Tick| format!("M{left} {}H{right}", tick.at);
        let level = |(name, colour, y): &(String, usize, f64)| {
            let y = digits(at_y(self.y_scale.place(*y)?));
            let points = format!("{left},{y} {right},{y}");
            Some(Shape { points, ..Shape::of(name, *colour, "dashed") })
        };
        let levels = self.levels.iter().filter_map(level);
        let borders = self.borders.iter().map(|(at, label)| (at_x(*at), label));
        let borders = borders.filter(|(at, _)| (left..=right).contains(at)).map(|(at, label)| {
            let label = if self.small { "" } else { label };
            Tick { at_end: at > right - 55.0, ..Tick::new(at, label) }
        });
        let lines = self.lines.iter().map(|line| line.shape(at));
        let bands = self.bands.iter().map(|band| band.shape(at));
        Some(Chart {
            title: self.title.clone(),
            note: self.note.clone(),
            about: self.in_words(),
            x_label: self.x_label.clone(),
            y_label: self.y_label.clone(),
            small: self.small,
            width,
            height,
            left,
            right,
            top,
            bottom,
            x_ticks: ticks(&x, &at_x),
            grid: y_ticks.iter().map(line).collect(),
            y_ticks,
            axis: format!("M{left} {bottom}H{right}"),
            borders: borders.collect(),
            bars: Vec::new(),
            shapes: lines.chain(levels).chain(bands).collect(),
        })
    }

    /// The chart for those who cannot see it: where each curve begins and ends.
    fn in_words(&self) -> String {
        let mut text = format!("{}.", self.title);
        for Line { name, points, .. } in &self.lines {
            if let (Some((_, first)), Some((_, last))) = (points.first(), points.last()) {
                let name = if name.is_empty() { "It" } else { name };
                text += &format!(" {name}: from {} to {}.", short(*first), short(*last));
            }
        }
        text
    }
}

impl Line {
    fn shape(&self, at: impl Fn((f64, f64)) -> Option<(f64, f64)>) -> Shape {
        let dot = |(x, y): &(String, String)| format!("M{x} {y}h0");
        let shape = Shape::of(&self.name, self.colour, self.mark.kind());
        if self.mark == Mark::Dots {
            // Dots that would lie on each other are drawn once.
            let places = self.points.iter().filter_map(|point| at(*point));
            let places = places.map(|(x, y)| (format!("{x:.0}"), format!("{y:.0}")));
            let mut seen = HashSet::new();
            let dots = places.filter(|place| seen.insert(place.clone()));
            return Shape { dots: dots.map(|place| dot(&place)).collect(), ..shape };
        }
        let places = thinned(&self.points).filter_map(|point| at(*point));
        let places: Vec<(String, String)> = places.map(|(x, y)| (digits(x), digits(y))).collect();
        // A line through one point is nothing to see without its dot.
        let few = if self.mark == Mark::Points { FEW_POINTS } else { 1 };
        let points: Vec<String> = places.iter().map(|(x, y)| format!("{x},{y}")).collect();
        let marked = if places.len() <= few { &places[..] } else { &[] };
        Shape { points: points.join(" "), dots: marked.iter().map(dot).collect(), ..shape }
    }
}

impl Band {
    fn shape(&self, at: impl Fn((f64, f64)) -> Option<(f64, f64)>) -> Shape {
        let kept: Vec<_> = thinned(&self.points).collect();
        let upper = kept.iter().map(|(x, _, high)| (*x, *high));
        let lower = kept.iter().rev().map(|(x, low, _)| (*x, *low));
        let around = upper.chain(lower).filter_map(at);
        let points: Vec<String> =
            around.map(|(x, y)| format!("{},{}", digits(x), digits(y))).collect();
        Shape { points: points.join(" "), ..Shape::of(&self.name, self.colour, "band") }
    }
}

impl BarPlot {
    /// The chart for a file of this width; `None` without a value that can be drawn.
    pub(super) fn draw_in(&self, width: f64) -> Option<Chart> {
        const THICK: f64 = 14.0;
        const BETWEEN: f64 = 10.0;
        let longest = self.groups.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let left = (CHARACTER * longest as f64 + 40.0).min(0.4 * width);
        // What is written on the longest bar has room.
        let (right, top) = (width - 56.0, 10.0);
        let high = THICK * self.series.len() as f64 + BETWEEN;
        let bottom = top + high * self.groups.len() as f64;
        let values = self.series.iter().flat_map(|(_, values)| values.iter().flatten());
        let places: Vec<f64> = values.filter_map(|value| self.scale.place(*value)).collect();
        let span = Span::of(self.scale, places.into_iter(), true)?;
        let at = |place: f64| span.between(place, left, right);
        let base = at(span.base);
        let bar = |(colour, row, value): (usize, usize, &f64)| {
            let end = at(self.scale.place(*value)?);
            let y = top + BETWEEN / 2.0 + high * row as f64 + THICK * colour as f64;
            Some(Bar {
                paint: PALETTE[colour % PALETTE.len()],
                x: digits(base.min(end)),
                y: digits(y),
                width: digits((end - base).abs()),
                height: THICK - 1.0,
                end: digits(end),
                middle: digits(y + THICK / 2.0),
                label: short(*value),
                negative: end < base,
            })
        };
        let bars = self.series.iter().enumerate().flat_map(|(colour, (_, values))| {
            let values = values.iter().take(self.groups.len()).enumerate();
            values.filter_map(move |(row, value)| Some((colour, row, value.as_ref()?)))
        });
        let series = self.series.iter().enumerate();
        let x_ticks: Vec<Tick> =
            span.ticks.iter().map(|(place, label)| Tick::new(at(*place), label)).collect();
        let groups = self.groups.iter().enumerate();
        Some(Chart {
            title: self.title.clone(),
            about: format!("{}. {} by {}.", self.title, self.x_label, self.y_label),
            x_label: self.x_label.clone(),
            y_label: self.y_label.clone(),
            width,
            height: bottom + 40.0,
            left,
            right,
            top,
            bottom,
            grid: x_ticks.iter().map(|tick| format!("M{} {top}V{bottom}", tick.at)).collect(),
            x_ticks,
            y_ticks: groups
                .map(|(row, name)| Tick::new(top + high * (row as f64 + 0.5), name))
                .collect(),
            axis: format!("M{} {top}V{bottom}", digits(base)),
            bars: bars.filter_map(bar).collect(),
            shapes: series.map(|(colour, (name, _))| Shape::of(name, colour, "bar")).collect(),
            ..Chart::default()
        })
    }
}

impl Tick {
    fn new(at: f64, label: &str) -> Self {
        Self { at: digits(at), label: label.into(), at_end: false }
    }
}

impl Shape {
    fn of(name: &str, colour: usize, kind: &'static str) -> Self {
        let colour = colour % PALETTE.len();
        Self { name: name.into(), colour, paint: PALETTE[colour], kind, ..Self::default() }
    }
}

/// Not many more than [`MOST_POINTS`] of some points, the last one among them.
fn thinned<T>(points: &[T]) -> impl Iterator<Item = &T> {
    let stride = points.len().div_ceil(MOST_POINTS).max(1);
    let last = points.len().wrapping_sub(1);
    let kept = move |index: &usize| index.is_multiple_of(stride) || *index == last;
    points.iter().enumerate().filter(move |(index, _)| kept(index)).map(|(_, point)| point)
}

/// A length with a tenth of a unit.
fn digits(length: f64) -> String {
    let text = format!("{length:.1}");
    text.strip_suffix(".0").map_or(text.clone(), String::from)
}
