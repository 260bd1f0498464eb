//! How a reader wants the charts of runs: what the horizontal axis counts, which part of it is drawn, and how smooth noisy curves are.

use serde::Serialize;
use strum::{EnumString, IntoStaticStr};

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct View {
    pub x: Axis,
    pub from: Option<f64>,
    pub to: Option<f64>,
    /// Curves of fitness are means over so many generations on each side.
    pub smooth: usize,
}

/// What it counts, by its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, EnumString, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub(crate) enum Axis {
    #[default]
    Generation,
    Evaluations,
    Games,
}

impl View {
    /// What a query asks for. What makes no sense is left as it is by default.
    pub(crate) fn of<'q>(query: impl Fn(&'static str) -> Option<&'q str>) -> Self {
        const SMOOTHEST: usize = 20;
        let number = |key| query(key)?.parse().ok().filter(|number: &f64| number.is_finite());
        let smooth = query("smooth").and_then(|text| text.parse().ok());
        Self {
            x: query("x").and_then(|axis| axis.parse().ok()).unwrap_or_default(),
            from: number("from"),
            to: number("to"),
            smooth: smooth.map_or(0, |smooth: usize| smooth.min(SMOOTHEST)),
        }
    }

    pub(super) fn range(&self) -> Option<[f64; 2]> {
        let ends = [self.from.unwrap_or(f64::NEG_INFINITY), self.to.unwrap_or(f64::INFINITY)];
        (self.from.is_some() || self.to.is_some()).then_some(ends)
    }

    pub(super) fn x_label(&self) -> &'static str {
        self.x.into()
    }

    /// Means over neighbouring points, where the reader asked for them. Gaps stay where they are.
    pub(super) fn smoothed(&self, points: &[(f64, f64)]) -> Vec<(f64, f64)> {
        let around = |piece: &[(f64, f64)], index: usize| {
            let end = piece.len().min(index + self.smooth + 1);
            let near = &piece[index.saturating_sub(self.smooth)..end];
            near.iter().map(|point| point.1).sum::<f64>() / near.len() as f64
        };
        let pieces = points.split(|point| point.1.is_nan());
        let smooth = |piece: &[(f64, f64)]| {
            let places = piece.iter().enumerate();
            places.map(|(index, point)| (point.0, around(piece, index))).collect::<Vec<_>>()
        };
        pieces.map(smooth).collect::<Vec<_>>().join(&GAP)
    }

    /// What there is to say of every fitness.
    pub(super) fn about_fitness(&self) -> String {
        let mean = format!("; curves are means of {} generations", 2 * self.smooth + 1);
        format!("smaller is better{}", if self.smooth > 0 { &*mean } else { "" })
    }
}

/// The point that breaks a curve.
pub(super) const GAP: (f64, f64) = (f64::NAN, f64::NAN);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_make_views() {
        let view = |pairs: &'static [(&str, &str)]| {
            View::of(|key| pairs.iter().find(|pair| pair.0 == key).map(|pair| pair.1))
        };
        assert_eq!(
            view(&[("x", "?"), ("from", "nan"), ("to", "a"), ("smooth", "-1")]),
            View::default()
        );
        let some = view(&[("x", "games"), ("from", "3"), ("smooth", "99999")]);
        assert_eq!((some.x, some.smooth), (Axis::Games, 20));
        assert_eq!(some.range(), Some([3.0, f64::INFINITY]));
    }

    #[test]
    fn means_stay_within_a_stage() {
        let view = View { smooth: 1, ..View::default() };
        let points = [(1.0, 3.0), (2.0, 6.0), (3.0, 0.0), GAP, (4.0, 8.0)];
        let smooth = view.smoothed(&points);
        assert_eq!(smooth[..3], [(1.0, 4.5), (2.0, 3.0), (3.0, 3.0)]);
        assert!(smooth[3].1.is_nan() && smooth[4..] == [(4.0, 8.0)]);
        assert_eq!(View::default().smoothed(&points)[..3], points[..3]);
    }
}
