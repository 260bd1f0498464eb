//! The rows of candidates: their evaluations, and further rounds of games.

use serde::{Deserialize, Serialize};

use super::numbers::{short, tally};
use super::results::{MeasuredFields, RESULT_COLUMNS, parse_by_opponent, text_by_opponent};
use crate::measure::fitness::Measured;
use crate::plan::FitnessPlan;
use tictune_core::stats::Tally;

/// A row of `evaluations.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "Fields", try_from = "Fields")]
pub struct CandidateRow {
    /// The generation, from 1.
    pub generation: u64,
    /// The candidate in its generation, from 0.
    pub index: u64,
    /// Its cost.
    pub fitness: f64,
    /// Its results.
    pub measured: Measured,
    /// Its values in the plan's [columns](crate::Plan::columns).
    pub values: Vec<f64>,
}

/// The columns of an evaluation.
#[derive(Serialize, Deserialize)]
struct Fields {
    generation: u64,
    index: u64,
    #[serde(serialize_with = "short")]
    fitness: f64,
    #[serde(deserialize_with = "tally")]
    tally: Tally,
    distinct_games: u64,
    /// The results by opponent, where there are any, and the values.
    rest: Vec<String>,
}

impl CandidateRow {
    /// Results by opponent are there where the cost depends on them.
    pub fn header(columns: &[String], fitness: &FitnessPlan) -> Vec<String> {
        let fixed = ["generation", "index", "fitness", "wins", "draws", "losses", "distinct_games"];
        let by_opponent = (!fitness.combine.is_mean()).then_some("by_opponent");
        let fixed = fixed.into_iter().chain(by_opponent).map(String::from);
        fixed.chain(columns.iter().cloned()).collect()
    }
}

impl From<CandidateRow> for Fields {
    fn from(evaluation: CandidateRow) -> Self {
        let CandidateRow { generation, index, fitness, measured, values } = evaluation;
        let Measured { tally, by_opponent, distinct_games, .. } = measured;
        let by_opponent = (!by_opponent.is_empty()).then(|| text_by_opponent(&by_opponent));
        let values = values.iter().map(|value| format!("{value:?}"));
        let rest = by_opponent.into_iter().chain(values).collect();
        Self { generation, index, fitness, tally, distinct_games, rest }
    }
}

impl TryFrom<Fields> for CandidateRow {
    type Error = std::num::ParseFloatError;

    fn try_from(fields: Fields) -> Result<Self, Self::Error> {
        let Fields { generation, index, fitness, tally, distinct_games, rest } = fields;
        // No number reads like results by opponent.
        let by_opponent = rest.first().and_then(|text| parse_by_opponent(text));
        let values = &rest[usize::from(by_opponent.is_some())..];
        let values = values.iter().map(|value| value.parse()).collect::<Result<_, _>>()?;
        let by_opponent = by_opponent.unwrap_or_default();
        let measured = Measured { tally, by_opponent, distinct_games, games: Vec::new() };
        Ok(Self { generation, index, fitness, measured, values })
    }
}

/// A row of `rounds.csv`: further games of a candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundRow {
    pub generation: u64,
    /// From 1.
    pub round: u32,
    /// The candidate in its generation, from 0.
    pub index: u64,
    /// Its cost after this round, of all its games.
    #[serde(serialize_with = "short")]
    pub fitness: f64,
    /// The results of the round.
    #[serde(with = "MeasuredFields")]
    pub measured: Measured,
}

impl RoundRow {
    pub fn header() -> Vec<String> {
        let place = ["generation", "round", "index", "fitness"];
        place.into_iter().chain(RESULT_COLUMNS).map(String::from).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::generation::GenerationRow;
    use super::*;
    use crate::measure::fitness::tests::stage;
    use crate::plan::Combine;
    use tictune_core::arena::Schedule;
    use tictune_core::files::{Journal, rows_in};

    fn columns() -> [String; 3] {
        ["a", "b", "x_b"].map(String::from)
    }

    fn evaluation() -> CandidateRow {
        CandidateRow {
            generation: 3,
            index: 0,
            fitness: 12.5,
            measured: Measured {
                tally: Tally { wins: 10, draws: 5, losses: 10 },
                by_opponent: Vec::new(),
                distinct_games: 24,
                games: Vec::new(),
            },
            values: vec![0.1, -1e-300, 3.0],
        }
    }

    #[test]
    fn rows_round_trip_bit_for_bit() {
        let mut fitness = stage(Schedule::Paired, &[("random", 20), ("reflex", 5)]).fitness;
        let mut evaluation = evaluation();
        for (combine, line) in [
            (Combine::Mean, "3,0,12.5,10,5,10,24,0.1,-1e-300,3.0"),
            (Combine::Worst, "3,0,12.5,10,5,10,24,10-3-7 0-2-3,0.1,-1e-300,3.0"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("evaluations.csv");
            fitness.combine = combine;
            let header = CandidateRow::header(&columns(), &fitness);
            Journal::open(&path, &header).unwrap().append(&evaluation).unwrap();
            let text = std::fs::read_to_string(&path).unwrap();
            assert_eq!(text, format!("{}\n{line}\n", header.join(",")));
            let read = Journal::<CandidateRow>::open(&path, &header).unwrap().take_all("").unwrap();
            assert_eq!(read, std::slice::from_ref(&evaluation));
            evaluation.measured.by_opponent = vec![
                Tally { wins: 10, draws: 3, losses: 7 },
                Tally { wins: 0, draws: 2, losses: 3 },
            ];
        }
    }

    proptest! {
        #[test]
        fn no_bytes_of_a_log_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("log.csv");
            let mut fitness = stage(Schedule::Paired, &[("random", 20)]).fitness;
            fitness.combine = if bytes.len() % 2 == 0 { Combine::Mean } else { Combine::Worst };
            let header = CandidateRow::header(&columns(), &fitness);
            let text = [format!("{}\n", header.join(",")).as_bytes(), &bytes].concat();
            std::fs::write(&path, &text).unwrap();
            if let Ok(mut journal) = Journal::<CandidateRow>::open(&path, &header) {
                let _ = journal.take_all("is no evaluation");
            }
            let _ = rows_in::<CandidateRow>(&text);
            let _ = rows_in::<GenerationRow>(&text);
            let _ = rows_in::<RoundRow>(&text);
        }
    }
}
