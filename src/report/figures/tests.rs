//! Tests of figures: what stands in their SVG.

use std::collections::HashSet;

use super::*;
use crate::report::moves::MoveRow;

fn series(name: &str, points: &[(f64, f64)]) -> Series {
    Series { name: name.into(), points: points.to_vec() }
}

const FRAME: Frame<'_> =
    Frame { title: "t & <b>", x: Axis::linear("depth (plies)"), y: Axis::linear("ms") };

/// The texts of an SVG, in their order. Panics if its tags are not balanced.
fn texts(svg: &str) -> Vec<String> {
    let (mut open, mut texts) = (Vec::new(), Vec::new());
    let mut rest = svg.trim();
    while let Some((before, after)) = rest.split_once('<') {
        if open.last() == Some(&"text") && !before.trim().is_empty() {
            texts.push(before.trim().to_string());
        }
        let (tag, after) = after.split_once('>').expect("a tag that does not end");
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name)),
            None if tag.ends_with('/') => {}
            None => open.push(tag.split_whitespace().next().unwrap()),
        }
        rest = after;
    }
    assert!(open.is_empty() && rest.is_empty(), "{open:?} {rest}");
    texts
}

fn count(svg: &str, element: &str) -> usize {
    svg.matches(&format!("<{element} ")).count()
}

#[test]
fn lines_have_title_labels_ticks_and_legend() {
    let frame = Frame { y: Axis::logarithmic("ms"), ..FRAME };
    let points = [(1.0, 0.1), (2.0, 1.0), (3.0, 0.0), (4.0, f64::NAN), (5.0, 90.0)];
    let two = [series("alpha-beta", &points), series("plain", &[(1.0, 0.2), (5.0, 9000.0)])];
    let limit = Reference { name: "limit".into(), y: 50.0 };
    let svg = frame.lines(&two, Some(&limit)).unwrap();
    let texts = texts(&svg);
    for expected in ["t &amp; &lt;b&gt;", "depth (plies)", "ms", "alpha-beta", "plain", "limit"] {
        assert_eq!(texts.iter().filter(|text| *text == expected).count(), 1, "{expected}");
    }
    for tick in ["1", "2", "3", "4", "5", "0.1", "10", "100", "1000"] {
        assert!(texts.iter().any(|text| text == tick), "{tick} is not in {texts:?}");
    }
    // Zero and what is no number have no place on the axis: 3 + 2 dots.
    assert_eq!(count(&svg, "circle"), 5);
    assert_eq!(svg, frame.lines(&two, Some(&limit)).unwrap(), "the same data give the same bytes");
    let many: Vec<(f64, f64)> = (0..200).map(|x| (f64::from(x), 1.0)).collect();
    assert_eq!(count(&frame.lines(&[series("many", &many)], None).unwrap(), "circle"), 0);
}

#[test]
fn a_line_is_where_its_values_are() {
    let y_of = |svg: &str| -> Vec<f64> {
        let circles = svg.split("<circle ").skip(1);
        circles
            .map(|circle| circle.split_once("cy=\"").unwrap().1.split('"').next().unwrap())
            .map(|text| text.parse().unwrap())
            .collect()
    };
    let linear = FRAME.lines(&[series("a", &[(0.0, 0.0), (1.0, 5.0), (2.0, 10.0)])], None).unwrap();
    let y = y_of(&linear);
    assert!((y[0] - y[1] - (y[1] - y[2])).abs() <= 1.0 && y[0] > y[1], "{y:?}");
    let frame = Frame { y: Axis::logarithmic("ms"), ..FRAME };
    let points = [(0.0, 1.0), (1.0, 10.0), (2.0, 100.0)];
    let y = y_of(&frame.lines(&[series("a", &points)], None).unwrap());
    assert!((y[0] - y[1] - (y[1] - y[2])).abs() <= 1.0 && y[0] > y[1], "{y:?}");
}

#[test]
fn scatters_draw_each_place_once_and_a_mean() {
    let points: Vec<(f64, f64)> = (0..600).map(|i| (f64::from(i % 3), f64::from(i % 2))).collect();
    let svg = FRAME.scatter(&[series("A", &points), series("B", &[(0.0, 4.0)])]).unwrap();
    // Six places and one, and two in the legend.
    assert_eq!(count(&svg, "circle"), 6 + 1 + 2);
    let texts = texts(&svg);
    assert!(texts.contains(&"A: mean 0.500".into()), "{texts:?}");
    assert!(texts.contains(&"B: mean 4.00".into()), "{texts:?}");
}

#[test]
fn bars_stand_in_groups_with_their_values() {
    let of =
        |name: &str, values: &[Option<f64>]| Bars { name: name.into(), values: values.to_vec() };
    let series =
        [of("plain", &[Some(92.5), Some(-3.25), None]), of("jump", &[Some(84.0), None, Some(0.0)])];
    let svg = bars("Fig. 1", "evaluation", Axis::linear("%"), &["W", "R", "C"], &series).unwrap();
    let texts = texts(&svg);
    for expected in
        ["Fig. 1", "evaluation", "%", "W", "R", "C", "plain", "jump", "92.5", "-3.25", "84.0"]
    {
        assert!(texts.contains(&expected.into()), "{expected} is not in {texts:?}");
    }
    // Four bars, two in the legend, and the white background.
    assert_eq!(count(&svg, "rect"), 4 + 2 + 1);
    // On a logarithmic axis they stand on its lower end, whatever the values.
    let times = [of("a", &[Some(100.0)]), of("b", &[Some(1.0)]), of("c", &[Some(0.01)])];
    let svg = bars("Fig. 2", "", Axis::logarithmic("ms"), &["W"], &times).unwrap();
    let number = |rectangle: &str, name: &str| -> f64 {
        let (_, value) = rectangle.split_once(&format!(" {name}=\"")).unwrap();
        value.split('"').next().unwrap().parse().unwrap()
    };
    let rectangles: Vec<&str> = svg.split("<rect ").skip(2).take(3).collect();
    let feet = rectangles.iter().map(|bar| number(bar, "y") + number(bar, "height"));
    assert_eq!(feet.map(|foot| foot as i64).collect::<HashSet<_>>().len(), 1);
    let heights: Vec<f64> = rectangles.iter().map(|bar| number(bar, "height")).collect();
    assert!(heights[0] > heights[1] && heights[1] > heights[2] && heights[2] > 5.0, "{heights:?}");
}

#[test]
fn what_cannot_be_drawn_is_an_error_and_what_is_odd_is_drawn() {
    let empty = Err(FigureError::Empty("t & <b>".into()));
    assert_eq!(FRAME.lines(&[], None), empty);
    assert_eq!(FRAME.scatter(&[series("a", &[(f64::NAN, 1.0)])]), empty);
    let frame = Frame { y: Axis::logarithmic("ms"), ..FRAME };
    assert_eq!(frame.lines(&[series("a", &[(1.0, 0.0)])], None), empty);
    let no_bars = bars("none", "", Axis::linear(""), &[], &[]);
    assert_eq!(no_bars, Err(FigureError::Empty("none".into())));
    assert!(FRAME.lines(&[series("one point", &[(1.0, 0.0)])], None).is_ok());
    assert!(FRAME.lines(&[series("huge", &[(1e300, -1e300), (-1e300, 1e300)])], None).is_ok());
    let name = "long\u{1b} ".repeat(100);
    let svg = FRAME.lines(&[series(&name, &[(0.0, 1.0)])], None).unwrap();
    assert!(svg.contains("long ...") || svg.contains("..."), "{svg}");
    assert!(!svg.contains('\u{1b}') && svg.len() < 10_000);
}

#[test]
fn numbers_are_short() {
    for (value, text) in [
        (0.0, "0"),
        (616.6, "617"),
        (42.36, "42.4"),
        (5.111, "5.11"),
        (0.0171, "0.017"),
        (3e-6, "3.0e-6"),
    ] {
        assert_eq!(short(value), text);
        assert_eq!(short(-value).trim_start_matches('-'), text);
    }
}

#[test]
fn data_of_the_figures_of_the_documents() {
    let row = |ply, by_a, milliseconds| MoveRow { ply, by_a, milliseconds };
    let moves = [
        row(0, true, 4.0),
        row(1, false, 1.0),
        row(2, true, 3.0),
        row(0, true, 8.0),
        row(0, false, 2.0),
    ];
    let [a, b] = time_by_turn(&moves, ["x", "y"]);
    assert_eq!((a.name.as_str(), a.points), ("x", vec![(1.0, 6.0), (3.0, 3.0)]));
    assert_eq!((b.name.as_str(), b.points), ("y", vec![(1.0, 2.0), (2.0, 1.0)]));
    let [a, _] = times_of_moves(&moves, ["x", "y"]);
    assert_eq!(a.points, [(1.0, 4.0), (3.0, 3.0), (1.0, 8.0)]);
    let [won, lost, drawn] = cumulative_rates(&[2, 0, 1, 2], ["x", "y"]);
    assert_eq!(won.points, [(1.0, 100.0), (2.0, 50.0), (3.0, 100.0 / 3.0), (4.0, 50.0)]);
    assert_eq!(lost.points[3], (4.0, 25.0));
    assert_eq!((drawn.name.as_str(), drawn.points[2]), ("drawn", (3.0, 100.0 / 3.0)));
    let csv = points_csv(&[series("a, b", &[(1.0, 0.5)])]).unwrap();
    assert_eq!(String::from_utf8(csv).unwrap(), "series,x,y\n\"a, b\",1,0.5\n");
}
