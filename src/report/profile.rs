//! The profile of a run's winner, how much each number matters: as a table, and as small charts.

use minijinja::context;
use serde_json::{Value, json};

use super::charts::{AxisScale, Band, ChartLine, Mark, Plot, short};
use super::layout::{Width, written};
use super::repeated_in;
use super::validation::FEWEST_PAIRS;
use crate::evolve::{self, Changed, MatchRow, Parameter, Plan};
use crate::stats::{MatchStatistics, SIGNIFICANCE};

/// The colour of the curves.
const COLOUR: usize = 0;

/// A number at the values that were tried, in their order.
struct Profile<'r> {
    number: String,
    winner: f64,
    tried: Vec<Tried<'r>>,
}

struct Tried<'r> {
    value: f64,
    row: &'r MatchRow,
    shown: bool,
}

impl Tried<'_> {
    const fn figures(&self) -> &MatchStatistics {
        &self.row.result.figures
    }

    fn in_words(&self) -> String {
        let elo = match self.figures().elo {
            _ if self.row.no_result => "no result".into(),
            Some(elo) => format!("{:+.0}", elo.round() + 0.0),
            None if self.figures().score > 0.5 => "+inf".into(),
            None => "-inf".into(),
        };
        format!("{}: {elo}{}", self.value, if self.shown { "*" } else { "" })
    }
}

impl<'r> Profile<'r> {
    /// The numbers of a profile, those first that cost most where they are worst.
    fn all(rows: &'r [MatchRow]) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for (row, p) in rows.iter().zip(MatchRow::corrected(rows)) {
            let Some(Changed { number, value, winner }) = Changed::of_row(row) else { continue };
            let tried = Tried { value, row, shown: p.is_some_and(|p| p < SIGNIFICANCE) };
            match all.last_mut().filter(|last| last.number == number) {
                Some(last) => last.tried.push(tried),
                None => all.push(Self { number, winner, tried: vec![tried] }),
            }
        }
        let worst = |profile: &Self| {
            let with_result = profile.tried.iter().filter(|tried| !tried.row.no_result);
            with_result.map(|tried| tried.figures().score).fold(1.0, f64::min)
        };
        all.sort_by(|a, b| worst(a).total_cmp(&worst(b)));
        all
    }

    /// Its cells on both sides of the winner, two each, as far as there are so many.
    fn view(&self) -> Value {
        let (below, above): (Vec<_>, Vec<_>) =
            self.tried.iter().partition(|tried| tried.value < self.winner);
        let cells =
            |side: &[&Tried<'_>]| side.iter().map(|tried| tried.in_words()).collect::<Vec<_>>();
        let (mut below, mut above) = (cells(&below), cells(&above));
        below.splice(0..0, vec![String::new(); 2_usize.saturating_sub(below.len())]);
        above.resize(2, String::new());
        json!({ "name": self.number, "winner": short(self.winner), "below": below, "above": above })
    }
}

pub(crate) fn profile_table(width: Width, name: &str, rows: &[MatchRow]) -> String {
    let profiles = Profile::all(rows);
    let tried = || profiles.iter().flat_map(|profile| &profile.tried);
    let stronger = profiles.iter().flat_map(|profile| {
        let stronger = profile.tried.iter().filter(|one| one.shown && one.figures().score > 0.5);
        stronger.map(|tried| format!("{} = {}", profile.number, tried.value))
    });
    let errors: Vec<f64> = tried()
        .filter(|one| !one.row.no_result)
        .filter_map(|one| Some((one.figures().elo_high? - one.figures().elo_low?) / 2.0))
        .collect();
    let few =
        |tried: &Tried<'_>| tried.row.result.distinct_pairs.iter().sum::<u64>() < FEWEST_PAIRS;
    // Every pair of games ended as if both had played with the same value.
    let is_level = |tried: &Tried<'_>| tried.row.result.pairs[2] * 2 == tried.row.result.games;
    let without_effect = profiles.iter().filter(|one| one.tried.iter().all(is_level));
    let values = context! {
        name,
        numbers => profiles.iter().map(Profile::view).collect::<Vec<_>>(),
        tests => tried().filter(|one| one.figures().p.is_some()).count(),
        shown => profiles.iter().filter(|one| one.tried.iter().any(|tried| tried.shown)).count(),
        few => tried().any(few),
        no_result => tried().any(|one| one.row.no_result),
        stronger => stronger.collect::<Vec<_>>(),
        without_effect => without_effect.map(|one| &one.number).collect::<Vec<_>>(),
        error => (!errors.is_empty()).then(|| errors.iter().sum::<f64>() / errors.len() as f64),
    };
    written(width, include_str!("templates/profile.txt"), values) + &repeated_in(rows)
}

/// A chart for each number, all with the same vertical axis. What is infinite is drawn at the end of the axis.
pub(crate) fn profile_plots(plan: &Plan, rows: &[MatchRow]) -> Vec<Plot> {
    let profiles = Profile::all(rows);
    let ends = |tried: &Tried<'_>| {
        let MatchStatistics { elo_low: low, elo_high: high, .. } = tried.figures();
        (!tried.row.no_result).then_some([low.or(*high)?, high.or(*low)?])
    };
    let all = profiles.iter().flat_map(|profile| &profile.tried).filter_map(ends);
    let also: Vec<f64> = all.flatten().collect();
    let plot = |profile: &Profile<'_>| {
        let elo = |tried: &Tried<'_>| {
            let farther = if tried.figures().score > 0.5 { f64::max } else { f64::min };
            let end = also.iter().copied().fold(0.0, farther);
            tried.figures().elo.unwrap_or(end)
        };
        let point = |tried: &Tried<'_>| Some((tried.value, elo(tried), ends(tried)?));
        let is_log = |parameter: &Parameter| {
            parameter.key == profile.number && parameter.scale == evolve::Scale::Log
        };
        let x_scale = match plan.space.parameters.iter().any(is_log) {
            true => AxisScale::Logarithmic,
            false => AxisScale::Linear,
        };
        let mut all: Vec<_> = profile.tried.iter().filter_map(point).collect();
        all.push((profile.winner, 0.0, [0.0; 2]));
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let points = all.iter().map(|(value, elo, _)| (*value, *elo)).collect();
        let band = all.iter().map(|(value, _, ends)| (*value, *ends)).collect();
        let lines = vec![ChartLine::new("", COLOUR, points).marked(Mark::Points)];
        Plot {
            bands: vec![Band { name: "95 %".into(), colour: COLOUR, points: band }],
            borders: vec![(profile.winner, "winner".into())],
            also: also.clone(),
            x_scale,
            small: true,
            ..Plot::new(&profile.number, "", ["value", "Elo against the winner"], lines)
        }
    };
    profiles.iter().map(plot).collect()
}
