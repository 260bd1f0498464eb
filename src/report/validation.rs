//! The validation of weights: a table of matches, and what it shows.

use minijinja::{Value, context};

use super::layout::{Width, written};
use super::{distinct, in_six_digits, repeated_in};
use crate::agent::OtherProgram;
use crate::evolve::{MatchRow, Plan, StagePlan};
use crate::stats::{DIFFERENT_SIDES, SIGNIFICANCE, Z95};

/// The fewest pairs that can show a difference: with five that are all won, p is above 0.05.
pub(super) const FEWEST_PAIRS: u64 = 6;

pub(crate) fn validation_table(width: Width, name: &str, rows: &[MatchRow]) -> String {
    let judged = rows.iter().zip(MatchRow::corrected(rows)).map(|(row, holm)| {
        let limit = row.search.rsplit(',').find(|part| part.contains('=')).unwrap_or(&row.search);
        context! { holm, limit, verdict => verdict(row, holm), ..Value::from_serialize(row) }
    });
    let values = context! {
        name,
        rows => judged.collect::<Vec<_>>(),
        shared => shared_search(rows).map(in_six_digits),
        trend => trend(rows),
        places => distinct(rows.iter().map(|row| (&row.opponent, &row.openings))),
        different_sides => DIFFERENT_SIDES,
    };
    written(width, include_str!("templates/validation.txt"), values) + &repeated_in(rows)
}

/// The validation at the end of a run, under its title; nothing if there is none.
pub(crate) fn validation_section(width: Width, plan: &Plan, of: &str, rows: &[MatchRow]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let (table, trained) = (validation_table(width, of, rows), trained_openings(plan, rows));
    format!("\nValidation of the {of}\n{table}{trained}")
}

/// How the lead changes with depth: Elo per ply with its 95 % interval, over all opponents and openings that were met at several depths. A
/// straight line for each of them, with one slope, weighted by the rows' own errors. Rows of all points or none have no Elo, and are left out.
fn trend(rows: &[MatchRow]) -> Option<[f64; 3]> {
    fn point(row: &MatchRow) -> Option<((&String, &String), f64, f64, f64)> {
        let figures = &row.result.figures;
        let error = (figures.elo_high? - figures.elo_low?) / (2.0 * Z95);
        let depth = f64::from(row.depth.filter(|_| !row.no_result)?);
        (error > 0.0).then_some(())?;
        Some(((&row.opponent, &row.openings), depth, figures.elo?, error.powi(-2)))
    }
    let points: Vec<_> = rows.iter().filter_map(point).collect();
    let (mut across, mut along) = (0.0, 0.0);
    for (place, depth, elo, weight) in &points {
        let of_place = || points.iter().filter(|(other, ..)| other == place);
        // One depth has no slope, and no rounding error shall give it one.
        if of_place().all(|(_, other, ..)| other == depth) {
            continue;
        }
        let all: f64 = of_place().map(|(.., weight)| weight).sum();
        let depths: f64 = of_place().map(|(_, depth, _, weight)| weight * depth).sum();
        let from_middle = depth - depths / all;
        across += weight * from_middle.powi(2);
        along += weight * from_middle * elo;
    }
    let (slope, error) = (along / across, across.sqrt().recip());
    // Without a negative zero.
    let whole = |elo: f64| elo.round() + 0.0;
    (across > 0.0).then_some([slope, slope - Z95 * error, slope + Z95 * error].map(whole))
}

/// The search of all rows, if it is one and takes much room, as outside programs with their commands do, or is a runner's parameters.
fn shared_search(rows: &[MatchRow]) -> Option<&str> {
    const LONG: usize = 24;
    let search = rows.first()?.search.as_str();
    let is_short_search = !search.split([':', ',']).next()?.contains('=') && search.len() <= LONG;
    (!is_short_search && rows.iter().all(|row| row.search == search)).then_some(search)
}

/// A line that names the openings of rows in which games of the training began, too; nothing if there are none.
fn trained_openings(plan: &Plan, rows: &[MatchRow]) -> String {
    // The program of a runner begins where its seeds say.
    if plan.agent.program().is_some_and(OtherProgram::plays_whole_games) {
        return String::new();
    }
    let trained = plan.stages.iter().flat_map(|StagePlan { fitness, .. }| {
        (0..fitness.opponents.len()).map(|index| fitness.openings_at(index).to_string())
    });
    let trained: Vec<String> = trained.collect();
    let mut openings = distinct(rows.iter().map(|row| row.openings.as_str()));
    openings.retain(|openings| trained.iter().any(|one| one == openings));
    if openings.is_empty() {
        return String::new();
    }
    let openings = openings.join(" and ");
    format!("(from {openings}: training games started there, too; only the seeds are held out)\n")
}

/// What a row shows of the weights, by its p-value, corrected for its table.
fn verdict(row: &MatchRow, p: Option<f64>) -> &'static str {
    let [all, distinct] =
        [row.result.pairs, row.result.distinct_pairs].map(|pairs| pairs.iter().sum::<u64>());
    match p {
        None if row.no_result => "no result",
        // Repeated games point to the other side.
        None => "no verdict",
        // So many of its pairs repeat others that nothing can be shown.
        Some(_) if distinct < FEWEST_PAIRS && FEWEST_PAIRS <= all => "too few distinct pairs",
        Some(p) if p >= SIGNIFICANCE => "no difference shown",
        Some(_) if row.result.figures.score > 0.5 => "stronger",
        Some(_) => "weaker",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evolve::{PairedResult, RANDOM_PLAYOUTS};
    use crate::stats::{Evidence, MatchStatistics, Tally};

    fn row(opponent: &str, search: &str, depth: Option<u32>, wins: u64) -> MatchRow {
        let tally = Tally { wins, draws: 0, losses: 100 - wins };
        let (won, split) = (wins / 2, wins % 2);
        let pairs = [50 - won - split, 0, split, 0, won];
        MatchRow {
            openings: "centre".into(),
            opponent: opponent.into(),
            search: search.into(),
            depth,
            result: PairedResult {
                games: 100,
                tally,
                pairs,
                distinct_pairs: pairs,
                distinct_games: 100,
                figures: MatchStatistics::of(&tally, &Evidence::Pairs(pairs)),
            },
            no_result: false,
            p_value_holm: None,
        }
    }

    fn forfeited(mut row: MatchRow) -> MatchRow {
        row.no_result = true;
        row.result.figures = row.result.figures.without_p_values();
        row
    }

    /// A row of which only some pairs repeat no other.
    fn repeated(mut row: MatchRow, distinct_pairs: [u64; 5]) -> MatchRow {
        row.result.distinct_pairs = distinct_pairs;
        let evidence = Evidence::Pairs(distinct_pairs);
        row.result.figures = MatchStatistics::of(&row.result.tally, &evidence);
        row
    }

    #[test]
    fn every_claim_has_its_line() {
        let at_depths = |opponent: &'static str, wins: &[u64]| -> Vec<MatchRow> {
            let of_depth = |(depth, wins): (u32, &u64)| {
                row(opponent, &format!("minimax:depth={depth}"), Some(depth), *wins)
            };
            (1..).zip(wins).map(of_depth).collect()
        };
        let of_two = |wins: &[u64]| [at_depths("a", wins), at_depths("b", wins)].concat();
        let program = "external:cmd=\"./bot {corner}\",protocol=codingame";
        let numbers = "hold=0.12345678901234567,stay=-1234.5678901,whole=1234567890123";
        let [strong, even] =
            [row("a", "minimax:depth=1", Some(1), 80), row("a", "random", None, 50)];
        let said = [
            vec![
                strong.clone(),
                row("a", "minimax:depth=2", Some(2), 51),
                row("a", "iterative:nodes=9", None, 20),
                row("b", "minimax:depth=1", Some(1), 90),
                row(RANDOM_PLAYOUTS, "mcts:tree=uct,playout=ept,iterations=9", None, 55),
                row(RANDOM_PLAYOUTS, "mcts:tree=uct,playout=ept,time=5ms", None, 70),
            ],
            // The test that is left needs no correction.
            vec![
                strong.clone(),
                forfeited(row("a", "minimax:depth=2", Some(2), 100)),
                forfeited(row("a", "iterative:nodes=9", None, 0)),
            ],
            // Whether a lead lasts is said in a line.
            of_two(&[50, 60, 70]),
            of_two(&[70, 60, 50]),
            of_two(&[60, 58, 60]),
            at_depths("a", &[10, 10, 10]),
            at_depths("a", &[80, 80, 50, 10]),
            // Of one depth there is no trend, whatever is rounded.
            (60..70).map(|wins| row("a", "minimax:depth=3", Some(3), wins)).collect(),
            // A long search of all rows is named once.
            vec![row("a", program, None, 80), row("b", program, None, 90)],
            vec![row("a", program, None, 80), row("b", "random", None, 90)],
            vec![row("a", numbers, None, 80)],
            // Repeated games show nothing, or the opposite of all games.
            [&strong, &even].map(|row| repeated(row.clone(), [0, 0, 0, 0, 5])).into(),
            vec![repeated(strong, [10, 0, 0, 0, 1])],
        ];
        insta::assert_snapshot!(said.map(|rows| validation_table(None, "w", &rows)).join("\n"));
    }
}
