//! A fit of weights to labels, and how good it is.

use super::RegressionPlan;
use super::games::Sampled;
use super::run::FitFigures;
use tictune_core::stats::regression::{
    Observation, condition_number, fit_logistic, information, linear, log_loss, logistic, sizes,
};

/// The least and greatest share of points that the mean result predicts, as far as its log-loss is concerned.
const SURELY: f64 = 1e-3;

/// Fits weights to the labels of one search, by its place among the depths and its depth; to the results alone if there is
/// none. Also gives what the positions say of the weights: their information. `None` if they do not determine the weights.
/// Weights of slots that are 0 in every position are 0.
pub(super) fn fit(
    plan: &RegressionPlan,
    samples: &[Sampled],
    name: &str,
    search: Option<(usize, u32)>,
) -> Option<(Vec<f64>, FitFigures, Vec<Vec<f64>>)> {
    let labels = labels(plan, samples, search.map(|(place, _)| place))?;
    let labelled = || samples.iter().zip(&labels);
    let width = plan.initial.values().len() + 1;
    let is_move = |slot: usize| samples.iter().all(|sample| sample.counts[slot] == sample.to_move);
    let has_move = (0..width - 1).any(is_move);
    let observation = |(sample, label): (&Sampled, &f64)| Observation {
        features: sample.features(has_move),
        target: *label,
    };
    let observations: Vec<Observation> =
        labelled().filter(|(sample, _)| !sample.held_out).map(observation).collect();
    let sizes = sizes(&observations, width);
    let unseen: Vec<usize> = (0..width - 1).filter(|&slot| sizes[slot] == 0.0).collect();
    // A penalty counts a weight in what it usually adds to a value. The right to move, which is no slot, has hardly any.
    let penalty = |size: &f64| if *size == 0.0 { 1.0 } else { RegressionPlan::RIDGE * size * size };
    let mut penalties: Vec<f64> = sizes.iter().map(penalty).collect();
    penalties[width - 1] = 1e-6;
    let coefficients = fit_logistic(&observations, &penalties, vec![0.0; width])?;
    let results = samples.iter().filter(|sample| !sample.held_out).map(|sample| sample.result);
    let mean = results.sum::<f64>() / observations.len() as f64;
    let mean = mean.clamp(SURELY, 1.0 - SURELY);
    let mean = libm::log(mean / (1.0 - mean));
    let (mut count, mut of_labels, mut of_results, mut of_mean) = (0_u64, 0.0, 0.0, 0.0);
    for (sample, label) in labelled().filter(|(sample, _)| sample.held_out) {
        let value = linear(&coefficients, &sample.features(has_move));
        count += 1;
        of_labels += log_loss(*label, value);
        of_results += log_loss(sample.result, value);
        of_mean += log_loss(sample.result, mean);
    }
    let average = |sum: f64| sum / count.max(1) as f64;
    let (condition, slots) = (condition_number(&observations, &sizes), plan.initial.layout().slots);
    let figures = FitFigures {
        name: name.into(),
        depth: search.map(|(_, depth)| depth),
        positions: observations.len() as u64,
        held_out: count,
        log_loss: average(of_labels),
        log_loss_of_results: average(of_results),
        log_loss_of_mean: average(of_mean),
        condition: condition.is_finite().then_some(condition),
        unseen: unseen.into_iter().map(|slot| slots[slot].name.into()).collect(),
    };
    let values: Vec<f64> = coefficients[..width - 1].iter().map(|x| x + 0.0).collect();
    Some((values, figures, information(&observations, &coefficients, width - 1)))
}

/// The label of each position, a share of points. Values of a search become shares by a logistic function whose scale fits the
/// results of the games that are not held out.
fn labels(plan: &RegressionPlan, samples: &[Sampled], place: Option<usize>) -> Option<Vec<f64>> {
    let Some(place) = place else {
        return Some(samples.iter().map(|sample| sample.result).collect());
    };
    let fitted =
        samples.iter().filter(|sample| !sample.held_out && sample.values[place].is_finite());
    let observation = |sample: &Sampled| Observation {
        features: vec![sample.values[place]],
        target: sample.result,
    };
    let observations: Vec<Observation> = fitted.map(observation).collect();
    let [scale] = fit_logistic(&observations, &[1e-6], vec![0.0])?[..] else { return None };
    // A search whose values have nothing to do with results says nothing.
    let scale = scale.max(0.0);
    let share = |value: f64| match value {
        f64::INFINITY => 1.0,
        f64::NEG_INFINITY => 0.0,
        value => logistic(scale * value),
    };
    let mix = plan.labels.mix_result;
    let label = |sample: &Sampled| mix * sample.result + (1.0 - mix) * share(sample.values[place]);
    Some(samples.iter().map(label).collect())
}
