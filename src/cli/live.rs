//! The live view of a run on a terminal, as text.

use std::fmt;

use crate::evolve::{GenerationRow, StagePlan};
use crate::input::escaped;
use crate::report::{duration, seconds_left, uninformative};

/// The 97.5 % quantile of the standard normal distribution.
const Z95: f64 = 1.96;

/// What is shown of a run while it is played: a few lines that stay in place.
#[derive(Debug, Default)]
pub(super) struct View {
    stages: usize,
    /// From 1; 0 before the first.
    stage: usize,
    depth: String,
    /// The generation that is played, from 1.
    generation: u64,
    most: u64,
    left: Option<String>,
    uninformative: Option<&'static str>,
    /// The generation of the lowest fitness of the stage, as far as its opponents are the same.
    lowest: Option<GenerationRow>,
    last: Option<GenerationRow>,
    games: u64,
    /// The match that is played between generations, or after the stages.
    match_played: Option<String>,
}

impl View {
    pub(super) fn new(stages: usize) -> Self {
        Self { stages, ..Self::default() }
    }

    pub(super) fn stage_started(&mut self, index: usize, stage: &StagePlan) {
        *self = Self {
            stages: self.stages,
            stage: index + 1,
            depth: if stage.has_depth() { stage.depth_in_words() } else { String::new() },
            most: stage.most_generations(),
            games: stage.fitness.games,
            ..Self::default()
        };
    }

    pub(super) fn generation_started(&mut self, generation: u64) -> u64 {
        self.generation = generation;
        self.match_played = None;
        self.most
    }

    pub(super) fn generation_finished(&mut self, stage: &StagePlan, row: &GenerationRow) {
        self.left = Some(left_in_stage(stage, row));
        self.uninformative = uninformative(stage, row);
        if self.lowest.as_ref().is_none_or(|lowest| row.best_fitness < lowest.best_fitness) {
            self.lowest = Some(row.clone());
        }
        self.last = Some(row.clone());
    }

    /// What was measured against other opponents is not comparable any more.
    pub(super) fn opponents_changed(&mut self) {
        self.lowest = None;
    }

    pub(super) fn match_started(&mut self, label: &str) {
        self.match_played = Some(escaped(label));
    }
}

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stages, stage, depth, generation, most, games, .. } = self;
        if let Some(label) = &self.match_played {
            writeln!(f, "{label}")?;
        } else if *stage > 0 {
            let depth = if depth.is_empty() { String::new() } else { format!(", depth {depth}") };
            writeln!(f, "stage {stage} of {stages}{depth}: generation {generation} of {most}")?;
            writeln!(f, "{}", self.left.as_deref().unwrap_or("time left is not known yet"))?;
            if let Some(last) = &self.last {
                let of = |fitness: f64, row: &GenerationRow| {
                    format!("{} +/- {:.1}", rounded(fitness), Z95 * row.standard_error)
                };
                writeln!(
                    f,
                    "fitness, of {games} games lost: mean vector {}, lowest {}",
                    of(last.mean_vector_fitness, last),
                    of(last.best_fitness, last)
                )?;
                if let Some(lowest) = &self.lowest {
                    let generation = lowest.generation;
                    writeln!(
                        f,
                        "lowest so far {} (generation {generation})",
                        of(lowest.best_fitness, lowest)
                    )?;
                }
                let (sigma, ratio) = (compact(last.sigma), last.axis_ratio);
                writeln!(f, "sigma {sigma}, axis ratio {ratio:.2}")?;
                if let Some(why) = self.uninformative {
                    writeln!(f, "{why}")?;
                }
            }
        }
        f.write_str("Ctrl-C saves everything and says how to continue")
    }
}

/// The longest time that is left of a stage: "at most 12 s left in this stage".
pub(super) fn left_in_stage(stage: &StagePlan, row: &GenerationRow) -> String {
    let generations = stage.most_generations().saturating_sub(row.generation);
    let seconds = seconds_left(stage, row);
    match generations {
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
    use crate::built_in::built_in;
    use crate::config::{Overrides, parse};

    #[test]
    fn the_view_says_where_a_run_is_and_how_good() {
        let config = "evaluation = \"simple\"\n[cmaes]\npopulation = 4\nsigma = 0.5\n[fitness]\ngames = 60\n\
                      [[opponents]]\nagent = \"random\"\n[[stages]]\ndepth = 3\nmax_generations = 9\n";
        let path = std::path::Path::new("c.toml");
        let plan = parse(config, path, Overrides::default(), &built_in()).unwrap();
        let stage = &plan.stages[0];
        let mut view = View::new(3);
        view.stage_started(0, stage);
        assert_eq!(view.generation_started(1), 9);
        let text = view.to_string();
        assert!(text.starts_with("stage 1 of 3, depth 3: generation 1 of 9\n"), "{text}");
        assert!(text.contains("not known yet"), "{text}");
        let first = GenerationRow {
            generation: 1,
            evaluations: 4,
            best_fitness: 20.0,
            best_index: 0,
            median_fitness: 30.0,
            worst_fitness: 40.0,
            mean_vector_fitness: 25.0,
            sigma: 0.25,
            axis_ratio: 1.5,
            games: 240,
            distinct_games: 240,
            spread: 4.0,
            standard_error: 2.0,
            restart: 0,
            seconds: 0.1,
            games_per_second: 100.0,
            mean: Vec::new(),
        };
        view.generation_finished(stage, &first);
        let second = GenerationRow {
            generation: 2,
            best_fitness: 22.0,
            mean_vector_fitness: 21.5,
            ..first.clone()
        };
        view.generation_finished(stage, &second);
        let text = view.to_string();
        assert!(text.contains("mean vector 21.5 +/- 3.9, lowest 22 +/- 3.9"), "{text}");
        assert!(text.contains("lowest so far 20 +/- 3.9 (generation 1)"), "{text}");
        assert!(
            text.contains("at most 1 s left in this stage") && !text.contains("nearly"),
            "{text}"
        );
        view.opponents_changed();
        assert!(!view.to_string().contains("so far"), "{view}");
        // Of 60 games.
        for (best_fitness, median_fitness, spread, expected) in [
            (1.0, 1.0, 0.5, Some("nearly all games won")),
            (59.0, 59.0, 0.5, Some("nearly all games lost")),
            (0.0, 0.0, 0.0, Some("all candidates scored the same")),
            (15.0, 30.0, 0.5, Some("a program that ignores its seeds plays one pair")),
            (15.1, 30.0, 0.5, None),
        ] {
            let (worst_fitness, mean_vector_fitness) = (45.0, 30.0);
            let row = GenerationRow {
                best_fitness,
                median_fitness,
                worst_fitness,
                mean_vector_fitness,
                spread,
                ..second.clone()
            };
            let found = uninformative(stage, &row);
            assert_eq!(found.is_some(), expected.is_some(), "{found:?}");
            assert!(
                expected.is_none_or(|text| found.is_some_and(|found| found.contains(text))),
                "{found:?}"
            );
        }
        // A limit of time comes before the last generation: 60 s of 130, where 2 of 9 generations are less.
        let mut limited = stage.clone();
        limited.stops.max_seconds = Some(100.0);
        let long = GenerationRow { seconds: 30.0, ..second };
        assert_eq!(left_in_stage(stage, &long), "at most 3 min 30 s left in this stage");
        assert_eq!(left_in_stage(&limited, &long), "at most 1 min 10 s left in this stage");
        assert_eq!(crate::report::share_done(&limited, &long), 60.0 / 130.0);
        view.match_started("best against mean");
        assert!(view.to_string().starts_with("best against mean\nCtrl-C"), "{view}");
        // A match between generations, and then the next one.
        view.generation_started(3);
        assert!(view.to_string().starts_with("stage 1 of 3, depth 3: generation 3 of 9"), "{view}");
    }
}
