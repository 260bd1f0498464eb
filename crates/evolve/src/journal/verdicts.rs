//! The records of verdicts: best against mean, and the validation.

use serde::de::{Error, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use tictune_core::arena::MatchResult;
use tictune_core::stats::{Evidence, MatchStatistics, Tally, holm};

/// The result of a match in pairs of games, from A's view.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairedResult {
    pub games: u64,
    #[serde(flatten)]
    pub tally: Tally,
    /// Pairs in which A scored 0, 1/2, 1, 3/2 and 2 points.
    pub pairs: [u64; 5],
    /// Of these the pairs that are evidence: see [`MatchResult::evidence`].
    pub distinct_pairs: [u64; 5],
    pub distinct_games: u64,
    /// What follows from the counts; without p-values where there is no result.
    #[serde(flatten)]
    pub figures: MatchStatistics,
}

impl PairedResult {
    pub(crate) fn of(result: &MatchResult) -> Self {
        Self {
            games: result.summary.tally.games(),
            tally: result.summary.tally,
            pairs: result.pairs.unwrap_or_default(),
            distinct_pairs: result.evidence.pairs().unwrap_or_default(),
            distinct_games: result.distinct_games,
            figures: result.figures(),
        }
    }

    /// The same with what follows from its counts; none where these contradict each other.
    pub(crate) fn recomputed(self, no_result: bool) -> Option<Self> {
        let Self { games, tally, pairs, distinct_pairs, distinct_games, .. } = self;
        let distinct = pairs.iter().zip(&distinct_pairs).all(|(all, some)| some <= all);
        if games != tally.games()
            || !pairs_fit(&pairs, &tally)
            || !distinct
            || distinct_games > games
        {
            return None;
        }
        let figures = MatchStatistics::of(&tally, &Evidence::Pairs(distinct_pairs));
        let figures = if no_result { figures.without_p_values() } else { figures };
        Some(Self { figures, ..self })
    }
}

/// Whether pairs have the games and the points of results.
fn pairs_fit(pairs: &[u64; 5], tally: &Tally) -> bool {
    let [wins, draws, losses] = [tally.wins, tally.draws, tally.losses].map(u128::from);
    let count = pairs.iter().copied().map(u128::from);
    let points: u128 = (0..).zip(count.clone()).map(|(points, pairs)| points * pairs).sum();
    2 * count.sum::<u128>() == wins + draws + losses && points == 2 * wins + draws
}

/// Best against mean, or start against mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Who carried both, without the weights that were evolved.
    pub agent: String,
    pub openings: String,
    /// The result, from the best candidate's view, or the start's.
    #[serde(flatten)]
    pub result: PairedResult,
    /// `best` or `mean`: which scored more, the best where both scored the same. Where the start plays: `start` if it is shown to be
    /// stronger, and `mean` if not.
    pub winner: String,
    /// Whether the start of the run plays in the place of a best candidate: pairs have none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_start: bool,
    /// Whether the difference is shown: [`p`](MatchStatistics::p) is below [`SIGNIFICANCE`](tictune_core::stats::SIGNIFICANCE).
    pub shown: bool,
    pub verdict: String,
    /// Whether more than half of the games were forfeited, which then say nothing about strength.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_result: bool,
}

impl Comparison {
    /// Who plays against the mean.
    pub fn first(&self) -> &'static str {
        Self::first_of(self.of_start)
    }

    pub(crate) const fn first_of(of_start: bool) -> &'static str {
        if of_start { "start" } else { "best" }
    }

    /// What it is, as in "best against mean".
    pub fn title(&self) -> String {
        format!("{} against mean", self.first())
    }
}

/// A match of the weights in question, A, against an opponent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchRow {
    pub openings: String,
    /// The opponent's weights, or `random playouts`; where parameters were evolved also `the start`, or an agent.
    pub opponent: String,
    /// The search that carried the weights, as an agent without them; or an agent with all that was evolved.
    pub search: String,
    /// Plies that both searched, where that was fixed.
    pub depth: Option<u32>,
    #[serde(flatten)]
    pub result: PairedResult,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_result: bool,
    /// The two-sided p-value, corrected for all rows of the validation (Holm): by it verdicts are made. None before the last
    /// row is played, and in `validation.csv`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p_value_holm: Option<f64>,
}

impl MatchRow {
    /// The [p-values](MatchStatistics::p) of rows, corrected for as many tests (Holm); none where a row has no result, or no verdict.
    #[doc(hidden)]
    pub fn corrected(rows: &[Self]) -> Vec<Option<f64>> {
        let single: Vec<f64> = rows.iter().filter_map(|row| row.result.figures.p).collect();
        let mut corrected = holm(&single).into_iter();
        rows.iter().map(|row| row.result.figures.p.and_then(|_| corrected.next())).collect()
    }
}

/// A match as `validation.csv` has it.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggedMatch(pub MatchRow);

impl LoggedMatch {
    pub(crate) const COLUMNS: &str = "openings,opponent,search,depth,games,wins,draws,losses,\
        pairs_0,pairs_1,pairs_2,pairs_3,pairs_4,distinct_0,distinct_1,distinct_2,distinct_3,distinct_4,distinct_games,\
        score,elo,elo_low,elo_high,los,p_value,p_value_two_sided,p,no_result";
}

impl Serialize for LoggedMatch {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let MatchRow { openings, opponent, search, depth, result, no_result, .. } = &self.0;
        let PairedResult { games, tally, pairs, distinct_pairs, distinct_games, figures } = result;
        let MatchStatistics { score, elo, elo_low, elo_high, los, p_value, p_value_two_sided, p } =
            *figures;
        let figures =
            [Some(score), elo, elo_low, elo_high, Some(los), p_value, p_value_two_sided, p];
        let figures = figures.map(|figure| figure.map(|figure| figure.to_string()));
        let what = (openings, opponent, search, depth);
        let counts = (games, tally, pairs, distinct_pairs, distinct_games);
        (what, counts, figures, no_result).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for LoggedMatch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // What follows from the counts is computed again, so that it has all digits.
        let (what, counts, _, no_result): (_, _, [IgnoredAny; 8], _) =
            Deserialize::deserialize(deserializer)?;
        let (openings, opponent, search, depth) = what;
        let (games, tally, pairs, distinct_pairs, distinct_games) = counts;
        let figures = MatchStatistics::of(&Tally::default(), &Evidence::Pairs([0; 5]));
        let result = PairedResult { games, tally, pairs, distinct_pairs, distinct_games, figures };
        let result = result.recomputed(no_result);
        let result = result.ok_or_else(|| D::Error::custom("the counts contradict each other"))?;
        let p_value_holm = None;
        Ok(Self(MatchRow { openings, opponent, search, depth, result, no_result, p_value_holm }))
    }
}
