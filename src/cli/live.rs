//! The live view of a run on a terminal, as text.

use std::fmt;

use crate::evolve::{GenerationRow, StagePlan};
use crate::input::escaped;
use crate::report::{Lead, duration, seconds_left, uninformative};
use crate::stats::Tally;

/// The 97.5 % quantile of the standard normal distribution.
const Z95: f64 = 1.96;

/// What is shown of a run while it is played: a few lines that stay in place.
#[derive(Debug, Default)]
pub(super) struct View {
    stages: usize,
    /// The stage that is played, and its number from 1.
    stage: Option<(usize, StagePlan)>,
    /// The generation that is played, from 1.
    generation: u64,
    /// The generation of the lowest fitness of the stage, as far as its opponents are the same.
    lowest: Option<GenerationRow>,
    last: Option<GenerationRow>,
    /// The mean against the start in the generations of the stage so far.
    against_start: Vec<Tally>,
    /// The match that is played between generations, or after the stages.
    match_played: Option<String>,
}

impl View {
    pub(super) fn new(stages: usize) -> Self {
        Self { stages, ..Self::default() }
    }

    pub(super) fn stage_started(&mut self, index: usize, stage: &StagePlan) {
        *self = Self { stage: Some((index + 1, stage.clone())), ..Self::new(self.stages) };
    }

    /// Gives the most generations of the stage.
    pub(super) fn generation_started(&mut self, generation: u64) -> u64 {
        self.generation = generation;
        self.match_played = None;
        self.stage.as_ref().map_or(0, |(_, stage)| stage.most_generations())
    }

    pub(super) fn generation_finished(&mut self, row: &GenerationRow) {
        if self.lowest.as_ref().is_none_or(|lowest| row.best_fitness < lowest.best_fitness) {
            self.lowest = Some(row.clone());
        }
        self.last = Some(row.clone());
        self.against_start.push(row.against_start);
    }

    pub(super) fn match_started(&mut self, label: &str) {
        self.match_played = Some(escaped(label));
    }
}

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stages, stage, generation, lowest, last, against_start, match_played } = self;
        match (match_played, stage) {
            (Some(label), _) => writeln!(f, "{label}")?,
            (None, Some((number, stage))) => {
                let depth =
                    stage.has_depth().then(|| format!(", depth {}", stage.depth_in_words()));
                let (depth, most) = (depth.unwrap_or_default(), stage.most_generations());
                writeln!(
                    f,
                    "stage {number} of {stages}{depth}: generation {generation} of {most}"
                )?;
                match last {
                    None => writeln!(f, "time left is not known yet")?,
                    Some(last) => write_last(f, stage, last, lowest.as_ref())?,
                }
                Lead::of(stage, against_start).map_or(Ok(()), |lead| writeln!(f, "mean {lead}"))?;
            }
            (None, None) => {}
        }
        f.write_str("Ctrl-C saves everything and says how to continue")
    }
}

fn write_last(
    f: &mut fmt::Formatter<'_>,
    stage: &StagePlan,
    last: &GenerationRow,
    lowest: Option<&GenerationRow>,
) -> fmt::Result {
    let of = |fitness: f64, row: &GenerationRow| {
        format!("{} +/- {:.1}", rounded(fitness), Z95 * row.standard_error)
    };
    writeln!(
        f,
        "{}\nfitness, of {} games lost: mean vector {}, lowest {}",
        left_in_stage(stage, last),
        stage.fitness.games,
        of(last.mean_vector_fitness, last),
        of(last.best_fitness, last)
    )?;
    if let Some(row) = lowest {
        let lowest = of(row.best_fitness, row);
        writeln!(f, "lowest so far {lowest} (generation {})", row.generation)?;
    }
    writeln!(f, "sigma {}, axis ratio {:.2}", compact(last.sigma), last.axis_ratio)?;
    uninformative(stage, last).map_or(Ok(()), |why| writeln!(f, "{why}"))
}

/// The longest time that is left of a stage: "at most 12 s left in this stage".
pub(super) fn left_in_stage(stage: &StagePlan, row: &GenerationRow) -> String {
    let seconds = seconds_left(stage, row);
    match stage.most_generations().saturating_sub(row.generation) {
        0 => "the stage is about to end".into(),
        _ if seconds < 0.5 => "less than 1 s left in this stage".into(),
        _ => format!("at most {} left in this stage", duration(seconds)),
    }
}

pub(super) fn rounded(fitness: f64) -> f64 {
    (100.0 * fitness).round() / 100.0
}

/// A step size with as many digits as people read.
pub(super) fn compact(x: f64) -> String {
    if (1e-3..1e6).contains(&x) { format!("{x:.4}") } else { format!("{x:.3e}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::built_in;
    use crate::config::{Overrides, parse};

    fn stage() -> StagePlan {
        let config = "evaluation = \"simple\"\n[cmaes]\npopulation = 4\nsigma = 0.5\n[fitness]\ngames = 60\n\
                      [[opponents]]\nagent = \"random\"\n[[stages]]\ndepth = 3\nmax_generations = 9\n";
        let path = std::path::Path::new("c.toml");
        parse(config, path, Overrides::default(), &built_in()).unwrap().stages.remove(0)
    }

    fn row(generation: u64, [best, median, mean_vector]: [f64; 3]) -> GenerationRow {
        GenerationRow {
            generation,
            best_fitness: best,
            median_fitness: median,
            worst_fitness: 45.0,
            mean_vector_fitness: mean_vector,
            spread: 4.0,
            standard_error: 2.0,
            seconds: 0.1,
            ..GenerationRow::default()
        }
    }

    #[test]
    fn the_view_says_where_a_run_is_and_how_good() {
        let mut view = View::new(3);
        view.stage_started(0, &stage());
        assert_eq!(view.generation_started(1), 9);
        let text = view.to_string();
        assert!(
            text.starts_with(
                "stage 1 of 3, depth 3: generation 1 of 9\ntime left is not known yet\n"
            )
        );
        view.generation_finished(&row(1, [20.0, 30.0, 25.0]));
        view.generation_finished(&row(2, [22.0, 30.0, 21.5]));
        let text = view.to_string();
        assert!(text.contains("mean vector 21.5 +/- 3.9, lowest 22 +/- 3.9"), "{text}");
        assert!(text.contains("lowest so far 20 +/- 3.9 (generation 1)"), "{text}");
        assert!(text.contains("at most 1 s left in this stage"), "{text}");
        assert!(!text.contains("nearly"), "{text}");
        view.match_started("best against mean");
        assert!(view.to_string().starts_with("best against mean\nCtrl-C"), "{view}");
        // A match between generations, and then the next one.
        view.generation_started(3);
        assert!(view.to_string().starts_with("stage 1 of 3, depth 3: generation 3 of 9"), "{view}");
    }

    #[test]
    fn generations_in_which_all_candidates_do_equally_well_say_little() {
        // Of 60 games.
        for (best, median, spread, expected) in [
            (1.0, 1.0, 0.5, "nearly all games won"),
            (59.0, 59.0, 0.5, "nearly all games lost"),
            (0.0, 0.0, 0.0, "all candidates scored the same"),
            (15.0, 30.0, 0.5, "a program that ignores its seeds repeats one pair"),
            (15.1, 30.0, 0.5, ""),
        ] {
            let row = GenerationRow { spread, ..row(2, [best, median, 30.0]) };
            let found = uninformative(&stage(), &row).unwrap_or_default();
            assert!(found.contains(expected) && found.is_empty() == expected.is_empty(), "{found}");
        }
    }
}
