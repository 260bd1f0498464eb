//! The files of a run.
//!
//! Each stage has a folder of its own with its [journals](tictune_core::files::Journal), from which a run that was stopped at any
//! moment continues. Every other file is written whole.

use std::fs::DirEntry;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::programs::{ProgramRecord, programs_of};
use crate::error::{Result, RunError};
use crate::journal::{AxesRow, CandidateRow, GenerationRow, LoggedMatch, MatchRow, StartRow};
use crate::plan::{Plan, StagePlan};
use tictune_core::agent::Known;
use tictune_core::files::{
    FileError, create_folder, is_locked, remove_temporary, rows_in, write_atomically,
};
use tictune_core::input::InputError;

/// The folder of a run.
#[derive(Clone, Debug)]
pub struct RunDir {
    path: PathBuf,
    known: Known,
}

/// The content of `manifest.json`: which run this is, and how far it has come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[doc(hidden)]
pub struct Manifest {
    pub format: u32,
    pub tictune: String,
    /// The play hash of the build that last played this run, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub play_hash: Option<String>,
    pub config_hash: String,
    pub finished: bool,
    /// The generations that its last stage was given after the run had begun; negative where it ended early.
    #[serde(default, skip_serializing_if = "crate::plan::is_default")]
    pub added_generations: i64,
    pub stages: Vec<StageRecord>,
    /// The outside programs that played, each as often as it changed between a start and a resume.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<ProgramRecord>,
    /// The plan: config with every default filled in and every weight file read.
    pub plan: Plan,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[doc(hidden)]
pub struct StageRecord {
    pub folder: String,
    pub stopped: String,
    pub generations: u64,
    pub evaluations: u64,
    pub best_fitness: f64,
}

#[doc(hidden)]
impl Manifest {
    pub fn new(plan: Plan) -> Self {
        Self {
            format: 1,
            tictune: env!("CARGO_PKG_VERSION").into(),
            play_hash: None,
            config_hash: plan.hash(),
            finished: false,
            added_generations: 0,
            stages: Vec::new(),
            programs: programs_of(plan.agents()),
            plan,
        }
    }

    /// Whether it is the run of a plan, perhaps with more generations.
    pub fn belongs_to(&self, plan: &Plan) -> bool {
        self.config_hash == plan.with_more_generations(self.added_generations).hash()
    }

    /// The same run, played on with the programs as they are now.
    pub fn resumed(mut self) -> Self {
        let new = self.new_programs();
        self.programs.extend(new);
        self
    }

    /// The programs of the run that are others than when it was last played.
    pub fn changed_programs(&self) -> Vec<ProgramRecord> {
        let mut new = self.new_programs();
        new.retain(|program| self.last_record(program).is_some());
        new
    }

    /// The same, and those of which there is no record.
    fn new_programs(&self) -> Vec<ProgramRecord> {
        let mut now = if self.finished { Vec::new() } else { programs_of(self.plan.agents()) };
        now.retain(|program| {
            self.last_record(program).is_none_or(|last| last.files != program.files)
        });
        now
    }

    fn last_record(&self, program: &ProgramRecord) -> Option<&ProgramRecord> {
        self.programs.iter().rfind(|last| last.is_of(program))
    }
}

/// What a run writes at its end, or a person asks for after it.
const RESULTS: &str = "best.toml mean.toml best-agent.txt mean-agent.txt comparison.json validation.csv validation.json profile.csv \
                       report.html";

impl RunDir {
    /// The folder of a run, whether it exists or not. Its files may hold weights of the known games.
    pub fn new(path: impl Into<PathBuf>, known: &Known) -> Self {
        Self { path: path.into(), known: known.clone() }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Whether the folder does not exist or is empty.
    ///
    /// # Errors
    /// It is not a folder, or cannot be read.
    pub fn is_vacant(&self) -> Result<bool, RunError> {
        match std::fs::read_dir(&self.path) {
            Ok(mut entries) => Ok(entries.next().is_none()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(true),
            Err(error) => Err(FileError::reading(&self.path)(error).into()),
        }
    }

    /// Makes the folder and writes the config and the manifest of a run that begins. One of the same plan that is there continues.
    ///
    /// # Errors
    /// The run of another plan is there; a failure of the file system.
    pub fn create(&self, config: &str, plan: &Plan) -> Result<(), RunError> {
        if let Some(manifest) = self.manifest()? {
            let other = || InputError::in_file(&self.path, "holds the run of another config");
            return manifest.belongs_to(plan).then_some(()).ok_or_else(|| other().into());
        }
        create_folder(&self.path).map_err(FileError::writing(&self.path))?;
        // A folder that was half made, or a person's own, has it already.
        if std::fs::read(self.file("config.toml")).ok().as_deref() != Some(config.as_bytes()) {
            self.write("config.toml", config.as_bytes())?;
        }
        let mut manifest = Manifest::new(plan.clone());
        for book in manifest.plan.books_mut() {
            // The manifest has their hashes.
            if !self.file(&book.file_name()).exists() {
                self.write(&book.file_name(), book.text().as_bytes())?;
            }
        }
        self.write_json("manifest.json", &manifest)
    }
}

#[doc(hidden)]
impl RunDir {
    pub const fn known(&self) -> &Known {
        &self.known
    }

    pub fn stage(&self, index: usize, stage: &StagePlan) -> PathBuf {
        self.path.join(Self::stage_name(index, stage))
    }

    pub fn stage_name(index: usize, stage: &StagePlan) -> String {
        let (number, depths) = (index + 1, stage.depth_in_words().replace(", ", "-"));
        match (stage.has_depth(), stage.depths.is_empty()) {
            (false, _) => format!("stage-{number}"),
            (true, true) => format!("stage-{number}-depth-{depths}"),
            (true, false) => format!("stage-{number}-depths-{depths}"),
        }
    }

    /// Removes the temporary files of this age that a killed process left in the run's folders.
    pub fn remove_leftovers(&self, age: Duration) {
        self.folders().for_each(|folder| remove_temporary(&folder, age));
    }

    fn folders(&self) -> impl Iterator<Item = PathBuf> {
        let entries = std::fs::read_dir(&self.path).into_iter().flatten().flatten();
        let is_folder = |entry: &DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
        let stages = entries.filter(is_folder).map(|entry| entry.path());
        std::iter::once(self.path.clone()).chain(stages)
    }

    pub fn manifest(&self) -> Result<Option<Manifest>> {
        let read = self.read_json::<Manifest>("manifest.json")?;
        let Some(mut manifest) = read else { return Ok(None) };
        if manifest.config_hash != manifest.plan.hash() {
            let message = "its plan does not match its config_hash: it was edited, or written by another version";
            return Err(InputError::in_file(&self.file("manifest.json"), message).into());
        }
        // A book that is not there, or another, is missed where it is played.
        for book in manifest.plan.books_mut() {
            let path = self.file(&book.file_name());
            if let Ok(Some(text)) = read_if_there(&path)
                && !book.read(&text)
            {
                tracing::warn!(path = %path.display(), "these are not the openings of the run");
            }
        }
        Ok(Some(manifest))
    }

    /// Ends the last stage of a run with the generations that it has begun, and gives its plan; refused if it has begun none.
    pub fn end_early(&self, manifest: Manifest) -> Result<Plan> {
        let stages = &manifest.plan.stages;
        let rows = stages.last().map(|stage| self.evaluations(stages.len() - 1, stage));
        let Some(begun) = rows.transpose()?.and_then(|rows| Some(rows.last()?.generation)) else {
            let message = "its last stage has not begun, and only that one can end early";
            return Err(InputError::in_file(self.path(), message).into());
        };
        let planned = stages.last().map_or(0, StagePlan::most_generations);
        self.add_generations(manifest, begun.cast_signed() - planned.cast_signed())
    }

    /// Gives the last stage of a run more generations, and gives its plan. What the run had written at its end stays in a folder
    /// `at-generation-N`: a comparison or a validation that it had begun, too.
    pub fn add_generations(&self, mut manifest: Manifest, more: i64) -> Result<Plan> {
        // Killed at any moment, it is a run that is not finished, and plays what is not there.
        manifest.finished = false;
        manifest.stages.clear();
        self.write_json("manifest.json", &manifest)?;
        let there: Vec<&str> = RESULTS.split(' ').filter(|name| self.file(name).exists()).collect();
        if let (Some(stage), false) = (manifest.plan.stages.last(), there.is_empty()) {
            let last = manifest.plan.stages.len() - 1;
            let generations = self.generations(last, stage)?.len();
            let folder = self.file(&format!("at-generation-{generations}"));
            create_folder(&folder).map_err(FileError::writing(&folder))?;
            for name in there {
                let moved = std::fs::rename(self.file(name), folder.join(name));
                moved.map_err(FileError::writing(&self.file(name)))?;
            }
        }
        manifest.plan = manifest.plan.with_more_generations(more);
        manifest.added_generations = manifest.added_generations.saturating_add(more);
        manifest.config_hash = manifest.plan.hash();
        self.write_json("manifest.json", &manifest)?;
        Ok(manifest.plan)
    }

    /// The generations that a stage has finished so far, for those who report; none if it has not begun. A torn last line is left out.
    pub fn generations(&self, index: usize, stage: &StagePlan) -> Result<Vec<GenerationRow>> {
        let folder = self.stage(index, stage);
        let mut rows: Vec<GenerationRow> =
            read_rows(&folder.join("generations.csv"), "generation")?;
        let against_start: Vec<StartRow> = read_rows(&folder.join("start.csv"), "generation")?;
        for (row, StartRow { tally, .. }) in rows.iter_mut().zip(against_start) {
            row.against_start = tally;
        }
        Ok(rows)
    }

    /// The candidates that a stage has measured so far, for those who report. A torn last line is left out.
    pub fn evaluations(&self, index: usize, stage: &StagePlan) -> Result<Vec<CandidateRow>> {
        read_rows(&self.stage(index, stage).join("evaluations.csv"), "candidate")
    }

    /// The principal axes of a stage's generations so far; none where an older version played it. A torn last line is left out.
    pub fn axes(&self, index: usize, stage: &StagePlan) -> Result<Vec<AxesRow>> {
        read_rows(&self.stage(index, stage).join("axes.csv"), "generation")
    }

    /// The matches of a log, such as `validation.csv`, that were played so far. A torn last line is left out.
    pub fn matches(&self, log: &str) -> Result<Vec<MatchRow>> {
        let rows: Vec<LoggedMatch> = read_rows(&self.file(log), "match")?;
        Ok(rows.into_iter().map(|LoggedMatch(row)| row).collect())
    }

    /// Whether a process is playing the run now: it has locked the log. Where a file system has no locks, nobody knows.
    pub fn is_being_played(&self) -> bool {
        is_locked(&self.file("log.txt"))
    }

    /// A value that was written as JSON; `None` if the file does not exist.
    pub fn read_json<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>> {
        let path = self.file(name);
        let Some(text) = read_if_there(&path)? else { return Ok(None) };
        self.known.from_json(&text).map(Some).map_err(|error| {
            InputError::in_file(&path, format!("is not what tictune wrote: {error}")).into()
        })
    }

    /// Writes a file whole or not at all.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let path = self.file(name);
        Ok(write_atomically(&path, bytes).map_err(FileError::writing(&path))?)
    }

    /// Writes a value as JSON, whole or not at all.
    pub fn write_json(&self, name: &str, value: &impl Serialize) -> Result<()> {
        let path = self.file(name);
        let mut text = serde_json::to_string_pretty(value)
            .map_err(|error| FileError::writing(&path)(error.into()))?;
        text.push('\n');
        self.write(name, text.as_bytes())
    }
}

/// The rows of a journal, for those who only look at it; none if there is no such file. A torn last line is left out.
fn read_rows<R: DeserializeOwned>(path: &Path, what: &str) -> Result<Vec<R>> {
    let Some(text) = read_if_there(path)? else { return Ok(Vec::new()) };
    let wrong = format!("is not a {what} as this version of tictune writes it");
    let rows = rows_in(text.as_bytes()).into_iter().zip(2..);
    rows.map(|(row, line)| {
        row.ok_or_else(|| InputError::in_line(path, line, &text, &*wrong).into())
    })
    .collect()
}

/// The text of a file; `None` if it does not exist.
fn read_if_there(path: &Path) -> Result<Option<String>> {
    match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Ok(found) if !found.is_file() => {
            return Err(InputError::in_file(path, "is not a regular file; move it away").into());
        }
        _ => {}
    }
    let bytes = std::fs::read(path).map_err(FileError::reading(path))?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}
