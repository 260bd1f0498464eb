//! Charts of pages: what stands where in a drawing, as data. The template `chart.html` writes it as SVG, and the style of
//! the page gives it colours, light or dark.

use serde::Serialize;

use super::axis::Span;
use super::{Scale, short};

/// A chart to draw.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plot {
    /// What is said above it.
    pub title: String,
    /// What the vertical axis shows, in small letters.
    pub note: String,
    /// What the horizontal axis shows.
    pub x_label: &'static str,
    /// How values lie along the vertical axis.
    pub scale: Scale,
    /// Whether the vertical axis begins at 0.
    pub from_zero: bool,
    /// Curves.
    pub lines: Vec<PlotLine>,
    /// Bands between two values, drawn below the curves.
    pub bands: Vec<PlotBand>,
    /// Vertical lines with what is written beside them.
    pub borders: Vec<(f64, String)>,
    /// Whether it is one of many, and small.
    pub small: bool,
}

/// A curve.
#[derive(Clone, Debug)]
pub(crate) struct PlotLine {
    /// What the key calls it.
    pub name: String,
    /// Its number in the palette of the page, 0 to 7.
    pub colour: usize,
    /// Whether it is dashed, for those who cannot tell colours apart.
    pub dashed: bool,
    /// Points, x first.
    pub points: Vec<(f64, f64)>,
}

/// A band.
#[derive(Clone, Debug)]
pub(crate) struct PlotBand {
    /// What the key calls it.
    pub name: String,
    /// Its number in the palette of the page, 0 to 7.
    pub colour: usize,
    /// Place, lower and upper end.
    pub points: Vec<(f64, f64, f64)>,
}

/// What stands where. Lengths are in units of the drawing.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Chart {
    title: String,
    note: String,
    about: String,
    x_label: &'static str,
    small: bool,
    width: f64,
    height: f64,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    x_ticks: Vec<Tick>,
    y_ticks: Vec<Tick>,
    borders: Vec<Tick>,
    bands: Vec<Shape>,
    lines: Vec<Shape>,
    key: Vec<KeyEntry>,
}

#[derive(Clone, Debug, Serialize)]
struct Tick {
    at: String,
    label: String,
    /// Whether what is written ends at the right end of the plot, since there is no room behind the place.
    at_end: bool,
}

#[derive(Clone, Debug, Serialize)]
struct Shape {
    colour: usize,
    dashed: bool,
    points: String,
    /// Where the one point of a line is that has no length.
    dot: Option<(String, String)>,
}

#[derive(Clone, Debug, Serialize)]
struct KeyEntry {
    name: String,
    colour: usize,
    /// `line`, `dashed` or `band`.
    kind: &'static str,
}

/// About as many points a curve has at most.
const MOST_POINTS: usize = 600;

/// As many ticks a small chart has at most.
const FEW_TICKS: usize = 4;

impl Plot {
    /// The chart; `None` without a value that can be drawn.
    #[must_use]
    pub(crate) fn draw(&self) -> Option<Chart> {
        let (width, height) = if self.small { (260.0, 150.0) } else { (520.0, 300.0) };
        let (left, right) = (if self.small { 46.0 } else { 52.0 }, width - 10.0);
        let (top, bottom) = (if self.borders.is_empty() { 10.0 } else { 22.0 }, height - 40.0);
        let place = |value: f64| self.scale.place(value).filter(|place| place.is_finite());
        let of_lines = self.lines.iter().flat_map(|line| &line.points);
        let of_bands = self.bands.iter().flat_map(|band| &band.points);
        let ends = of_bands.clone().flat_map(|(_, low, high)| [*low, *high]);
        let ys: Vec<f64> =
            of_lines.clone().map(|point| point.1).chain(ends).filter_map(place).collect();
        let xs: Vec<f64> =
            of_lines.map(|point| point.0).chain(of_bands.map(|point| point.0)).collect();
        let x = Span::of(Scale::Linear, xs.into_iter(), false)?;
        let y = Span::of(self.scale, ys.into_iter(), self.from_zero)?;
        let to = |span: &Span, value: f64, from: f64, to: f64| {
            from + (to - from) * (value - span.low) / (span.high - span.low)
        };
        let at_x = |value: f64| digits(to(&x, value, left, right));
        let at_y = |place: f64| digits(to(&y, place, bottom, top));
        let point = |&(x, y): &(f64, f64)| Some((at_x(x), at_y(place(y)?)));
        let line = |line: &PlotLine| {
            let places: Vec<(String, String)> = thinned(&line.points).filter_map(point).collect();
            let points = places.iter().map(|(x, y)| format!("{x},{y}"));
            Shape {
                colour: line.colour % 8,
                dashed: line.dashed,
                points: points.collect::<Vec<_>>().join(" "),
                dot: (places.len() == 1).then(|| places[0].clone()),
            }
        };
        let band = |band: &PlotBand| {
            let upper = thinned(&band.points).map(|&(x, _, high)| (x, high));
            let lower = thinned(&band.points).map(|&(x, low, _)| (x, low));
            let around: Vec<_> = upper.chain(lower.collect::<Vec<_>>().into_iter().rev()).collect();
            let points = around.iter().filter_map(point).map(|(x, y)| format!("{x},{y}"));
            let points = points.collect::<Vec<_>>().join(" ");
            Shape { colour: band.colour % 8, dashed: false, points, dot: None }
        };
        let ticks = |span: &Span, at: &dyn Fn(f64) -> String| {
            let stride = if self.small { span.ticks.len().div_ceil(FEW_TICKS) } else { 1 };
            let ticks = span.ticks.iter().step_by(stride.max(1));
            ticks
                .map(|(place, label)| Tick { at: at(*place), label: label.clone(), at_end: false })
                .collect()
        };
        let borders = self.borders.iter().filter(|(at, _)| (x.low..=x.high).contains(at));
        let keys = self.lines.iter().map(|line| KeyEntry {
            name: line.name.clone(),
            colour: line.colour % 8,
            kind: if line.dashed { "dashed" } else { "line" },
        });
        let bands = self.bands.iter();
        let bands = bands.map(|band| (band.name.clone(), band.colour % 8));
        let bands = bands.map(|(name, colour)| KeyEntry { name, colour, kind: "band" });
        Some(Chart {
            title: self.title.clone(),
            note: self.note.clone(),
            about: self.in_words(),
            x_label: self.x_label,
            small: self.small,
            width,
            height,
            left,
            right,
            top,
            bottom,
            x_ticks: ticks(&x, &at_x),
            y_ticks: ticks(&y, &at_y),
            borders: borders
                .map(|(at, label)| Tick {
                    at: at_x(*at),
                    label: label.clone(),
                    at_end: to(&x, *at, left, right) > right - 55.0,
                })
                .collect(),
            bands: self.bands.iter().map(band).collect(),
            lines: self.lines.iter().map(line).collect(),
            key: keys.chain(bands).filter(|entry| !entry.name.is_empty()).collect(),
        })
    }

    /// The chart for those who cannot see it: where each curve begins and ends.
    fn in_words(&self) -> String {
        let mut text = format!("{}.", self.title);
        for PlotLine { name, points, .. } in &self.lines {
            if let (Some((_, first)), Some((_, last))) = (points.first(), points.last()) {
                let name = if name.is_empty() { "It" } else { name };
                text += &format!(" {name}: from {} to {}.", short(*first), short(*last));
            }
        }
        text
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

#[cfg(test)]
mod tests {
    use super::*;

    fn line(points: &[(f64, f64)]) -> PlotLine {
        PlotLine { name: "a".into(), colour: 9, dashed: false, points: points.to_vec() }
    }

    #[test]
    fn values_stand_where_their_ticks_are() {
        let lines = vec![line(&[(1.0, 0.0), (2.0, 10.0), (3.0, f64::NAN)])];
        let plot = Plot { lines, from_zero: true, ..Plot::default() };
        let chart = plot.draw().unwrap();
        let at = |ticks: &[Tick], label: &str| {
            ticks.iter().find(|tick| tick.label == label).unwrap().at.clone()
        };
        let expected = format!(
            "{},{} {},{}",
            at(&chart.x_ticks, "1"),
            at(&chart.y_ticks, "0"),
            at(&chart.x_ticks, "2"),
            at(&chart.y_ticks, "10")
        );
        assert_eq!(chart.lines[0].points, expected);
        assert_eq!((chart.lines[0].colour, chart.lines[0].dot.clone()), (1, None));
        assert!(chart.about.contains("a: from 0 to NaN"), "{}", chart.about);
    }

    #[test]
    fn what_has_no_place_is_left_out() {
        assert!(Plot::default().draw().is_none());
        let nothing = vec![line(&[(1.0, f64::INFINITY)])];
        assert!(Plot { lines: nothing, ..Plot::default() }.draw().is_none());
        let lines = vec![line(&[(1.0, 0.0), (2.0, 10.0)])];
        let plot = Plot { lines, scale: Scale::Logarithmic, ..Plot::default() };
        let chart = plot.draw().unwrap();
        assert!(chart.lines[0].dot.is_some(), "a line of one point is a dot");
    }

    #[test]
    fn long_curves_are_thinned_to_their_end() {
        let points: Vec<(f64, f64)> = (0..10_000).map(|x| (f64::from(x), 1.0)).collect();
        let kept: Vec<_> = thinned(&points).collect();
        assert!(kept.len() <= MOST_POINTS + 1 && kept.last() == Some(&&(9999.0, 1.0)));
        assert_eq!(thinned(&points[..3]).count(), 3);
        assert_eq!(thinned::<u8>(&[]).count(), 0);
    }
}
