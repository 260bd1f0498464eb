//! The rows of a validation.

use serde::{Deserialize, Serialize};

use super::numbers::{short, short_if_any, tally};
use tictune_core::arena::{MatchResult, Openings};
use tictune_core::files::escaped_cell;
use tictune_core::stats::{Evidence, MatchStatistics, Tally, holm};

/// A match of the weights in question, A, against an opponent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchRow {
    /// Where games started.
    pub openings: String,
    /// The opponent's weights, or `random playouts`; where parameters were evolved also `the start`, or an agent.
    pub opponent: String,
    /// The search that carried the weights, as an agent without them; or an agent with all that was evolved.
    pub search: String,
    /// Plies that both searched, where that was fixed.
    pub depth: Option<u32>,
    /// Games.
    pub games: u64,
    /// Results from A's view.
    #[serde(flatten)]
    pub tally: Tally,
    /// Pairs in which A scored 0, 1/2, 1, 3/2 and 2 points.
    pub pairs: [u64; 5],
    /// Of these the pairs that are evidence: see [`MatchResult::evidence`].
    pub distinct_pairs: [u64; 5],
    /// Different games.
    pub distinct_games: u64,
    /// What follows from the counts; without p-values where there is no result.
    #[serde(flatten)]
    pub figures: MatchStatistics,
    /// Whether more than half of the games were forfeited, which then say nothing about strength.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_result: bool,
    /// The two-sided p-value, corrected for all rows of the validation (Holm): by it verdicts are made. None before the last
    /// row is played, and in `validation.csv`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p_value_holm: Option<f64>,
}

impl MatchRow {
    /// The [p-values](Figures::p) of rows, corrected for as many tests (Holm); none where a row has no result, or no verdict.
    #[must_use]
    #[doc(hidden)]
    pub fn corrected(rows: &[Self]) -> Vec<Option<f64>> {
        let single: Vec<f64> = rows.iter().filter_map(|row| row.figures.p).collect();
        let mut corrected = holm(&single).into_iter();
        rows.iter().map(|row| row.figures.p.and_then(|_| corrected.next())).collect()
    }

    #[doc(hidden)]
    pub fn new(
        openings: &Openings,
        opponent: &str,
        search: String,
        depth: Option<u32>,
        result: &MatchResult,
    ) -> Self {
        let tally = result.summary.tally;
        Self {
            openings: openings.to_string(),
            opponent: escaped_cell(opponent).into(),
            search,
            depth,
            games: tally.games(),
            tally,
            pairs: result.pairs.unwrap_or_default(),
            distinct_pairs: result.evidence.pairs().unwrap_or_default(),
            distinct_games: result.distinct_games,
            figures: result.figures(),
            no_result: result.summary.mostly_forfeited().is_some(),
            p_value_holm: None,
        }
    }

    #[doc(hidden)]
    pub fn header() -> Vec<String> {
        let columns = "openings,opponent,search,depth,games,wins,draws,losses,\
                       pairs_0,pairs_1,pairs_2,pairs_3,pairs_4,\
                       distinct_0,distinct_1,distinct_2,distinct_3,distinct_4,distinct_games,\
                       score,elo,elo_low,elo_high,los,p_value,p_value_two_sided,p,no_result";
        columns.split(',').map(String::from).collect()
    }
}

/// A match as `validation.csv` has it. One without a result has no p-values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "Fields", try_from = "FieldsRead")]
pub struct LoggedMatch(pub MatchRow);

/// What is written.
#[derive(Serialize)]
struct Fields {
    counts: Counts,
    #[serde(with = "FigureFields")]
    figures: MatchStatistics,
    no_result: bool,
}

/// What is read.
#[derive(Deserialize)]
struct FieldsRead {
    counts: Counts,
    _score_elo_los: (f64, [Option<f64>; 3], f64),
    _p_values: [Option<f64>; 3],
    no_result: bool,
}

/// What is counted.
#[derive(Serialize, Deserialize)]
struct Counts {
    openings: String,
    opponent: String,
    search: String,
    depth: Option<u32>,
    games: u64,
    #[serde(deserialize_with = "tally")]
    tally: Tally,
    pairs: [u64; 5],
    distinct_pairs: [u64; 5],
    distinct_games: u64,
}

/// What follows from the counts.
#[derive(Serialize)]
#[serde(remote = "MatchStatistics")]
struct FigureFields {
    #[serde(serialize_with = "short")]
    score: f64,
    #[serde(serialize_with = "short_if_any")]
    elo: Option<f64>,
    #[serde(serialize_with = "short_if_any")]
    elo_low: Option<f64>,
    #[serde(serialize_with = "short_if_any")]
    elo_high: Option<f64>,
    #[serde(serialize_with = "short")]
    los: f64,
    #[serde(serialize_with = "short_if_any")]
    p_value: Option<f64>,
    #[serde(serialize_with = "short_if_any")]
    p_value_two_sided: Option<f64>,
    #[serde(serialize_with = "short_if_any")]
    p: Option<f64>,
}

impl From<LoggedMatch> for Fields {
    fn from(LoggedMatch(row): LoggedMatch) -> Self {
        let MatchRow { openings, opponent, search, depth, games, tally, pairs, .. } = row;
        let MatchRow { distinct_pairs, distinct_games, figures, no_result, .. } = row;
        let counts = Counts {
            openings,
            opponent,
            search,
            depth,
            games,
            tally,
            pairs,
            distinct_pairs,
            distinct_games,
        };
        Self { counts, figures, no_result }
    }
}

impl TryFrom<FieldsRead> for LoggedMatch {
    type Error = &'static str;

    fn try_from(read: FieldsRead) -> Result<Self, Self::Error> {
        // What follows from the counts is computed anew, so that it has all digits.
        let FieldsRead { counts, no_result, .. } = read;
        let Counts { openings, opponent, search, depth, games, tally, pairs, .. } = counts;
        let Counts { distinct_pairs, distinct_games, .. } = counts;
        let fit = pairs_fit(&pairs, &tally) && are_among(&distinct_pairs, &pairs);
        if games != tally.games() || !fit || distinct_games > games {
            return Err("games, results and pairs contradict each other");
        }
        let figures = MatchStatistics::of(&tally, &Evidence::Pairs(distinct_pairs));
        let figures = if no_result { figures.without_p_values() } else { figures };
        Ok(Self(MatchRow {
            openings,
            opponent,
            search,
            depth,
            games,
            tally,
            pairs,
            distinct_pairs,
            distinct_games,
            figures,
            no_result,
            p_value_holm: None,
        }))
    }
}

/// Whether pairs have the games and the points of results.
pub(crate) fn pairs_fit(pairs: &[u64; 5], tally: &Tally) -> bool {
    let sum = |worth: fn(u64) -> u64| {
        (0..).zip(pairs).try_fold(0_u64, |sum, (points, pair)| {
            sum.checked_add(pair.checked_mul(worth(points))?)
        })
    };
    let points = tally.wins.checked_mul(2).and_then(|points| points.checked_add(tally.draws));
    sum(|_| 2) == Some(tally.games()) && points.is_some() && sum(|points| points) == points
}

/// Whether there are no more pairs of any result than in all.
pub(crate) fn are_among(pairs: &[u64; 5], all: &[u64; 5]) -> bool {
    pairs.iter().zip(all).all(|(some, all)| some <= all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tictune_core::files::Journal;

    #[test]
    fn rows_round_trip() {
        let tally = Tally { wins: 5, draws: 2, losses: 3 };
        let pairs = [0, 1, 1, 3, 0];
        let row = MatchRow {
            openings: "random:4:held-out".into(),
            opponent: "a, b".into(),
            search: "minimax:depth=3".into(),
            depth: Some(3),
            games: 10,
            tally,
            pairs,
            distinct_pairs: [0, 1, 1, 2, 0],
            distinct_games: 9,
            figures: MatchStatistics::of(&tally, &Evidence::Pairs([0, 1, 1, 2, 0])),
            no_result: false,
            p_value_holm: None,
        };
        let forfeited =
            MatchRow { figures: row.figures.without_p_values(), no_result: true, ..row.clone() };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("validation.csv");
        let header = MatchRow::header();
        let mut journal = Journal::open(&path, &header).unwrap();
        for row in [&row, &forfeited] {
            journal.append(&LoggedMatch(row.clone())).unwrap();
        }
        drop(journal);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(
            "\nrandom:4:held-out,\"a, b\",minimax:depth=3,3,10,5,2,3,0,1,1,3,0,0,1,1,2,0,9,0.6,"
        ));
        let mut journal = Journal::<LoggedMatch>::open(&path, &header).unwrap();
        let read = journal.take_all("is no match").unwrap();
        assert_eq!(read, [LoggedMatch(row), LoggedMatch(forfeited)]);
        for (old, new) in [
            (",10,5,2,3,", ",11,5,2,3,"),
            (",0,1,1,3,0,", ",0,2,1,3,0,"),
            (",0,1,1,3,0,", ",1,1,1,2,0,"),
            (",0,1,1,2,0,", ",0,1,1,4,0,"),
        ] {
            std::fs::write(&path, text.replacen(old, new, 1)).unwrap();
            let mut journal = Journal::<LoggedMatch>::open(&path, &header).unwrap();
            assert!(journal.take_all("is no match").is_err(), "{new}");
        }
    }

    #[test]
    fn rows_of_committed_runs_follow_from_their_counts() {
        for run in ["experiments/papadam/results/lines-short"] {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../..")
                .join(run)
                .join("validation.csv");
            // A package has no results.
            if !path.exists() {
                continue;
            }
            let folder = tempfile::tempdir().unwrap();
            let copy = folder.path().join("validation.csv");
            std::fs::copy(path, &copy).unwrap();
            let mut journal = Journal::<LoggedMatch>::open(&copy, &MatchRow::header()).unwrap();
            while journal.has_next() {
                let check = |found: tictune_core::files::Found<'_>| {
                    let row: LoggedMatch = found.read().ok_or("is no match")?;
                    let follows = found.is(&row);
                    follows.then_some(row).ok_or_else(|| "does not follow".into())
                };
                let read = journal.next(check, || unreachable!());
                read.map_err(|error: tictune_core::files::LogError| error.to_string()).unwrap();
            }
        }
    }
}
