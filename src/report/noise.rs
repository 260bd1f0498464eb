//! What the noise of a run's generations says: whether the candidates of a stage could be told apart.

use crate::evolve::{GenerationRow, Plan, RunDir, RunError};

/// A line for each stage in which the candidates mostly differed by no more than the error of one measurement.
///
/// # Errors
/// Logs that cannot be read.
pub(crate) fn noisy_stages(plan: &Plan, dir: &RunDir) -> Result<String, RunError> {
    let mut text = String::new();
    for (index, stage) in plan.stages.iter().enumerate() {
        let rows = dir.generations(index, stage)?;
        if let Some(line) = noisy(&rows) {
            text += &format!("stage {}: {line}\n", index + 1);
        }
    }
    Ok(text)
}

/// What is to be said of generations of which more than half have a spread within the error.
fn noisy(rows: &[GenerationRow]) -> Option<String> {
    let within = rows.iter().filter(|row| row.spread <= row.standard_error).count();
    (2 * within > rows.len()).then(|| {
        format!(
            "in {within} of {} generations the candidates differed by no more than the error of one fitness; what the stage gained \
             over its start may be chance. More games, a larger sigma, or a sigma_unit that fits the weights would show more",
            rows.len()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(spread: f64, standard_error: f64) -> GenerationRow {
        GenerationRow {
            generation: 1,
            evaluations: 4,
            best_fitness: 40.0,
            best_index: 0,
            median_fitness: 50.0,
            worst_fitness: 60.0,
            mean_vector_fitness: 50.0,
            sigma: 1.0,
            axis_ratio: 1.0,
            games: 40,
            distinct_games: 40,
            spread,
            standard_error,
            restart: 0,
            seconds: 1.0,
            games_per_second: 40.0,
            mean: Vec::new(),
        }
    }

    #[test]
    fn a_stage_whose_candidates_mostly_differ_by_less_than_the_error_is_said_to_be_noise() {
        let [wide, narrow] = [row(9.0, 4.0), row(2.0, 4.0)];
        let said = noisy(&[narrow.clone(), wide.clone(), narrow.clone()]).unwrap();
        assert!(said.starts_with("in 2 of 3 generations the candidates differed by no more"));
        assert_eq!(noisy(&[narrow, wide]), None);
        assert_eq!(noisy(&[]), None);
    }
}
