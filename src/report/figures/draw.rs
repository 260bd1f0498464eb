//! Drawing layers of shapes in a frame, with axes and a legend.

use std::collections::HashSet;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::axis::Span;
use super::frame::{FigureError, Frame};

/// Something of one colour with a name. All is in places along the axes, not in values.
pub(super) struct Layer {
    pub(super) name: String,
    /// Its number in the palette.
    pub(super) colour: usize,
    pub(super) shape: Shape,
}

pub(super) enum Shape {
    Line(Vec<(f64, f64)>),
    Dots(Vec<(f64, f64)>),
    /// A dashed horizontal line.
    Level(f64),
    /// Left end, right end, top, and what is written on it.
    Bars(Vec<(f64, f64, f64, String)>),
}

impl Shape {
    /// The places that the axes have to show.
    pub(super) fn points(&self) -> Vec<(f64, f64)> {
        match self {
            Self::Line(points) | Self::Dots(points) => points.clone(),
            Self::Level(_) => Vec::new(),
            Self::Bars(bars) => bars.iter().map(|(left, _, top, _)| (*left, *top)).collect(),
        }
    }

    pub(super) const fn level(&self) -> Option<f64> {
        if let Self::Level(y) = self { Some(*y) } else { None }
    }
}

impl Layer {
    /// A level that belongs to no series.
    pub(super) fn reference(name: &str, y: f64) -> Self {
        Self { name: name.into(), colour: BLACK_OF_PALETTE, shape: Shape::Level(y) }
    }

    fn colour(&self) -> RGBColor {
        PALETTE[self.colour % PALETTE.len()]
    }
}

/// CITE: Okabe and Ito, "Color Universal Design" (2002): eight colours that most colour-blind people
/// tell apart.
const PALETTE: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
    RGBColor(240, 228, 66),
];
const BLACK_OF_PALETTE: usize = 6;

/// All in pixels.
const WIDTH: u32 = 900;
const PLOT_HEIGHT: u32 = 400;
const LEGEND_LINE: u32 = 20;
const LEFT: i32 = 70;

/// Points of a line get dots up to so many.
const FEW_POINTS: usize = 40;

/// The longest text of a title or a legend that fits.
const LONGEST_TEXT: usize = 110;

pub(super) fn draw(
    frame: &Frame<'_>,
    x: &Span,
    y: &Span,
    layers: &[Layer],
) -> Result<String, FigureError> {
    let mut svg = String::new();
    let height = PLOT_HEIGHT + LEGEND_LINE * layers.len() as u32 + LEGEND_LINE / 2;
    let area = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
    draw_on(&area, frame, x, y, layers).map_err(|cause| FigureError::Drawing {
        title: frame.title.into(),
        cause: cause.to_string(),
    })?;
    drop(area);
    Ok(svg)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

fn draw_on(
    area: &Area<'_>,
    frame: &Frame<'_>,
    x: &Span,
    y: &Span,
    layers: &[Layer],
) -> Result<(), Box<dyn std::error::Error>> {
    area.fill(&WHITE)?;
    let (plot, legend) = area.split_vertically(PLOT_HEIGHT);
    let mut chart = ChartBuilder::on(&plot)
        .margin(10)
        .caption(text_of(frame.title), ("sans-serif", 18))
        .x_label_area_size(50)
        .y_label_area_size(LEFT)
        .build_cartesian_2d(x.clone(), y.clone())?;
    chart
        .configure_mesh()
        .x_desc(text_of(frame.x.label))
        .y_desc(text_of(frame.y.label))
        .label_style(("sans-serif", 13))
        .axis_desc_style(("sans-serif", 14))
        .bold_line_style(BLACK.mix(0.12))
        .draw()?;
    for layer in layers {
        let colour = layer.colour();
        match &layer.shape {
            Shape::Line(points) => {
                let line = LineSeries::new(points.iter().copied(), colour.stroke_width(2));
                // A line through one point is nothing to see without its dot.
                let size = if points.len() <= FEW_POINTS { 3 } else { 0 };
                chart.draw_series(line)?;
                if size > 0 {
                    let dot = |point: &(f64, f64)| Circle::new(*point, size, colour.filled());
                    chart.draw_series(points.iter().map(dot))?;
                }
            }
            Shape::Dots(points) => {
                let mut seen = HashSet::new();
                let seen_first: Vec<(f64, f64)> = points
                    .iter()
                    .copied()
                    .filter(|point| seen.insert(chart.backend_coord(point)))
                    .collect();
                let style = colour.mix(0.5).filled();
                chart.draw_series(
                    seen_first.into_iter().map(|point| Circle::new(point, 2, style)),
                )?;
            }
            Shape::Level(level) => {
                let ends = [(x.low, *level), (x.high, *level)];
                let style = colour.stroke_width(2);
                chart.draw_series(DashedLineSeries::new(ends, 8, 5, style))?;
            }
            Shape::Bars(bars) => {
                let base = y.base;
                let bar = |(left, right, top, _): &(f64, f64, f64, String)| {
                    Rectangle::new([(*left, base), (*right, *top)], colour.filled())
                };
                chart.draw_series(bars.iter().map(bar))?;
                for (left, right, top, label) in bars {
                    let vertical = if *top < base { VPos::Top } else { VPos::Bottom };
                    let style = ("sans-serif", 11).into_text_style(&plot);
                    let style = style.pos(Pos::new(HPos::Center, vertical));
                    let middle = ((left + right) / 2.0, *top);
                    chart.draw_series([Text::new(label.clone(), middle, style)])?;
                }
            }
        }
    }
    for (line, layer) in (0..).zip(layers) {
        draw_legend(&legend, line * LEGEND_LINE as i32 + LEGEND_LINE as i32 / 2, layer)?;
    }
    area.present()?;
    Ok(())
}

/// A line of the legend: a piece of the layer, and its name.
fn draw_legend(area: &Area<'_>, y: i32, layer: &Layer) -> Result<(), Box<dyn std::error::Error>> {
    let colour = layer.colour();
    let (left, right) = (LEFT + 10, LEFT + 34);
    match &layer.shape {
        Shape::Line(_) => {
            area.draw(&PathElement::new(vec![(left, y), (right, y)], colour.stroke_width(2)))?;
        }
        Shape::Dots(_) => area.draw(&Circle::new(((left + right) / 2, y), 3, colour.filled()))?,
        Shape::Level(_) => {
            for from in [left, left + 13] {
                let dash = vec![(from, y), (from + 8, y)];
                area.draw(&PathElement::new(dash, colour.stroke_width(2)))?;
            }
        }
        Shape::Bars(_) => {
            area.draw(&Rectangle::new([(left, y - 5), (right, y + 5)], colour.filled()))?;
        }
    }
    let style = ("sans-serif", 13).into_text_style(area).pos(Pos::new(HPos::Left, VPos::Center));
    area.draw(&Text::new(text_of(&layer.name), (right + 8, y), style))?;
    Ok(())
}

/// A text that fits and that XML can hold.
pub(super) fn text_of(text: &str) -> String {
    let mut fitting: String = text.chars().filter(|c| !c.is_control()).take(LONGEST_TEXT).collect();
    if text.chars().count() > LONGEST_TEXT {
        fitting += "...";
    }
    fitting
}
