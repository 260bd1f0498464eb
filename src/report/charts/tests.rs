//! Tests of charts: what stands in their SVG, and where.

use std::collections::HashSet;

use super::*;
use crate::papers::reproduce::{Drawing, MoveTime, RowTrace};
use crate::report::page::STYLE;

fn line(name: &str, points: &[(f64, f64)]) -> ChartLine {
    ChartLine::new(name, 9, points.to_vec())
}

fn plot(lines: Vec<ChartLine>) -> Plot {
    Plot { from_zero: true, ..Plot::new("t & <b>", "", ["depth (plies)", "ms"], lines) }
}

fn curves(svg: &str) -> Vec<&str> {
    let curves = svg.split("<path class=\"curve ").skip(1);
    curves.map(|curve| curve.split(" d=\"").nth(1).unwrap().split('"').next().unwrap()).collect()
}

#[test]
fn a_file_stands_alone() {
    // Zero and what is not a number have no place on a logarithmic axis.
    let points = [(1.0, 0.1), (2.0, 1.0), (3.0, 0.0), (4.0, f64::NAN), (5.0, 90.0)];
    let two = vec![
        line("alpha-beta", &points).marked(Mark::Points),
        line("plain", &[(1.0, 0.2), (5.0, 9000.0)]).marked(Mark::Dots),
    ];
    let plot = Plot {
        y_scale: AxisScale::Logarithmic,
        note: "a note".into(),
        levels: vec![("limit".into(), INK, 50.0)],
        ..plot(two)
    };
    let svg = plot.svg().unwrap();
    assert!(!svg.contains("href") && !svg.contains("url("), "{svg}");
    insta::assert_snapshot!(svg);
}

#[test]
fn values_stand_where_their_ticks_are() {
    let points = [(1.0, 0.0), (2.0, 100.0), (3.0, f64::NAN)];
    let linear = plot(vec![line("a", &points)]);
    let at = |svg: &str, label: &str| {
        let (before, _) = svg.split_once(&format!(">{label}</text>")).unwrap();
        let tag = before.rsplit_once("<text ").unwrap().1;
        let value = |name| tag.split_once(name).unwrap().1.split('"').next().unwrap().to_string();
        [value("x=\""), value("y=\"")]
    };
    let page = templates().unwrap();
    let page = page.get_template("chart.html").unwrap();
    let draw = |plot: &Plot| page.render(minijinja::context! { chart => plot.draw() }).unwrap();
    for svg in [linear.svg().unwrap(), draw(&linear)] {
        let [x1, x2] = ["1", "2"].map(|tick| at(&svg, tick)[0].clone());
        let [y1, y2] = ["0", "100"].map(|tick| at(&svg, tick)[1].clone());
        assert_eq!(curves(&svg), [format!("M{x1},{y1} {x2},{y2}")]);
    }
    let words = draw(&linear);
    assert!(words.contains("a: from 0 to NaN") && words.contains("class=\"curve c1\""), "{words}");
}

#[test]
fn bars_stand_in_groups_with_their_values() {
    let bars = |scale, series: [(&str, [Option<f64>; 3]); 2]| BarPlot {
        title: "Fig. 1".into(),
        x_label: "%".into(),
        y_label: "evaluation".into(),
        groups: ["W", "R", "C"].map(String::from).into(),
        scale,
        series: series.map(|(name, values)| (name.into(), values.into())).into(),
    };
    let linear =
        [("plain", [Some(92.5), Some(-3.25), None]), ("jump", [Some(84.0), None, Some(0.0)])];
    // On a logarithmic axis they stand on its lower end, whatever the values.
    let times = [("fast", [100.0, 1.0, 0.01].map(Some)), ("slow", [None; 3])];
    let both = [bars(AxisScale::Linear, linear), bars(AxisScale::Logarithmic, times)];
    insta::assert_snapshot!(both.map(|bars| bars.svg().unwrap()).join("\n"));
}

#[test]
fn what_cannot_be_drawn_is_an_error_and_what_is_odd_is_drawn() {
    let logarithmic =
        Plot { y_scale: AxisScale::Logarithmic, ..plot(vec![line("a", &[(1.0, 0.0)])]) };
    for empty in [
        plot(Vec::new()),
        plot(vec![line("a", &[(f64::NAN, 1.0)])]),
        plot(vec![line("a", &[(1.0, f64::INFINITY)])]),
        logarithmic,
    ] {
        assert!(empty.draw().is_none());
        let error = empty.svg().unwrap_err().to_string();
        assert_eq!(error, "\"t & <b>\" has no value that can be drawn");
    }
    assert!(BarPlot::default().svg().is_err());
    let one = plot(vec![line("one point", &[(1.0, 0.0)])]).svg().unwrap();
    assert!(one.contains("h0"), "a line of one point is a dot");
    assert!(plot(vec![line("huge", &[(1e300, -1e300), (-1e300, 1e300)])]).svg().is_ok());
    let name = "long\u{1b} ".repeat(100);
    let svg = Plot { title: name.clone(), ..plot(vec![line(&name, &[(0.0, 1.0)])]) }.svg().unwrap();
    assert!(svg.contains("...</text>") && !svg.contains('\u{1b}') && svg.len() < 10_000);
}

#[test]
fn long_curves_are_thinned_and_equal_dots_are_drawn_once() {
    let points: Vec<(f64, f64)> = (0..10_000).map(|x| (f64::from(x), 1.0)).collect();
    let svg = plot(vec![line("", &points).marked(Mark::Points)]).svg().unwrap();
    let kept: Vec<&str> = curves(&svg)[0].split(' ').collect();
    assert!(kept.len() <= 601 && kept.last().unwrap().starts_with("710,"));
    assert!(!svg.contains("h0"), "points that are many are not marked");
    let points: Vec<(f64, f64)> = (0..600).map(|i| (f64::from(i % 3), f64::from(i % 2))).collect();
    let svg = plot(vec![line("", &points).marked(Mark::Dots)]).svg().unwrap();
    assert_eq!(svg.matches("h0").count(), 6);
}

#[test]
fn curves_are_broken_and_a_part_of_them_is_drawn() {
    let points = [1.0, 2.0, f64::NAN, 4.0, 5.0, 6.0].map(|x| (x, x));
    let whole = Plot { from_zero: false, ..plot(vec![line("a", &points)]) };
    let svg = whole.svg().unwrap();
    let pieces: Vec<_> =
        curves(&svg)[0].split('M').map(|piece| piece.split_whitespace().count()).collect();
    assert_eq!(pieces, [0, 2, 3]);
    let part = Plot { range: Some([4.0, 5.0]), ..whole };
    let svg = part.svg().unwrap();
    assert_eq!(curves(&svg)[0].split(' ').count(), 2);
    assert!(svg.contains("a: from 4.00 to 5.00") && !svg.contains(">2</text>"), "{svg}");
    assert!(Plot { range: Some([7.0, 9.0]), ..part }.draw().is_none());
}

#[test]
fn files_have_the_colours_of_the_page_in_the_light() {
    let light = STYLE.split_once("@media").unwrap().0;
    for (index, colour) in PALETTE.iter().enumerate() {
        assert!(light.contains(&format!("--c{index}: {colour};")), "{index}");
    }
}

#[test]
fn numbers_are_short() {
    let numbers = [0.0, 616.6, 42.36, 5.111, 0.0171, -3e-6].map(short);
    assert_eq!(numbers, ["0", "617", "42.4", "5.11", "0.017", "-3.0e-6"]);
}

#[test]
fn data_of_the_figures_of_the_documents() {
    let moves = [(0, true, 4.0), (1, false, 1.0), (2, true, 3.0), (0, true, 8.0), (0, false, 2.0)];
    let moves =
        moves.map(|(ply, by_a, milliseconds)| MoveTime { ply, by_a, milliseconds }).to_vec();
    let games = RowTrace { moves, half_points: vec![2, 0, 1, 2] };
    let plot = |drawing| plot_of_games(drawing, &games, ["x", "y"]);
    let lines = plot(Drawing::TimeByTurn).lines;
    assert_eq!((lines[0].name.as_str(), &*lines[0].points), ("x", &[(1.0, 6.0), (3.0, 3.0)][..]));
    assert_eq!((lines[1].name.as_str(), &*lines[1].points), ("y", &[(1.0, 2.0), (2.0, 1.0)][..]));
    let times = plot(Drawing::TimeOfMoves);
    assert_eq!(times.lines[0].points, [(1.0, 4.0), (3.0, 3.0), (1.0, 8.0)]);
    let means: HashSet<&str> = times.levels.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(means, HashSet::from(["x: mean 5.00", "y: mean 1.50"]));
    let lines = plot(Drawing::Convergence).lines;
    assert_eq!(lines[0].points, [(1.0, 100.0), (2.0, 50.0), (3.0, 100.0 / 3.0), (4.0, 50.0)]);
    assert_eq!(lines[1].points[3], (4.0, 25.0));
    assert_eq!((lines[2].name.as_str(), lines[2].points[2]), ("drawn", (3.0, 100.0 / 3.0)));
    let csv = points_csv(&[line("a, b", &[(1.0, 0.5)])]).unwrap();
    assert_eq!(String::from_utf8(csv).unwrap(), "series,x,y\n\"a, b\",1,0.5\n");
}
