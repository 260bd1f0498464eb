//! The charts of tables that were played.

use super::charts::{AxisScale, BarPlot, ChartLine, INK, Mark, NothingToDraw, Plot, plot_of_games};
use crate::papers::reproduce::{
    Drawing, Figure, Quantity, RowReport, RowTrace, Standing, TableReport,
};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Drawn {
    /// What its files are called beside the table's name.
    pub suffix: String,
    pub svg: String,
    pub lines: Vec<ChartLine>,
}

/// The charts of a whole table: the curve of a sweep, the bars of a round robin.
pub(crate) fn charts_of_table(report: &TableReport) -> Result<Vec<Drawn>, NothingToDraw> {
    let mut drawn = Vec::new();
    if let Some(figure) = &report.figure {
        drawn.push(curve(report, figure)?);
    }
    let bars_of =
        |suffix: &str, title: &str, x_label: &str, scale, of: fn(&Standing) -> [Option<f64>; 2]| {
            let values = |index: usize| report.standings.iter().map(|one| of(one)[index]).collect();
            let plot = BarPlot {
                title: format!("{}: {title}", report.title),
                x_label: x_label.into(),
                y_label: "agent".into(),
                scale,
                groups: report.standings.iter().map(|standing| standing.name.clone()).collect(),
                series: vec![("printed".into(), values(0)), ("measured".into(), values(1))],
            };
            bars(suffix.into(), &plot)
        };
    if !report.standings.is_empty() {
        let rates = |one: &Standing| {
            [one.printed, Some(one.measured.score())].map(|share| Some(100.0 * share?))
        };
        let times = |one: &Standing| [one.printed_milliseconds, Some(one.milliseconds)];
        let (rate, time) = ("winning rate (%)", "milliseconds per move");
        drawn.push(bars_of("winning-rates", "winning rates", rate, AxisScale::Linear, rates)?);
        let title = "average time of a move";
        drawn.push(bars_of("times", title, time, AxisScale::Logarithmic, times)?);
    }
    // What some players lose or save against others (Amar, figures 5 and 6).
    for (number, reduction) in (1..).zip(&report.reductions) {
        let percent = reduction.pairs.iter().map(|(_, share)| Some(100.0 * share)).collect();
        let plot = BarPlot {
            title: format!("{}: {}", report.title, reduction.name),
            x_label: "share (%)".into(),
            y_label: "pair of agents".into(),
            groups: reduction.pairs.iter().map(|(pair, _)| pair.clone()).collect(),
            series: vec![("measured".into(), percent)],
            ..BarPlot::default()
        };
        let mut bars: Drawn = bars(format!("reduction-{number}"), &plot)?;
        bars.lines[0].name.clone_from(&reduction.name);
        drawn.push(bars);
    }
    Ok(drawn)
}

/// Bars as a chart, and as lines through the numbers of their groups.
fn bars(suffix: String, plot: &BarPlot) -> Result<Drawn, NothingToDraw> {
    let line = |(name, values): &(String, Vec<Option<f64>>)| {
        let points = (1_u32..).zip(values);
        let points = points.filter_map(|(number, value)| Some((f64::from(number), (*value)?)));
        ChartLine::new(name, 0, points.collect())
    };
    Ok(Drawn { suffix, svg: plot.svg()?, lines: plot.series.iter().map(line).collect() })
}

fn curve(report: &TableReport, figure: &Figure) -> Result<Drawn, NothingToDraw> {
    let value = |row: &RowReport| match figure.y {
        Quantity::Score => row.measurement.measured.score(),
        Quantity::Milliseconds => row.measurement.milliseconds_per_move[0],
        Quantity::Work => row.measurement.work_per_move[0],
    };
    let point = |row: &RowReport| Some((row.value.as_ref()?.parse().ok()?, value(row)));
    let name = report.rows.first().map_or(String::new(), |row| row.names.join(" against "));
    let points = report.rows.iter().filter_map(point).collect();
    let is_score = figure.y == Quantity::Score;
    let half = is_score.then(|| ("half of the points".into(), INK, 0.5));
    let scale = |logarithmic| if logarithmic { AxisScale::Logarithmic } else { AxisScale::Linear };
    let lines = vec![ChartLine::new(&name, 0, points).marked(Mark::Points)];
    let plot = Plot {
        // Scores end at 1. Otherwise the values are depths, a few small whole numbers.
        x_scale: scale(figure.logarithmic && is_score),
        y_scale: scale(figure.logarithmic && !is_score),
        from_zero: true,
        levels: half.into_iter().collect(),
        ..Plot::new(&report.title, "", [&figure.x, &figure.y.to_string()], lines)
    };
    Ok(Drawn { suffix: "figure".into(), svg: plot.svg()?, lines: plot.lines })
}

/// The charts of a row that was played here.
pub(crate) fn charts_of_row(
    report: &TableReport,
    row: &RowReport,
    trace: &RowTrace,
) -> Result<Vec<Drawn>, NothingToDraw> {
    let names = row.names.each_ref().map(String::as_str);
    let draw = |drawing: &Drawing| {
        let mut plot = Plot {
            title: report.title.clone(),
            note: names.join(" against "),
            ..plot_of_games(*drawing, trace, names)
        };
        let lines = plot.lines.clone();
        let name = match drawing {
            Drawing::TimeByTurn => {
                plot.lines.truncate(1);
                let mean = row.measurement.milliseconds_per_move[0];
                plot.levels.push((format!("mean of {}", names[0]), INK, mean));
                "time-by-turn"
            }
            Drawing::TimeOfMoves => "time-of-moves",
            Drawing::Convergence => "convergence",
        };
        Ok(Drawn { suffix: format!("row-{}-{name}", row.row), svg: plot.svg()?, lines })
    };
    report.drawn.iter().map(draw).collect()
}
