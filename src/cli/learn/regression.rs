//! `tictune learn` with `method = "regression"`.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::{LearnCommand, begin, say_how_to_continue};
use crate::cli::progress::GameBar;
use crate::cli::{Session, print, print_json};
use crate::evolve::learn::{
    RegressionMatch, RegressionPlan, RegressionSummary, regress, regression_seconds,
};
use crate::evolve::{RunDir, RunError};
use crate::registry::KnownGame;
use crate::report::{duration, regression_table};

pub(super) fn run(learner: &LearnCommand<'_>, plan: &RegressionPlan) -> anyhow::Result<()> {
    let LearnCommand { session, args, dir, .. } = learner;
    let game = session.find(Some(&plan.game))?.known("learn", "positions")?;
    if args.check {
        let stop = session.stop_flag()?;
        let seconds = args.threads.install(session, || regression_seconds(game, plan, stop))?;
        let (hash, words, time) = (plan.hash(), in_words(plan), duration(seconds?));
        let RegressionPlan { name, game, seed, .. } = plan;
        return print(&format!(
            "run {name}, game {game}, seed {seed}, config hash {hash}\n{words}\nthe whole run: about {time}\n"
        ));
    }
    let Some(_log) = begin(learner, &plan.hash())? else {
        let summary = dir.read_json::<RegressionSummary>("summary.json")?;
        return summary.map_or(Ok(()), |summary| show(learner, &summary));
    };
    let stop = session.stop_flag()?;
    let learned = args.threads.install(session, || play(session, game, plan, dir, stop))?;
    let summary = learned.inspect_err(|error| say_how_to_continue(session, error))?;
    show(learner, &summary)
}

/// Plays and fits, and writes the files of the result to a folder.
pub(in crate::cli) fn play(
    session: &Session,
    game: &dyn KnownGame,
    plan: &RegressionPlan,
    dir: &RunDir,
    stop: &AtomicBool,
) -> Result<RegressionSummary, RunError> {
    let bar = GameBar::new(session, plan.all_games());
    bar.set_message("learning");
    let begun = Instant::now();
    let found = regress(game, plan, &|| bar.inc(1), stop);
    bar.finish_and_clear();
    let summary = dir.write_regression(found?)?;
    let seconds = begun.elapsed().as_secs_f64();
    session.inform(&format!("learned from {} games in {}", plan.all_games(), duration(seconds)));
    Ok(summary)
}

pub(in crate::cli) fn in_words(plan: &RegressionPlan) -> String {
    let labels = match plan.labels.depths.as_slice() {
        [] => "results".into(),
        depths => format!(
            "{} % results, the rest searches of depth {}",
            100.0 * plan.labels.mix_result,
            depths.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
        ),
    };
    let RegressionPlan { rounds, games, depth, openings, .. } = plan;
    let (layout, positions) = (plan.initial.layout(), RegressionPlan::POSITIONS);
    let text = format!(
        "learns the {} weights of `{}` by regression (logistic)\n  {rounds} rounds of {games} games at depth {depth}, openings \
         {openings}, {} % random moves\n  at most {positions} positions per game, labels: {labels}",
        layout.len(),
        layout.name,
        100.0 * RegressionPlan::EXPLORATION,
    );
    let opponent = plan.opponent.as_ref().map(|opponent| {
        let RegressionMatch { games, agent, openings, .. } = opponent;
        format!("\n  then {games} games against {agent}, openings {openings}")
    });
    text + &opponent.unwrap_or_default()
}

fn show(learner: &LearnCommand<'_>, summary: &RegressionSummary) -> anyhow::Result<()> {
    let LearnCommand { session, args, dir, .. } = learner;
    if args.json {
        return print_json(summary);
    }
    let learned = summary.learned.iter().map(|file| dir.file(file).display().to_string());
    let learned: Vec<String> = learned.collect();
    print(&regression_table(session.width(), summary))?;
    print(&format!("learned: {}\n", learned.join(", ")))?;
    if let Some(last) = learned.last() {
        let command = format!("{} match minimax:depth=3,weights={last} random", session.program());
        session.inform(&format!("to play it: {command}"));
    }
    Ok(())
}
