//! The files of a run, read for those who look at it, finished or not.

use std::path::PathBuf;

use serde::Serialize;

use super::view::View;
use crate::evolve::learn::RegressionSummary;
use crate::evolve::{
    AxesRow, CandidateRow, Comparison, GenerationRow, Manifest, MatchRow, Plan, RunDir, RunError,
    agent_file, learned_start, read_vector,
};
use crate::game::GameInfo;
use crate::input::{InputError, reading_only_in};
use crate::weights::{Weights, find_game, read_weights};

pub(crate) struct RunData {
    pub folder: PathBuf,
    /// How its charts are drawn.
    pub view: View,
    pub manifest: Manifest,
    pub game: &'static GameInfo,
    pub state: RunStatus,
    /// Whether somebody plays it, or a profile of it.
    pub is_being_played: bool,
    pub stages: Vec<StageData>,
    pub learned: Option<RegressionSummary>,
    pub comparison: Option<Comparison>,
    pub validation: Vec<MatchRow>,
    /// The matches of the profile of its winner so far, if somebody asked for one.
    pub profile: Vec<MatchRow>,
    /// The vectors of its end: `best` and `mean`, as far as there are weights of them.
    pub vectors: Vec<Weights>,
    /// The agents of its end, by the same names, where numbers of the agent were evolved.
    pub agents: Vec<(&'static str, String)>,
    /// The values of these numbers, or those of the mean so far.
    pub values: Vec<(&'static str, Vec<f64>)>,
    pub config: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, strum::Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub(crate) enum RunStatus {
    Running,
    Stopped,
    Finished,
    /// Its files cannot be read.
    Unreadable,
}

impl RunStatus {
    pub(crate) const fn of(is_finished: bool, is_being_played: bool) -> Self {
        match (is_finished, is_being_played) {
            (true, _) => Self::Finished,
            (false, true) => Self::Running,
            (false, false) => Self::Stopped,
        }
    }
}

pub(crate) struct StageData {
    pub rows: Vec<GenerationRow>,
    pub evaluations: Vec<CandidateRow>,
    /// The principal axes by generation; none of candidates in pairs, or of an older version.
    pub axes: Vec<AxesRow>,
}

/// The manifest of a run, which has to be there, and what the run does.
pub(crate) fn read_state(dir: &RunDir) -> Result<(Manifest, RunStatus), RunError> {
    // Asked first: a run that ends between the two looks has finished.
    let is_being_played = dir.is_being_played();
    let manifest = dir.manifest()?.ok_or_else(|| {
        InputError::in_file(dir.path(), "is not a run: there is no manifest.json")
    })?;
    let state = RunStatus::of(manifest.finished, is_being_played);
    Ok((manifest, state))
}

impl RunData {
    pub(crate) fn read(dir: &RunDir) -> Result<Self, RunError> {
        let (manifest, state) = read_state(dir)?;
        let plan = &manifest.plan;
        let stages = plan.stages.iter().enumerate().map(|(index, stage)| {
            Ok(StageData {
                rows: dir.generations(index, stage)?,
                evaluations: dir.evaluations(index, stage)?,
                axes: dir.axes(index, stage)?,
            })
        });
        let stages = stages.collect::<Result<Vec<StageData>, RunError>>()?;
        let validation = match dir.matches("validation.csv")? {
            // Copies without it have the other file.
            rows if rows.is_empty() => dir.read_json("validation.json")?.unwrap_or_default(),
            rows => rows,
        };
        let mut vectors = Vec::new();
        let (mut agents, mut parameters) = (Vec::new(), Vec::new());
        for name in ["best", "mean"] {
            let path = dir.file(&format!("{name}.toml"));
            if plan.initial.is_some() && path.is_file() {
                let mut weights = read_weights(&path, &dir.known().games)?;
                weights.name = name.into();
                vectors.push(weights);
            }
            let agent = std::fs::read_to_string(dir.file(&agent_file(name))).unwrap_or_default();
            if !plan.space.parameters.is_empty() && !agent.is_empty() {
                agents.push((name, agent));
                // A page shows the text even where nobody can read it as an agent. With pairs, the best is the mean, or the start.
                let vector = reading_only_in(Some(dir.path()), || read_vector(plan, dir, name));
                let vector = vector.ok().filter(|_| plan.pairs.is_none() || name == "mean");
                let values = vector.map(|vector| vector.parameters.into_iter());
                parameters.extend(values.map(|all| (name, all.map(|(_, value)| value).collect())));
            }
        }
        let last = stages.iter().rev().find_map(|stage| stage.rows.last());
        if let Some(row) = last.filter(|_| state != RunStatus::Finished) {
            let slots = plan.layout().map_or(0, |layout| layout.len());
            parameters.push(("mean so far", row.mean.iter().skip(slots).copied().collect()));
        }
        Ok(Self {
            folder: dir.path().canonicalize().unwrap_or_else(|_| dir.path().into()),
            view: View::default(),
            is_being_played: dir.is_being_played(),
            game: find_game(&dir.known().games, &plan.game)?,
            state,
            learned: learned_start(plan, dir)?,
            comparison: dir.read_json("comparison.json")?,
            config: std::fs::read_to_string(dir.file("config.toml")).unwrap_or_default(),
            stages,
            validation,
            profile: dir.matches("profile.csv")?,
            vectors,
            agents,
            values: parameters,
            manifest,
        })
    }

    pub(crate) const fn plan(&self) -> &Plan {
        &self.manifest.plan
    }

    /// What the winner is called: `best` or `mean`.
    pub(crate) fn winner(&self) -> &str {
        self.comparison.as_ref().map_or("best", |comparison| &comparison.winner)
    }

    /// The names of the numbers that are evolved as they are played: slots, then parameters.
    pub(crate) fn names(&self) -> Vec<String> {
        let plan = self.plan();
        let slots = plan.layout().map_or(0, |layout| layout.len());
        let mut names = plan.columns();
        names.truncate(slots + plan.space.parameters.len());
        names
    }

    /// The last generation, with its stage (0-based).
    pub(crate) fn last(&self) -> Option<(usize, &GenerationRow)> {
        let stages = self.stages.iter().enumerate().rev();
        stages.filter_map(|(index, stage)| Some((index, stage.rows.last()?))).next()
    }

    /// The built-in vectors of the evaluation that is evolved.
    pub(crate) fn published(&self) -> Vec<Weights> {
        let Some(layout) = self.plan().layout() else { return Vec::new() };
        let all = self.game.vectors.iter();
        let all = all.filter_map(|vector| Weights::built_in(self.game, vector.name));
        all.filter(|weights| weights.layout() == layout).collect()
    }
}

impl StageData {
    pub(crate) fn candidates(&self, generation: u64) -> impl Iterator<Item = &CandidateRow> {
        let from = self.evaluations.partition_point(|row| row.generation < generation);
        self.evaluations[from..].iter().take_while(move |row| row.generation == generation)
    }
}
