//! The validation of weights: a table of matches, and what it shows.

use minijinja::{Value, context};

use super::layout::{Width, written};
use super::{distinct, repeated_games};
use crate::agent::OtherProgram;
use crate::evolve::{MatchRow, Plan};
use crate::stats::{DIFFERENT_SIDES, SIGNIFICANCE, Z95};

/// The fewest pairs that can show a difference: with five that are all won, p is above 0.05.
pub(super) const FEWEST_PAIRS: u64 = 6;

/// A validation: a row for each match, and what they show.
pub(crate) fn validation_table(width: Width, name: &str, rows: &[MatchRow]) -> String {
    let judged = rows.iter().zip(MatchRow::corrected(rows)).map(|(row, holm)| {
        let limit = row.search.rsplit(',').find(|part| part.contains('=')).unwrap_or(&row.search);
        context! { holm, limit, verdict => verdict(row, holm), ..Value::from_serialize(row) }
    });
    let values = context! {
        name,
        rows => judged.collect::<Vec<_>>(),
        shared => shared_search(rows),
        trend => trend(rows),
        places => distinct(rows.iter().map(|row| (&row.opponent, &row.openings))),
        different_sides => DIFFERENT_SIDES,
    };
    let distinct = rows.iter().map(|row| row.result.distinct_games).sum();
    let games = rows.iter().map(|row| row.result.games).sum();
    written(width, include_str!("templates/validation.txt"), values)
        + &repeated_games(distinct, games)
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
        let (mut all, mut depths) = (0.0, 0.0);
        for (_, depth, _, weight) in points.iter().filter(|(other, ..)| other == place) {
            all += weight;
            depths += weight * depth;
        }
        let from_middle = depth - depths / all;
        across += weight * from_middle.powi(2);
        along += weight * from_middle * elo;
    }
    let (slope, error) = (along / across, across.sqrt().recip());
    // Without a negative zero.
    let whole = |elo: f64| elo.round() + 0.0;
    (across > 0.0).then_some([slope, slope - Z95 * error, slope + Z95 * error].map(whole))
}

/// The search of all rows, if it is one and takes much room, as outside programs with their commands do.
fn shared_search(rows: &[MatchRow]) -> Option<&str> {
    const LONG: usize = 24;
    let search = rows.first()?.search.as_str();
    (search.len() > LONG && rows.iter().all(|row| row.search == search)).then_some(search)
}

/// A line that names the openings of rows in which games of the training began, too; nothing if there are none.
pub(crate) fn trained_openings(plan: &Plan, rows: &[MatchRow]) -> String {
    // The program of a runner begins where its seeds say.
    if plan.agent.program().is_some_and(OtherProgram::plays_whole_games) {
        return String::new();
    }
    let trained: Vec<String> = plan
        .stages
        .iter()
        .flat_map(|stage| {
            let fitness = &stage.fitness;
            (0..fitness.opponents.len()).map(|index| fitness.openings_at(index).to_string())
        })
        .collect();
    let openings = rows.iter().map(|row| row.openings.as_str());
    let openings = distinct(openings.filter(|openings| trained.iter().any(|one| one == openings)));
    match openings.is_empty() {
        true => String::new(),
        false => format!(
            "(from {}: training games started there, too; only the seeds are held out)\n",
            openings.join(" and ")
        ),
    }
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

    /// Checks lines of the verdicts on some rows.
    fn says(rows: &[MatchRow], lines: &[&str]) {
        let text = validation_table(None, "w", rows);
        for line in lines {
            assert!(text.lines().any(|found| found.starts_with(line)), "no \"{line}\" in\n{text}");
        }
    }

    #[test]
    fn a_row_of_forfeits_has_no_result() {
        let mut rows = [
            row("a", "minimax:depth=1", Some(1), 80),
            row("a", "minimax:depth=2", Some(2), 100),
            row("a", "iterative:nodes=9", None, 0),
        ];
        for forfeited in &mut rows[1..] {
            forfeited.no_result = true;
            forfeited.result.figures = forfeited.result.figures.without_p_values();
        }
        says(
            &rows,
            &[
                "w against a from centre: stronger at depth 1, no result at depth 2",
                "w against a from centre, iterative:nodes=9: no result",
                "(no result: more than half of the games were forfeited)",
                // The test that is left needs no correction.
                "(shown, stronger, weaker: two-sided p < 0.05 of pairs of games, by Holm's correction for 1 row)",
            ],
        );
        assert_eq!(MatchRow::corrected(&rows), [rows[0].result.figures.p, None, None]);
    }

    #[test]
    fn whether_a_lead_lasts_is_said_in_a_line() {
        let rows = |wins: [u64; 3]| {
            let of = |opponent| {
                let rows = wins.iter().zip([1, 3, 5]);
                rows.map(move |(wins, depth)| row(opponent, "minimax", Some(depth), *wins))
            };
            of("a").chain(of("b")).collect::<Vec<_>>()
        };
        says(&rows([50, 60, 70]), &["with depth, results rise: +37 Elo per ply (+12 to +62)"]);
        says(&rows([70, 60, 50]), &["with depth, results fall: -37 Elo per ply (-62 to -12)"]);
        says(&rows([60, 58, 60]), &["with depth, no change of results is shown: +0 Elo per ply ("]);
        // One depth says nothing, nor does a row without a result.
        let mut one = rows([60, 60, 60]);
        one.retain(|row| row.depth == Some(1));
        assert!(!validation_table(None, "w", &one).contains("with depth"));
    }

    #[test]
    fn a_long_search_of_all_rows_is_named_once() {
        let search = "external:cmd=\"./bot {corner}\",protocol=codingame";
        let mut rows = [row("a", search, None, 80), row("b", search, None, 90)];
        let text = validation_table(None, "w", &rows);
        assert_eq!(text.matches(search).count(), 1, "{text}");
        let named = format!("program of every row: {search}\nw against a from centre: stronger, p");
        assert!(text.contains(&named), "{text}");
        rows[1].search = "random".into();
        assert_eq!(validation_table(None, "w", &rows).matches(search).count(), 2);
    }

    #[test]
    fn every_claim_has_its_line() {
        let rows = [
            row("a", "minimax:depth=1", Some(1), 80),
            row("a", "minimax:depth=2", Some(2), 51),
            row("a", "iterative:nodes=9", None, 20),
            row("b", "minimax:depth=1", Some(1), 90),
            row(RANDOM_PLAYOUTS, "mcts:tree=uct,playout=ept,iterations=9", None, 55),
            row(RANDOM_PLAYOUTS, "mcts:tree=uct,playout=ept,time=5ms", None, 70),
        ];
        says(
            &rows,
            &[
                "w against a from centre: stronger at depth 1",
                "w against a from centre, iterative:nodes=9: weaker, p = 1.2e-4, n = 100",
                "w against b from centre: stronger at every depth (1)",
                "EPT with w beats random playouts, iterations=9, from centre: not shown, p = 1.000, n = 100",
                "EPT with w beats random playouts, time=5ms, from centre: shown, p = 0.020, n = 100",
            ],
        );
        for (wins, verdict) in [
            ([50, 52, 48, 51], "no difference shown at any depth"),
            ([90, 85, 50, 10], "stronger at depths 1, 2, weaker at depth 4"),
            ([50, 10, 10, 50], "weaker at depths 2, 3"),
            ([10, 10, 10, 10], "weaker at every depth (1, 2, 3, 4)"),
        ] {
            let of_depth = |(depth, wins)| row("a", "minimax", Some(depth), wins);
            let rows: Vec<MatchRow> = (1..).zip(wins).map(of_depth).collect();
            says(&rows, &[&format!("w against a from centre: {verdict}")]);
        }
    }

    #[test]
    fn a_row_of_repeated_games_shows_nothing() {
        let rows = [row("a", "minimax:depth=1", Some(1), 80), row("a", "random", None, 50)];
        assert!(!validation_table(None, "w", &rows).contains("too few distinct"));
        let counted = |mut row: MatchRow, pairs| {
            row.result.distinct_pairs = pairs;
            row.result.figures = MatchStatistics::of(&row.result.tally, &Evidence::Pairs(pairs));
            row
        };
        let rows = rows.map(|row| counted(row, [0, 0, 0, 0, 5]));
        says(
            &rows,
            &[
                "w against a from centre: too few distinct pairs at every depth (1)",
                "w against a from centre, random: too few distinct pairs, p = 0.125",
                "(too few distinct pairs: repeated games",
            ],
        );
        let [first, _] = rows;
        says(
            &[counted(first, [10, 0, 0, 0, 1])],
            &[
                "w against a from centre: no verdict at every depth (1)",
                "(no verdict: all games together and those that repeat no other",
            ],
        );
    }
}
