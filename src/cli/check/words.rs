//! The plan in words.

use minijinja::{Value, context};

use super::missing;
use super::speed::{MeasuredTime, games_of};
use crate::agent::OtherProgram;
use crate::arena::Openings;
use crate::cli::Session;
use crate::cli::learn::regression;
use crate::evolve::learn::RegressionPlan;
use crate::evolve::plan::LearnedStart;
use crate::evolve::{Fixture, Plan, StagePlan, StartedProgram, matches_at_the_end};
use crate::input::{Result, shortened_to};
use crate::report::{counted, rendered};

/// The plan in words, with its time if speed was measured.
pub(super) fn in_words(
    session: &Session,
    plan: &Plan,
    measured: Option<MeasuredTime>,
) -> Result<String> {
    let is_measured = measured.is_some();
    let time = measured.unwrap_or_default();
    let seconds = time.parts(plan);
    let at_the_end = matches_at_the_end(plan)?;
    let games = plan.stages.iter().map(games_of).chain(at_the_end.iter().map(|one| one.games));
    let stages = plan.stages.iter().enumerate();
    let stages = stages.map(|(index, stage)| stage_values(plan, stage, time.stages.get(index)));
    let books = plan.small_books();
    let books = books.iter().map(|(book, has, wanted)| (book.to_string(), *has, *wanted));
    let values = context! {
        plan,
        hash => plan.hash(),
        evolves => plan.to_string(),
        start => plan.initial.as_ref().map(|weights| format!("{:?}", weights.values())),
        // Its parameters have lines of their own.
        evolved => plan.agent.program().and_then(OtherProgram::name).map_or_else(|| plan.agent.to_string(), Into::into),
        programs => if is_measured { Vec::new() } else { programs_in_words(plan) },
        parameters => plan.space.parameters,
        held => plan.held().collect::<Vec<_>>(),
        learn => plan.learn.as_ref().map(learn_in_words),
        stages => stages.collect::<Vec<_>>(),
        comparison_agent => Some(plan.comparison.agent.to_string()).filter(|_| plan.comparison.agent.program().is_none()),
        comparison_openings => plan.comparison.openings.to_string(),
        // The first match is the comparison.
        validation => validation_values(plan, &at_the_end[1..]),
        small_books => books.collect::<Vec<_>>(),
        is_measured,
        seconds,
        all_seconds => seconds.into_iter().sum::<Option<f64>>(),
        games => games.fold(0, u64::saturating_add),
        tictune => session.program(),
    };
    // Agents with many parameters are named in several lines.
    let text = rendered(include_str!("plan.txt.jinja"), values);
    Ok(text.lines().map(|line| shortened_to(600, line) + "\n").collect())
}

fn learn_in_words(learn: &LearnedStart) -> String {
    let RegressionPlan { depth, openings, .. } = &learn.regression;
    match learn.keeps_start {
        true => format!(
            "the start plays {} games at depth {depth}, openings {openings}: their positions determine the directions of the pairs",
            learn.regression.all_games()
        ),
        false => regression::in_words(&learn.regression),
    }
}

fn stage_values(plan: &Plan, stage: &StagePlan, seconds: Option<&f64>) -> Value {
    let StagePlan { fitness, sigma, .. } = stage;
    let opponent = |opponent: &crate::evolve::plan::OpponentPlan| {
        let openings = opponent.openings.as_ref().map(Openings::to_string);
        let agent = stage.opponent(opponent).short();
        context! { games => opponent.games, agent, openings }
    };
    context! {
        plan => stage,
        depth => stage.has_depth().then(|| stage.depth_in_words()),
        sigma => match (&plan.pairs, &plan.learn) {
            (Some(_), Some(learn)) => {
                let unit = if learn.keeps_start { " of the size of the start" } else { "" };
                format!("{sigma:.2}{unit} along each learned axis")
            }
            _ => plan.space.sigma_unit.in_words(*sigma),
        },
        openings => fitness.openings.to_string(),
        opponents => fitness.opponents.iter().map(opponent).collect::<Vec<_>>(),
        most_generations => stage.most_generations(),
        most_games => games_of(stage),
        seconds,
    }
}

/// The outside programs of a plan, a line each: whether the system finds what is to be started. Relative paths count from the
/// folder in which tictune is started.
fn programs_in_words(plan: &Plan) -> Vec<String> {
    let line = |started: StartedProgram| {
        let StartedProgram { key, command, program, .. } = &started;
        let is_there = || format!("{program} exists; nothing was run");
        format!("program {command} ({key}): {}", missing(&started).unwrap_or_else(is_there))
    };
    plan.commands().into_iter().map(line).collect()
}

/// The rows of the validation: from which openings, against whom, in which searches.
fn validation_values(plan: &Plan, matches: &[Fixture]) -> Value {
    // The rows are the same from all openings.
    let of_first = matches.iter().filter(|one| one.openings == matches[0].openings);
    let of_first: Vec<&Fixture> = of_first.collect();
    let row = |met: &[&Fixture]| (met[0].opponent.clone(), searches_in_words(met));
    let rows: Vec<(String, String)> =
        of_first.chunk_by(|one, next| one.opponent == next.opponent).map(row).collect();
    let met = rows.chunk_by(|one, other| one.1 == other.1).map(|alike| {
        let opponents: Vec<&str> = alike.iter().map(|row| row.0.as_str()).collect();
        context! { opponents, searches => alike[0].1 }
    });
    context! {
        rows => counted(matches.len(), "row"),
        openings => plan.validation.openings.iter().map(Openings::to_string).collect::<Vec<_>>(),
        met => met.collect::<Vec<_>>(),
    }
}

fn searches_in_words(matches: &[&Fixture]) -> String {
    let depths: Vec<String> =
        matches.iter().filter_map(|of_match| Some(of_match.depth?.to_string())).collect();
    let plural = if depths.len() == 1 { "" } else { "s" };
    let of_depths = format!("minimax of depth{plural} {}", depths.join(", "));
    let of_depths = (!depths.is_empty()).then_some(of_depths);
    let others = matches.iter().filter(|of_match| of_match.depth.is_none());
    let others = others.map(|of_match| of_match.search.clone());
    of_depths.into_iter().chain(others).collect::<Vec<_>>().join(", ")
}
