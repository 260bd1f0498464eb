//! What the rows of a run's logs hold.

use super::measure::fitness::Measured;
use super::plan::{Combine, FitnessPlan};
use crate::stats::Tally;

/// A row of `evaluations.csv`.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The generation, from 1.
    pub generation: u64,
    /// The candidate in its generation, from 0.
    pub index: u64,
    /// Its cost.
    pub fitness: f64,
    /// Its results.
    pub measured: Measured,
    /// Its values in the plan's [columns](super::plan::Plan::columns).
    pub values: Vec<f64>,
}

impl Evaluation {
    /// Results by opponent are there where the cost depends on them.
    pub(super) fn header(columns: &[String], fitness: &FitnessPlan) -> Vec<String> {
        let fixed = ["generation", "index", "fitness", "wins", "draws", "losses", "distinct_games"];
        let by_opponent = (!fitness.combine.is_mean()).then_some("by_opponent");
        let fixed = fixed.into_iter().chain(by_opponent).map(String::from);
        fixed.chain(columns.iter().cloned()).collect()
    }

    pub(super) fn fields(&self) -> Vec<String> {
        let Measured { tally: Tally { wins, draws, losses }, distinct_games, .. } = self.measured;
        let counts = [self.generation, self.index].map(|count| count.to_string());
        let results = [wins, draws, losses, distinct_games].map(|count| count.to_string());
        let by_opponent = &self.measured.by_opponent;
        let by_opponent = (!by_opponent.is_empty()).then(|| text_of_by_opponent(by_opponent));
        let values = self.values.iter().map(|value| format!("{value:?}"));
        counts
            .into_iter()
            .chain([format!("{}", self.fitness)])
            .chain(results)
            .chain(by_opponent)
            .chain(values)
            .collect()
    }

    pub(super) fn parse(row: &csv::StringRecord, fitness: &FitnessPlan) -> Option<Self> {
        let count = |column: usize| row.get(column)?.parse::<u64>().ok();
        count(3)?.checked_add(count(4)?)?.checked_add(count(5)?)?;
        let (by_opponent, columns) = match fitness.combine {
            Combine::Mean => (Vec::new(), 7),
            _ => (parse_by_opponent(row.get(7)?)?, 8),
        };
        Some(Self {
            generation: count(0)?,
            index: count(1)?,
            fitness: row.get(2)?.parse().ok()?,
            measured: Measured {
                tally: Tally { wins: count(3)?, draws: count(4)?, losses: count(5)? },
                by_opponent,
                distinct_games: count(6)?,
            },
            values: row
                .iter()
                .skip(columns)
                .map(|field| field.parse().ok())
                .collect::<Option<_>>()?,
        })
    }
}

/// Results by opponent as logs have them.
pub(super) fn text_of_by_opponent(by_opponent: &[Tally]) -> String {
    let tally = |Tally { wins, draws, losses }: &Tally| format!("{wins}-{draws}-{losses}");
    by_opponent.iter().map(tally).collect::<Vec<_>>().join(" ")
}

/// Results by opponent in a log.
pub(super) fn parse_by_opponent(text: &str) -> Option<Vec<Tally>> {
    text.split(' ').map(parse_tally).collect()
}

/// Results as `wins-draws-losses`, of no more games than can be counted.
fn parse_tally(text: &str) -> Option<Tally> {
    let mut counts = text.split('-').map(|count| count.parse::<u32>().ok().map(u64::from));
    let mut next = || counts.next().flatten();
    let tally = Tally { wins: next()?, draws: next()?, losses: next()? };
    counts.next().is_none().then_some(tally)
}

/// A row of `generations.csv`.
#[derive(Clone, Debug, PartialEq)]
pub struct GenerationRow {
    /// The generation, from 1.
    pub generation: u64,
    /// Candidates measured in the stage so far.
    pub evaluations: u64,
    /// The lowest fitness of the generation.
    pub best_fitness: f64,
    /// The candidate that has it, from 0; the earliest of several.
    pub best_index: u64,
    /// The median fitness.
    pub median_fitness: f64,
    /// The highest fitness.
    pub worst_fitness: f64,
    /// The fitness of the mean of the distribution that the candidates were drawn from.
    pub mean_vector_fitness: f64,
    /// The step size of that distribution.
    pub sigma: f64,
    /// Its longest axis over its shortest.
    pub axis_ratio: f64,
    /// Games of the candidates.
    pub games: u64,
    /// Different games of each candidate, summed.
    pub distinct_games: u64,
    /// The standard deviation of the candidates' fitness.
    pub spread: f64,
    /// The standard error of one fitness: see [`Noise`](super::noise::Noise).
    pub standard_error: f64,
    /// Restarts of the optimiser before this generation.
    pub restart: u64,
    /// Wall time of playing, the mean vector's games included.
    pub seconds: f64,
    /// Games a second, the mean vector's included, and those whose results were known already.
    pub games_per_second: f64,
    /// The mean of the distribution, in the plan's [columns](super::plan::Plan::columns).
    pub mean: Vec<f64>,
}

impl GenerationRow {
    /// The columns whose values are no functions of config and seed.
    pub const ELAPSED_COLUMNS: [&'static str; 2] = ["seconds", "games_per_second"];

    pub(super) fn header(columns: &[String]) -> Vec<String> {
        let fixed = [
            "generation",
            "evaluations",
            "best_fitness",
            "best_index",
            "median_fitness",
            "worst_fitness",
            "mean_vector_fitness",
            "sigma",
            "axis_ratio",
            "games",
            "distinct_games",
            "spread",
            "standard_error",
            "restart",
        ];
        let values = columns.iter().map(|column| format!("mean_{column}"));
        fixed.into_iter().chain(Self::ELAPSED_COLUMNS).map(String::from).chain(values).collect()
    }

    pub(super) fn fields(&self) -> Vec<String> {
        let mut fields = vec![
            self.generation.to_string(),
            self.evaluations.to_string(),
            self.best_fitness.to_string(),
            self.best_index.to_string(),
            self.median_fitness.to_string(),
            self.worst_fitness.to_string(),
            self.mean_vector_fitness.to_string(),
            format!("{:?}", self.sigma),
            format!("{:?}", self.axis_ratio),
            self.games.to_string(),
            self.distinct_games.to_string(),
            format!("{:?}", self.spread),
            format!("{:?}", self.standard_error),
            self.restart.to_string(),
            format!("{:.3}", self.seconds),
            format!("{:.1}", self.games_per_second),
        ];
        fields.extend(self.mean.iter().map(|weight| format!("{weight:?}")));
        fields
    }

    pub(super) fn parse(row: &csv::StringRecord) -> Option<Self> {
        let count = |column: usize| row.get(column)?.parse::<u64>().ok();
        let number = |column: usize| row.get(column)?.parse::<f64>().ok();
        Some(Self {
            generation: count(0)?,
            evaluations: count(1)?,
            best_fitness: number(2)?,
            best_index: count(3)?,
            median_fitness: number(4)?,
            worst_fitness: number(5)?,
            mean_vector_fitness: number(6)?,
            sigma: number(7)?,
            axis_ratio: number(8)?,
            games: count(9)?,
            distinct_games: count(10)?,
            spread: number(11)?,
            standard_error: number(12)?,
            restart: count(13)?,
            seconds: number(14)?,
            games_per_second: number(15)?,
            mean: row.iter().skip(16).map(|field| field.parse().ok()).collect::<Option<_>>()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::measure::fitness::tests::stage;
    use super::*;
    use crate::arena::Schedule;
    use crate::files::GrowingCsv;

    fn columns() -> [String; 3] {
        ["a", "b", "x_b"].map(String::from)
    }

    fn evaluation() -> Evaluation {
        Evaluation {
            generation: 3,
            index: 0,
            fitness: 12.5,
            measured: Measured {
                tally: Tally { wins: 10, draws: 5, losses: 10 },
                by_opponent: Vec::new(),
                distinct_games: 24,
            },
            values: vec![0.1, -1e-300, 3.0],
        }
    }

    #[test]
    fn rows_round_trip_bit_for_bit() {
        let mut fitness = stage(Schedule::Paired, &[("random", 20), ("reflex", 5)]).fitness;
        let mut evaluation = evaluation();
        for combine in [Combine::Mean, Combine::Worst] {
            fitness.combine = combine;
            let row = csv::StringRecord::from(evaluation.fields());
            assert_eq!(Evaluation::parse(&row, &fitness), Some(evaluation.clone()));
            assert_eq!(row.len(), Evaluation::header(&columns(), &fitness).len());
            evaluation.measured.by_opponent = vec![
                Tally { wins: 10, draws: 3, losses: 7 },
                Tally { wins: 0, draws: 2, losses: 3 },
            ];
        }
        let generation = GenerationRow {
            generation: 1,
            evaluations: 20,
            best_fitness: 1.5,
            best_index: 3,
            median_fitness: 4.25,
            worst_fitness: 9.0,
            mean_vector_fitness: 4.5,
            sigma: 0.1 + 0.2,
            axis_ratio: 1.0,
            games: 500,
            distinct_games: 499,
            spread: 0.1 + 0.7,
            standard_error: 1.0 / 3.0,
            restart: 2,
            seconds: 1.5,
            games_per_second: 350.0,
            mean: vec![0.1, 0.2, 0.3],
        };
        let row = csv::StringRecord::from(generation.fields());
        assert_eq!(row.len(), GenerationRow::header(&columns()).len());
        assert_eq!(GenerationRow::parse(&row), Some(generation));
    }

    proptest! {
        #[test]
        fn no_bytes_of_a_log_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("log.csv");
            let mut fitness = stage(Schedule::Paired, &[("random", 20)]).fitness;
            fitness.combine = if bytes.len() % 2 == 0 { Combine::Mean } else { Combine::Worst };
            let header = Evaluation::header(&columns(), &fitness);
            let text = [format!("{}\n", header.join(",")).as_bytes(), &bytes].concat();
            std::fs::write(&path, text).unwrap();
            if let Ok((_, rows)) = GrowingCsv::open(&path, &header) {
                for row in rows {
                    let _ = (Evaluation::parse(&row, &fitness), GenerationRow::parse(&row));
                }
            }
        }
    }
}
