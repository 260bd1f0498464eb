//! `tictune evolve --check`: the plan in words, and how long it takes.

use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use super::learn::regression;
use super::{ThreadArgs, print, program};
use crate::agent::AgentSpec;
use crate::arena::{Detail, MatchPlan, MatchSettings, Openings, Schedule};
use crate::evolve::plan::{FinalistsPlan, ScreeningPlan};
use crate::evolve::{
    EndMatch, Parameter, Plan, RunError, StagePlan, StartedProgram, matches_at_the_end,
};
use crate::input::InputError;
use crate::registry::AnyGame;
use crate::report::{counted, duration};
use crate::weights::Weights;

/// The word for a choice in a config.
fn word(choice: impl serde::Serialize) -> String {
    let value = serde_json::to_value(choice).ok();
    value.and_then(|value| value.as_str().map(String::from)).unwrap_or_default()
}

/// Whether outside programs may be started to estimate a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Programs {
    /// They are.
    Started,
    /// Nothing of theirs is run, and where they play, no time is estimated.
    Left,
}

/// Prints the plan and estimates its games and time. To measure the speed it plays a few games, for a bounded time.
pub(super) fn check(
    game: &dyn AnyGame,
    plan: &Plan,
    threads: &ThreadArgs,
    programs: Programs,
) -> anyhow::Result<()> {
    /// How long games are played for the estimate.
    const BUDGET: Duration = Duration::from_secs(20);
    /// How long, where outside programs think.
    const BUDGET_OF_PROGRAMS: Duration = Duration::from_secs(60);
    let has_programs = plan.has_programs();
    if has_programs && programs == Programs::Left {
        return print(&in_words(plan, None)?);
    }
    let budget = if has_programs { BUDGET_OF_PROGRAMS } else { BUDGET };
    let (sender, measured) = channel();
    let begun = Instant::now();
    std::thread::scope(|scope| {
        let measuring = scope.spawn(|| threads.install(|| measure(game, plan, sender)));
        let mut speed = Speed::default();
        while let Ok(measured) = measured.recv_timeout(budget.saturating_sub(begun.elapsed())) {
            match measured {
                Measured::Learning(seconds) => speed.learning = Some(seconds?),
                Measured::Stage(rate) => speed.stages.push(rate?),
                Measured::Matches(seconds) => speed.of_matches = Some(seconds?),
            }
        }
        print(&in_words(plan, Some(&speed))?)?;
        if speed.of_matches.is_none() && !measuring.is_finished() {
            // A search that may go on for days has no other end.
            std::process::exit(0);
        }
        Ok(())
    })
}

/// What was measured, as far as it was.
#[derive(Default)]
struct Speed {
    /// The seconds of the regression that gives the start.
    learning: Option<f64>,
    /// The games a second of each stage, the first ones if not all.
    stages: Vec<f64>,
    /// The seconds of comparison and validation.
    of_matches: Option<f64>,
}

/// In place of a time that is missing.
const UNMEASURED: &str = "longer than could be measured";

impl Speed {
    /// The seconds of games of a stage.
    fn seconds(&self, stage: usize, games: u64) -> Option<f64> {
        self.stages.get(stage).map(|rate| games as f64 / rate)
    }
}

/// A step of measuring.
enum Measured {
    Learning(anyhow::Result<f64>),
    Stage(anyhow::Result<f64>),
    Matches(anyhow::Result<f64>),
}

/// Measures the regression, the stages in order, then the matches, until something is wrong.
fn measure(game: &dyn AnyGame, plan: &Plan, sender: Sender<Measured>) {
    let plan = &with_some_start(plan);
    if let Some(learn) = &plan.learn {
        let seconds = game.seconds_of_regression(&learn.regression).map_err(anyhow::Error::from);
        let wrong = seconds.is_err();
        if sender.send(Measured::Learning(seconds)).is_err() || wrong {
            return;
        }
    }
    for stage in &plan.stages {
        let rate = game.games_per_second(plan, stage).map_err(anyhow::Error::from);
        let wrong = rate.is_err();
        if sender.send(Measured::Stage(rate)).is_err() || wrong {
            return;
        }
    }
    let _ = sender.send(Measured::Matches(seconds_of_matches(game, plan)));
}

/// The plan with a start other than 0, where it is still to be learned: weights of 0 prune nothing.
fn with_some_start(plan: &Plan) -> Plan {
    let nothing = |weights: &&Weights| weights.values().iter().all(|value| *value == 0.0);
    let Some(initial) = plan.initial.as_ref().filter(nothing).filter(|_| plan.learn.is_some())
    else {
        return plan.clone();
    };
    let ones = vec![1.0; initial.values().len()];
    let ones = Weights::new("ones", initial.layout(), ones);
    ones.map_or_else(|_| plan.clone(), |ones| plan.started_from(&ones))
}

/// The plan in words, with its time if speed was measured.
fn in_words(plan: &Plan, measured: Option<&Speed>) -> anyhow::Result<String> {
    let nothing = Speed::default();
    let speed = measured.unwrap_or(&nothing);
    let variant = if plan.rules.is_empty() { "" } else { &format!(" ({})", plan.rules) };
    let mut text = format!(
        "run {}, game {}{variant}, seed {}, config hash {}\nevolves {plan}{}\ncarried by {}\n",
        plan.name,
        plan.game,
        plan.seed,
        plan.hash(),
        plan.initial
            .as_ref()
            .map_or(String::new(), |weights| format!(" from {:?}", weights.values())),
        plan.agent,
    );
    if measured.is_none() {
        text += &programs_in_words(plan);
    }
    for Parameter { key, initial, low, high, .. } in &plan.space.parameters {
        text += &format!("{key} from {initial}, in {low} to {high}\n");
    }
    let held: Vec<&str> = plan.held().collect();
    if !held.is_empty() {
        text += &format!("held: {}\n", held.join(", "));
    }
    let learned = plan.learn.as_ref().map_or(0, |learn| {
        text += &regression::in_words(&learn.regression);
        learn.regression.labels.depths.len() as u64
    });
    let (mut total, mut of_finalists, mut of_screening) = (Some(0.0), Some(0.0), Some(0.0));
    let mut all_games = 0_u64;
    for (index, stage) in plan.stages.iter().enumerate() {
        let generations = stage.most_generations();
        let hall = stage.fitness.hall.as_ref();
        let admission = hall.map_or(0, |hall| generations / hall.every * hall.games);
        let games = generations
            .saturating_mul(stage.population as u64 + 1)
            .saturating_mul(stage.fitness.games)
            .saturating_add(admission);
        let plus = |sum: Option<f64>, games| Some(sum? + speed.seconds(index, games)?);
        let seconds = speed.seconds(index, games).map(|all| Time::of(all, generations, stage));
        total = total.zip(seconds.as_ref()).map(|(sum, time)| sum + time.seconds);
        let fitness = &stage.fitness;
        let depth = match stage.has_depth() {
            true => format!("depth {}, ", stage.depth_in_words()),
            false => String::new(),
        };
        text += &format!(
            "stage {}: {depth}from {}, population {}, sigma {}\n  \
             {} games a candidate, {}, openings {}, seeds {}, score {}{}\n",
            index + 1,
            word(stage.start),
            stage.population,
            plan.space.sigma_unit.in_words(stage.sigma),
            fitness.games,
            fitness.schedule,
            fitness.openings,
            word(fitness.seeds),
            word(fitness.score),
            fitness.combine.in_words().map_or(String::new(), |words| format!("; {words}")),
        );
        for opponent in &fitness.opponents {
            let agent = stage.opponent(opponent);
            let from = opponent.openings.as_ref();
            let from = from.map_or(String::new(), |openings| format!(" from {openings}"));
            text += &format!("  {} games against {agent}{from}\n", opponent.games);
        }
        text += &beside_the_pool(stage);
        let stops = &stage.stops;
        text += &format!(
            "  stops: {} generations, {} evaluations",
            stops.max_generations.map_or("any number of".into(), |n| n.to_string()),
            stops.max_evaluations
        );
        for (name, value) in [("fitness", stops.target_fitness), ("seconds", stops.max_seconds)] {
            text += &value.map_or(String::new(), |value| format!(", {name} {value}"));
        }
        text += &stops
            .stagnation
            .map_or(String::new(), |n| format!(", {n} generations without progress"));
        text += &format!(
            "\n  at most {generations} generations, {games} games (with those of the mean vector and of admission \
             matches){}\n",
            match (seconds, measured) {
                (Some(time), _) => format!(", {}", time.in_words(speed.stages[index])),
                (None, None) => String::new(),
                (None, Some(_)) => format!(", time {UNMEASURED}"),
            }
        );
        all_games = all_games.saturating_add(games);
        of_finalists = plus(of_finalists, most_games_of_finalists(plan));
        all_games = all_games.saturating_add(most_games_of_finalists(plan));
        if let Some(screening) = plan.screening.as_ref().filter(|plan| plan.precedes(index)) {
            let games = screening.most_games(if index == 0 { learned } else { 0 });
            text += &screening_in_words(screening, games);
            of_screening = plus(of_screening, games);
            all_games = all_games.saturating_add(games);
        }
    }
    text += &noise_settings(plan);
    let comparison = &plan.comparison;
    text += &format!(
        "comparison: {} games, {}, openings {}\n",
        comparison.games, comparison.agent, comparison.openings
    );
    text += &validation_in_words(plan)?;
    if measured.is_none() {
        let at_the_end: u64 = matches_at_the_end(plan)?.iter().map(|of_match| of_match.games).sum();
        text += &format!(
            "the whole run: at most {} games; their time is not estimated, since no outside program is run here: `{} doctor \
             CONFIG` runs them, and estimates it\n",
            all_games.saturating_add(at_the_end),
            program()
        );
        return Ok(text);
    }
    let about = |seconds: Option<f64>, most: &str| match seconds {
        Some(seconds) => format!("about {}{most}", duration(seconds)),
        None => UNMEASURED.into(),
    };
    if plan.learn.is_some() {
        text += &format!("learning the start: {}\n", about(speed.learning, ""));
    }
    if plan.screening.is_some() {
        text += &format!("screening: {}\n", about(of_screening, " at most"));
    }
    text += &format!("stages: {}\n", about(total, " at most"));
    if plan.noise.finalists.is_some() {
        text += &format!("finalists: {}\n", about(of_finalists, " at most"));
    }
    let learning = if plan.learn.is_some() { speed.learning } else { Some(0.0) };
    let sum = || Some(learning? + of_screening? + total? + of_finalists? + speed.of_matches?);
    text += &format!(
        "comparison and validation: {}\nthe whole run: {}\n",
        about(speed.of_matches, ""),
        about(sum(), " at most")
    );
    Ok(text)
}

/// How long a stage takes, at most.
struct Time {
    seconds: f64,
    /// The generations after which `max_seconds` ends it, where it does before its last.
    ended_after: Option<u64>,
}

impl Time {
    /// Of a stage whose generations take so many seconds in all.
    fn of(all: f64, generations: u64, stage: &StagePlan) -> Self {
        match stage.stops.max_seconds.filter(|most| *most < all) {
            None => Self { seconds: all, ended_after: None },
            Some(most) => {
                // The generation that is being played is finished.
                let a_generation = all / generations.max(1) as f64;
                let ended_after = (most / a_generation).ceil().max(1.0);
                let seconds = ended_after * a_generation;
                Self { seconds, ended_after: Some(ended_after as u64) }
            }
        }
    }

    fn in_words(&self, games_per_second: f64) -> String {
        /// Fewer generations learn little.
        const FEW: u64 = 10;
        let about = format!("about {} at {games_per_second:.0} games/s", duration(self.seconds));
        match self.ended_after {
            None => about,
            Some(after) => format!(
                "{about}, since max_seconds ends it after about {}{}",
                counted(after as usize, "generation"),
                match after < FEW {
                    true => ": too few to learn much; lower games, or allow more seconds",
                    false => "",
                }
            ),
        }
    }
}

/// The outside programs of a plan, a line each: whether the system finds what is to be started. Relative paths count from the
/// folder in which tictune is started.
fn programs_in_words(plan: &Plan) -> String {
    let line = |started: StartedProgram| {
        let StartedProgram { key, command, program, .. } = &started;
        match missing(&started) {
            None => format!("program {command} ({key}): {program} is there; nothing was run\n"),
            Some(problem) => format!("program {command} ({key}): {problem}\n"),
        }
    };
    plan.commands().into_iter().map(line).collect()
}

/// What is not there of a program, in words.
pub(super) fn missing(started: &StartedProgram) -> Option<String> {
    let StartedProgram { program, missing, .. } = started;
    missing.as_ref().map(|missing| match missing == program {
        true => format!(
            "there is no program {program} that may be run; build it, or correct its path, which counts from the current \
             folder"
        ),
        false => format!(
            "there is no file {missing}; correct its path, which counts from the current folder"
        ),
    })
}

/// What is measured before a stage, in words.
fn screening_in_words(screening: &ScreeningPlan, most_games: u64) -> String {
    let names: Vec<&str> = screening.weights.iter().map(|weights| weights.name.as_str()).collect();
    let names = if names.is_empty() { String::new() } else { format!("{}, ", names.join(", ")) };
    format!(
        "  starts: {names}{} perturbed, {} random; {} games in the first round, at most {} rounds and {most_games} games, \
         openings {}\n",
        screening.perturbed,
        screening.random,
        screening.games,
        screening.rounds,
        screening.openings
    )
}

/// The rows of the validation: from which openings, against whom, in which searches.
fn validation_in_words(plan: &Plan) -> Result<String, InputError> {
    // The first match is the comparison.
    let matches = matches_at_the_end(plan)?.split_off(1);
    let openings: Vec<String> = plan.validation.openings.iter().map(Openings::to_string).collect();
    let mut text = format!(
        "validation: {} of {} games, from {}\n",
        counted(matches.len(), "row"),
        plan.validation.games,
        openings.join(" and from ")
    );
    let Some(first) = matches.first() else { return Ok(text) };
    // The rows are the same from all openings.
    let of_first = matches.iter().filter(|of_match| of_match.openings == first.openings);
    let of_first: Vec<&EndMatch> = of_first.collect();
    let row = |met: &[&'_ EndMatch]| (met[0].opponent.clone(), searches_in_words(met));
    let rows: Vec<(String, String)> =
        of_first.chunk_by(|one, next| one.opponent == next.opponent).map(row).collect();
    for alike in rows.chunk_by(|one, other| one.1 == other.1) {
        let against: Vec<&str> = alike.iter().map(|row| row.0.as_str()).collect();
        text += &format!("  against {}: {}\n", against.join(", "), alike[0].1);
    }
    Ok(text)
}

/// The searches in which an opponent is met.
fn searches_in_words(matches: &[&EndMatch]) -> String {
    let depths: Vec<String> =
        matches.iter().filter_map(|of_match| Some(of_match.depth?.to_string())).collect();
    let of_depths = match &depths[..] {
        [] => None,
        [depth] => Some(format!("minimax of depth {depth}")),
        depths => Some(format!("minimax of depths {}", depths.join(", "))),
    };
    let others = matches.iter().filter(|of_match| of_match.depth.is_none());
    let others = others.map(|of_match| of_match.search.clone());
    of_depths.into_iter().chain(others).collect::<Vec<_>>().join(", ")
}

/// The most games of a stage's finalists: each round has twice as many as the one before.
fn most_games_of_finalists(plan: &Plan) -> u64 {
    plan.noise.finalists.as_ref().map_or(0, |finalists| {
        let FinalistsPlan { games, rounds, best, means, average, start, model, .. } = finalists;
        let vectors =
            best + means + [*average > 1, *start, *model].map(u64::from).iter().sum::<u64>();
        let times = 2_u64.saturating_pow(*rounds).saturating_sub(1);
        vectors.saturating_mul(*games).saturating_mul(times)
    })
}

/// The time of comparison and validation. Each search is measured once, with the start vector; where a game at some
/// depth takes long, the deeper ones are extrapolated.
fn seconds_of_matches(game: &dyn AnyGame, plan: &Plan) -> anyhow::Result<f64> {
    /// A game that takes so many seconds takes long.
    const LONG: f64 = 0.5;
    /// How many times as long a game takes with one ply more, where nothing was measured.
    const GROWTH: f64 = 4.0;
    let mut known: Vec<(String, f64)> = Vec::new();
    // The deepest depths so far, each with the time of a game.
    let mut by_depth: Vec<(u32, f64)> = Vec::new();
    let mut total = 0.0;
    for EndMatch { search, agents, openings, depth, games, .. } in matches_at_the_end(plan)? {
        let measured = known.iter().find(|(name, _)| *name == search).map(|(_, seconds)| *seconds);
        let seconds = match (measured, depth, &by_depth[..]) {
            (Some(seconds), ..) => seconds,
            (None, Some(depth), &[.., (last, seconds)]) if seconds > LONG && depth > last => {
                let growth = match by_depth[..] {
                    [.., (before, less), (last, more)] if last > before => {
                        (more / less).powf(1.0 / f64::from(last - before)).max(1.0)
                    }
                    _ => GROWTH,
                };
                seconds * growth.powf(f64::from(depth - last))
            }
            _ => seconds_a_game(game, plan, agents, openings)?,
        };
        if measured.is_none() {
            by_depth.extend(depth.map(|depth| (depth, seconds)));
            known.push((search, seconds));
        }
        total += games as f64 * seconds;
    }
    Ok(total)
}

/// The time that a game of a match takes on all threads, measured by playing for a moment.
fn seconds_a_game(
    game: &dyn AnyGame,
    plan: &Plan,
    agents: [AgentSpec; 2],
    openings: Openings,
) -> anyhow::Result<f64> {
    const ENOUGH_SECONDS: f64 = 0.1;
    let schedule = Schedule::Paired;
    let mut games = (rayon::current_num_threads() as u64).next_multiple_of(2);
    let settings = MatchSettings { games, seed: plan.seed, schedule, replay_ties: false };
    let mut of_match = MatchPlan {
        game: plan.game.clone(),
        rules: plan.rules.clone(),
        agents,
        openings,
        settings,
        sprt: None,
        // Every game is played, also one that repeats another.
        detail: Detail::Costs,
    };
    let (executor, never) = (game.threads(), AtomicBool::new(false));
    let (mut played, mut seconds) = (0, 0.0);
    while seconds < ENOUGH_SECONDS {
        of_match.settings.games = games;
        let result = of_match.play(&*executor, &|_| (), &never).map_err(RunError::from)?.result;
        seconds += result.elapsed.as_secs_f64();
        played += games;
        games *= 2;
    }
    Ok(seconds / played as f64)
}

/// The settings of a plan against noise, a line each. Of their games, the estimate has those of finalists.
fn noise_settings(plan: &Plan) -> String {
    let noise = &plan.noise;
    let mut lines: Vec<String> = Vec::new();
    lines.extend(noise.mean_rate.map(|rate| format!("learning rate of the mean: {rate}")));
    lines.extend(noise.restarts.as_ref().map(|restarts| {
        format!(
            "restarts: {}, at most {} a stage, populations grow by {}, from {}",
            word(restarts.kind),
            restarts.most,
            restarts.growth,
            word(restarts.start)
        )
    }));
    lines.extend(noise.reevaluation.as_ref().map(|rounds| {
        let games = rounds.games.map_or("as many".into(), |games| games.to_string());
        let budget = rounds.budget.map_or(String::new(), |most| format!(", {most} in all"));
        let while_below = rounds
            .spread_below
            .map_or(String::new(), |errors| format!(", while the spread is below {errors} errors"));
        format!(
            "further rounds: {}, at most {} a generation, {games} games a candidate{budget}{while_below}",
            word(rounds.who),
            rounds.rounds
        )
    }));
    lines.extend(noise.held_out.as_ref().map(|checks| {
        format!(
            "the mean is checked every {} generations in {} games, openings {}; {} checks without progress end it",
            checks.every, checks.games, checks.openings, checks.patience
        )
    }));
    lines.extend(noise.finalists.as_ref().map(|finalists| {
        let model = if finalists.model { ", the model of all evaluations" } else { "" };
        format!(
            "finalists of each stage: {} candidates, {} means{model}; {} games in the first round, at most {} rounds, \
             openings {}",
            finalists.best, finalists.means, finalists.games, finalists.rounds, finalists.openings
        )
    }));
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// What candidates play beside the opponent pool, a line each: coevolution and the hall of fame.
fn beside_the_pool(stage: &StagePlan) -> String {
    let mut text = String::new();
    if let Some(plan) = &stage.fitness.coevolution {
        text += &format!(
            "  {} games against other candidates of the generation: {} of them at depth {:?}, {} games each\n",
            plan.games_of_a_candidate(),
            plan.opponents,
            plan.depths,
            plan.games
        );
    }
    if let Some(hall) = &stage.fitness.hall {
        text += &format!(
            "  hall of fame: {} of these games once it has members, at most {} of them; admission match every {} \
             generations, {} games, openings {}; admitted above {} % with a likelihood of {}\n",
            stage.fitness.hall_games(),
            hall.size,
            hall.every,
            hall.games,
            hall.openings,
            100.0 * (0.5 + hall.margin),
            hall.confidence
        );
    }
    text
}
