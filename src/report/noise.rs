//! What the noise of a run's generations says: whether differences between the candidates of a stage were significant.

use crate::evolve::{GenerationRow, Plan, RunDir, RunError, StagePlan};

/// A line for each stage whose games mostly distinguished candidates badly, or by no more than the error of one measurement, under
/// their title; nothing if there is none.
pub(crate) fn noise_section(plan: &Plan, dir: &RunDir) -> Result<String, RunError> {
    let mut text = String::new();
    for (index, stage) in plan.stages.iter().enumerate() {
        let rows = dir.generations(index, stage)?;
        let of_weights = plan.initial.is_some();
        // All results of pairs count to the end.
        let noisy = || noisy(&rows, of_weights).filter(|_| plan.pairs.is_none());
        if let Some(line) = mostly_uninformative(stage, &rows).or_else(noisy) {
            text += &format!("stage {}: {line}\n", index + 1);
        }
    }
    Ok(if text.is_empty() { text } else { format!("\nNoise\n{text}") })
}

/// What more than half of the generations have in common that distinguishes candidates badly.
fn mostly_uninformative(stage: &StagePlan, rows: &[GenerationRow]) -> Option<String> {
    let reasons: Vec<&str> = rows.iter().filter_map(|row| uninformative(stage, row)).collect();
    let count = |reason: &str| reasons.iter().filter(|other| **other == reason).count();
    let most = reasons.iter().copied().max_by_key(|reason| count(reason))?;
    (2 * count(most) > rows.len())
        .then(|| format!("in {} of {} generations {most}", count(most), rows.len()))
}

/// Why the games of a generation distinguish candidates badly or not at all.
pub(crate) fn uninformative(stage: &StagePlan, row: &GenerationRow) -> Option<&'static str> {
    /// The score beyond which candidates win nearly all games, or lose them.
    const SATURATED: f64 = 0.97;
    let lost = row.median_fitness / stage.fitness.games as f64;
    Some(if row.spread == 0.0 {
        "all candidates scored the same: do their parameters have any effect?"
    } else if lost < 1.0 - SATURATED {
        "nearly all games won: stronger opponents would tell more"
    } else if lost > SATURATED {
        "nearly all games lost: weaker opponents would tell more"
    } else {
        return None;
    })
}

/// What is to be said of generations of which more than half have a spread within the error.
fn noisy(rows: &[GenerationRow], of_weights: bool) -> Option<String> {
    let within = rows.iter().filter(|row| row.spread <= row.standard_error).count();
    (2 * within > rows.len()).then(|| {
        let wider = match of_weights {
            true => "a larger sigma, or a sigma_unit that fits the weights",
            false => "or a larger sigma",
        };
        format!(
            "in {within} of {} generations the candidates differed by no more than the error of one fitness; what the stage gained \
             over its start may be chance. More games, {wider} would show more",
            rows.len()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(spread: f64, standard_error: f64) -> GenerationRow {
        GenerationRow { spread, standard_error, ..GenerationRow::default() }
    }

    #[test]
    fn a_stage_whose_candidates_mostly_differ_by_less_than_the_error_is_said_to_be_noise() {
        let [wide, narrow] = [row(9.0, 4.0), row(2.0, 4.0)];
        let said = noisy(&[narrow.clone(), wide.clone(), narrow.clone()], true).unwrap();
        assert!(said.starts_with("in 2 of 3 generations the candidates differed by no more"));
        assert_eq!(noisy(&[narrow, wide], true), None);
        assert_eq!(noisy(&[], true), None);
    }
}
