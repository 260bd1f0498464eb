//! Screening: many starts are measured before a stage begins, and the best of them is where it starts.
//!
//! They play as finalists do: the same new games for all, in rounds of successive halving. `screening-games.csv` has their games.

use super::finalists::{Finalist, Rounds, add, measure};
use crate::error::{Result, RunError};
use crate::journal::Finalists;
use crate::optimiser::normal;
use crate::plan::{Part, Plan, ScreeningPlan};
use crate::stage::StageContext;
use tictune_core::seed::{Generator, Purpose, Role, generator};
use tictune_core::weights::Weights;

/// Chooses the start of a stage among `start`, learned weights and what the settings name, and gives it as a point of the
/// optimiser. If there is a journal, it goes on from there.
pub(crate) fn choose_start(
    context: &StageContext<'_>,
    settings: &ScreeningPlan,
    start: &[f64],
    learned: &[Weights],
) -> Result<(Finalists, Vec<f64>)> {
    let rounds = Rounds {
        label: "starts",
        journal: "screening-games.csv",
        purpose: Purpose::Screening,
        part: Part::Screening,
        games: settings.games,
        rounds: settings.rounds,
        openings: &settings.openings,
    };
    let starts = starts(context, settings, start, learned)?;
    let (found, winner) = measure(context, &rounds, &starts)?;
    Ok((found, starts[winner].candidate.point.clone()))
}

fn starts(
    context: &StageContext<'_>,
    settings: &ScreeningPlan,
    start: &[f64],
    learned: &[Weights],
) -> Result<Vec<Finalist>> {
    let plan = context.plan;
    let mut starts = Vec::new();
    let mut take = |name: String, point: &[f64]| {
        add(&mut starts, name, None, plan.candidate(point)?);
        Ok::<(), RunError>(())
    };
    take("start".into(), start)?;
    for weights in learned.iter().chain(&settings.weights) {
        take(weights.name.clone(), &plan.point_of(weights))?;
    }
    let sigma = plan.sigma_from(context.stage().sigma, start) * settings.spread;
    for number in 1..=settings.perturbed {
        let mut draws = generator(context.seed(Purpose::Screening, number), Role::Opening);
        let point: Vec<f64> = start.iter().map(|x| x + sigma * normal(&mut draws)).collect();
        take(format!("perturbed-{number}"), &point)?;
    }
    for number in 1..=settings.random {
        let mut draws = generator(context.seed(Purpose::Screening, number), Role::Coin);
        let weights = random_weights(plan, start, &mut draws);
        let point = weights.map_or_else(|| start.to_vec(), |weights| plan.point_of(&weights));
        take(format!("random-{number}"), &point)?;
    }
    Ok(starts)
}

/// Weights around 0, each about as many steps large as those of the start are.
fn random_weights(plan: &Plan, start: &[f64], draws: &mut Generator) -> Option<Weights> {
    let initial = plan.initial.as_ref()?;
    let size = plan.size_of(start).unwrap_or(1.0);
    let value = |slot: usize| size * plan.space.slot(slot).step() * normal(draws);
    let values = (0..initial.values().len()).map(value).collect();
    Weights::new("random", initial.layout(), values).ok()
}
