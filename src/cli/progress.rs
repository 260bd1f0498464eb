//! Progress on standard error: on a terminal a live view, elsewhere lines.

use std::fmt::Write;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::Session;
use super::live::{LiveView, rounded};
use super::session::locked;
use crate::evolve::{Comparison, GenerationRow, MatchRow, Observer, Plan, StagePlan, StageResult};
use crate::input::escaped;
use crate::report::{duration, in_six_digits, rate};

const OF_MATCHES: &str = "{msg} {wide_bar} {pos}/{len} games  {rate}{left}";

/// A bar over games. Where standard error is no terminal, a line now and then.
pub(super) struct GameBar<'s> {
    session: &'s Session,
    bar: ProgressBar,
    /// When the last line was printed.
    said: Mutex<Instant>,
}

impl<'s> GameBar<'s> {
    pub(super) fn new(session: &'s Session, games: u64) -> Self {
        let bar = styled(session, games, OF_MATCHES, Arc::default());
        Self { session, bar, said: Mutex::new(Instant::now()) }
    }

    pub(super) fn inc(&self, games: u64) {
        const EVERY: Duration = Duration::from_secs(30);
        self.bar.inc(games);
        let Ok(mut said) = self.said.try_lock() else { return };
        let (played, all) = (self.bar.position(), self.bar.length().unwrap_or(0));
        if self.bar.is_hidden() && said.elapsed() > EVERY && played < all {
            *said = Instant::now();
            let left = self.bar.elapsed().as_secs_f64() * (all - played) as f64 / played as f64;
            self.session.inform(&format!("{played} of {all} games, about {} left", duration(left)));
        }
    }
}

impl Deref for GameBar<'_> {
    type Target = ProgressBar;

    fn deref(&self) -> &ProgressBar {
        &self.bar
    }
}

/// A bar that began to move at a position, when its time began: a jump before that is no speed.
fn styled(session: &Session, games: u64, template: &str, from: Arc<AtomicU64>) -> ProgressBar {
    const SOME_TIME: Duration = Duration::from_millis(100);
    const FIRST_GAMES: Duration = Duration::from_secs(2);
    let target = match session.verbosity.shows_bars() {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::hidden(),
    };
    let bar = ProgressBar::with_draw_target((games > 0).then_some(games), target);
    let speed = move |state: &ProgressState| {
        let games = state.pos().saturating_sub(from.load(Ordering::Relaxed));
        (games > 0).then(|| games as f64 / state.elapsed().as_secs_f64())
    };
    let left_at = speed.clone();
    let speed = move |state: &ProgressState, text: &mut dyn Write| {
        let speed = speed(state).filter(|_| state.elapsed() > SOME_TIME);
        let _ = speed.map_or(Ok(()), |speed| text.write_str(&rate(speed)));
    };
    let left = move |state: &ProgressState, text: &mut dyn Write| {
        let games = state.len().unwrap_or(0).saturating_sub(state.pos());
        // The first games of a thread begin with its tables and programs.
        if let Some(speed) = left_at(state).filter(|_| state.elapsed() > FIRST_GAMES && games > 0) {
            let _ = write!(text, "  about {} left", duration(games as f64 / speed));
        }
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.with_key("rate", speed).with_key("left", left));
    }
    bar
}

/// Reports the progress of a run: on a terminal by a view of the stage that is played, elsewhere by lines for generations.
pub(super) struct RunProgress<'s> {
    session: &'s Session,
    bar: ProgressBar,
    from: Arc<AtomicU64>,
    /// What the fitness of a stage's answer is.
    fitness: &'static str,
    /// Whether the view is shown. If not, lines are printed.
    is_live: bool,
    view: Mutex<LiveView>,
}

impl<'s> RunProgress<'s> {
    pub(super) fn of_run(session: &'s Session, plan: &Plan) -> Self {
        let template = "{msg}\n{wide_bar} {pos}/{len} games  {rate}";
        Self::new(session, template, plan.stages.len(), plan.fitness_in_words())
    }

    pub(super) fn of_matches(session: &'s Session) -> Self {
        Self::new(session, OF_MATCHES, 0, "fitness")
    }

    fn new(session: &'s Session, template: &str, stages: usize, fitness: &'static str) -> Self {
        let from = Arc::new(AtomicU64::new(0));
        let bar = styled(session, 0, template, Arc::clone(&from));
        bar.enable_steady_tick(Duration::from_millis(200));
        let is_live = stages > 0 && !bar.is_hidden();
        Self { session, bar, from, fitness, is_live, view: Mutex::new(LiveView::new(stages)) }
    }

    fn end_of_log(&self, view: &mut LiveView) {
        match std::mem::take(&mut view.replayed) {
            0 => {}
            1 => self.line("gen   1: from the log"),
            last => self.line(&format!("gen   1 to {last}: from the log")),
        }
    }

    fn line(&self, text: &str) {
        match self.bar.is_hidden() {
            true => self.session.inform(text),
            false => self.bar.suspend(|| self.session.note(text)),
        }
    }

    fn show(&self, view: &LiveView) {
        if self.is_live {
            self.bar.set_message(view.to_string());
        }
    }

    fn print_generation(&self, view: &mut LiveView) {
        view.line().iter().for_each(|line| self.line(line));
        view.printed = view.over();
    }

    /// Shows so many games of so many, from which the bar moves on.
    fn jump(&self, position: u64, games: u64) {
        // In this order, so that no bar is drawn with more games than it has, or with the jump as its speed.
        self.from.store(position, Ordering::Relaxed);
        self.bar.reset_elapsed();
        self.bar.set_position(position.min(games));
        self.bar.set_length(games);
        self.bar.reset_eta();
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for RunProgress<'_> {
    fn stage_started(&self, index: usize, stage: &StagePlan) {
        let view = &mut *locked(&self.view);
        view.stage_started(index, stage);
        self.show(view);
        if self.is_live {
            self.jump(0, view.games(0, 0)[1]);
        }
        let depth = stage.has_depth().then(|| format!("depth {}, ", stage.depth_in_words()));
        let (depth, population) = (depth.unwrap_or_default(), stage.population);
        let (stages, games) = (view.stages, stage.fitness.games);
        let plan = format!("{depth}population {population}, {games} games per candidate");
        self.line(&format!("stage {}/{stages}: {plan}", index + 1));
    }

    fn generation_started(&self, generation: u64, games: u64) {
        let view = &mut *locked(&self.view);
        view.generation_started(generation);
        self.show(view);
        // The bar is that of the stage; what is read from the log plays no games.
        let [played, all] = view.games(generation, games);
        let is_there = (self.bar.position(), self.bar.length()) == (played, Some(all));
        if self.is_live && games > 0 && !is_there {
            self.jump(played, all);
        }
    }

    fn game_played(&self) {
        self.bar.inc(1);
    }

    fn generation_finished(&self, row: &GenerationRow, replayed: bool) {
        let view = &mut *locked(&self.view);
        view.generation_finished(row);
        self.show(view);
        if self.is_live {
            return;
        }
        if replayed {
            view.replayed = row.generation;
            return;
        }
        self.end_of_log(view);
        if self.session.verbosity.verbose > 0 || view.printed == 0 || view.is_due() {
            self.print_generation(view);
        }
    }

    fn stage_finished(&self, index: usize, result: &StageResult) {
        let view = &mut *locked(&self.view);
        self.end_of_log(view);
        if (1..view.over()).contains(&view.printed) {
            self.print_generation(view);
        }
        let StageResult { stopped, best, .. } = result;
        let stage = view.stage().filter(|stage| !stage.has_few_games());
        let fitness = stage.map_or(String::new(), |stage| {
            let (lost, games) = (rounded(best.fitness), stage.fitness.games);
            format!("; {} {lost} of {games} in generation {}", self.fitness, best.generation)
        });
        self.line(&format!("stage {} stopped: {stopped}{fitness}", index + 1));
    }

    fn matches_started(&self, games: u64) {
        locked(&self.view).games_over = 0;
        self.jump(0, games);
    }

    fn match_started(&self, label: &str) {
        let view = &mut *locked(&self.view);
        view.match_started(label);
        let shown = if self.is_live { view.to_string() } else { escaped(label) };
        self.bar.set_message(shown);
    }

    fn match_finished(&self, row: &MatchRow) {
        let mut view = locked(&self.view);
        view.games_over += row.result.games;
        let over = view.games_over;
        if self.bar.position() < over {
            // It was read from the log.
            self.jump(over, self.bar.length().unwrap_or(over));
        }
        let score = match row.no_result {
            true => "no result".into(),
            false => format!("{:.1} %", 100.0 * row.result.figures.score),
        };
        let MatchRow { search, opponent, openings, .. } = row;
        let [search, opponent] = [search, opponent].map(|side| in_six_digits(side));
        self.line(&format!("{search} against {opponent} from {openings}: {score}"));
    }

    fn comparison_finished(&self, comparison: &Comparison) {
        self.line(&format!("{}: {}", comparison.title(), comparison.verdict));
    }
}
