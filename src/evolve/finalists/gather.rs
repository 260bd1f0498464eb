//! Which vectors of a stage are its finalists: read from the stage's own logs.

use std::collections::HashMap;

use super::Finalist;
use crate::evolve::log::{Evaluation, GenerationRow};
use crate::evolve::plan::FinalistsPlan;
use crate::evolve::reevaluation::header;
use crate::evolve::stage::{StageContext, StageResult};
use crate::evolve::{Plan, RunError};
use crate::files::GrowingCsv;

/// The finalists of a stage that has ended, each vector once: the best candidates, the means, the start vector.
pub(super) fn gather(
    context: &StageContext<'_>,
    plan: &FinalistsPlan,
    start: &[f64],
    result: &StageResult,
) -> Result<Vec<Finalist>, RunError> {
    let mut finalists = Vec::new();
    for (number, evaluation) in
        best_candidates(context, plan.best, result.comparable_from)?.into_iter().enumerate()
    {
        let name = if number == 0 { "best".into() } else { format!("best-{}", number + 1) };
        let point = context.plan.point_of(&evaluation.values);
        let (generation, fitness) = (Some(evaluation.generation), Some(evaluation.fitness));
        add(context.plan, &mut finalists, Finalist { name, generation, fitness, point });
    }
    let restarts = (1..).zip(&result.ended_means);
    let ended = restarts.map(|(number, (generation, mean))| {
        (format!("mean-of-run-{number}"), *generation, mean.clone())
    });
    let held_out = result.held_out.iter();
    let held_out =
        held_out.map(|(generation, mean)| ("held-out".into(), *generation, mean.clone()));
    let of_rows = means(&rows(context)?, plan, result);
    for (name, generation, point) in of_rows.into_iter().chain(held_out).chain(ended) {
        let generation = Some(generation);
        add(context.plan, &mut finalists, Finalist { name, generation, fitness: None, point });
    }
    if plan.start {
        let (name, point) = ("start".into(), start.to_vec());
        add(
            context.plan,
            &mut finalists,
            Finalist { name, generation: None, fitness: None, point },
        );
    }
    Ok(finalists)
}

/// Adds a vector that is not there yet: different points may stand for the same one, as numbers are rounded.
fn add(plan: &Plan, finalists: &mut Vec<Finalist>, finalist: Finalist) {
    let played = plan.played(&finalist.point);
    if !finalists.iter().any(|known| plan.played(&known.point) == played) {
        finalists.push(finalist);
    }
}

/// The candidates of the lowest fitness from a generation on, different vectors, the earlier one first where fitness
/// is equal.
fn best_candidates(
    context: &StageContext<'_>,
    count: u64,
    from: u64,
) -> Result<Vec<Evaluation>, RunError> {
    let played = |values: &[f64]| context.plan.played(&context.plan.point_of(values));
    let fitness = &context.plan.stages[context.index].fitness;
    let header = Evaluation::header(&context.plan.columns(), fitness);
    let (log, rows) = GrowingCsv::open(&context.folder.join("evaluations.csv"), &header)?;
    let after_rounds = after_rounds(context)?;
    let mut best: Vec<Evaluation> = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let mut evaluation = Evaluation::parse(row, fitness)
            .ok_or_else(|| log.wrong_row(number, "is no evaluation"))?;
        if evaluation.generation < from {
            continue;
        }
        let place = (evaluation.generation, evaluation.index);
        evaluation.fitness = *after_rounds.get(&place).unwrap_or(&evaluation.fitness);
        let place = best.partition_point(|better| better.fitness <= evaluation.fitness);
        let known =
            best.iter().position(|other| played(&other.values) == played(&evaluation.values));
        if place < count as usize && known.is_none_or(|known| place <= known) {
            known.map(|known| best.remove(known));
            best.insert(place, evaluation);
            best.truncate(count as usize);
        }
    }
    Ok(best)
}

/// The fitness of candidates that played further rounds, after the last of them, by generation and index.
fn after_rounds(context: &StageContext<'_>) -> Result<HashMap<(u64, u64), f64>, RunError> {
    let mut fitness = HashMap::new();
    if context.plan.noise.reevaluation.is_some() {
        let (log, rows) = GrowingCsv::open(&context.folder.join("rounds.csv"), &header())?;
        for (number, row) in rows.iter().enumerate() {
            let read = || {
                let place = (row.get(0)?.parse().ok()?, row.get(2)?.parse().ok()?);
                Some((place, row.get(3)?.parse().ok()?))
            };
            let (place, after) = read().ok_or_else(|| log.wrong_row(number, "is no round"))?;
            fitness.insert(place, after);
        }
    }
    Ok(fitness)
}

/// The rows of `generations.csv`, their means as points.
fn rows(context: &StageContext<'_>) -> Result<Vec<GenerationRow>, RunError> {
    let path = context.folder.join("generations.csv");
    let (log, rows) = GrowingCsv::open(&path, &GenerationRow::header(&context.plan.columns()))?;
    let parse = |(number, row)| {
        let row = GenerationRow::parse(row)
            .map(|row| GenerationRow { mean: context.plan.point_of(&row.mean), ..row });
        row.ok_or_else(|| log.wrong_row(number, "is no generation").into())
    };
    rows.iter().enumerate().map(parse).collect()
}

/// The means that take part, with the generations after which they were the mean, the final one first.
fn means(
    rows: &[GenerationRow],
    plan: &FinalistsPlan,
    result: &StageResult,
) -> Vec<(String, u64, Vec<f64>)> {
    let last = result.generations;
    // The mean after a generation is the one that the next is drawn from, unless a restart came between.
    let after = |generation: u64| {
        let ended = result.ended_means.iter().find(|(ended, _)| *ended == generation);
        match (ended, rows.get(generation as usize)) {
            (Some((_, mean)), _) => mean,
            (None, Some(next)) if generation < last => &next.mean,
            _ => &result.mean,
        }
    };
    // Means are averaged within a run of the optimiser.
    let begun = result.ended_means.last().map_or(0, |(ended, _)| *ended);
    let mut means = vec![("mean".to_string(), last, result.mean.clone())];
    let averaged = plan.average.min(last - begun);
    if averaged > 1 {
        let of_last = || (last + 1 - averaged..=last).map(after);
        let average = |slot: usize| of_last().map(|mean| mean[slot]).sum::<f64>() / averaged as f64;
        let mean = (0..result.mean.len()).map(average).collect();
        means.push((format!("mean-of-last-{averaged}"), last, mean));
    }
    for part in (1..plan.means).rev() {
        let generation = last * part / plan.means;
        if generation > 0 {
            means.push((format!("mean-after-{generation}"), generation, after(generation).clone()));
        }
    }
    means
}
