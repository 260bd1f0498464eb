//! What stands where in a chart, as values for the templates. Lengths are in units of the drawing.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::axis::{AxisScale, FEW_TICKS, Span, TICKS};
use super::{Band, BarPlot, ChartLine, Mark, PALETTE, Plot, short};

/// About as many points a piece of a curve has at most.
const MOST_POINTS: usize = 600;

/// Curves have their points marked up to so many.
const FEW_POINTS: usize = 40;

pub(super) const CHARACTER: f64 = 6.8;

impl Plot {
    /// The chart for a page; `None` without a value that can be drawn.
    pub(crate) fn draw(&self) -> Option<Value> {
        if self.small { self.draw_in(260.0, 150.0) } else { self.draw_in(520.0, 300.0) }
    }

    pub(super) fn draw_in(&self, width: f64, height: f64) -> Option<Value> {
        let (left, right) = (if self.small { 46.0 } else { 70.0 }, width - 10.0);
        let has_labels = !self.small && !self.borders.is_empty();
        let (top, bottom) = (if has_labels { 22.0 } else { 10.0 }, height - 40.0);
        let of_lines = self.lines.iter().flat_map(|line| line.points.iter().copied());
        let of_bands = self.bands.iter().flat_map(|band| &band.points);
        let of_bands = of_bands.flat_map(|&(x, ends)| ends.map(|end| (x, end)));
        let points = of_lines.chain(of_bands).filter(|point| self.shows(point.0));
        let points: Vec<(f64, f64)> = points.collect();
        let levels = self.levels.iter().map(|(_, _, y)| *y);
        let ys = points.iter().map(|point| point.1).chain(levels).chain(self.also.iter().copied());
        let count = if self.small { FEW_TICKS } else { TICKS };
        let x = Span::of(self.x_scale, points.iter().map(|point| point.0), count, [false; 2])?;
        let y = Span::of(self.y_scale, ys, count, [self.from_zero, true])?;
        let at = |(one, other): (f64, f64)| {
            if !self.shows(one) {
                return None;
            }
            let place = (self.x_scale.place(one)?, self.y_scale.place(other)?);
            Some((x.between(place.0, left, right), y.between(place.1, bottom, top)))
        };
        let ticks = |span: &Span, low: f64, high: f64| -> Vec<Value> {
            let ticks = span.ticks.iter();
            ticks.map(|(place, label)| tick(span.between(*place, low, high), label)).collect()
        };
        let level = |(name, colour, value): &(String, usize, f64)| {
            let y = digits(y.between(self.y_scale.place(*value)?, bottom, top));
            Some(shape(name, *colour, "dashed", format!("M{left},{y} {right},{y}"), ""))
        };
        let borders = self.borders.iter().map(|(at, label)| (x.between(*at, left, right), label));
        let borders = borders.filter(|(at, _)| (left..=right).contains(at)).map(|(at, label)| {
            // Before the right end there is no room behind the place.
            let label = if self.small { "" } else { label };
            json!({ "at": digits(at), "label": label, "at_end": at > right - 55.0 })
        });
        let shapes = self.lines.iter().map(|line| line.shape(at));
        let shapes = shapes.chain(self.levels.iter().filter_map(level));
        let shapes = shapes.chain(self.bands.iter().map(|band| band.shape(at)));
        // Where a reader of the drawing finds the values of its points.
        let axis = |span: &Span, scale, from: f64, to: f64| {
            json!([from, span.low, to, span.high, scale == AxisScale::Logarithmic])
        };
        let (x_axis, y_axis) =
            (axis(&x, self.x_scale, left, right), axis(&y, self.y_scale, bottom, top));
        let y_ticks = ticks(&y, bottom, top);
        let grid = y_ticks.iter().filter_map(|tick| tick["at"].as_str());
        Some(json!({
            "title": self.title,
            "note": self.note,
            "about": self.in_words(),
            "x_label": self.x_label,
            "y_label": self.y_label,
            "small": self.small,
            "width": width,
            "height": height,
            "left": left,
            "right": right,
            "top": top,
            "bottom": bottom,
            "x_ticks": ticks(&x, left, right),
            "grid": grid.map(|at| format!("M{left} {at}H{right}")).collect::<String>(),
            "y_ticks": y_ticks,
            "axis": format!("M{left} {bottom}H{right}"),
            "axes": json!([x_axis, y_axis, self.x_label]).to_string(),
            "borders": borders.collect::<Vec<_>>(),
            "bars": [],
            "shapes": shapes.collect::<Vec<_>>(),
        }))
    }

    fn shows(&self, x: f64) -> bool {
        x.is_finite() && self.range.is_none_or(|[from, to]| (from..=to).contains(&x))
    }

    /// The chart for those who cannot see it: where each curve begins and ends.
    fn in_words(&self) -> String {
        let mut text = format!("{}.", self.title);
        for ChartLine { name, points, .. } in &self.lines {
            let mut shown = points.iter().filter(|point| self.shows(point.0));
            let first = shown.next();
            if let (Some((_, first)), Some((_, last))) = (first, shown.next_back().or(first)) {
                let name = if name.is_empty() { "It" } else { name };
                text += &format!(" {name}: from {} to {}.", short(*first), short(*last));
            }
        }
        text
    }
}

impl ChartLine {
    fn shape(&self, at: impl Fn((f64, f64)) -> Option<(f64, f64)>) -> Value {
        let kind = match self.mark {
            Mark::Solid | Mark::Points => "line",
            Mark::Dashed => "dashed",
            Mark::Dots => "dots",
        };
        let dots = |places: &[(String, String)]| -> String {
            places.iter().map(|(x, y)| format!("M{x} {y}h0")).collect()
        };
        if self.mark == Mark::Dots {
            // Dots that would lie on each other are drawn once.
            let places = self.points.iter().filter_map(|point| at(*point));
            let places = places.map(|(x, y)| (format!("{x:.0}"), format!("{y:.0}")));
            let mut seen = HashSet::new();
            let places: Vec<_> = places.filter(|place| seen.insert(place.clone())).collect();
            return shape(&self.name, self.colour, kind, String::new(), &dots(&places));
        }
        let mut path = String::new();
        let mut marked = String::new();
        for piece in pieces(&self.points, |point| at(*point).is_some()) {
            let places: Vec<_> = piece.into_iter().filter_map(&at).map(rounded).collect();
            path += &path_through(&places);
            // A line through one point is nothing to see without its dot.
            let few = if self.mark == Mark::Points { FEW_POINTS } else { 1 };
            if places.len() <= few {
                marked += &dots(&places);
            }
        }
        shape(&self.name, self.colour, kind, path, &marked)
    }
}

impl Band {
    fn shape(&self, at: impl Fn((f64, f64)) -> Option<(f64, f64)>) -> Value {
        let has_place =
            |&(x, ends): &(f64, [f64; 2])| ends.iter().all(|end| at((x, *end)).is_some());
        let around = |piece: Vec<(f64, [f64; 2])>| {
            let upper = piece.iter().map(|(x, [_, high])| (*x, *high));
            let lower = piece.iter().rev().map(|(x, [low, _])| (*x, *low));
            let around: Vec<_> = upper.chain(lower).filter_map(&at).map(rounded).collect();
            path_through(&around) + "Z"
        };
        let path = pieces(&self.points, has_place).map(around).collect();
        shape(&self.name, self.colour, "band", path, "")
    }
}

impl BarPlot {
    /// The chart for a file of this width; `None` without a value that can be drawn.
    pub(super) fn draw_in(&self, width: f64) -> Option<Value> {
        const THICK: f64 = 14.0;
        const BETWEEN: f64 = 10.0;
        let longest = self.groups.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let left = (CHARACTER * longest as f64 + 40.0).min(0.4 * width);
        // What is written on the longest bar has room.
        let (right, top) = (width - 56.0, 10.0);
        let high = THICK * self.series.len() as f64 + BETWEEN;
        let bottom = top + high * self.groups.len() as f64;
        let values = self.series.iter().flat_map(|(_, values)| values.iter().flatten());
        let span = Span::of(self.scale, values.copied(), TICKS, [true; 2])?;
        let at = |place: f64| span.between(place, left, right);
        let base = at(span.base);
        let (mut bars, mut shapes) = (Vec::new(), Vec::new());
        for (colour, (name, values)) in self.series.iter().enumerate() {
            shapes.push(shape(name, colour, "bar", String::new(), ""));
            for (row, value) in values.iter().take(self.groups.len()).enumerate() {
                let Some((value, place)) = value.and_then(|v| Some((v, self.scale.place(v)?)))
                else {
                    continue;
                };
                let (end, y) =
                    (at(place), top + BETWEEN / 2.0 + high * row as f64 + THICK * colour as f64);
                bars.push(json!({
                    "paint": PALETTE[colour % PALETTE.len()],
                    "x": digits(base.min(end)),
                    "y": digits(y),
                    "width": digits((end - base).abs()),
                    "height": THICK - 1.0,
                    // Where the value is written.
                    "end": digits(end),
                    "middle": digits(y + THICK / 2.0),
                    "label": short(value),
                    "negative": end < base,
                }));
            }
        }
        let x_ticks: Vec<Value> =
            span.ticks.iter().map(|(place, label)| tick(at(*place), label)).collect();
        let grid = x_ticks.iter().filter_map(|tick| tick["at"].as_str());
        let group = |(row, name): (usize, &String)| tick(top + high * (row as f64 + 0.5), name);
        Some(json!({
            "about": format!("{}. {} by {}.", self.title, self.x_label, self.y_label),
            "x_label": self.x_label,
            "y_label": self.y_label,
            "small": false,
            "height": bottom + 40.0,
            "left": left,
            "right": right,
            "top": top,
            "bottom": bottom,
            "grid": grid.map(|at| format!("M{at} {top}V{bottom}")).collect::<String>(),
            "x_ticks": x_ticks,
            "y_ticks": self.groups.iter().enumerate().map(group).collect::<Vec<_>>(),
            "axis": format!("M{} {top}V{bottom}", digits(base)),
            "borders": [],
            "bars": bars,
            "shapes": shapes,
        }))
    }
}

fn tick(at: f64, label: &str) -> Value {
    json!({ "at": digits(at), "label": label })
}

/// What is drawn, with its entry in the key if it has a name: a `line`, `dashed`, `dots`, a `band` or a `bar`, along a path, and
/// with dots as a path of lines without length.
fn shape(name: &str, colour: usize, kind: &str, path: String, dots: &str) -> Value {
    let colour = colour % PALETTE.len();
    let paint = PALETTE[colour];
    json!({ "name": name, "colour": colour, "paint": paint, "kind": kind, "path": path, "dots": dots })
}

fn path_through(places: &[(String, String)]) -> String {
    let places: Vec<String> = places.iter().map(|(x, y)| format!("{x},{y}")).collect();
    format!("M{}", places.join(" "))
}

/// The pieces of a curve, which is broken where a point has no place. Not many more than [`MOST_POINTS`] are kept of each, the last
/// one among them.
fn pieces<T: Copy>(points: &[T], has_place: impl Fn(&T) -> bool) -> impl Iterator<Item = Vec<T>> {
    let pieces = points.split(move |point| !has_place(point)).filter(|piece| !piece.is_empty());
    pieces.map(|piece| {
        let stride = piece.len().div_ceil(MOST_POINTS);
        let kept = piece.iter().step_by(stride);
        let last = piece.last().filter(|_| !(piece.len() - 1).is_multiple_of(stride));
        kept.chain(last).copied().collect()
    })
}

fn rounded((x, y): (f64, f64)) -> (String, String) {
    (digits(x), digits(y))
}

fn digits(length: f64) -> String {
    format!("{length:.1}").trim_end_matches(".0").into()
}
