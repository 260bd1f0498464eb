//! The figures of tables that were played.

use super::figures::{
    Axis, Bars, FigureError, Frame, Reference, Scale, Series, bars, cumulative_rates, time_by_turn,
    times_of_moves,
};
use super::moves::MoveRow;
use crate::reproduce::{
    Drawing, Figure, Quantity, ReductionReport, Report, RowReport, RowTrace, Standing,
};

/// A figure and the data behind it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Drawn {
    /// What its files are called beside the table's name.
    pub suffix: String,
    /// The figure.
    pub svg: String,
    /// What is drawn.
    pub series: Vec<Series>,
}

/// The figures of a whole table: the curve of a sweep, the bars of a round robin.
///
/// # Errors
/// Nothing that can be drawn.
pub(crate) fn figures_of_table(report: &Report) -> Result<Vec<Drawn>, FigureError> {
    let mut drawn = Vec::new();
    if let Some(figure) = &report.figure {
        drawn.push(curve(report, figure)?);
    }
    if !report.standings.is_empty() {
        let score = |standing: &Standing| {
            let printed = standing.printed.map(|share| 100.0 * share);
            [printed, Some(100.0 * standing.measured.score())]
        };
        let y = Axis { label: "winning rate (%)", scale: Scale::Linear };
        drawn.push(bars_of(report, "winning-rates", "winning rates", y, score)?);
        let time =
            |standing: &Standing| [standing.printed_milliseconds, Some(standing.milliseconds)];
        let y = Axis { label: "milliseconds a move", scale: Scale::Logarithmic };
        drawn.push(bars_of(report, "times", "average time of a move", y, time)?);
    }
    for (number, reduction) in (1..).zip(&report.reductions) {
        drawn.push(bars_of_reduction(report, number, reduction)?);
    }
    Ok(drawn)
}

/// The bars of what some players lose or save against others (Amar, figures 5 and 6).
fn bars_of_reduction(
    report: &Report,
    number: usize,
    reduction: &ReductionReport,
) -> Result<Drawn, FigureError> {
    let groups: Vec<&str> = reduction.pairs.iter().map(|(pair, _)| pair.as_str()).collect();
    let percent: Vec<f64> = reduction.pairs.iter().map(|(_, share)| 100.0 * share).collect();
    let values = percent.iter().copied().map(Some).collect();
    let both = [Bars { name: "measured".into(), values }];
    let title = format!("{}: {}", report.title, reduction.name);
    let y = Axis { label: "share (%)", scale: Scale::Linear };
    let svg = bars(&title, "pair of agents", y, &groups, &both)?;
    let points = (1_u32..).zip(percent).map(|(pair, share)| (f64::from(pair), share)).collect();
    let series = vec![Series { name: reduction.name.clone(), points }];
    Ok(Drawn { suffix: format!("reduction-{number}"), svg, series })
}

fn curve(report: &Report, figure: &Figure) -> Result<Drawn, FigureError> {
    let value = |row: &RowReport| match figure.y {
        Quantity::Score => row.measurement.measured.score(),
        Quantity::Milliseconds => row.measurement.milliseconds_per_move[0],
        Quantity::Work => row.measurement.work_per_move[0],
    };
    let point = |row: &RowReport| Some((row.value.as_ref()?.parse().ok()?, value(row)));
    let name = report.rows.first().map_or(String::new(), |row| row.names.join(" against "));
    let series = vec![Series { name, points: report.rows.iter().filter_map(point).collect() }];
    let is_score = figure.y == Quantity::Score;
    let scale = |logarithmic| if logarithmic { Scale::Logarithmic } else { Scale::Linear };
    let frame = Frame {
        title: &report.title,
        x: Axis { label: &figure.x, scale: scale(figure.x_is_logarithmic()) },
        y: Axis { label: figure.y.label(), scale: scale(figure.logarithmic && !is_score) },
    };
    let half = Reference { name: "half of the points".into(), y: 0.5 };
    let svg = frame.lines(&series, is_score.then_some(&half))?;
    Ok(Drawn { suffix: "figure".into(), svg, series })
}

fn bars_of(
    report: &Report,
    suffix: &str,
    what: &str,
    y: Axis<'_>,
    values: impl Fn(&Standing) -> [Option<f64>; 2],
) -> Result<Drawn, FigureError> {
    let groups: Vec<&str> = report.standings.iter().map(|s| s.name.as_str()).collect();
    let both = ["printed", "measured"].iter().enumerate().map(|(index, name)| Bars {
        name: (*name).into(),
        values: report.standings.iter().map(|standing| values(standing)[index]).collect(),
    });
    let both: Vec<Bars> = both.collect();
    let title = format!("{}: {what}", report.title);
    let svg = bars(&title, "agent", y, &groups, &both)?;
    let series = |Bars { name, values }: &Bars| Series {
        name: name.clone(),
        points: (1_u32..)
            .zip(values)
            .filter_map(|(number, value)| Some((f64::from(number), (*value)?)))
            .collect(),
    };
    Ok(Drawn { suffix: suffix.into(), svg, series: both.iter().map(series).collect() })
}

/// The figures of a row that was played here.
///
/// # Errors
/// Nothing that can be drawn.
pub(crate) fn figures_of_row(
    report: &Report,
    row: &RowReport,
    trace: &RowTrace,
) -> Result<Vec<Drawn>, FigureError> {
    let moves: Vec<MoveRow> = trace
        .moves
        .iter()
        .map(|&(ply, by_a, milliseconds)| MoveRow { ply, by_a, milliseconds })
        .collect();
    let names = row.names.each_ref().map(String::as_str);
    let title = format!("{}: {}", report.title, names.join(" against "));
    let draw = |drawing: &Drawing| {
        let linear = |label| Axis { label, scale: Scale::Linear };
        let x = linear(match drawing {
            Drawing::Convergence => "games",
            _ => "number of the move, both players counted",
        });
        let y = linear(match drawing {
            Drawing::Convergence => "share of games (%)",
            _ => "milliseconds a move",
        });
        let frame = Frame { title: &title, x, y };
        let (name, svg, series) = match drawing {
            Drawing::TimeByTurn => {
                let series = time_by_turn(&moves, names).to_vec();
                let mean = Reference {
                    name: format!("mean of {}", names[0]),
                    y: row.measurement.milliseconds_per_move[0],
                };
                ("time-by-turn", frame.lines(&series[..1], Some(&mean))?, series)
            }
            Drawing::TimeOfMoves => {
                let series = times_of_moves(&moves, names).to_vec();
                ("time-of-moves", frame.scatter(&series)?, series)
            }
            Drawing::Convergence => {
                let series = cumulative_rates(&trace.half_points, names).to_vec();
                ("convergence", frame.lines(&series, None)?, series)
            }
        };
        Ok(Drawn { suffix: format!("row-{}-{name}", row.row), svg, series })
    };
    report.drawn.iter().map(draw).collect()
}
