//! The files of a run.
//!
//! `evaluations.csv` of a stage is its write-ahead log: the row of a candidate is on disk before the
//! optimiser is told its cost. What else a stage knows follows from the log, but for the fitness of
//! the mean vector and times, which `generations.csv` holds. A torn last line of either is dropped;
//! rows that do not fit the plan, or the candidates that the optimiser asks for, are refused.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::RunError;
use super::fitness::Measured;
use super::plan::{Plan, StagePlan};
use crate::eval::WeightLayout;
use crate::input::InputError;
use crate::stats::Tally;
use crate::weights::{TEMPORARY_PREFIX, write_atomically};

/// The folder of a run.
#[derive(Clone, Debug)]
pub struct RunDir {
    path: PathBuf,
}

/// What `manifest.json` holds: what run this is, and how far it has come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of the run directory's format.
    pub format: u32,
    /// The version of tictune that began it.
    pub tictune: String,
    /// The plan's fingerprint.
    pub config_hash: String,
    /// Whether all is done.
    pub finished: bool,
    /// The stages that have ended.
    pub stages: Vec<StageRecord>,
    /// The plan: config with every default filled in and every weight file read.
    pub plan: Plan,
}

/// How a stage ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageRecord {
    /// Its folder.
    pub folder: String,
    /// The reason it stopped.
    pub stopped: String,
    /// Generations.
    pub generations: u64,
    /// Candidates measured.
    pub evaluations: u64,
    /// The lowest fitness.
    pub best_fitness: f64,
}

impl Manifest {
    /// The manifest of a run that begins.
    #[must_use]
    pub fn new(plan: Plan) -> Self {
        Self {
            format: 1,
            tictune: env!("CARGO_PKG_VERSION").into(),
            config_hash: plan.hash(),
            finished: false,
            stages: Vec::new(),
            plan,
        }
    }
}

impl RunDir {
    /// The folder of a run, whether it exists or not.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A file in it.
    #[must_use]
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The folder of a stage (0-based).
    #[must_use]
    pub fn stage(&self, index: usize, stage: &StagePlan) -> PathBuf {
        self.path.join(Self::stage_name(index, stage))
    }

    /// The name of a stage's folder.
    #[must_use]
    pub fn stage_name(index: usize, stage: &StagePlan) -> String {
        format!("stage-{}-depth-{}", index + 1, stage.depth)
    }

    /// Whether there is nothing there yet: no folder, or an empty one.
    ///
    /// # Errors
    /// It is no folder, or cannot be read.
    pub fn is_vacant(&self) -> Result<bool, RunError> {
        match std::fs::read_dir(&self.path) {
            Ok(mut entries) => Ok(entries.next().is_none()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(true),
            Err(error) => Err(RunError::reading(&self.path)(error)),
        }
    }

    /// Takes away the temporary files that a killed process left in the run's folders.
    pub fn remove_leftovers(&self) {
        let folders = std::fs::read_dir(&self.path).into_iter().flatten().flatten();
        let stages = folders.map(|entry| entry.path()).filter(|path| path.is_dir());
        for folder in std::iter::once(self.path.clone()).chain(stages) {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                if entry.file_name().to_string_lossy().starts_with(TEMPORARY_PREFIX) {
                    let _ = std::fs::remove_file(entry.path());
                }
            }
        }
    }

    /// Makes the folder and writes the config and the manifest of a run that begins.
    ///
    /// # Errors
    /// What the file system says.
    pub fn create(&self, config: &str, plan: &Plan) -> Result<(), RunError> {
        std::fs::create_dir_all(&self.path).map_err(RunError::writing(&self.path))?;
        self.write("config.toml", config.as_bytes())?;
        self.write_manifest(&Manifest::new(plan.clone()))
    }

    /// The manifest; `None` if there is none.
    ///
    /// # Errors
    /// It cannot be read, or is not a manifest of this version.
    pub fn manifest(&self) -> Result<Option<Manifest>, RunError> {
        let manifest: Option<Manifest> = self.read_json("manifest.json")?;
        match manifest {
            Some(manifest) if manifest.config_hash != manifest.plan.hash() => {
                let message = "its plan does not have its config_hash: it was edited, or is of another version";
                Err(InputError::in_file(&self.file("manifest.json"), message).into())
            }
            manifest => Ok(manifest),
        }
    }

    /// The generations that a stage has finished so far, for those who report; none if it has not
    /// begun. A torn last line is left out.
    ///
    /// # Errors
    /// The file cannot be read, or holds a row that is no generation.
    pub fn generations(
        &self,
        index: usize,
        stage: &StagePlan,
    ) -> Result<Vec<GenerationRow>, RunError> {
        let path = self.stage(index, stage).join("generations.csv");
        let Some(text) = read_if_there(&path)? else { return Ok(Vec::new()) };
        let whole = text.rfind('\n').map_or("", |newline| &text[..=newline]);
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(whole.as_bytes());
        let rows = reader.records().enumerate().map(|(number, row)| {
            row.ok().as_ref().and_then(GenerationRow::parse).ok_or_else(|| {
                let (file, line) = (Some(path.display().to_string()), Some(number + 2));
                InputError { file, line, message: "is no generation".into() }.into()
            })
        });
        rows.collect()
    }

    /// A value that was written as JSON; `None` if the file does not exist.
    ///
    /// # Errors
    /// The file cannot be read, or holds something else.
    pub fn read_json<T: serde::de::DeserializeOwned>(
        &self,
        name: &str,
    ) -> Result<Option<T>, RunError> {
        let path = self.file(name);
        let Some(text) = read_if_there(&path)? else { return Ok(None) };
        serde_json::from_str(&text).map(Some).map_err(|error| {
            InputError::in_file(&path, format!("is not what tictune wrote: {error}")).into()
        })
    }

    /// Writes the manifest.
    ///
    /// # Errors
    /// What the file system says.
    pub fn write_manifest(&self, manifest: &Manifest) -> Result<(), RunError> {
        self.write_json("manifest.json", manifest)
    }

    /// Writes a file whole or not at all.
    ///
    /// # Errors
    /// What the file system says.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), RunError> {
        let path = self.file(name);
        write_atomically(&path, bytes).map_err(RunError::writing(&path))
    }

    /// Writes a value as JSON, whole or not at all.
    ///
    /// # Errors
    /// What the file system says.
    pub fn write_json(&self, name: &str, value: &impl Serialize) -> Result<(), RunError> {
        let path = self.file(name);
        let mut text = serde_json::to_string_pretty(value)
            .map_err(|error| RunError::writing(&path)(error.into()))?;
        text.push('\n');
        self.write(name, text.as_bytes())
    }
}

/// The text of a file; `None` if it does not exist.
pub(super) fn read_if_there(path: &Path) -> Result<Option<String>, RunError> {
    match File::open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(RunError::reading(path)(error)),
        Ok(mut file) => {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).map_err(RunError::reading(path))?;
            Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
        }
    }
}

/// A CSV file that grows by whole rows.
#[derive(Debug)]
pub(super) struct GrowingCsv {
    path: PathBuf,
    file: File,
}

impl GrowingCsv {
    /// Opens a file, or begins it with a header. Gives its complete rows; a torn last line is cut off.
    pub(super) fn open(
        path: &Path,
        header: &[String],
    ) -> Result<(Self, Vec<csv::StringRecord>), RunError> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(RunError::writing(folder))?;
        }
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(RunError::writing(path))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(RunError::reading(path))?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        if whole < bytes.len() {
            file.set_len(whole as u64).map_err(RunError::writing(path))?;
        }
        let mut growing = Self { path: path.to_path_buf(), file };
        if whole == 0 {
            growing.append(header)?;
            return Ok((growing, Vec::new()));
        }
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(&bytes[..whole]);
        let wrong = |line: usize, message: String| InputError {
            file: Some(path.display().to_string()),
            line: Some(line),
            message,
        };
        let found = reader.headers().map_err(|error| wrong(1, error.to_string()))?;
        if found.iter().ne(header.iter().map(String::as_str)) {
            let message = format!("the columns are not those of this run: {}", header.join(","));
            return Err(wrong(1, message).into());
        }
        let mut rows = Vec::new();
        for row in reader.records() {
            let row = row.map_err(|error| wrong(rows.len() + 2, error.to_string()))?;
            if row.len() != header.len() {
                let message = format!("expected {} columns, found {}", header.len(), row.len());
                return Err(wrong(rows.len() + 2, message).into());
            }
            rows.push(row);
        }
        Ok((growing, rows))
    }

    /// Appends a row in one write.
    pub(super) fn append(&mut self, fields: &[String]) -> Result<(), RunError> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let failed = |error: String| std::io::Error::other(error);
        writer
            .write_record(fields)
            .map_err(|error| RunError::writing(&self.path)(failed(error.to_string())))?;
        let line = writer
            .into_inner()
            .map_err(|error| RunError::writing(&self.path)(failed(error.to_string())))?;
        self.file.write_all(&line).map_err(RunError::writing(&self.path))
    }

    /// Waits until the rows are on disk.
    pub(super) fn sync(&self) -> Result<(), RunError> {
        self.file.sync_data().map_err(RunError::writing(&self.path))
    }

    /// An error about a row (0-based, the header not counted).
    pub(super) fn wrong_row(&self, row: usize, message: impl Into<String>) -> RunError {
        InputError {
            file: Some(self.path.display().to_string()),
            line: Some(row + 2),
            message: message.into(),
        }
        .into()
    }
}

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
    /// Its weights.
    pub weights: Vec<f64>,
}

impl Evaluation {
    pub(super) fn header(layout: &WeightLayout) -> Vec<String> {
        let fixed = ["generation", "index", "fitness", "wins", "draws", "losses", "distinct_games"];
        let slots = layout.slots.iter().map(|slot| slot.name);
        fixed.into_iter().chain(slots).map(String::from).collect()
    }

    pub(super) fn fields(&self) -> Vec<String> {
        let Measured { tally: Tally { wins, draws, losses }, distinct_games } = self.measured;
        let counts = [self.generation, self.index].map(|count| count.to_string());
        let results = [wins, draws, losses, distinct_games].map(|count| count.to_string());
        let weights = self.weights.iter().map(|weight| format!("{weight:?}"));
        counts
            .into_iter()
            .chain([format!("{}", self.fitness)])
            .chain(results)
            .chain(weights)
            .collect()
    }

    pub(super) fn parse(row: &csv::StringRecord) -> Option<Self> {
        let count = |column: usize| row.get(column)?.parse::<u64>().ok();
        Some(Self {
            generation: count(0)?,
            index: count(1)?,
            fitness: row.get(2)?.parse().ok()?,
            measured: Measured {
                tally: Tally { wins: count(3)?, draws: count(4)?, losses: count(5)? },
                distinct_games: count(6)?,
            },
            weights: row.iter().skip(7).map(|field| field.parse().ok()).collect::<Option<_>>()?,
        })
    }
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
    /// Wall time of playing, the mean vector's games included.
    pub seconds: f64,
    /// Games a second, the mean vector's included.
    pub games_per_second: f64,
    /// The mean of the distribution.
    pub mean: Vec<f64>,
}

impl GenerationRow {
    /// The columns whose values are no functions of config and seed.
    pub const ELAPSED_COLUMNS: [&'static str; 2] = ["seconds", "games_per_second"];

    pub(super) fn header(layout: &WeightLayout) -> Vec<String> {
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
        ];
        let slots = layout.slots.iter().map(|slot| format!("mean_{}", slot.name));
        fixed.into_iter().chain(Self::ELAPSED_COLUMNS).map(String::from).chain(slots).collect()
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
            seconds: number(11)?,
            games_per_second: number(12)?,
            mean: row.iter().skip(13).map(|field| field.parse().ok()).collect::<Option<_>>()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::uttt::CONNECTING;
    use proptest::prelude::*;

    fn evaluation() -> Evaluation {
        Evaluation {
            generation: 3,
            index: 0,
            fitness: 12.5,
            measured: Measured {
                tally: Tally { wins: 10, draws: 5, losses: 10 },
                distinct_games: 24,
            },
            weights: vec![0.1, -1e-300, 3.0],
        }
    }

    #[test]
    fn rows_round_trip_bit_for_bit() {
        let row = csv::StringRecord::from(evaluation().fields());
        assert_eq!(Evaluation::parse(&row), Some(evaluation()));
        assert_eq!(row.len(), Evaluation::header(&CONNECTING).len());
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
            seconds: 1.5,
            games_per_second: 350.0,
            mean: vec![0.1, 0.2, 0.3],
        };
        let row = csv::StringRecord::from(generation.fields());
        assert_eq!(row.len(), GenerationRow::header(&CONNECTING).len());
        assert_eq!(GenerationRow::parse(&row), Some(generation));
    }

    #[test]
    fn a_torn_last_line_is_dropped_and_rows_go_on_after_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.csv");
        let header = Evaluation::header(&CONNECTING);
        let (mut log, rows) = GrowingCsv::open(&path, &header).unwrap();
        assert!(rows.is_empty());
        log.append(&evaluation().fields()).unwrap();
        let whole = std::fs::read(&path).unwrap();
        for cut in 1..=whole.len() {
            std::fs::write(&path, [&whole[..], &whole[..cut - 1]].concat()).unwrap();
            let complete = std::fs::read_to_string(&path).unwrap().matches('\n').count() - 1;
            if complete > 1 {
                continue; // the header twice: refused as a row, below
            }
            let (mut log, rows) = GrowingCsv::open(&path, &header).unwrap();
            assert_eq!(rows.len(), 1);
            log.append(&evaluation().fields()).unwrap();
            assert_eq!(GrowingCsv::open(&path, &header).unwrap().1.len(), 2);
        }
    }

    #[test]
    fn logs_of_other_runs_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.csv");
        let header = Evaluation::header(&CONNECTING);
        std::fs::write(&path, "a,b\n1,2\n").unwrap();
        let error = GrowingCsv::open(&path, &header).unwrap_err().to_string();
        assert!(error.contains("log.csv:1: the columns are not those of this run"), "{error}");
        std::fs::write(&path, format!("{}\n1,2\n", header.join(","))).unwrap();
        let error = GrowingCsv::open(&path, &header).unwrap_err().to_string();
        assert!(error.contains("log.csv:2: expected 10 columns, found 2"), "{error}");
    }

    proptest! {
        #[test]
        fn no_bytes_of_a_log_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("log.csv");
            let header = Evaluation::header(&CONNECTING);
            let text = [format!("{}\n", header.join(",")).as_bytes(), &bytes].concat();
            std::fs::write(&path, text).unwrap();
            if let Ok((_, rows)) = GrowingCsv::open(&path, &header) {
                for row in rows {
                    let _ = (Evaluation::parse(&row), GenerationRow::parse(&row));
                }
            }
        }
    }
}
