//! How far a run is, in few words: for the list of runs and for the head of its page.

use serde::Serialize;

use super::data::{RunData, RunStatus, read_state};
use super::depth_of;
use crate::evolve::{GenerationRow, Manifest, RunDir, RunError};
use crate::report::{Lead, counted, time_left};
use crate::stats::Z95;

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Status {
    pub name: String,
    pub about: String,
    pub state: RunStatus,
    /// The stage it is in, or what it does after the stages.
    pub stage: String,
    /// The generation and the most of the stage, as in `12 of 30`.
    pub generation: String,
    /// How much of its generations is done, 0 to 100.
    pub percent: u64,
    /// The time that the stage still takes; empty where nobody can say.
    pub left: String,
    /// The lowest fitness of the last generation, which may be of the stage before, with the 95 % interval of one fitness: the
    /// lowest of many is lower than its own mean.
    pub best: String,
    /// The fitness of the mean vector in the last generation, with the 95 % interval.
    pub mean: String,
    pub games: String,
    /// How far the mean is ahead of the start of the run, in words; empty where they do not play each other.
    pub won: String,
}

impl Status {
    /// Reads what the status of a run needs, which is less than the whole run.
    pub(crate) fn read(dir: &RunDir) -> Result<Self, RunError> {
        let (manifest, state) = read_state(dir)?;
        let stages = manifest.plan.stages.iter().enumerate();
        let rows = stages.map(|(index, stage)| dir.generations(index, stage));
        let rows: Vec<Vec<GenerationRow>> = rows.collect::<Result<_, _>>()?;
        let matches = if manifest.finished { 0 } else { dir.matches("validation.csv")?.len() };
        let rows: Vec<&[GenerationRow]> = rows.iter().map(Vec::as_slice).collect();
        Ok(Self::new(&manifest, state, &rows, matches))
    }

    pub(crate) fn of(run: &RunData) -> Self {
        let rows: Vec<&[GenerationRow]> = run.stages.iter().map(|stage| &stage.rows[..]).collect();
        Self::new(&run.manifest, run.state, &rows, run.validation.len())
    }

    fn new(manifest: &Manifest, state: RunStatus, rows: &[&[GenerationRow]], over: usize) -> Self {
        let plan = &manifest.plan;
        let stages = plan.stages.len();
        let ended = manifest.stages.len() == stages;
        // Between two stages, the next one has no generation yet: what was measured last is of the stage before.
        let measured = rows.iter().rposition(|rows| !rows.is_empty()).unwrap_or(0);
        let current = measured.max(manifest.stages.len()).min(stages.saturating_sub(1));
        let stage = plan.stages.get(current);
        let measured_rows = rows.get(measured).copied().unwrap_or_default();
        let last = measured_rows.last();
        let row = last.filter(|_| current == measured);
        let depth = stage.and_then(depth_of).map_or(String::new(), |depth| format!(", {depth}"));
        let stage_in_words = match (state, ended) {
            (RunStatus::Finished, _) => counted(stages, "stage"),
            (_, true) if over > 0 => format!("validation, matches played: {over}"),
            (_, true) => "comparison".into(),
            _ => format!("stage {} of {stages}{depth}", current + 1),
        };
        let most = stage.map_or(0, |stage| stage.most_generations());
        let all: u64 = plan.stages.iter().map(|stage| stage.most_generations()).sum();
        let done = plan.stages.iter().take(manifest.stages.len());
        let done: u64 = done.map(|stage| stage.most_generations()).sum();
        let of_stage = stage.zip(row).filter(|_| !ended);
        let share_done =
            |row: &GenerationRow| (row.generation as f64 / most.max(1) as f64).min(1.0);
        let under_way = of_stage.map_or(0.0, |(_, row)| share_done(row)) * most as f64;
        let left = of_stage.filter(|_| state == RunStatus::Running).map(|(stage, _)| {
            let left = time_left(stage, measured_rows).map(|left| format!("{left} in this stage"));
            left.unwrap_or_else(|| "the stage is about to end".into())
        });
        let half = last.map_or(0.0, |row| Z95 * row.standard_error);
        let measured_as = |fitness: fn(&GenerationRow) -> f64| {
            last.map_or(String::new(), |row| format!("{} ± {}", number(fitness(row)), number(half)))
        };
        let won = plan.stages.get(measured).and_then(|stage| Lead::of(stage, measured_rows));
        let games = plan.stages.get(measured).map(|stage| stage.fitness.games);
        Self {
            name: plan.name.clone(),
            about: format!("{}: {plan}, seed {}", plan.game, plan.seed).replace('`', ""),
            state,
            stage: stage_in_words,
            generation: match (row, ended) {
                (Some(_), true) => format!("{} in all", rows.iter().copied().flatten().count()),
                (Some(row), false) => format!("{} of {most}", row.generation),
                (None, _) => "none yet".into(),
            },
            percent: match state {
                RunStatus::Finished => 100,
                // The comparison and the validation are still to come.
                _ => ((100.0 * (done as f64 + under_way) / all.max(1) as f64) as u64).min(99),
            },
            left: left.unwrap_or_default(),
            best: measured_as(|row| row.best_fitness),
            mean: measured_as(|row| row.mean_vector_fitness),
            games: games.map_or(String::new(), |games| games.to_string()),
            won: won.map_or(String::new(), |lead| format!("the mean is {lead}")),
        }
    }
}

pub(crate) fn number(fitness: f64) -> String {
    ((10.0 * fitness).round() / 10.0).to_string()
}
