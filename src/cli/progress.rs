//! Progress on standard error: on a terminal a live view, elsewhere lines.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::Session;
use super::live::{View, rounded};
use super::session::locked;
use crate::evolve::{Comparison, GenerationRow, MatchRow, Observer, Plan, StagePlan, StageResult};
use crate::input::escaped;
use crate::report::{duration, folded, rate};

const OF_MATCHES: &str = "{msg} {wide_bar} {pos}/{len} games  {rate}{left}";

/// A bar over games; invisible where standard error is no terminal.
pub(super) fn bar(session: &Session, games: u64) -> ProgressBar {
    styled(session, games, OF_MATCHES, Arc::default())
}

/// A bar that began to move at a position, when its time began: a jump before that is no speed.
fn styled(session: &Session, games: u64, template: &str, from: Arc<AtomicU64>) -> ProgressBar {
    const SOME_TIME: Duration = Duration::from_millis(100);
    let target = match session.verbosity.shows_bars() {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::hidden(),
    };
    let bar = ProgressBar::with_draw_target(Some(games), target);
    let speed = move |state: &ProgressState, text: &mut dyn Write| {
        let games = state.pos().saturating_sub(from.load(Ordering::Relaxed));
        let time = state.elapsed();
        if games > 0 && time > SOME_TIME {
            let _ = text.write_str(&rate(games as f64 / time.as_secs_f64()));
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

/// Reports the progress of a run: on a terminal by a view of the stage that is played, elsewhere by lines for generations.
pub(super) struct RunProgress<'s> {
    session: &'s Session,
    bar: ProgressBar,
    from: Arc<AtomicU64>,
    stages: usize,
    /// What the fitness of a stage's answer is.
    fitness: &'static str,
    view: Mutex<View>,
    /// Whether the view is shown. If not, lines are printed.
    is_live: bool,
    /// The last generation that was read from the log of the stage, until something is played; 0 for none.
    replayed: AtomicU64,
    /// The last generation of the stage that has a line, 0 for none.
    printed: AtomicU64,
    /// The games of the matches of a verdict that are over.
    games_over: AtomicU64,
}

impl<'s> RunProgress<'s> {
    pub(super) fn of_run(session: &'s Session, plan: &Plan) -> Self {
        let template = "{msg}\n{wide_bar} {pos}/{len} games  {rate}";
        let fitness = plan.fitness_in_words();
        Self { fitness, ..Self::new(session, template, plan.stages.len()) }
    }

    pub(super) fn of_matches(session: &'s Session) -> Self {
        Self::new(session, OF_MATCHES, 0)
    }

    fn new(session: &'s Session, template: &str, stages: usize) -> Self {
        let from = Arc::new(AtomicU64::new(0));
        let bar = styled(session, 0, template, Arc::clone(&from));
        bar.enable_steady_tick(Duration::from_millis(200));
        Self {
            session,
            is_live: stages > 0 && !bar.is_hidden(),
            bar,
            from,
            stages,
            fitness: "fitness",
            view: Mutex::new(View::new(stages)),
            replayed: AtomicU64::new(0),
            printed: AtomicU64::new(0),
            games_over: AtomicU64::new(0),
        }
    }

    fn end_of_log(&self) {
        match self.replayed.swap(0, Ordering::Relaxed) {
            0 => {}
            1 => self.line("gen   1: from the log"),
            last => self.line(&format!("gen   1 to {last}: from the log")),
        }
    }

    fn line(&self, text: &str) {
        if self.bar.is_hidden() {
            self.session.inform(text);
            return;
        }
        let width = terminal_size::terminal_size_of(std::io::stderr());
        let width = width.map_or(u16::MAX, |(width, _)| width.0);
        self.bar.suspend(|| self.session.note(folded(text, width).trim_end()));
    }

    /// Changes the view, and shows it if it is live; returns whether it is.
    fn show(&self, change: impl FnOnce(&mut View)) -> bool {
        let mut view = locked(&self.view);
        change(&mut view);
        if self.is_live {
            self.bar.set_message(view.to_string());
        }
        self.is_live
    }

    /// Prints the line of the last generation.
    fn print_generation(&self, view: &View) {
        view.line().iter().for_each(|line| self.line(line));
        self.printed.store(view.over(), Ordering::Relaxed);
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
        self.printed.store(0, Ordering::Relaxed);
        let depth = stage.has_depth().then(|| format!("depth {}, ", stage.depth_in_words()));
        let mut all = 0;
        if self.show(|view| {
            view.stage_started(index, stage);
            [_, all] = view.games(0, 0);
        }) {
            self.jump(0, all);
        }
        self.line(&format!(
            "stage {}/{}: {}population {}, {} games per candidate",
            index + 1,
            self.stages,
            depth.unwrap_or_default(),
            stage.population,
            stage.fitness.games,
        ));
    }

    fn generation_started(&self, generation: u64, games: u64) {
        let mut of_stage = [0; 2];
        if self.show(|view| {
            view.generation_started(generation);
            of_stage = view.games(generation, games);
        }) {
            // The bar is that of the stage; what is read from the log plays no games.
            let [played, all] = of_stage;
            if games > 0 && (self.bar.position(), self.bar.length()) != (played, Some(all)) {
                self.jump(played, all);
            }
        }
    }

    fn game_played(&self) {
        self.bar.inc(1);
    }

    fn generation_finished(&self, row: &GenerationRow, replayed: bool) {
        if self.show(|view| view.generation_finished(row)) {
            return;
        }
        if replayed {
            self.replayed.store(row.generation, Ordering::Relaxed);
            return;
        }
        self.end_of_log();
        let view = locked(&self.view);
        let is_wordy = self.session.verbosity.verbose > 0;
        if is_wordy || view.is_due(self.printed.load(Ordering::Relaxed)) {
            self.print_generation(&view);
        }
    }

    fn stage_finished(&self, index: usize, result: &StageResult) {
        self.end_of_log();
        let printed = self.printed.load(Ordering::Relaxed);
        let view = locked(&self.view);
        if printed > 0 && printed < view.over() {
            self.print_generation(&view);
        }
        drop(view);
        self.line(&format!(
            "stage {} stopped: {}; {} {} in generation {}",
            index + 1,
            result.stopped,
            self.fitness,
            rounded(result.best.fitness),
            result.best.generation
        ));
    }

    fn matches_started(&self, games: u64) {
        self.games_over.store(0, Ordering::Relaxed);
        self.jump(0, games);
    }

    fn match_started(&self, label: &str) {
        if !self.show(|view| view.match_started(label)) {
            self.bar.set_message(escaped(label));
        }
    }

    fn match_finished(&self, row: &MatchRow) {
        let games = row.result.games;
        let over = self.games_over.fetch_add(games, Ordering::Relaxed) + games;
        if self.bar.position() < over {
            // It was read from the log.
            self.jump(over, self.bar.length().unwrap_or(over));
        }
        let score = match row.no_result {
            true => "no result".into(),
            false => format!("{:.1} %", 100.0 * row.result.figures.score),
        };
        let MatchRow { search, opponent, openings, .. } = row;
        self.line(&format!("{search} against {opponent} from {openings}: {score}"));
    }

    fn comparison_finished(&self, comparison: &Comparison) {
        self.line(&format!("{}: {}", comparison.title(), comparison.verdict));
    }
}
