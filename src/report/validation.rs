//! The validation of weights: a table of matches, and what it shows.

use super::{counted, elo, repeated_games, table};
use crate::agent::OtherProgram;
use crate::evolve::{MatchRow, PairedResult, Plan, RANDOM_PLAYOUTS, StagePlan};
use crate::stats::{DIFFERENT_SIDES, SIGNIFICANCE, p_equals, p_in_words};

/// The fewest pairs that can show a difference: with five that are all won, p is above 0.05.
const FEWEST_PAIRS: u64 = 6;

/// A validation: a row for each match, and what they show.
pub(crate) fn validation_table(name: &str, rows: &[MatchRow]) -> String {
    let shared = shared_search(rows);
    let row = |(row, p): (&MatchRow, Option<f64>)| {
        let PairedResult { games, tally, figures, distinct_games, .. } = row.result;
        let in_cell = |p: Option<f64>| match p {
            Some(_) => p_in_words(p),
            None => Verdict::of(row, None).words().into(),
        };
        let search = if shared.is_some() { None } else { Some(row.search.clone()) };
        let mut cells = vec![row.opponent.clone(), row.openings.clone()];
        cells.extend(search);
        cells.extend([
            games.to_string(),
            tally.wins.to_string(),
            tally.draws.to_string(),
            tally.losses.to_string(),
            format!("{:.1} %", 100.0 * figures.score),
            format!(
                "{} ({} to {})",
                elo(figures.elo, figures.score),
                elo(figures.elo_low, 0.0),
                elo(figures.elo_high, 1.0)
            ),
            in_cell(figures.p),
            in_cell(p),
            distinct_games.to_string(),
        ]);
        cells
    };
    let mut heads = vec!["against", "openings"];
    heads.extend(if shared.is_some() { None } else { Some("search") });
    heads.extend([
        "games",
        "won",
        "drew",
        "lost",
        "score",
        "Elo (95 %)",
        "p",
        "p (Holm)",
        "distinct",
    ]);
    let who = shared.map_or(String::new(), |search| {
        let kind = search.split([':', ',']).next().unwrap_or_default();
        let what = match kind {
            "external" => "program",
            // Of a runner's agent only the numbers are named.
            kind if kind.contains('=') => "numbers",
            _ => "search",
        };
        format!("{what} of every row: {search}\n")
    });
    let distinct = rows.iter().map(|row| row.result.distinct_games).sum();
    let games = rows.iter().map(|row| row.result.games).sum();
    table(&heads, rows.iter().zip(MatchRow::corrected(rows)).map(row))
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
    let of_stage = |stage: &StagePlan| {
        let all = (0..stage.fitness.opponents.len())
            .map(|index| stage.fitness.openings_at(index).to_string());
        all.collect::<Vec<_>>()
    };
    let trained: Vec<String> = plan.stages.iter().flat_map(of_stage).collect();
    let mut openings: Vec<&str> = Vec::new();
    for row in rows {
        let is_trained = trained.contains(&row.openings);
        if is_trained && !openings.contains(&row.openings.as_str()) {
            openings.push(&row.openings);
        }
    }
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
pub(crate) fn verdicts(name: &str, rows: &[MatchRow]) -> String {
    let mut text = String::new();
    let shared = shared_search(rows).is_some();
    let mut pairings: Vec<(&str, &str)> = Vec::new();
    let rows: Vec<(&MatchRow, Option<f64>)> = rows.iter().zip(MatchRow::corrected(rows)).collect();
    for (row, _) in &rows {
        let pairing = (row.opponent.as_str(), row.openings.as_str());
        if !pairings.contains(&pairing) {
            pairings.push(pairing);
        }
    }
    for (opponent, openings) in pairings {
        let theirs = || {
            let mine = |row: &MatchRow| row.opponent == opponent && row.openings == openings;
            rows.iter().copied().filter(move |(row, _)| mine(row))
        };
        let fixed: Vec<_> = theirs().filter(|(row, _)| row.depth.is_some()).collect();
        if !fixed.is_empty() {
            let at = |verdict: Verdict| {
                let word = verdict.words();
                let shown = fixed.iter().filter(|&&(row, p)| Verdict::of(row, p) == verdict);
                let depths: Vec<String> =
                    shown.filter_map(|(row, _)| row.depth).map(|depth| depth.to_string()).collect();
                let list = depths.join(", ");
                match depths.len() {
                    0 => Option::None,
                    n if n == fixed.len() => Some(format!("{word} at every depth ({list})")),
                    1 => Some(format!("{word} at depth {list}")),
                    _ => Some(format!("{word} at depths {list}")),
                }
            };
            use Verdict::{NoResult, None, Stronger, TooFew, Weaker};
            let shown = [Stronger, Weaker, TooFew, None, NoResult].map(at);
            let shown: Vec<String> = shown.into_iter().flatten().collect();
            let verdict = match shown.as_slice() {
                [] => "no difference shown at any depth".into(),
                shown => shown.join(", "),
            };
            text += &format!("{name} against {opponent} from {openings}: {verdict}\n");
        }
        for (row, p) in theirs().filter(|(row, _)| row.depth.is_none()) {
            let verdict = Verdict::of(row, p);
            let chance = match p {
                Some(p) => format!(", {}, n = {}", p_equals(p), row.result.games),
                None => String::new(),
            };
            text += &if opponent == RANDOM_PLAYOUTS {
                let words = match verdict {
                    Verdict::Stronger => "shown",
                    Verdict::Weaker => "the opposite is shown",
                    Verdict::NotShown => "not shown",
                    other => other.words(),
                };
                let limit = row.search.rsplit(',').find(|part| part.contains('='));
                let limit = limit.unwrap_or(&row.search);
                format!(
                    "EPT with {name} beats random playouts, {limit}, from {openings}: {words}{chance}\n"
                )
            } else {
                let words = verdict.words();
                let search = if shared { String::new() } else { format!(", {}", row.search) };
                format!("{name} against {opponent} from {openings}{search}: {words}{chance}\n")
            };
        }
    }
    let tested = rows.iter().filter(|(_, p)| p.is_some()).count();
    text += &format!(
        "(shown, stronger, weaker: two-sided p < {SIGNIFICANCE} of pairs of games, by Holm's correction for {})\n",
        counted(tested, "row")
    );
    let any = |verdict| rows.iter().any(|&(row, p)| Verdict::of(row, p) == verdict);
    if any(Verdict::TooFew) {
        text += "(too few distinct pairs: a game that is played again shows nothing new, and fewer than six pairs never show a \
                 difference. Where a program names no games, pairs whose results repeat count once)\n";
    }
    if any(Verdict::None) {
        text += &format!("(no verdict: {DIFFERENT_SIDES})\n");
    }
    if any(Verdict::NoResult) {
        text += "(no result: more than half of the games were forfeited)\n";
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
    None,
    NoResult,
}

impl Verdict {
    /// By the p-value of the row, corrected for its table.
    fn of(row: &MatchRow, p: Option<f64>) -> Self {
        let Some(p) = p else {
            return if row.no_result { Self::NoResult } else { Self::None };
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
            Self::None => "no verdict",
            Self::NoResult => "no result",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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

    #[test]
    fn a_row_of_forfeits_has_no_result() {
        let mut rows = vec![
            row("a", "minimax:depth=1", Some(1), 80),
            row("a", "minimax:depth=2", Some(2), 100),
            row("a", "iterative:nodes=9", None, 0),
        ];
        for forfeited in &mut rows[1..] {
            forfeited.no_result = true;
            forfeited.result.figures = forfeited.result.figures.without_p_values();
        }
        let text = validation_table("w", &rows);
        for line in [
            "w against a from centre: stronger at depth 1, no result at depth 2",
            "w against a from centre, iterative:nodes=9: no result",
            "(no result: more than half of the games were forfeited)",
        ] {
            assert!(text.lines().any(|found| found == line), "no line \"{line}\" in\n{text}");
        }
        // The test that is left needs no correction.
        assert!(text.contains("by Holm's correction for 1 row)"), "{text}");
        assert_eq!(MatchRow::corrected(&rows), [rows[0].result.figures.p, None, None]);
    }

    #[test]
    fn a_long_search_of_all_rows_is_named_once() {
        let search = "external:cmd=\"./bot {corner}\",protocol=codingame";
        let mut rows = vec![row("a", search, None, 80), row("b", search, None, 90)];
        let text = validation_table("w", &rows);
        assert_eq!(text.matches(search).count(), 1, "{text}");
        assert!(text.contains(&format!(
            "program of every row: {search}\nw against a from centre: stronger, p"
        )));
        rows[1].search = "random".into();
        assert_eq!(validation_table("w", &rows).matches(search).count(), 2);
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
        let text = verdicts("w", &rows);
        for line in [
            "w against a from centre: stronger at depth 1",
            "w against a from centre, iterative:nodes=9: weaker, p = 1.2e-4, n = 100",
            "w against b from centre: stronger at every depth (1)",
            "EPT with w beats random playouts, iterations=9, from centre: not shown, p = 1.000, n = 100",
            "EPT with w beats random playouts, time=5ms, from centre: shown, p = 0.020, n = 100",
        ] {
            assert!(text.lines().any(|found| found == line), "no line \"{line}\" in\n{text}");
        }
    }

    #[test]
    fn depths_that_show_nothing_are_left_out() {
        let depths = |wins: [u64; 4]| {
            let rows: Vec<MatchRow> = (1..)
                .zip(wins)
                .map(|(depth, wins)| row("a", &format!("minimax:depth={depth}"), Some(depth), wins))
                .collect();
            let text = verdicts("w", &rows);
            text.lines().next().unwrap().replace("w against a from centre: ", "")
        };
        assert_eq!(depths([50, 52, 48, 51]), "no difference shown at any depth");
        assert_eq!(depths([90, 85, 50, 10]), "stronger at depths 1, 2, weaker at depth 4");
        assert_eq!(depths([50, 10, 10, 50]), "weaker at depths 2, 3");
        assert_eq!(depths([10, 10, 10, 10]), "weaker at every depth (1, 2, 3, 4)");
    }

    #[test]
    fn a_row_of_repeated_games_shows_nothing() {
        let mut rows = [row("a", "minimax:depth=1", Some(1), 80), row("a", "random", None, 50)];
        let counted = |mut row: MatchRow, distinct_pairs| {
            row.result.distinct_pairs = distinct_pairs;
            row.result.figures =
                MatchStatistics::of(&row.result.tally, &Evidence::Pairs(distinct_pairs));
            row
        };
        assert!(!verdicts("w", &rows).contains("distinct"));
        rows = rows.map(|row| counted(row, [0, 0, 0, 0, 5]));
        let text = verdicts("w", &rows);
        for line in [
            "w against a from centre: too few distinct pairs at every depth (1)\n",
            "w against a from centre, random: too few distinct pairs, p = 0.125",
            "\n(too few distinct pairs: a game",
        ] {
            assert!(text.contains(line), "{text}");
        }
        let [first, _] = rows;
        let other_way = counted(first, [10, 0, 0, 0, 1]);
        let text = verdicts("w", &[other_way]);
        assert!(
            text.starts_with("w against a from centre: no verdict at every depth (1)\n"),
            "{text}"
        );
        assert!(
            text.contains("(no verdict: all games together and those that repeat no other"),
            "{text}"
        );
    }

    #[test]
    fn p_values_are_never_printed_as_zero() {
        for (p, printed) in [
            (0.0, "p < 1e-300"),
            (1e-310, "p < 1e-300"),
            (2e-300, "p = 2.0e-300"),
            (0.0312, "p = 0.031"),
        ] {
            assert_eq!(p_equals(p), printed);
        }
    }
}
