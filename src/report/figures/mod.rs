//! Figures as SVG: lines, scatters and grouped bars, as the documents have them.
//!
//! Data in, text out: the same data give the same bytes. The legend stands below the plot, so that it
//! covers no data. Colours are safe for colour-blind readers (Okabe and Ito).

mod axis;
pub(crate) mod chart;
mod data;
mod draw;
mod frame;

use axis::Span;
use draw::{Layer, Shape, draw, text_of};

pub(crate) use axis::{Axis, Scale};
pub(crate) use data::{POINT_COLUMNS, cumulative_rates, points_csv, time_by_turn, times_of_moves};
pub(crate) use frame::{FigureError, Frame};

/// A named curve or cloud of points.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Series {
    /// What the legend calls it.
    pub name: String,
    /// Points, x first. What is not finite or, on a logarithmic axis, not above 0 is left out.
    pub points: Vec<(f64, f64)>,
}

/// A horizontal line to compare with: 50 % of the points, a limit of time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reference {
    /// What the legend calls it.
    pub name: String,
    /// Where it is.
    pub y: f64,
}

/// Bars of one colour, one in each group.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bars {
    /// What the legend calls them.
    pub name: String,
    /// A value for each group; `None` leaves the place empty.
    pub values: Vec<Option<f64>>,
}

impl Frame<'_> {
    /// Lines through the points of each series, and dots on the points where they are few. Time by
    /// depth on a logarithmic axis, time by turn, win rate by time (Lifshitz); a reference is a dashed
    /// horizontal line.
    ///
    /// # Errors
    /// No value that can be drawn.
    pub(crate) fn lines(
        &self,
        series: &[Series],
        reference: Option<&Reference>,
    ) -> Result<String, FigureError> {
        let mut layers = self.layers(series, Shape::Line);
        if let Some(Reference { name, y }) = reference
            && let Some(place) = self.y.scale.place(*y)
        {
            layers.push(Layer::reference(name, place));
        }
        self.draw(&layers)
    }

    /// A dot for each point and a dashed line at the mean of each series (Sista 4.1 to 4.3). Dots that
    /// would lie on each other are drawn once.
    ///
    /// # Errors
    /// No value that can be drawn.
    pub(crate) fn scatter(&self, series: &[Series]) -> Result<String, FigureError> {
        let mut layers = self.layers(series, Shape::Dots);
        for (index, Series { name, points }) in series.iter().enumerate() {
            let values = points.iter().map(|point| point.1).filter(|y| y.is_finite());
            let mean = values.clone().sum::<f64>() / values.count() as f64;
            if let Some(place) = self.y.scale.place(mean) {
                layers.push(Layer {
                    name: format!("{name}: mean {}", short(mean)),
                    colour: index,
                    shape: Shape::Level(place),
                });
            }
        }
        self.draw(&layers)
    }

    fn layers(&self, series: &[Series], shape: impl Fn(Vec<(f64, f64)>) -> Shape) -> Vec<Layer> {
        let place = |&(x, y): &(f64, f64)| Some((self.x.scale.place(x)?, self.y.scale.place(y)?));
        let layer = |(colour, Series { name, points }): (usize, &Series)| Layer {
            name: name.clone(),
            colour,
            shape: shape(points.iter().filter_map(place).collect()),
        };
        series.iter().enumerate().map(layer).collect()
    }

    fn draw(&self, layers: &[Layer]) -> Result<String, FigureError> {
        let empty = || FigureError::Empty(self.title.into());
        let points: Vec<(f64, f64)> =
            layers.iter().flat_map(|layer| layer.shape.points()).collect();
        let levels = layers.iter().filter_map(|layer| layer.shape.level());
        let x = Span::of(self.x.scale, points.iter().map(|point| point.0), false);
        let y_places: Vec<f64> = points.iter().map(|point| point.1).chain(levels).collect();
        let y = Span::of(self.y.scale, y_places.into_iter(), true);
        draw(self, &x.ok_or_else(empty)?, &y.ok_or_else(empty)?, layers)
    }
}

/// Bars in groups, a colour a series (Amar, figures 1 to 6). Each bar carries its value. On a
/// logarithmic axis bars stand on its lower end.
///
/// # Errors
/// No value that can be drawn.
pub(crate) fn bars(
    title: &str,
    x_label: &str,
    y: Axis<'_>,
    groups: &[&str],
    series: &[Bars],
) -> Result<String, FigureError> {
    let empty = || FigureError::Empty(title.into());
    // A group is one wide; its bars leave a fifth between it and the next.
    let width = 0.8 / series.len().max(1) as f64;
    let mut layers = Vec::new();
    for (colour, Bars { name, values }) in series.iter().enumerate() {
        let bars = values.iter().take(groups.len()).enumerate().filter_map(|(group, value)| {
            let left = group as f64 - 0.4 + width * colour as f64;
            let place = y.scale.place((*value)?)?;
            Some((left, left + width, place, short((*value)?)))
        });
        layers.push(Layer { name: name.clone(), colour, shape: Shape::Bars(bars.collect()) });
    }
    let tops: Vec<f64> =
        layers.iter().flat_map(|layer| layer.shape.points()).map(|point| point.1).collect();
    let y_span = Span::of(y.scale, tops.into_iter(), true).ok_or_else(empty)?;
    let ticks = groups.iter().enumerate().map(|(group, name)| (group as f64, text_of(name)));
    let (low, high) = (-0.5, groups.len() as f64 - 0.5);
    let x_span = Span { low, high, base: low, ticks: ticks.collect() };
    let frame = Frame { title, x: Axis::linear(x_label), y };
    draw(&frame, &x_span, &y_span, &layers)
}

/// A number with about three digits.
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
