//! The games of generations, played on threads of their own. Of pairs, those of the next generation begin while those of this
//! one are played, so that threads are rarely idle between generations.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::Scope;
use std::time::{Duration, Instant};

use super::StageContext;
use super::generation::Generation;
use crate::error::{Result, RunError};
use crate::journal::CandidateRow;
use crate::measure::fitness::{Batch, Measured, Sink, measure_batch};
use tictune_core::seed::{Purpose, of_run};
use tictune_core::stats::Tally;

/// How often an observer is told of games while no candidate's are all over.
const TICK: Duration = Duration::from_millis(50);

/// A generation that the optimiser was asked for, and its games once they have begun.
pub(super) struct Asked {
    pub(super) generation: Arc<Generation>,
    begun: Option<Begun>,
}

impl Asked {
    pub(super) fn new(generation: Generation) -> Self {
        Self { generation: Arc::new(generation), begun: None }
    }
}

struct Begun {
    games: Arc<AtomicU64>,
    /// Of candidates, by index; after the last one, of the mean against the opponents, and of the start against the mean.
    results: Receiver<Result<(usize, Measured)>>,
}

/// What was played now: the part of a generation that the journals lack.
#[derive(Default)]
pub(super) struct Played {
    /// The mean against the opponents, and against the start of the run where candidates play each other.
    pub(super) of_mean: Tally,
    pub(super) against_start: Tally,
    /// Since the generation before was over.
    pub(super) seconds: f64,
    pub(super) games: u64,
}

pub(super) struct StageGames<'s, 'r> {
    context: &'r StageContext<'r>,
    scope: &'s Scope<'s, 'r>,
    /// When the last generation was over.
    since: Instant,
}

impl<'s, 'r> StageGames<'s, 'r> {
    pub(super) fn new(context: &'r StageContext<'r>, scope: &'s Scope<'s, 'r>) -> Self {
        Self { context, scope, since: Instant::now() }
    }

    /// Plays the candidates of a generation from number `done` on, and its mean, unless they were begun. The games of the `next`
    /// generation begin after the first of those.
    pub(super) fn play(
        &mut self,
        asked: &mut Asked,
        done: usize,
        next: Option<&mut Asked>,
        put: &mut (dyn FnMut(CandidateRow) -> Result<()> + Send),
    ) -> Result<Played> {
        let generation = &*asked.generation;
        let StageContext { plan, observer, stop, .. } = *self.context;
        if stop.load(Ordering::Relaxed) {
            return Err(RunError::Interrupted);
        }
        let (mut next, mut is_first) = (next, asked.begun.is_none());
        let begun = asked.begun.take().unwrap_or_else(|| {
            self.since = Instant::now();
            self.begin(&asked.generation, done)
        });
        let candidates = generation.candidates.len();
        let games = generation.stage.games_of(candidates - done);
        observer.generation_started(generation.number, games);
        let in_pairs = generation.stage.matches_against_start() > 0;
        let (mut of_mean, mut against_start) = (None, (!in_pairs).then(Tally::default));
        let (mut observed, mut goes_on) = (0, true);
        while goes_on {
            if let Some(next) = next.take_if(|_| !is_first) {
                next.begun = Some(self.begin(&next.generation, 0));
            }
            match begun.results.recv_timeout(TICK) {
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => goes_on = false,
                Ok(result) => {
                    let (index, measured) = result?;
                    if index < candidates {
                        put(generation.evaluation(plan, index, measured))?;
                    } else if index == candidates {
                        of_mean = Some(measured.tally);
                    } else {
                        against_start = Some(measured.tally.reversed());
                    }
                }
            }
            is_first = false;
            let over = begun.games.load(Ordering::Relaxed);
            (observed..over).for_each(|_| observer.game_played());
            observed = over;
        }
        let (Some(of_mean), Some(against_start)) = (of_mean, against_start) else {
            return Err(RunError::Interrupted);
        };
        let seconds = self.since.elapsed().as_secs_f64();
        self.since = Instant::now();
        Ok(Played { of_mean, against_start, seconds, games })
    }

    /// Begins the games of a generation, on a thread that waits for them.
    fn begin(&self, generation: &Arc<Generation>, done: usize) -> Begun {
        let (sender, results) = channel();
        let (context, games) = (self.context, Arc::new(AtomicU64::new(0)));
        let generation = Arc::clone(generation);
        let begun = Begun { games: Arc::clone(&games), results };
        self.scope.spawn(move || {
            let on_game = || {
                games.fetch_add(1, Ordering::Relaxed);
            };
            // Nobody listens any more where the stage has ended.
            let mut sink = |index: usize, measured: Measured| {
                sender.send(Ok((index, measured))).map_err(|_| RunError::Interrupted)
            };
            let played = measure(context, &generation, done, &mut sink, &on_game);
            if let Err(error) = played {
                let _ = sender.send(Err(error));
            }
        });
        begun
    }
}

/// Plays the candidates of a generation from one on, and its mean, which plays the start of the run, too, where candidates play each
/// other.
fn measure(
    context: &StageContext<'_>,
    generation: &Generation,
    done: usize,
    sink: &mut Sink<'_>,
    on_game: &(dyn Fn() + Sync),
) -> Result<()> {
    let StageContext { plan, executor, stop, .. } = *context;
    let Generation { number, stage, candidates, mean, .. } = generation;
    let in_pairs = stage.matches_against_start() > 0;
    let start = in_pairs.then(|| plan.candidate(&plan.start_point())).transpose()?;
    let start = start.as_ref().map(|candidate| &candidate.values);
    let all = candidates.iter().chain([mean]).map(|candidate| &candidate.values);
    let seed_generation = context.seed_generation(*number);
    let seed = of_run(plan.seed, Purpose::Fitness, context.index as u64, seed_generation);
    let batch = Batch { done, start, ..Batch::new(plan, stage, seed, all.collect()) };
    measure_batch(executor, &batch, sink, on_game, stop)
}
