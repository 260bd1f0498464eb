//! The rows of admission matches.

use std::path::Path;

use serde::de::{Error, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::cells::Cell;
use tictune_core::files::rows_in;
use tictune_core::stats::{Evidence, Tally};

/// An admission match: a row of `hall.csv`.
#[derive(Clone, Debug, PartialEq)]
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

impl Serialize for Admission {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { generation, members, tally, distinct_games, .. } = self;
        let Self { evidence, entered, left, values, .. } = self;
        let (score, p) = (tally.score().to_string(), evidence.p().map(|p| p.to_string()));
        let values: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
        let results = (tally.games(), tally, distinct_games, evidence.text(), score, p);
        (generation, members, results, entered, left, values).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Admission {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (generation, members, results, entered, left, values) =
            Deserialize::deserialize(deserializer)?;
        let (games, tally, distinct_games, evidence, _): (u64, Tally, _, String, [IgnoredAny; 2]) =
            results;
        let evidence = Cell::read(&evidence).filter(|_| games == tally.games());
        let evidence =
            evidence.ok_or_else(|| D::Error::custom("the counts contradict each other"))?;
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
