//! Which vectors of a stage are its finalists.

use super::model::optimum;
use crate::error::Result;
use crate::plan::{Candidate, FinalistsPlan, Plan};
use crate::stage::StageResult;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Finalist {
    /// What it is, as in `best-2`, `mean`, `mean-after-50`.
    pub(crate) name: String,
    pub(crate) generation: Option<u64>,
    pub(crate) fitness: Option<f64>,
    pub(crate) candidate: Candidate,
}

/// The finalists of a stage that has ended, each vector once: the best candidates, the means, the optimum of the model,
/// the start vector.
pub(super) fn gather(
    plan: &Plan,
    settings: &FinalistsPlan,
    start: &[f64],
    result: &StageResult,
) -> Result<Vec<Finalist>> {
    let best = std::iter::once(&result.best).chain(&result.runners_up);
    let mut finalists: Vec<Finalist> = (1..)
        .zip(best.take(settings.best as usize))
        .map(|(number, scored)| Finalist {
            name: if number == 1 { "best".into() } else { format!("best-{number}") },
            generation: Some(scored.generation),
            fitness: Some(scored.fitness),
            candidate: scored.candidate.clone(),
        })
        .collect();
    for (name, generation, point) in means(settings, result) {
        add(&mut finalists, name, Some(generation), plan.candidate(&point)?);
    }
    if let Some((generation, mean)) = &result.held_out {
        add(&mut finalists, "held-out".into(), Some(*generation), plan.candidate(mean)?);
    }
    for (number, (generation, mean)) in (1..).zip(&result.ended_means) {
        let name = format!("mean-of-run-{number}");
        add(&mut finalists, name, Some(*generation), plan.candidate(mean)?);
    }
    if settings.model {
        match optimum(&result.samples) {
            Some(point) => add(&mut finalists, "model".into(), None, plan.candidate(&point)?),
            None => tracing::info!("too few evaluations for a model among the finalists"),
        }
    }
    if settings.start {
        add(&mut finalists, "start".into(), None, plan.candidate(start)?);
    }
    Ok(finalists)
}

/// Adds a vector that is not there yet: different points may stand for the same one, as numbers are rounded.
pub(crate) fn add(
    finalists: &mut Vec<Finalist>,
    name: String,
    generation: Option<u64>,
    candidate: Candidate,
) {
    if !finalists.iter().any(|known| known.candidate.values == candidate.values) {
        finalists.push(Finalist { name, generation, fitness: None, candidate });
    }
}

/// The means that take part, with the generations after which they were the mean, the final one first.
fn means(plan: &FinalistsPlan, result: &StageResult) -> Vec<(String, u64, Vec<f64>)> {
    let last = result.generations;
    // The mean after a generation is the one that the next is drawn from, unless a restart came between.
    let after = |generation: u64| {
        let ended = result.ended_means.iter().find(|(ended, _)| *ended == generation);
        match (ended, result.centres.get(generation as usize)) {
            (Some((_, mean)), _) => mean,
            (None, Some(next)) if generation < last => next,
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
