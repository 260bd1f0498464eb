//! Playing a few games to measure how fast the games of a plan are.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use anyhow::bail;

use crate::agent::{AgentSpec, Limit};
use crate::arena::{Calls, Detail, GameResult, MatchSettings, Openings, Schedule, Unit, Work};
use crate::evolve::learn::regression_seconds;
use crate::evolve::{Fixture, Plan, RunError, StagePlan, matches_at_the_end};
use crate::input::Result;
use crate::registry::AnyGame;
use crate::weights::Weights;

/// The seconds that the parts of a plan take at most, as far as they were measured.
#[derive(Default)]
pub(super) struct MeasuredTime {
    learning: Option<f64>,
    /// Of each stage, the first ones if not all.
    pub(super) stages: Vec<f64>,
    of_matches: Option<f64>,
}

impl MeasuredTime {
    /// Those of learning, generations, and the matches at the end.
    pub(super) fn parts(&self, plan: &Plan) -> [Option<f64>; 3] {
        let are_all = self.stages.len() == plan.stages.len();
        [
            if plan.learn.is_some() { self.learning } else { Some(0.0) },
            are_all.then(|| self.stages.iter().sum()),
            self.of_matches,
        ]
    }
}

/// The most games of a stage's generations, with those of the mean vector.
pub(super) fn games_of(stage: &StagePlan) -> u64 {
    stage.games_of(stage.population).saturating_mul(stage.most_generations())
}

/// Plays a few games of a plan, for so long at most: of the regression, the stages in order, then the matches.
pub(super) fn measure(
    game: &dyn AnyGame,
    plan: &Plan,
    most: Duration,
) -> anyhow::Result<MeasuredTime> {
    let plan = &with_some_start(plan);
    let (mut time, stop) = (MeasuredTime::default(), AtomicBool::new(false));
    let (done, is_done) = channel::<()>();
    let measured = std::thread::scope(|scope| {
        let stop = &stop;
        scope.spawn(move || {
            let late = is_done.recv_timeout(most) == Err(RecvTimeoutError::Timeout);
            stop.store(late, Ordering::Relaxed);
        });
        let measured = Measure { game, plan, stop }.all(&mut time);
        drop(done);
        measured
    });
    // What was being measured when the time was over stays unknown.
    if stop.into_inner() { Ok(time) } else { measured.map(|()| time) }
}

/// The plan with a start other than 0, where it is still to be learned: weights of 0 prune nothing.
fn with_some_start(plan: &Plan) -> Plan {
    let nothing = |weights: &&Weights| weights.values().iter().all(|value| *value == 0.0);
    let initial = plan.initial.as_ref().filter(nothing).filter(|_| plan.learn.is_some());
    let ones = |of: &Weights| Weights::new("ones", of.layout(), vec![1.0; of.values().len()]).ok();
    initial.and_then(ones).map_or_else(|| plan.clone(), |ones| plan.started_from(&ones))
}

/// The time of a game by its two searches: games take as long with other weights.
type KnownTimes = Vec<([AgentSpec; 2], f64)>;

fn once(
    known: &mut KnownTimes,
    agents: [AgentSpec; 2],
    measure: impl FnOnce([AgentSpec; 2]) -> anyhow::Result<f64>,
) -> anyhow::Result<f64> {
    let searches = agents.each_ref().map(AgentSpec::without_weights);
    if let Some((_, seconds)) = known.iter().find(|(known, _)| *known == searches) {
        return Ok(*seconds);
    }
    let seconds = measure(agents)?;
    known.push((searches, seconds));
    Ok(seconds)
}

#[derive(Clone, Copy)]
struct Measure<'m> {
    game: &'m dyn AnyGame,
    plan: &'m Plan,
    stop: &'m AtomicBool,
}

impl Measure<'_> {
    fn all(self, time: &mut MeasuredTime) -> anyhow::Result<()> {
        if let Some(learn) = &self.plan.learn {
            let game = self.game.known("learn", "positions")?;
            time.learning = Some(regression_seconds(game, &learn.regression, self.stop)?);
        }
        for stage in &self.plan.stages {
            time.stages.push(games_of(stage) as f64 / self.games_per_second(stage)?);
        }
        time.of_matches = Some(self.seconds_of_matches()?);
        Ok(())
    }

    /// The time of comparison and validation. Each pair of searches is measured once, with the start vector; where a game at some
    /// depth takes long, the deeper ones are extrapolated.
    fn seconds_of_matches(self) -> anyhow::Result<f64> {
        /// A game that takes so many seconds takes long.
        const LONG: f64 = 0.5;
        /// How many times as long a game takes with one ply more, where nothing was measured.
        const GROWTH: f64 = 4.0;
        let mut known = KnownTimes::new();
        // The deepest depths so far, each with the time of a game.
        let mut by_depth: Vec<(u32, f64)> = Vec::new();
        let mut total = 0.0;
        for Fixture { agents, openings, depth, games, .. } in matches_at_the_end(self.plan)? {
            let seconds = once(&mut known, agents, |agents| match (depth, &by_depth[..]) {
                (Some(depth), &[.., (last, seconds)]) if seconds > LONG && depth > last => {
                    let growth = match by_depth[..] {
                        [.., (before, less), (last, more)] if last > before => {
                            (more / less).powf(1.0 / f64::from(last - before)).max(1.0)
                        }
                        _ => GROWTH,
                    };
                    Ok(seconds * growth.powf(f64::from(depth - last)))
                }
                _ => self.seconds_a_game(agents, &openings, Schedule::Paired, u64::MAX, 0.05),
            })?;
            let is_deeper = |depth: &u32| by_depth.last().is_none_or(|(last, _)| last < depth);
            by_depth.extend(depth.filter(is_deeper).map(|depth| (depth, seconds)));
            total += games as f64 * seconds;
        }
        Ok(total)
    }

    /// The speed of a stage in games per second: of the start vector against each search of its opponents.
    fn games_per_second(self, stage: &StagePlan) -> anyhow::Result<f64> {
        let (plan, fitness) = (self.plan, &stage.fitness);
        let start = &plan.vector_at("initial", &plan.start_point())?.apply_to(&plan.agent)?;
        // Each candidate plays the opponents, and so does the mean.
        let matches = stage.population as u64 + 1;
        let opponents = fitness.opponents.iter().map(|opponent| {
            let depth = opponent.depth.unwrap_or(stage.depth);
            (depth, stage.opponent(opponent), (opponent.games * matches) as f64)
        });
        // Candidates play each other, and the mean the start, as the start vector plays itself.
        let matches = stage.population as u64 / 2 + stage.matches_against_start();
        let others = fitness.self_play.iter().map(|plan| {
            (plan.depth, start.with_default_depth(plan.depth), (plan.games * matches) as f64)
        });
        let (mut known, mut all, mut seconds_of_all) = (KnownTimes::new(), 0.0, 0.0);
        // Each candidate is prepared once for each depth, which may take longer than its games.
        let all_games: Vec<_> = opponents.chain(others).collect();
        let games_at = |depth: u32| {
            let of_depth = all_games.iter().filter(|(other, ..)| *other == depth);
            of_depth.map(|(.., games)| games).sum::<f64>() / (stage.population + 1) as f64
        };
        for (depth, opponent, games) in &all_games {
            let agents = [start.with_default_depth(*depth), opponent.clone()];
            let seconds = once(&mut known, agents, |agents| {
                let (openings, schedule) = (&fitness.openings, fitness.schedule);
                self.seconds_a_game(agents, openings, schedule, games_at(*depth) as u64, 0.15)
            })?;
            seconds_of_all += seconds * games;
            all += games;
        }
        Ok(all / seconds_of_all)
    }

    /// The time that a game takes on all threads, measured by playing for so many seconds. After `games_of_agents`, others play in
    /// the place of these agents, and are prepared again.
    fn seconds_a_game(
        self,
        mut agents: [AgentSpec; 2],
        openings: &Openings,
        schedule: Schedule,
        games_of_agents: u64,
        enough: f64,
    ) -> anyhow::Result<f64> {
        let Self { game, plan, stop } = self;
        let shortened = agents.each_mut().map(shorten);
        let executor = game.threads(None);
        let play = |games: u64| -> anyhow::Result<[f64; 2]> {
            let settings = MatchSettings { games, seed: plan.seed, schedule, replay_ties: false };
            let work = work(plan, &agents, openings, settings, games_of_agents)?;
            let (mut longer, begun) = ([0.0, 0.0], Instant::now());
            let (mut ended_on_board, mut first_failure) = (false, None);
            let mut sink = |_, results: Vec<GameResult>| {
                ended_on_board |= results.iter().any(|game| game.failure.is_none());
                first_failure = first_failure.take().or_else(|| {
                    let (side, failure) = results.iter().find_map(GameResult::forfeit)?;
                    Some(format!("{}: {failure}", agents[side as usize].short()))
                });
                for [a, b] in results.iter().map(|game| game.sides) {
                    let [a, b] = [a, b].map(|side| side.search.as_secs_f64());
                    longer[0] += a + b;
                    longer[1] += a * shortened[0] + b * shortened[1];
                }
                ControlFlow::Continue(())
            };
            executor.play(&work, Calls::new(&mut sink, stop)).map_err(RunError::from)?;
            if let Some(failure) = first_failure.filter(|_| !ended_on_board) {
                bail!("all of its first {games} games were forfeited, the first by {failure}");
            }
            let seconds = begun.elapsed().as_secs_f64();
            let [played, in_full] = longer;
            Ok([seconds, if played > 0.0 { seconds * in_full / played } else { seconds }])
        };
        // A pair for each thread, whose programs have to start the first time.
        let mut games = 2 * rayon::current_num_threads() as u64;
        if game.info().is_outside() {
            play(games)?;
        }
        let (mut played, mut seconds, mut seconds_in_full) = (0, 0.0, 0.0);
        while seconds < enough {
            let [now, in_full] = play(games)?;
            seconds += now;
            seconds_in_full += in_full;
            played += games;
            games *= 2;
        }
        Ok(seconds_in_full / played as f64)
    }
}

/// Games like those of a plan, to be measured: an even number.
fn work(
    plan: &Plan,
    agents: &[AgentSpec; 2],
    openings: &Openings,
    settings: MatchSettings,
    games_of_agents: u64,
) -> Result<Work> {
    let (range, detail) = (0..settings.games, Detail::Costs);
    let whole = Unit { agents: [0, 1], openings: 0, settings, first_number: 0, range, detail };
    let of_agents = |(number, unit): (usize, Unit)| Unit {
        agents: unit.agents.map(|side| 2 * number + side),
        ..unit
    };
    let units: Vec<Unit> = whole.split(games_of_agents).enumerate().map(of_agents).collect();
    Ok(Work {
        game: plan.game.clone(),
        rules: plan.rules.clone(),
        agents: units.iter().flat_map(|_| agents.clone()).collect(),
        openings: vec![openings.for_match(&settings)?],
        units,
        must_start: false,
    })
}

/// Has a search that thinks for long about a move think for less, and returns how many times as long it would take.
fn shorten(agent: &mut AgentSpec) -> f64 {
    /// Enough for times to be in proportion. A program may take longer than this to begin, and is left as it is.
    const LONG: Duration = Duration::from_millis(20);
    let limit = agent.kind.limit().filter(|_| agent.program().is_none());
    let Some((mut limit, rules)) = limit.and_then(|limit| Some((limit, limit.time_rules()?)))
    else {
        return 1.0;
    };
    let of_move = rules.increment.max(rules.left / 20);
    let times = of_move.div_duration_f64(LONG).max(1.0);
    match &mut limit {
        Limit::Time(time) => *time = time.div_f64(times),
        Limit::Bank { base, increment } => {
            (*base, *increment) = (base.div_f64(times), increment.div_f64(times));
        }
        Limit::Clock { scale, .. } => *scale /= times,
        Limit::Nodes(_) | Limit::Iterations(_) => {}
    }
    if let Some(own) = agent.kind.limit_mut() {
        *own = Some(limit);
    }
    times
}
