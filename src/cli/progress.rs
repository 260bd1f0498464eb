//! Progress on standard error: on a terminal a live view, elsewhere lines.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::Session;
use super::live::{View, compact, left_in_stage, rounded};
use super::session::locked;
use crate::evolve::plan::SigmaUnit;
use crate::evolve::{Comparison, GenerationRow, MatchRow, Observer, Plan, StagePlan, StageResult};
use crate::input::escaped;
use crate::report::{Lead, duration, folded, rate, uninformative};
use crate::stats::Tally;

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

/// Reports the progress of a run: on a terminal by a view of the stage that is played, elsewhere by a line for each
/// generation.
pub(super) struct RunProgress<'s> {
    session: &'s Session,
    bar: ProgressBar,
    from: Arc<AtomicU64>,
    stages: usize,
    sigma_unit: SigmaUnit,
    /// What the fitness of a stage's answer is.
    fitness: &'static str,
    /// What the live view shows; none where lines are printed.
    view: Option<Mutex<View>>,
    /// The last generation that was read from the log of the stage, until something is played; 0 for none.
    replayed: AtomicU64,
    /// The mean against the start in the generations of the stage so far.
    against_start: Mutex<Vec<Tally>>,
}

impl<'s> RunProgress<'s> {
    pub(super) fn of_run(session: &'s Session, plan: &Plan) -> Self {
        let template = "{msg}\n{wide_bar} {pos}/{len} games  {rate}";
        let (sigma_unit, fitness) = (plan.space.sigma_unit, plan.fitness_in_words());
        Self { sigma_unit, fitness, ..Self::new(session, template, plan.stages.len()) }
    }

    pub(super) fn of_matches(session: &'s Session) -> Self {
        Self::new(session, OF_MATCHES, 0)
    }

    fn new(session: &'s Session, template: &str, stages: usize) -> Self {
        let from = Arc::new(AtomicU64::new(0));
        let bar = styled(session, 0, template, Arc::clone(&from));
        bar.enable_steady_tick(Duration::from_millis(200));
        let view = (stages > 0 && !bar.is_hidden()).then(|| Mutex::new(View::new(stages)));
        Self {
            session,
            bar,
            from,
            stages,
            sigma_unit: SigmaUnit::default(),
            fitness: "fitness",
            view,
            replayed: AtomicU64::new(0),
            against_start: Mutex::default(),
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

    /// Changes the live view, if there is one; returns whether there is.
    fn show(&self, change: impl FnOnce(&mut View)) -> bool {
        let Some(view) = &self.view else { return false };
        let mut view = locked(view);
        change(&mut view);
        self.bar.set_message(view.to_string());
        true
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
        locked(&self.against_start).clear();
        let depth = stage.has_depth().then(|| format!("depth {}, ", stage.depth_in_words()));
        if self.show(|view| view.stage_started(index, stage)) {
            let games = stage.games_of(stage.population);
            self.jump(0, games.saturating_mul(stage.most_generations()));
        }
        self.line(&format!(
            "stage {}/{}: {}population {}, {} games per candidate, sigma {}",
            index + 1,
            self.stages,
            depth.unwrap_or_default(),
            stage.population,
            stage.fitness.games,
            self.sigma_unit.in_words(stage.sigma)
        ));
    }

    fn generation_started(&self, generation: u64, games: u64) {
        let mut most = 1;
        if self.show(|view| most = view.generation_started(generation)) {
            // The bar is that of the stage; what is read from the log plays no games.
            let played = games.saturating_mul(generation.saturating_sub(1));
            let all = games.saturating_mul(most);
            if games > 0 && (self.bar.position(), self.bar.length()) != (played, Some(all)) {
                self.jump(played, all);
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
        if self.show(|view| view.generation_finished(row)) {
            return;
        }
        let mut against_start = locked(&self.against_start);
        against_start.push(row.against_start);
        if replayed {
            self.replayed.store(row.generation, Ordering::Relaxed);
            return;
        }
        self.end_of_log();
        let left = left_in_stage(stage, row);
        let few = (row.distinct_games * 10 < row.games * 9)
            .then(|| format!("  only {} of {} games distinct", row.distinct_games, row.games));
        let why = uninformative(stage, row).map(|why| format!("  {why}"));
        self.line(&format!(
            "gen {:>3}/{}  evals {:>5}  best {:>6}  median {:>6}  mean vector {:>6}  spread {:.1} \
             (error {:.1})  sigma {}  axis ratio {:.2}  {:.0} games/s  {left}{}{}{}",
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
            Lead::of(stage, &against_start).map_or(String::new(), |lead| format!("  {lead}")),
            few.unwrap_or_default(),
            why.unwrap_or_default(),
        ));
    }

    fn stage_finished(&self, index: usize, result: &StageResult) {
        self.end_of_log();
        self.line(&format!(
            "stage {} stopped: {}; {} {} in generation {}",
            index + 1,
            result.stopped,
            self.fitness,
            rounded(result.best.fitness),
            result.best.generation
        ));
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
        let MatchRow { search, opponent, openings, .. } = row;
        self.line(&format!("{search} against {opponent} from {openings}: {score}"));
    }

    fn comparison_finished(&self, comparison: &Comparison) {
        self.line(&format!("{}: {}", comparison.title(), comparison.verdict));
    }
}
