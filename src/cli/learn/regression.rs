//! `tictune learn` with `method = "regression"`.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::{LearnArgs, begin, say_how_to_continue};
use crate::cli::progress::bar;
use crate::cli::{Session, memory, print, print_json};
use crate::evolve::learn::{RegressionPlan, RegressionSummary};
use crate::evolve::{RunDir, RunError};
use crate::input::InputError;
use crate::registry::AnyGame;
use crate::report::{duration, regression_table};

pub(super) fn run(
    args: &LearnArgs,
    session: &Session,
    plan: RegressionPlan,
    text: &str,
) -> anyhow::Result<()> {
    let game = session.find(Some(&plan.game))?;
    let wanted = memory::of_regression(&plan);
    memory::check("a round of this regression", wanted, "lower games")
        .map_err(|error| InputError::in_file(&args.config, error.message))?;
    if args.check {
        let game = game.known("learn", "positions")?;
        let seconds = args.threads.install(session, || game.seconds_of_regression(&plan))?;
        let hash = plan.hash();
        return print(&format!(
            "run {}, game {}, seed {}, config hash {hash}\n{}the whole run: about {}\n",
            plan.name,
            plan.game,
            plan.seed,
            in_words(&plan),
            duration(seconds?)
        ));
    }
    let dir = args.folder(&plan.name, session);
    let Some(_log) = begin(session, args, &dir, &plan.hash(), text)? else {
        let summary = dir.read_json::<RegressionSummary>("summary.json")?;
        return summary.map_or(Ok(()), |summary| show(session, args, &dir, &summary));
    };
    let stop = session.stop_flag()?;
    let learned = args.threads.install(session, || play(session, game, &plan, &dir, stop))?;
    let summary = learned.inspect_err(|error| say_how_to_continue(session, error))?;
    show(session, args, &dir, &summary)
}

/// Plays and fits, and writes the files of the result to a folder.
pub(in crate::cli) fn play(
    session: &Session,
    game: &dyn AnyGame,
    plan: &RegressionPlan,
    dir: &RunDir,
    stop: &AtomicBool,
) -> Result<RegressionSummary, RunError> {
    let bar = bar(session, plan.all_games());
    bar.set_message("learning");
    let begun = Instant::now();
    let game = game.known("learn", "positions")?;
    let found = game.regress(plan, &|| bar.inc(1), stop);
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
    let mut text = format!(
        "learns the {} weights of `{}` by regression (logistic)\n  {} rounds of {} games at depth {}, openings {}, {} % random \
         moves\n  at most {} positions of a game, labels: {labels}\n",
        plan.initial.layout().len(),
        plan.initial.layout().name,
        plan.rounds,
        plan.games,
        plan.depth,
        plan.openings,
        100.0 * RegressionPlan::EXPLORATION,
        RegressionPlan::POSITIONS,
    );
    if let Some(opponent) = &plan.opponent {
        text += &format!(
            "  then {} games against {}, openings {}\n",
            opponent.games, opponent.agent, opponent.openings
        );
    }
    text
}

fn show(
    session: &Session,
    args: &LearnArgs,
    dir: &RunDir,
    summary: &RegressionSummary,
) -> anyhow::Result<()> {
    if args.json {
        return print_json(summary);
    }
    let learned = summary.learned.iter().map(|file| dir.file(file).display().to_string());
    let learned: Vec<String> = learned.collect();
    session.print_report(&regression_table(session.width(), summary))?;
    print(&format!("learned: {}\n", learned.join(", ")))?;
    if let Some(last) = learned.last() {
        session.inform(&format!(
            "to play it: {} match minimax:depth=3,weights={last} random",
            session.program()
        ));
    }
    Ok(())
}
