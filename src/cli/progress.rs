//! Progress on standard error: on a terminal a live view, elsewhere lines.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::Session;
use super::live::{View, compact, left_in_stage, rounded};
use crate::evolve::plan::SigmaUnit;
use crate::evolve::{
    Admission, Comparison, Finalists, GenerationRow, MatchRow, Observer, Plan, StagePlan,
    StageResult, StopReason,
};
use crate::input::escaped;
use crate::report::{duration, folded, rate, uninformative};

/// A bar over games; invisible where standard error is no terminal.
pub(super) fn bar(session: &Session, games: u64) -> ProgressBar {
    styled(session, games, OF_MATCHES, Begun::default())
}

/// What is shown of matches.
const OF_MATCHES: &str = "{msg} {wide_bar} {pos}/{len} games  {rate}{left}";

/// Where and when the bar began to move: a jump before that is no speed.
#[derive(Clone)]
struct Begun(Arc<Mutex<(u64, Instant)>>);

impl Default for Begun {
    fn default() -> Self {
        Self(Arc::new(Mutex::new((0, Instant::now()))))
    }
}

impl Begun {
    /// It moves on from here.
    fn at(&self, position: u64) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = (position, Instant::now());
    }

    /// Games a second since then, once some were played in some time.
    fn speed(&self, position: u64) -> Option<f64> {
        const SOME_TIME: Duration = Duration::from_millis(100);
        let (from, when) = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (games, time) = (position.checked_sub(from)?, when.elapsed());
        (games > 0 && time > SOME_TIME).then(|| games as f64 / time.as_secs_f64())
    }
}

fn styled(session: &Session, games: u64, template: &str, begun: Begun) -> ProgressBar {
    let target = match session.verbosity.shows_bars() {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::hidden(),
    };
    let bar = ProgressBar::with_draw_target(Some(games), target);
    let speed = move |state: &ProgressState, text: &mut dyn Write| {
        if let Some(speed) = begun.speed(state.pos()) {
            let _ = text.write_str(&rate(speed));
        }
    };
    let left = |state: &ProgressState, text: &mut dyn Write| {
        if state.pos() > 0 && !state.is_finished() {
            let _ = write!(text, "  {} left", duration(state.eta().as_secs_f64()));
        }
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.with_key("rate", speed).with_key("left", left));
    }
    bar
}

/// Reports the progress of a run: on a terminal by a view of the stage that is played, elsewhere by a line for each
/// generation.
pub(super) struct RunProgress<'s> {
    session: &'s Session,
    bar: ProgressBar,
    begun: Begun,
    stages: usize,
    sigma_unit: SigmaUnit,
    /// What the live view shows; none where lines are printed.
    view: Option<Mutex<View>>,
    /// The last generation that was read from the log of the stage, until something is played; 0 for none.
    replayed: AtomicU64,
}

impl<'s> RunProgress<'s> {
    pub(super) fn of_run(session: &'s Session, plan: &Plan) -> Self {
        Self::new(session, plan.stages.len(), plan.space.sigma_unit)
    }

    pub(super) fn of_matches(session: &'s Session) -> Self {
        Self::new(session, 0, SigmaUnit::default())
    }

    fn new(session: &'s Session, stages: usize, sigma_unit: SigmaUnit) -> Self {
        let template = match stages {
            0 => OF_MATCHES,
            _ => "{msg}\n{wide_bar} {pos}/{len} games  {rate}",
        };
        let begun = Begun::default();
        let bar = styled(session, 0, template, begun.clone());
        bar.enable_steady_tick(Duration::from_millis(200));
        let view = (stages > 0 && !bar.is_hidden()).then(|| Mutex::new(View::new(stages)));
        Self { session, bar, begun, stages, sigma_unit, view, replayed: AtomicU64::new(0) }
    }

    /// Says how far the log of the stage went.
    fn end_of_log(&self) {
        match self.replayed.swap(0, Ordering::Relaxed) {
            0 => {}
            1 => self.line("gen   1: from the log"),
            last => self.line(&format!("gen   1 to {last}: from the log")),
        }
    }

    /// A line above the bar.
    fn line(&self, text: &str) {
        if self.bar.is_hidden() {
            self.session.inform(text);
            return;
        }
        let width = terminal_size::terminal_size_of(std::io::stderr());
        let width = width.map_or(u16::MAX, |(width, _)| width.0);
        self.bar.suspend(|| self.session.note(folded(text, width).trim_end()));
    }

    /// Changes the live view, if there is one; returns whether there is.
    fn show(&self, change: impl FnOnce(&mut View)) -> bool {
        let Some(view) = &self.view else { return false };
        let mut view = view.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut view);
        self.bar.set_message(view.to_string());
        true
    }

    /// Shows so many games of so many, from which the bar moves on.
    fn jump(&self, position: u64, games: u64) {
        // In this order, so that no bar is drawn with more games than it has, or with the jump as its speed.
        self.begun.at(position);
        self.bar.set_position(position.min(games));
        self.bar.set_length(games);
        self.bar.reset_eta();
    }

    fn finalists(&self, what: &str, index: usize, found: &Finalists) {
        let Finalists { verdict, winner, .. } = found;
        let score = found.rows.first().map_or(f64::NAN, |row| 100.0 * row.score);
        let number = index + 1;
        self.line(&format!("{what} of stage {number}: {verdict}; {winner} scored {score:.1} %"));
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for RunProgress<'_> {
    fn stage_started(&self, index: usize, stage: &StagePlan) {
        let (number, stages) = (index + 1, self.stages);
        let depth = match stage.has_depth() {
            true => format!("depth {}, ", stage.depth_in_words()),
            false => String::new(),
        };
        if self.show(|view| view.stage_started(index, stage)) {
            let games = stage.fitness.games.saturating_mul(stage.population as u64 + 1);
            self.jump(0, games.saturating_mul(stage.most_generations()));
        }
        self.line(&format!(
            "stage {number}/{stages}: {depth}population {}, {} games a candidate, sigma {}",
            stage.population,
            stage.fitness.games,
            self.sigma_unit.in_words(stage.sigma)
        ));
    }

    fn generation_started(&self, generation: u64, games: u64) {
        let mut most = 1;
        if self.show(|view| most = view.generation_started(generation)) {
            // The bar is that of the stage; what is read from the log plays no games.
            if games > 0 {
                let played = games.saturating_mul(generation.saturating_sub(1));
                let all = games.saturating_mul(most);
                if (self.bar.position(), self.bar.length()) != (played, Some(all)) {
                    self.jump(played, all);
                }
            }
            return;
        }
        self.jump(0, games);
        self.bar.set_message(format!("generation {generation}"));
    }

    fn game_played(&self) {
        self.bar.inc(1);
    }

    fn generation_finished(&self, stage: &StagePlan, row: &GenerationRow, replayed: bool) {
        if self.show(|view| view.generation_finished(stage, row)) {
            return;
        }
        if replayed {
            self.replayed.store(row.generation, Ordering::Relaxed);
            return;
        }
        self.end_of_log();
        let left = left_in_stage(stage, row);
        let few = if row.distinct_games * 10 < row.games * 9 {
            format!("  only {} of {} games distinct", row.distinct_games, row.games)
        } else {
            String::new()
        };
        let why = uninformative(stage, row).map_or(String::new(), |why| format!("  {why}"));
        self.line(&format!(
            "gen {:>3}/{}  evals {:>5}  best {:>6}  median {:>6}  mean vector {:>6}  spread {:.1} \
             (error {:.1})  sigma {}  axis ratio {:.2}  {:.0} games/s  {left}{few}{why}",
            row.generation,
            stage.most_generations(),
            row.evaluations,
            rounded(row.best_fitness),
            rounded(row.median_fitness),
            rounded(row.mean_vector_fitness),
            row.spread,
            row.standard_error,
            compact(row.sigma),
            row.axis_ratio,
            row.games_per_second,
        ));
    }

    fn held_out_checked(&self, generation: u64, score: f64, better: bool) {
        let verdict = if better { "the best so far" } else { "no better" };
        self.line(&format!(
            "mean after generation {generation} on held-out openings: {:.1} %, {verdict}",
            100.0 * score
        ));
    }

    fn restarted(&self, restart: u64, population: usize, reason: &StopReason) {
        self.line(&format!("restart {restart} with population {population}: {reason}"));
    }

    fn stage_finished(&self, index: usize, result: &StageResult) {
        self.end_of_log();
        let since = match result.comparable_from {
            0 | 1 => String::new(),
            from => {
                format!(" (of generation {from} on: earlier ones met other opponents)")
            }
        };
        self.line(&format!(
            "stage {} stopped: {}; lowest fitness measured {} in generation {}{since}",
            index + 1,
            result.stopped,
            rounded(result.best.fitness),
            result.best.generation
        ));
    }

    fn screening_finished(&self, index: usize, starts: &Finalists) {
        self.finalists("starts", index, starts);
    }

    fn finalists_finished(&self, index: usize, finalists: &Finalists) {
        self.finalists("finalists", index, finalists);
    }

    fn match_started(&self, label: &str, games: u64) {
        self.jump(0, games);
        if !self.show(|view| view.match_started(label)) {
            self.bar.set_message(escaped(label));
        }
    }

    fn match_finished(&self, row: &MatchRow) {
        let score = match row.no_result {
            true => "no result".into(),
            false => format!("{:.1} %", 100.0 * row.result.figures.score),
        };
        self.line(&format!(
            "validation: {} against {} from {}: {score}",
            row.search, row.opponent, row.openings
        ));
    }

    fn admission_finished(&self, admission: &Admission) {
        let Admission { generation, members, entered, left, .. } = admission;
        if *entered {
            self.show(View::opponents_changed);
        }
        let outcome = match (entered, left) {
            (false, _) => "not admitted".into(),
            (true, None) => "admitted".into(),
            (true, Some(left)) => format!("admitted; {left} leaves"),
        };
        let noun = if *members == 1 { "member" } else { "members" };
        self.line(&format!(
            "hall of fame: the mean of generation {generation} against the pool and {members} {noun}: \
             {:.1} %, {outcome}",
            100.0 * admission.tally.score()
        ));
    }

    fn comparison_finished(&self, comparison: &Comparison) {
        self.line(&format!("best against mean: {}", comparison.verdict));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_of_the_bar_is_no_speed() {
        let begun = Begun::default();
        begun.at(1_000_000);
        assert_eq!(begun.speed(1_000_010), None, "no time has passed");
        std::thread::sleep(Duration::from_millis(110));
        assert_eq!((begun.speed(900), begun.speed(1_000_000)), (None, None));
        let speed = begun.speed(1_000_010).unwrap();
        assert!(speed > 0.0 && speed < 100.0, "{speed}");
    }
}
