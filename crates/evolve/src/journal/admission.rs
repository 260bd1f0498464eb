//! The rows of admission matches.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::numbers::{counts, reals, short, short_if_any, tally};
use tictune_core::files::rows_in;
use tictune_core::stats::{Evidence, Tally};

/// An admission match: a row of `hall.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "Fields", try_from = "Fields")]
pub struct Admission {
    /// The generation that it follows, from 1.
    pub generation: u64,
    /// Members of the hall that it was played against, beside the pool.
    pub members: u64,
    /// Results from the mean's view.
    pub tally: Tally,
    /// Different games among them.
    pub distinct_games: u64,
    /// What of them is evidence.
    pub evidence: Evidence,
    /// Whether the mean entered.
    pub entered: bool,
    /// The member that left for it.
    pub left: Option<String>,
    /// The mean, in the plan's [columns](crate::Plan::columns).
    pub values: Vec<f64>,
}

/// The columns of an admission match.
#[derive(Serialize, Deserialize)]
struct Fields {
    generation: u64,
    members: u64,
    games: u64,
    #[serde(deserialize_with = "tally")]
    tally: Tally,
    distinct_games: u64,
    #[serde(with = "counts")]
    evidence: Evidence,
    #[serde(serialize_with = "short")]
    score: f64,
    #[serde(serialize_with = "short_if_any")]
    p: Option<f64>,
    entered: bool,
    left: Option<String>,
    #[serde(with = "reals")]
    values: Vec<f64>,
}

impl From<Admission> for Fields {
    fn from(admission: Admission) -> Self {
        let Admission { generation, members, tally, distinct_games, .. } = admission;
        let Admission { evidence, entered, left, values, .. } = admission;
        let (games, score, p) = (tally.games(), tally.score(), evidence.p());
        Self {
            generation,
            members,
            games,
            tally,
            distinct_games,
            evidence,
            score,
            p,
            entered,
            left,
            values,
        }
    }
}

impl TryFrom<Fields> for Admission {
    type Error = &'static str;

    fn try_from(fields: Fields) -> Result<Self, Self::Error> {
        let Fields { generation, members, games, tally, distinct_games, .. } = fields;
        let Fields { evidence, entered, left, values, .. } = fields;
        if games != tally.games() {
            return Err("games are not wins, draws and losses");
        }
        Ok(Self { generation, members, tally, distinct_games, evidence, entered, left, values })
    }
}

impl Admission {
    /// The name of the journal in the folder of a stage.
    #[doc(hidden)]
    pub const FILE: &'static str = "hall.csv";

    #[doc(hidden)]
    pub fn header(columns: &[String]) -> Vec<String> {
        let fixed = "generation,members,games,wins,draws,losses,distinct_games,distinct,score,p,entered,left";
        fixed.split(',').map(String::from).chain(columns.iter().cloned()).collect()
    }
}

/// The admission matches in the journal of a stage's folder, for those who report; none without a journal. A torn last
/// line is left out.
#[must_use]
pub fn admissions(folder: &Path) -> Vec<Admission> {
    let text = std::fs::read(folder.join(Admission::FILE)).unwrap_or_default();
    rows_in(&text).into_iter().map_while(|row| row).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use tictune_core::files::Journal;

    fn columns() -> [String; 3] {
        ["a", "b", "x_b"].map(String::from)
    }

    fn row() -> Admission {
        Admission {
            generation: 40,
            members: 2,
            tally: Tally { wins: 30, draws: 4, losses: 16 },
            distinct_games: 49,
            evidence: Evidence::Pairs([3, 3, 4, 4, 10]),
            entered: true,
            left: Some("stage-1-generation-10".into()),
            values: vec![0.1 + 0.2, -1e-300, 3.0],
        }
    }

    #[test]
    fn rows_round_trip_bit_for_bit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(Admission::FILE);
        let rows = [row(), Admission { left: None, entered: false, ..row() }];
        let mut journal = Journal::open(&path, &Admission::header(&columns())).unwrap();
        rows.iter().for_each(|row| journal.append(row).unwrap());
        assert_eq!(admissions(folder.path()), rows);
        let text = std::fs::read_to_string(&path).unwrap();
        let last = text.lines().last().unwrap();
        assert!(last.starts_with("40,2,50,30,4,16,49,3-3-4-4-10,0.64,0.06"), "{last}");
        assert!(last.ends_with(",false,,0.30000000000000004,-1e-300,3.0"), "{last}");
        let mut journal =
            Journal::<Admission>::open(&path, &Admission::header(&columns())).unwrap();
        assert_eq!(journal.take_all("").unwrap(), rows);
    }

    proptest! {
        #[test]
        fn no_bytes_of_a_log_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let folder = tempfile::tempdir().unwrap();
            let header = Admission::header(&columns()).join(",");
            let text = [format!("{header}\n").as_bytes(), &bytes].concat();
            std::fs::write(folder.path().join(Admission::FILE), text).unwrap();
            let _ = admissions(folder.path());
        }
    }
}
