//! The validation of weights: a table of matches, and what it shows.

use super::layout::{Column, Width, columns};
use super::{counted, distinct, percent, repeated_games};
use crate::agent::OtherProgram;
use crate::evolve::{MatchRow, Plan, RANDOM_PLAYOUTS};
use crate::stats::{DIFFERENT_SIDES, MatchStatistics, SIGNIFICANCE, p_equals, p_in_words};

/// The fewest pairs that can show a difference: with five that are all won, p is above 0.05.
const FEWEST_PAIRS: u64 = 6;

/// A validation: a row for each match, and what they show.
pub(crate) fn validation_table(width: Width, name: &str, rows: &[MatchRow]) -> String {
    let shared = shared_search(rows);
    fn p_or_verdict(row: &MatchRow, p: Option<f64>) -> String {
        p.map_or_else(|| Verdict::of(row, None).words().into(), |p| p_in_words(Some(p)))
    }
    let mut all: Vec<Column<'_, (&MatchRow, Option<f64>)>> = vec![
        ("against", &|(row, _)| row.opponent.clone()),
        ("openings", &|(row, _)| row.openings.clone()),
        ("search", &|(row, _)| row.search.clone()),
        ("games", &|(row, _)| row.result.games.to_string()),
        ("won", &|(row, _)| row.result.tally.wins.to_string()),
        ("drew", &|(row, _)| row.result.tally.draws.to_string()),
        ("lost", &|(row, _)| row.result.tally.losses.to_string()),
        ("score", &|(row, _)| percent(row.result.figures.score)),
        ("Elo (95 %)", &|(row, _)| {
            let MatchStatistics { elo, score, elo_low, elo_high, .. } = row.result.figures;
            super::elo(elo, score, elo_low, elo_high)
        }),
        ("p", &|(row, _)| p_or_verdict(row, row.result.figures.p)),
        ("p (Holm)", &|(row, p)| p_or_verdict(row, *p)),
        ("distinct", &|(row, _)| row.result.distinct_games.to_string()),
    ];
    let mut who = String::new();
    if let Some(search) = shared {
        all.remove(2);
        let what = match search.split([':', ',']).next().unwrap_or_default() {
            "external" => "program",
            // Of a runner's agent only the numbers are named.
            kind if kind.contains('=') => "numbers",
            _ => "search",
        };
        who = format!("{what} of every row: {search}\n");
    }
    let distinct = rows.iter().map(|row| row.result.distinct_games).sum();
    let games = rows.iter().map(|row| row.result.games).sum();
    columns(width, rows.iter().zip(MatchRow::corrected(rows)), &all)
        + &who
        + &verdicts(name, rows)
        + &repeated_games(distinct, games)
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
            "(from {}: games of the training began there, too; other seeds are all that is held out)\n",
            openings.join(" and ")
        ),
    }
}

/// One line for each claim: the depths at which the weights are shown to be stronger or weaker than an
/// opponent's; the same for each limit of iterative deepening; and whether playouts that end in an
/// evaluation with these weights beat random ones.
fn verdicts(name: &str, rows: &[MatchRow]) -> String {
    let mut text = String::new();
    let shared = shared_search(rows).is_some();
    let rows: Vec<(&MatchRow, Option<f64>, Verdict)> = rows
        .iter()
        .zip(MatchRow::corrected(rows))
        .map(|(row, p)| (row, p, Verdict::of(row, p)))
        .collect();
    for (opponent, openings) in
        distinct(rows.iter().map(|(row, ..)| (&row.opponent, &row.openings)))
    {
        let is_theirs = |row: &MatchRow| row.opponent == *opponent && row.openings == *openings;
        let theirs = rows.iter().filter(|(row, ..)| is_theirs(row));
        let (fixed, others): (Vec<_>, Vec<_>) = theirs.partition(|(row, ..)| row.depth.is_some());
        if !fixed.is_empty() {
            let at = |verdict: Verdict| {
                let word = verdict.words();
                let shown = fixed.iter().filter(|(_, _, of_row)| *of_row == verdict);
                let depths: Vec<String> = shown
                    .filter_map(|(row, ..)| row.depth)
                    .map(|depth| depth.to_string())
                    .collect();
                let list = depths.join(", ");
                match depths.len() {
                    0 => None,
                    n if n == fixed.len() => Some(format!("{word} at every depth ({list})")),
                    1 => Some(format!("{word} at depth {list}")),
                    _ => Some(format!("{word} at depths {list}")),
                }
            };
            use Verdict::{NoResult, Stronger, TooFew, Undecided, Weaker};
            let shown = [Stronger, Weaker, TooFew, Undecided, NoResult].into_iter().filter_map(at);
            let verdict = match shown.collect::<Vec<_>>().join(", ") {
                nothing if nothing.is_empty() => "no difference shown at any depth".into(),
                shown => shown,
            };
            text += &format!("{name} against {opponent} from {openings}: {verdict}\n");
        }
        for (row, p, verdict) in others {
            let words = verdict.words();
            let chance = match p {
                Some(p) => format!(", {}, n = {}", p_equals(p), row.result.games),
                None => String::new(),
            };
            text += &if opponent == RANDOM_PLAYOUTS {
                let words = match verdict {
                    Verdict::Stronger => "shown",
                    Verdict::Weaker => "the opposite is shown",
                    Verdict::NotShown => "not shown",
                    _ => words,
                };
                let limit = row.search.rsplit(',').find(|part| part.contains('='));
                let limit = limit.unwrap_or(&row.search);
                format!(
                    "EPT with {name} beats random playouts, {limit}, from {openings}: {words}{chance}\n"
                )
            } else {
                let search = if shared { String::new() } else { format!(", {}", row.search) };
                format!("{name} against {opponent} from {openings}{search}: {words}{chance}\n")
            };
        }
    }
    let tested = rows.iter().filter(|(_, p, _)| p.is_some()).count();
    text += &format!(
        "(shown, stronger, weaker: two-sided p < {SIGNIFICANCE} of pairs of games, by Holm's correction for {})\n",
        counted(tested, "row")
    );
    for (verdict, meaning) in [
        (
            Verdict::TooFew,
            "a game that is played again shows nothing new, and fewer than six pairs never show a difference. \
             Where a program names no games, pairs whose results repeat count once",
        ),
        (Verdict::Undecided, DIFFERENT_SIDES),
        (Verdict::NoResult, "more than half of the games were forfeited"),
    ] {
        if rows.iter().any(|(_, _, of_row)| *of_row == verdict) {
            text += &format!("({}: {meaning})\n", verdict.words());
        }
    }
    text
}

/// What a row shows of the weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Stronger,
    Weaker,
    NotShown,
    /// So many of its pairs repeat others that nothing can be shown.
    TooFew,
    /// Repeated games point to the other side.
    Undecided,
    NoResult,
}

impl Verdict {
    /// By the p-value of the row, corrected for its table.
    fn of(row: &MatchRow, p: Option<f64>) -> Self {
        let Some(p) = p else {
            return if row.no_result { Self::NoResult } else { Self::Undecided };
        };
        let [all, distinct] =
            [row.result.pairs, row.result.distinct_pairs].map(|pairs| pairs.iter().sum::<u64>());
        if distinct < FEWEST_PAIRS && FEWEST_PAIRS <= all {
            return Self::TooFew;
        }
        match (p < SIGNIFICANCE, row.result.figures.score > 0.5) {
            (false, _) => Self::NotShown,
            (true, true) => Self::Stronger,
            (true, false) => Self::Weaker,
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Stronger => "stronger",
            Self::Weaker => "weaker",
            Self::NotShown => "no difference shown",
            Self::TooFew => "too few distinct pairs",
            Self::Undecided => "no verdict",
            Self::NoResult => "no result",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evolve::PairedResult;
    use crate::stats::{Evidence, Tally};

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
        let text = verdicts("w", rows);
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
        assert!(!verdicts("w", &rows).contains("distinct"));
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
                "(too few distinct pairs: a game",
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

    #[test]
    fn p_values_are_never_printed_as_zero() {
        let printed = [0.0, 1e-310, 2e-300, 0.0312].map(p_equals);
        assert_eq!(printed, ["p < 1e-300", "p < 1e-300", "p = 2.0e-300", "p = 0.031"]);
    }
}
