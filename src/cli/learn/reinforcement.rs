//! Reinforcement learning: the values of moves are learned from games, move by move.

use std::sync::atomic::AtomicBool;

use anyhow::bail;
use minijinja::context;
use serde::{Deserialize, Serialize};

use super::{LearnCommand, VALUES_FILE, WEIGHTS_FILE, begin, say_how_to_continue};
use crate::cli::progress::GameBar;
use crate::cli::{print, print_json, quoted};
use crate::evolve::RunError;
use crate::files::{FileError, csv_text, write_atomically};
use crate::input::InputError;
use crate::papers::reinforcement::{LearnPlan, Phase, Product, ProgressRow};
use crate::report::written;
use crate::stats::Tally;
use crate::weights::write_weights;

/// What `summary.json` holds: the last file that is written.
#[derive(Debug, Serialize, Deserialize)]
struct LearnSummary {
    name: String,
    config_hash: String,
    tictune: String,
    game: String,
    rules: String,
    seed: u64,
    method: String,
    representation: String,
    opponent: String,
    phases: Vec<PhaseSummary>,
    known: usize,
    /// The file of learned values or weights.
    learned: String,
}

/// The results of a phase, from the learner's view; in self-play the first player's.
#[derive(Debug, Serialize, Deserialize)]
struct PhaseSummary {
    phase: String,
    games: u64,
    #[serde(flatten)]
    tally: Tally,
}

pub(super) fn run(learner: &LearnCommand<'_>, plan: LearnPlan) -> anyhow::Result<()> {
    let LearnCommand { session, args, dir, .. } = learner;
    if args.check {
        let message = "--check is for method = \"regression\": the time of the other methods is not estimated";
        bail!(InputError::in_file(&args.config, message));
    }
    let game = session.find(Some(&plan.game))?.known("learn", "positions")?;
    // What is wrong is found out before there is a folder, by learning that is stopped before its first game.
    let tried = game.learn(&plan, &mut || {}, &mut |_| Ok(()), &AtomicBool::new(true));
    if let Err(error @ RunError::Input(_)) = tried {
        bail!(error);
    }
    let Some(_log) = begin(learner, &plan.hash())? else {
        let summary = dir.read_json::<LearnSummary>("summary.json")?;
        return summary.map_or(Ok(()), |summary| show(learner, &summary));
    };
    let stop = session.stop_flag()?;
    let bar = GameBar::new(session, plan.games);
    let path = dir.file("progress.csv");
    let mut rows = vec![ProgressRow::HEADER.map(String::from)];
    // The file is small: written whole for every row, it is never torn.
    let mut on_row = |row: &ProgressRow| {
        bar.suspend(|| session.inform(&line(row, &plan)));
        rows.push(row.fields());
        let written = csv_text(&rows).and_then(|text| write_atomically(&path, &text));
        written.map_err(FileError::writing(&path))
    };
    let learned =
        session.interrupt.busy(|| game.learn(&plan, &mut || bar.inc(1), &mut on_row, stop));
    bar.finish_and_clear();
    let learned = learned.inspect_err(|error| say_how_to_continue(session, error))?;
    let file = match &learned.product {
        Product::Weights(weights) => {
            let path = dir.file(WEIGHTS_FILE);
            write_weights(&path, weights).map_err(FileError::writing(&path))?;
            WEIGHTS_FILE
        }
        Product::Table(values) => {
            values.write(&dir.file(VALUES_FILE))?;
            VALUES_FILE
        }
    };
    let phase = |(phase, tally): (Phase, &Tally)| PhaseSummary {
        phase: phase.to_string(),
        games: tally.games(),
        tally: *tally,
    };
    let phases = [Phase::Exploring, Phase::OwnPolicy].into_iter().zip(&learned.tallies);
    let summary = LearnSummary {
        config_hash: plan.hash(),
        tictune: env!("CARGO_PKG_VERSION").into(),
        method: plan.method.to_string(),
        representation: plan.representation.to_string(),
        opponent: plan.opponents_text(),
        phases: phases.map(phase).collect(),
        known: learned.known,
        learned: file.into(),
        name: plan.name,
        game: plan.game,
        rules: plan.rules,
        seed: plan.seed,
    };
    dir.write_json("summary.json", &summary)?;
    show(learner, &summary)
}

fn line(row: &ProgressRow, plan: &LearnPlan) -> String {
    let Tally { wins, draws, losses } = row.tally;
    format!(
        "games {:>7}/{}  {:<10}  won {wins:>5}  drew {draws:>5}  lost {losses:>5}  score {:>5.1} %  \
         known {}  mean error {:.4}",
        row.games,
        plan.games,
        row.phase,
        100.0 * row.tally.score(),
        row.known,
        row.mean_error
    )
}

fn show(learner: &LearnCommand<'_>, summary: &LearnSummary) -> anyhow::Result<()> {
    let LearnCommand { session, args, dir, .. } = learner;
    if args.json {
        return print_json(summary);
    }
    let path = dir.file(&summary.learned);
    let (kind, key, what) = match summary.learned == WEIGHTS_FILE {
        true => ("greedy", "weights", "weights"),
        false => ("learned", "from", "values"),
    };
    let values = context! { what, summary, file => path.display().to_string() };
    print(&written(session.width(), include_str!("learned.txt.jinja"), values))?;
    let agent = quoted(format!("{kind}:{key}={}", path.display()));
    session.inform(&format!("to play it: {} match {agent} random", session.program()));
    Ok(())
}
