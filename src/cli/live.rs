//! What is shown of a run while it is played, as text: a live view, or a line for each generation.

use std::fmt;

use crate::evolve::{GenerationRow, StagePlan};
use crate::input::escaped;
use crate::report::{Lead, games_a_second, rate, time_left, uninformative};
use crate::stats::Z95;

/// About as many lines a stage has.
const LINES: u64 = 50;

/// What is known of a run while it is played. Its text is a few lines that stay in place.
#[derive(Debug, Default)]
pub(super) struct LiveView {
    /// The last generation that was read from the log of the stage, until something is played; 0 for none.
    pub(super) replayed: u64,
    /// The last generation of the stage that has a line, 0 for none.
    pub(super) printed: u64,
    /// The games of the matches of a verdict that are over.
    pub(super) games_over: u64,
    pub(super) stages: usize,
    /// The stage that is played, and its number from 1.
    stage: Option<(usize, StagePlan)>,
    generation: u64,
    /// The generations of the stage so far.
    rows: Vec<GenerationRow>,
    /// The match that is played between generations, or after the stages.
    match_played: Option<String>,
}

impl LiveView {
    pub(super) fn new(stages: usize) -> Self {
        Self { stages, ..Self::default() }
    }

    pub(super) fn stage_started(&mut self, index: usize, stage: &StagePlan) {
        *self = Self { stage: Some((index + 1, stage.clone())), ..Self::new(self.stages) };
    }

    pub(super) fn generation_started(&mut self, generation: u64) {
        self.generation = generation;
        self.match_played = None;
    }

    pub(super) fn generation_finished(&mut self, row: &GenerationRow) {
        self.rows.push(row.clone());
    }

    /// Games of the stage that were played when a generation begins to play the last `games` of its own, and games of the whole stage.
    pub(super) fn games(&self, generation: u64, games: u64) -> [u64; 2] {
        let Some((_, stage)) = &self.stage else { return [0; 2] };
        let of = |generations: u64| stage.games_of(stage.population).saturating_mul(generations);
        [of(generation).saturating_sub(games), of(stage.most_generations())]
    }

    pub(super) fn stage(&self) -> Option<&StagePlan> {
        self.stage.as_ref().map(|(_, stage)| stage)
    }

    /// The generation that was over last, 0 for none.
    pub(super) fn over(&self) -> u64 {
        self.rows.last().map_or(0, |row| row.generation)
    }

    /// Whether the last generation deserves a line: of many generations, only every so many do.
    pub(super) fn is_due(&self) -> bool {
        let most = self.stage().map_or(1, StagePlan::most_generations);
        self.over().is_multiple_of(most.div_ceil(LINES).max(1))
    }

    pub(super) fn line(&self) -> Option<String> {
        let ((_, stage), row) = self.stage.as_ref().zip(self.rows.last())?;
        let few = (row.distinct_games * 10 < row.games * 9)
            .then(|| format!("  only {} of {} games distinct", row.distinct_games, row.games));
        let why = says_little(stage, row).map(|why| format!("  {why}"));
        let fitness = (!stage.has_few_games()).then(|| {
            let [best, median, mean] =
                [row.best_fitness, row.median_fitness, row.mean_vector_fitness].map(rounded);
            let GenerationRow { spread, standard_error, .. } = row;
            format!(
                "best {best:>6}  median {median:>6}  mean vector {mean:>6}  spread {spread:.1} (error {standard_error:.1})  "
            )
        });
        Some(format!(
            "gen {:>3}/{}  evals {:>5}  {}{}sigma {}  axis ratio {:.2}  {}  {}{}{}",
            row.generation,
            stage.most_generations(),
            row.evaluations,
            self.lead().map_or(String::new(), |lead| format!("{lead}  ")),
            fitness.unwrap_or_default(),
            compact(row.sigma),
            row.axis_ratio,
            rate(games_a_second(stage, &self.rows)),
            left_in_stage(stage, &self.rows),
            few.unwrap_or_default(),
            why.unwrap_or_default(),
        ))
    }

    fn lead(&self) -> Option<Lead> {
        Lead::of(self.stage()?, &self.rows)
    }

    pub(super) fn match_started(&mut self, label: &str) {
        self.match_played = Some(escaped(label));
    }
}

impl fmt::Display for LiveView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stages, stage, generation, rows, match_played, .. } = self;
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
                write_row(f, stage, rows)?;
                self.lead().map_or(Ok(()), |lead| writeln!(f, "mean {lead}"))?;
            }
            (None, None) => {}
        }
        f.write_str("Ctrl-C saves everything and says how to continue")
    }
}

fn write_row(f: &mut fmt::Formatter<'_>, stage: &StagePlan, rows: &[GenerationRow]) -> fmt::Result {
    let Some(last) = rows.last() else { return writeln!(f, "{}", left_in_stage(stage, rows)) };
    let lowest = rows.iter().min_by(|a, b| a.best_fitness.total_cmp(&b.best_fitness));
    let lowest = lowest.unwrap_or(last);
    let of = |fitness: f64, row: &GenerationRow| {
        format!("{} +/- {:.1}", rounded(fitness), Z95 * row.standard_error)
    };
    let mean = of(last.mean_vector_fitness, last);
    let (left, games) = (left_in_stage(stage, rows), stage.fitness.games);
    writeln!(f, "{left}")?;
    if !stage.has_few_games() {
        let [now, so_far] = [last, lowest].map(|row| of(row.best_fitness, row));
        let generation = lowest.generation;
        writeln!(f, "points lost in {games} games: mean vector {mean}, lowest {now}")?;
        writeln!(f, "lowest so far {so_far} (generation {generation})")?;
    }
    writeln!(f, "sigma {}, axis ratio {:.2}", compact(last.sigma), last.axis_ratio)?;
    says_little(stage, last).map_or(Ok(()), |why| writeln!(f, "{why}"))
}

/// Why a generation says little of its candidates; of those that have a few games each, one generation need not.
fn says_little(stage: &StagePlan, row: &GenerationRow) -> Option<&'static str> {
    uninformative(stage, row).filter(|_| !stage.has_few_games())
}

fn left_in_stage(stage: &StagePlan, rows: &[GenerationRow]) -> String {
    let left = time_left(stage, rows).map(|left| format!("{left} left in this stage"));
    let is_over = rows.last().is_some_and(|row| row.generation >= stage.most_generations());
    let without = if is_over { "the stage is about to end" } else { "time left is not known yet" };
    left.unwrap_or_else(|| without.into())
}

pub(super) fn rounded(fitness: f64) -> f64 {
    (100.0 * fitness).round() / 100.0
}

/// A step size with as many digits as people read.
fn compact(x: f64) -> String {
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
        let mut view = LiveView::new(3);
        view.stage_started(0, &stage());
        view.generation_started(1);
        let text = view.to_string();
        assert!(
            text.starts_with(
                "stage 1 of 3, depth 3: generation 1 of 9\ntime left is not known yet\n"
            )
        );
        // The first generation has begun programs, too.
        view.generation_finished(&GenerationRow { seconds: 60.0, ..row(1, [20.0, 30.0, 25.0]) });
        assert!(view.to_string().contains("\ntime left is not known yet\n"), "{view}");
        view.generation_finished(&row(2, [22.0, 30.0, 21.5]));
        let text = view.to_string();
        assert!(text.contains("mean vector 21.5 +/- 3.9, lowest 22 +/- 3.9"), "{text}");
        assert!(text.contains("lowest so far 20 +/- 3.9 (generation 1)"), "{text}");
        assert!(text.contains("\nabout 1 s left in this stage\n"), "{text}");
        assert!(!text.contains("nearly"), "{text}");
        view.match_started("best against mean");
        assert!(view.to_string().starts_with("best against mean\nCtrl-C"), "{view}");
        // A match between generations, and then the next one.
        view.generation_started(3);
        assert!(view.to_string().starts_with("stage 1 of 3, depth 3: generation 3 of 9"), "{view}");
    }

    #[test]
    fn of_many_generations_few_have_a_line() {
        let lines = |most: u64| {
            let mut stage = stage();
            (stage.stops.max_generations, stage.stops.max_evaluations) = (Some(most), u64::MAX);
            let mut view = LiveView::new(1);
            view.stage_started(0, &stage);
            let is_due = |generation: &u64| {
                view.generation_finished(&row(*generation, [20.0, 30.0, 30.0]));
                view.is_due()
            };
            (1..=most).filter(is_due).collect::<Vec<u64>>()
        };
        assert_eq!(lines(9), (1..=9).collect::<Vec<_>>());
        let few = lines(250);
        assert_eq!((&few[..3], few.len()), (&[5, 10, 15][..], 50));
    }

    #[test]
    fn the_bar_of_a_stage_never_goes_back() {
        let mut view = LiveView::new(1);
        view.stage_started(0, &stage());
        // Nine generations of four candidates and the mean, with 60 games each. Of the second one, a resumed run plays 120.
        assert_eq!(view.games(1, 300), [0, 2700]);
        assert_eq!(view.games(2, 120), [480, 2700]);
        assert_eq!(view.games(3, 300), [600, 2700]);
    }

    #[test]
    fn generations_in_which_all_candidates_do_equally_well_say_little() {
        // Of 60 games.
        for (best, median, spread, expected) in [
            (1.0, 1.0, 0.5, "nearly all games won"),
            (59.0, 59.0, 0.5, "nearly all games lost"),
            (0.0, 0.0, 0.0, "all candidates scored the same"),
            (15.1, 30.0, 0.5, ""),
        ] {
            let row = GenerationRow { spread, ..row(2, [best, median, 30.0]) };
            let found = uninformative(&stage(), &row).unwrap_or_default();
            assert!(found.contains(expected) && found.is_empty() == expected.is_empty(), "{found}");
        }
    }
}
