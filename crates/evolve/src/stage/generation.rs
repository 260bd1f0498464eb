//! One generation: its candidates, their rows, and its own row. Rows that the journals hold are read back; the others are
//! played and logged.

use std::sync::Arc;
use std::thread::Scope;

use super::StageContext;
use super::games::{Asked, Played, StageGames};
use crate::error::{Result, RunError};
use crate::journal::{AxesRow, CandidateRow, GenerationRow, StartRow, header};
use crate::measure::fitness::{Measured, standard_error};
use crate::plan::{Candidate, Plan, StagePlan};
use tictune_core::files::{Journal, ReadFields};
use tictune_core::stats::{Tally, quantile};

/// The candidates that the optimiser asks for, and where they stand.
pub(super) struct Generation {
    pub(super) number: u64,
    /// The stage as they meet it.
    pub(super) stage: StagePlan,
    pub(super) candidates: Vec<Candidate>,
    pub(super) mean: Candidate,
    /// Its row as far as it is known before it is played.
    pub(super) row: GenerationRow,
    /// Of the distribution that the candidates come from, if they come from one.
    pub(super) axes: AxesRow,
}

impl Generation {
    pub(super) fn evaluation(&self, plan: &Plan, index: usize, measured: Measured) -> CandidateRow {
        CandidateRow {
            generation: self.number,
            index: index as u64,
            fitness: self.stage.fitness.score.fitness(&measured.tally),
            values: plan.values_at(&self.candidates[index].point),
            measured,
        }
    }

    pub(super) fn check_row(
        &self,
        plan: &Plan,
        index: usize,
        found: ReadFields<'_>,
    ) -> Result<CandidateRow, String> {
        let row: CandidateRow = found.read().ok_or("is not an evaluation")?;
        let fitness = &self.stage.fitness;
        if (row.generation, row.index) != (self.number, index as u64) {
            return Err(format!(
                "expected generation {}, candidate {index}; found generation {}, candidate {}",
                self.number, row.generation, row.index
            ));
        }
        let Measured { tally, distinct_games } = &row.measured;
        if tally.games() != fitness.games || *distinct_games > fitness.games {
            let games = fitness.games;
            return Err(format!(
                "expected {games} games in its results, and no more distinct ones"
            ));
        }
        let expected = self.evaluation(plan, index, row.measured);
        let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        if bits(&row.values) != bits(&expected.values) {
            return Err("these are not the values that the optimiser asks for here; the log is of another run, \
                        or was made by another version or on another kind of machine"
                .into());
        }
        if row.fitness != expected.fitness {
            return Err("the fitness does not follow from wins, draws and losses".into());
        }
        Ok(row)
    }

    /// What the mean lost: its games against the start count as those of a candidate against the other of its pair.
    fn fitness_of_mean(&self, of_mean: &Tally, against_start: &Tally) -> f64 {
        let score = self.stage.fitness.score;
        let matches = self.stage.matches_against_start().max(1);
        score.fitness(of_mean) + score.fitness(against_start) / matches as f64
    }

    /// The row of the generation as far as it follows from its evaluations. Of the noise, too: nothing but wins, draws and
    /// losses is in the log of a run, and a resumed one has to find the same.
    pub(super) fn summary(&self, evaluations: &[CandidateRow]) -> GenerationRow {
        let mut sorted: Vec<f64> = evaluations.iter().map(|row| row.fitness).collect();
        sorted.sort_by(f64::total_cmp);
        let best_fitness = quantile(&sorted, 0.0);
        let best_index = evaluations.iter().position(|row| row.fitness == best_fitness);
        let count = evaluations.len() as f64;
        let mean = evaluations.iter().map(|row| row.fitness).sum::<f64>() / count;
        let squares: f64 = evaluations.iter().map(|row| (row.fitness - mean).powi(2)).sum();
        let error = |row: &CandidateRow| standard_error(&self.stage.fitness, &row.measured);
        let errors: f64 = evaluations.iter().map(|row| error(row).powi(2)).sum();
        GenerationRow {
            best_fitness,
            best_index: best_index.unwrap_or(0) as u64,
            median_fitness: quantile(&sorted, 0.5),
            worst_fitness: quantile(&sorted, 1.0),
            games: evaluations.iter().map(|row| row.measured.tally.games()).sum(),
            distinct_games: evaluations.iter().map(|row| row.measured.distinct_games).sum(),
            spread: (squares / (count - 1.0).max(1.0)).sqrt(),
            standard_error: (errors / count).sqrt(),
            ..self.row.clone()
        }
    }
}

/// The next generation is logged, but nothing of it in another file.
fn without(rows: &Journal<GenerationRow>, file: &str) -> RunError {
    rows.wrong(format!("{file} has no such generation; it was written before this row")).into()
}

pub(super) struct MeasuredGeneration {
    pub(super) row: GenerationRow,
    pub(super) candidates: Vec<CandidateRow>,
    pub(super) replayed: bool,
}

pub(super) struct Generations<'s, 'r> {
    context: &'r StageContext<'r>,
    evaluations: Journal<CandidateRow>,
    /// Where the mean plays the start.
    start: Option<Journal<StartRow>>,
    rows: Journal<GenerationRow>,
    axes: Journal<AxesRow>,
    games: StageGames<'s, 'r>,
}

impl<'s, 'r> Generations<'s, 'r> {
    pub(super) fn open(context: &'r StageContext<'r>, scope: &'s Scope<'s, 'r>) -> Result<Self> {
        let StageContext { plan, folder, .. } = *context;
        let (columns, stage) = (plan.columns(), context.stage());
        let evaluations = CandidateRow::header(&columns);
        let evaluations = Journal::open(&folder.join("evaluations.csv"), &evaluations)?;
        let rows = GenerationRow::header(&columns);
        let rows = Journal::open(&folder.join("generations.csv"), &rows)?.synced_at_the_end();
        let of_start = header("generation,wins,draws,losses", []);
        let start = || Journal::open(&folder.join("start.csv"), &of_start);
        let start = (stage.matches_against_start() > 0).then(start).transpose()?;
        let names: Vec<String> = plan.numbers().map(|number| number.name.into()).collect();
        let axes = Journal::open(&folder.join("axes.csv"), &AxesRow::header(&names))?;
        let axes = axes.synced_at_the_end();
        let games = StageGames::new(context, scope);
        Ok(Self { context, evaluations, start, rows, axes, games })
    }

    /// Measures a generation: plays what the journals do not hold of it. While its last games are played, those of the `next` one begin.
    pub(super) fn measure(
        &mut self,
        asked: &mut Asked,
        next: Option<&mut Asked>,
    ) -> Result<MeasuredGeneration> {
        let replayed = self.rows.has_next();
        if replayed {
            self.context.observer.generation_started(asked.generation.number, 0);
        }
        let (candidates, played) = self.evaluate(asked, next, replayed)?;
        let generation = &*asked.generation;
        let summary = generation.summary(&candidates);
        let row = |mean_vector_fitness, seconds, games_per_second| GenerationRow {
            mean_vector_fitness,
            seconds,
            games_per_second,
            ..summary.clone()
        };
        let check = |found: ReadFields<'_>| {
            let read: GenerationRow = found.read().ok_or("is not a generation")?;
            let expected = row(read.mean_vector_fitness, read.seconds, read.games_per_second);
            let follows = read == expected;
            follows.then_some(read).ok_or_else(|| "does not follow from evaluations.csv".into())
        };
        let Played { of_mean, against_start, seconds, games } = played;
        let against_start = self.against_start(generation, against_start, replayed)?;
        let mut row = self.rows.next(check, || {
            // Rounded as the file has it, so that a resumed run counts the same seconds.
            let rounded = |x: f64, digits: f64| (x * digits).round() / digits;
            let mean_vector_fitness = generation.fitness_of_mean(&of_mean, &against_start);
            let rate = games as f64 / seconds.max(1e-3);
            Ok::<_, RunError>(row(
                rounded(mean_vector_fitness, 1e3),
                rounded(seconds, 1e3),
                rounded(rate, 10.0),
            ))
        })?;
        row.against_start = against_start;
        let axes = &generation.axes;
        let wrong = || "does not follow from evaluations.csv".into();
        let check = |found: ReadFields<'_>| found.is(axes).then(|| axes.clone()).ok_or_else(wrong);
        self.axes.next(check, || Ok::<_, RunError>(axes.clone()))?;
        Ok(MeasuredGeneration { row, candidates, replayed })
    }

    /// The games of the mean against the start: those that the journal holds, or that were played now.
    fn against_start(
        &mut self,
        generation: &Generation,
        played: Tally,
        replayed: bool,
    ) -> Result<Tally> {
        let Self { start: Some(journal), rows, .. } = self else { return Ok(Tally::default()) };
        let stage = &generation.stage;
        let games = stage.matches_against_start() * stage.fitness.games_of_self_play();
        let check = |found: ReadFields<'_>| {
            let row = found.read().filter(|row: &StartRow| {
                (row.generation, row.tally.games()) == (generation.number, games)
            });
            row.ok_or_else(|| format!("expected {games} games of generation {}", generation.number))
        };
        let row = journal.next(check, || match replayed {
            true => Err(without(rows, "start.csv")),
            false => Ok(StartRow { generation: generation.number, tally: played }),
        })?;
        Ok(row.tally)
    }

    /// The games of the fitness, and of the mean vector unless the generation is `replayed`.
    fn evaluate(
        &mut self,
        asked: &mut Asked,
        next: Option<&mut Asked>,
        replayed: bool,
    ) -> Result<(Vec<CandidateRow>, Played)> {
        let Self { context, evaluations, rows, games, .. } = self;
        let (plan, mut played, mut next) = (context.plan, None, next);
        let generation = Arc::clone(&asked.generation);
        let found = evaluations.next_rows(
            generation.candidates.len(),
            |index, found| generation.check_row(plan, index, found),
            |done, put| {
                if replayed {
                    return Err(without(rows, "evaluations.csv"));
                }
                played = Some(games.play(asked, done.len(), next.take(), put)?);
                Ok(())
            },
        )?;
        let played = match played {
            Some(played) => played,
            None if replayed => Played::default(),
            None => games.play(asked, found.len(), next, &mut |_| Ok(()))?,
        };
        Ok((found, played))
    }

    pub(super) fn finish(&self, reason: &str) -> Result<()> {
        self.evaluations.finish(reason)?;
        self.start.as_ref().map_or(Ok(()), |journal| journal.finish(reason))?;
        self.axes.finish(reason)?;
        Ok(self.rows.finish(reason)?)
    }
}
