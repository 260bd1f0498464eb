//! What a person can do after a run that was stopped or failed.

use std::path::Path;

use super::EvolveArgs;
use crate::arena::NeverPlayed;
use crate::cli::{Session, quoted};
use crate::evolve::{Plan, RunDir, RunError};

/// What a person can do about a program that forfeits every game.
pub(super) fn say_what_fails(
    session: &Session,
    args: &EvolveArgs,
    plan: &Plan,
    dir: &RunDir,
    failing: &NeverPlayed,
) {
    let mut command = format!(
        "{} doctor {} --game {}",
        session.program(),
        quoted(Path::new(&failing.agent)),
        plan.game
    );
    if !plan.rules.is_empty() {
        command += &format!(" --rules {}", plan.rules);
    }
    session.note("to see a game with it step by step:");
    session.note(&format!("  {command}"));
    session.note("nothing of these games is kept. When it plays:");
    session.note(&format!("  {}", resume_command(session, args, dir)));
}

/// What a person can do after a run that was stopped or failed.
pub(super) fn say_how_to_continue(
    session: &Session,
    args: &EvolveArgs,
    dir: &RunDir,
    error: &RunError,
) {
    if matches!(error, RunError::Interrupted) {
        session.note("stopped; everything measured is saved. To continue:");
        session.note(&format!("  {}", resume_command(session, args, dir)));
        return;
    }
    tracing::error!(%error, "run failed");
    if let Some(remedy) = remedy_for_logs(error, dir) {
        session.note(&remedy);
    }
    session.note(&format!(
        "if the fix is in the config, remove {} or name another folder with --out; if not, continue with: {}",
        dir.path().display(),
        resume_command(session, args, dir)
    ));
}

/// What to do about a log of the run that was refused. A stage is played the same way again, from its seeds.
fn remedy_for_logs(error: &RunError, dir: &RunDir) -> Option<String> {
    let RunError::Input(error) = error else { return None };
    let within = Path::new(error.file.as_ref()?).strip_prefix(dir.path()).ok()?;
    let first = within.components().next()?;
    let place = dir.path().join(first);
    (error.line.is_some()).then(|| {
        format!(
            "put the file back as it was; or move {} away, and what it held is played again, with the same results",
            place.display()
        )
    })
}

/// The command that continues a run.
pub(super) fn resume_command(session: &Session, args: &EvolveArgs, dir: &RunDir) -> String {
    let mut command = format!("{} evolve {}", session.program(), quoted(&args.config));
    if args.out.is_some() {
        command += &format!(" --out {}", quoted(dir.path()));
    }
    if let Some(seed) = args.seed {
        command += &format!(" --seed {seed}");
    }
    if let Some(most) = args.max_generations {
        command += &format!(" --max-generations {most}");
    }
    if let Some(threads) = args.players.threads.threads {
        command += &format!(" --threads {threads}");
    }
    command + " --resume"
}
