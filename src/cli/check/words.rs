//! The plan in words.

use super::estimate::Estimate;
use super::missing;
use super::speed::Speed;
use crate::arena::Openings;
use crate::cli::Session;
use crate::cli::learn::regression;
use crate::evolve::plan::{RestartPlan, ScreeningPlan};
use crate::evolve::{Fixture, Parameter, Plan, StagePlan, StartedProgram, matches_at_the_end};
use crate::input::InputError;
use crate::report::{counted, duration};

fn word(choice: impl serde::Serialize) -> String {
    let value = serde_json::to_value(choice).ok();
    value.and_then(|value| value.as_str().map(String::from)).unwrap_or_default()
}

const UNMEASURED: &str = "longer than could be measured";

/// The plan in words, with its time if speed was measured.
///
/// # Errors
/// Matches of the validation that cannot be.
pub(super) fn in_words(
    session: &Session,
    plan: &Plan,
    measured: Option<&Speed>,
) -> Result<String, InputError> {
    let nothing = Speed::default();
    let estimate = Estimate::of(plan, measured.unwrap_or(&nothing))?;
    let mut text = heading(plan);
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
    if let Some(learn) = &plan.learn {
        text += &regression::in_words(&learn.regression);
    }
    for (index, (stage, most)) in plan.stages.iter().zip(&estimate.stages).enumerate() {
        text += &stage_in_words(plan, stage, index + 1);
        let time = match (&most.time, measured) {
            (Some(time), _) => format!(", {}", time.in_words()),
            (None, None) => String::new(),
            (None, Some(_)) => format!(", time {UNMEASURED}"),
        };
        text += &format!(
            "  at most {} generations, {} games ({}){time}\n",
            most.generations,
            most.games,
            counted_games(plan, stage)
        );
        if let (Some(screening), Some(games)) = (&plan.screening, most.screening) {
            text += &screening_in_words(screening, games);
        }
    }
    text += &noise_settings(plan);
    let comparison = &plan.comparison;
    text += &format!(
        "comparison: {} games, {}, openings {}\n",
        comparison.games, comparison.agent, comparison.openings
    );
    text += &validation_in_words(plan)?;
    for (openings, positions, wanted) in plan.small_books() {
        text += &format!(
            "openings {openings}: {positions} positions, of which the run plays {wanted}: they come again once all are spent\n"
        );
    }
    text += &match measured {
        Some(_) => times_in_words(plan, &estimate),
        None => format!(
            "the whole run: at most {} games; their time is not estimated, since no outside program is run here: `{} doctor \
             CONFIG` runs them, and estimates it\n",
            estimate.games,
            session.program()
        ),
    };
    Ok(text)
}

fn counted_games(plan: &Plan, stage: &StagePlan) -> String {
    let also = [
        (plan.noise.reevaluation.is_some(), "of further rounds"),
        (plan.noise.held_out.is_some(), "of the checks of the mean"),
        (stage.fitness.hall.is_some(), "of admission matches"),
    ];
    let also = also.into_iter().filter(|(is_played, _)| *is_played).map(|(_, games)| games);
    let also: Vec<&str> = also.collect();
    match also.split_last() {
        None => "with those of the mean vector".into(),
        Some((last, others)) => {
            let others = others.iter().map(|games| format!(", {games}")).collect::<String>();
            format!("with those of the mean vector{others} and {last}")
        }
    }
}

fn heading(plan: &Plan) -> String {
    let variant = if plan.rules.is_empty() { "" } else { &format!(" ({})", plan.rules) };
    let from = plan.initial.as_ref();
    let from = from.map_or(String::new(), |weights| format!(" from {:?}", weights.values()));
    format!(
        "run {}, game {}{variant}, seed {}, config hash {}\nevolves {plan}{from}\ncarried by {}\n",
        plan.name,
        plan.game,
        plan.seed,
        plan.hash(),
        plan.agent,
    )
}

fn stage_in_words(plan: &Plan, stage: &StagePlan, number: usize) -> String {
    let fitness = &stage.fitness;
    let depth = match stage.has_depth() {
        true => format!("depth {}, ", stage.depth_in_words()),
        false => String::new(),
    };
    let mut text = format!(
        "stage {number}: {depth}from {}, population {}, sigma {}\n  \
         {} games a candidate, {}, openings {}, seeds {}, score {}{}\n",
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
    text +=
        &stops.stagnation.map_or(String::new(), |n| format!(", {n} generations without progress"));
    text + "\n"
}

fn times_in_words(plan: &Plan, estimate: &Estimate) -> String {
    let about = |seconds: Option<f64>, most: &str| match seconds {
        Some(seconds) => format!("about {}{most}", duration(seconds)),
        None => UNMEASURED.into(),
    };
    let mut text = String::new();
    if plan.learn.is_some() {
        text += &format!("learning the start: {}\n", about(estimate.learning, ""));
    }
    if plan.screening.is_some() {
        text += &format!("screening: {}\n", about(estimate.screening, " at most"));
    }
    let grows = plan.noise.restarts.is_some() || plan.noise.reevaluation.is_some();
    let most = if grows { ", without larger restarts and further rounds" } else { " at most" };
    text += &format!("stages: {}\n", about(estimate.generations, most));
    if plan.noise.finalists.is_some() {
        text += &format!("finalists: {}\n", about(estimate.finalists, " at most"));
    }
    text += &format!(
        "comparison and validation: {}\nthe whole run: {}\n",
        about(estimate.matches, ""),
        about(estimate.seconds(), most)
    );
    text
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

fn noise_settings(plan: &Plan) -> String {
    let noise = &plan.noise;
    let mut lines: Vec<String> = Vec::new();
    lines.extend(noise.mean_rate.map(|rate| format!("learning rate of the mean: {rate}")));
    lines.extend(noise.restarts.as_ref().map(|restarts| {
        format!(
            "restarts: {}, at most {} a stage, populations grow by {}, from {}",
            word(restarts.kind),
            RestartPlan::MOST,
            RestartPlan::GROWTH,
            word(restarts.start)
        )
    }));
    lines.extend(noise.reevaluation.as_ref().map(|rounds| {
        let games = rounds.games.map_or("as many".into(), |games| games.to_string());
        let most = rounds.rounds;
        format!("further rounds: halving, at most {most} a generation, {games} games a candidate")
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
             generations, {} games, openings {}; admitted above 50 % with a confidence of {}\n",
            stage.fitness.hall_games(),
            hall.size,
            hall.every,
            hall.games,
            hall.openings,
            hall.confidence
        );
    }
    text
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
    let of_first: Vec<&Fixture> = of_first.collect();
    let row = |met: &[&'_ Fixture]| (met[0].opponent.clone(), searches_in_words(met));
    let rows: Vec<(String, String)> =
        of_first.chunk_by(|one, next| one.opponent == next.opponent).map(row).collect();
    for alike in rows.chunk_by(|one, other| one.1 == other.1) {
        let against: Vec<&str> = alike.iter().map(|row| row.0.as_str()).collect();
        text += &format!("  against {}: {}\n", against.join(", "), alike[0].1);
    }
    Ok(text)
}

fn searches_in_words(matches: &[&Fixture]) -> String {
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
