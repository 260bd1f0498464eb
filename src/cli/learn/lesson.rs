//! Reinforcement learning: what moves are worth is learned from games, move by move.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{LearnArgs, VALUES_FILE, WEIGHTS_FILE, begin, say_how_to_continue};
use crate::cli::progress::bar;
use crate::cli::{Session, print_json, quoted};
use crate::evolve::RunDir;
use crate::files::{FileError, csv_text, write_atomically};
use crate::input::InputError;
use crate::papers::reinforcement::{LearnPlan, Phase, Product, ProgressRow};
use crate::report::table;
use crate::stats::Tally;
use crate::weights::write_weights;

/// What `summary.json` holds: the last file that is written.
#[derive(Debug, Serialize, Deserialize)]
struct Summary {
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

pub(super) fn run(
    args: &LearnArgs,
    session: &Session,
    plan: LearnPlan,
    text: &str,
) -> anyhow::Result<()> {
    if args.check {
        let message =
            "--check is for method = \"regression\": the other methods say nothing of their time";
        return Err(InputError::in_file(&args.config, message).into());
    }
    let dir = args.folder(&plan.name, session);
    let Some(_log) = begin(session, args, &dir, &plan.hash(), text)? else {
        let summary = dir.read_json::<Summary>("summary.json")?;
        return summary.map_or(Ok(()), |summary| show(session, args, &dir, &summary));
    };
    let stop = session.stop_flag()?;
    let game = session.find(Some(&plan.game))?.known("learn", "positions")?;
    let bar = bar(session, plan.games);
    let path = dir.file("progress.csv");
    let mut rows = vec![ProgressRow::HEADER.map(String::from)];
    // The file is small: written whole for every row, it is never torn.
    let mut on_row = |row: &ProgressRow| {
        bar.suspend(|| session.inform(&line(row, &plan)));
        rows.push(row.fields());
        let written = csv_text(&rows).and_then(|text| write_atomically(&path, &text));
        written.map_err(FileError::writing(&path))
    };
    let lesson =
        session.interrupt.at_work(|| game.learn(&plan, &mut || bar.inc(1), &mut on_row, stop));
    bar.finish_and_clear();
    let lesson = lesson.inspect_err(|error| say_how_to_continue(session, error))?;
    let file = match &lesson.product {
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
    let phases = [Phase::Exploring, Phase::OwnPolicy].into_iter().zip(&lesson.tallies);
    let summary = Summary {
        config_hash: plan.hash(),
        tictune: env!("CARGO_PKG_VERSION").into(),
        method: plan.method.to_string(),
        representation: plan.representation.to_string(),
        opponent: plan.opponent.to_string(),
        phases: phases.map(phase).collect(),
        known: lesson.known,
        learned: file.into(),
        name: plan.name,
        game: plan.game,
        rules: plan.rules,
        seed: plan.seed,
    };
    dir.write_json("summary.json", &summary)?;
    show(session, args, &dir, &summary)
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

fn show(
    session: &Session,
    args: &LearnArgs,
    dir: &RunDir,
    summary: &Summary,
) -> anyhow::Result<()> {
    if args.json {
        return print_json(summary);
    }
    let rows = summary.phases.iter().map(|PhaseSummary { phase, games, tally }| {
        let score = match games {
            0 => String::new(),
            _ => format!("{:.1} %", 100.0 * tally.score()),
        };
        let counts = [*games, tally.wins, tally.draws, tally.losses].map(|count| count.to_string());
        [phase.clone()].into_iter().chain(counts).chain([score]).collect()
    });
    let path = dir.file(&summary.learned);
    let (kind, key, what) = match summary.learned == WEIGHTS_FILE {
        true => ("greedy", "weights", "weights"),
        false => ("learned", "from", "values"),
    };
    let heads = ["phase", "games", "won", "drew", "lost", "score"];
    session.print_report(&format!(
        "{}, {}, against {}: {} {what} known\n{}learned: {}\n",
        summary.method,
        summary.representation,
        summary.opponent,
        summary.known,
        table(session.width(), &heads, rows),
        path.display()
    ))?;
    let agent = format!("{kind}:{key}={}", path.display());
    session.inform(&format!(
        "to play it: {} match {} random",
        session.program(),
        quoted(Path::new(&agent))
    ));
    Ok(())
}
