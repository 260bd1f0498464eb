//! `tictune doctor`

use std::path::Path;
use std::sync::atomic::Ordering;

use anyhow::bail;
use clap::Args;

use super::{GameArgs, print, print_json, stop_flag};
use crate::agent::doctor::{Finding, Grade};
use crate::agent::{AgentKind, AgentSpec};
use crate::evolve::RunError;
use crate::input::InputError;
use crate::registry::Registry;
use crate::runner;
use crate::weights::Scope;

#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    /// The program as an agent, external:cmd=...,protocol=... or runner:cmd=..., or @FILE for a file that holds one such line
    agent: String,
    #[command(flatten)]
    game: GameArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &DoctorArgs, registry: &Registry) -> anyhow::Result<()> {
    let game = args.game.find(registry)?;
    let rules = args.game.rules(game)?;
    let scope = Scope { game: game.info(), known: registry.known(), folder: Path::new("") };
    let agent = AgentSpec::parse_in(&args.agent, scope)?;
    // An interruption ends the program.
    let stop = stop_flag()?;
    let (mut findings, mut failed) = (Vec::new(), None);
    let mut say = |finding| {
        // Both games may show the same.
        if findings.contains(&finding) {
            return;
        }
        if !args.json && failed.is_none() {
            let Finding { grade, text } = &finding;
            let word = match grade {
                Grade::Good => "ok   ",
                Grade::Note => "note ",
                Grade::Wrong => "WRONG",
            };
            failed = print(&format!("{word}  {text}\n")).err();
        }
        findings.push(finding);
    };
    match &agent.kind {
        AgentKind::External(program) => game.doctor(program, &rules, &mut say)?,
        AgentKind::Runner(program) => {
            runner::doctor::examine(program, stop, &mut |grade, text| say(Finding { grade, text }));
            if stop.load(Ordering::Relaxed) {
                return Err(RunError::Interrupted.into());
            }
        }
        _ => {
            let message = format!(
                "expected a program, as in external:cmd=\"./bot\",protocol=codingame or runner:cmd=\"./play\"; found {}",
                agent.kind()
            );
            return Err(InputError::new(message).into());
        }
    }
    if let Some(error) = failed {
        return Err(error);
    }
    let wrong = findings.iter().filter(|finding| finding.grade == Grade::Wrong).count();
    if args.json {
        let agent = agent.to_string();
        print_json(
            &serde_json::json!({ "agent": agent, "healthy": wrong == 0, "findings": findings }),
        )?;
    }
    match wrong {
        0 => Ok(()),
        1 => bail!("one thing is wrong with the program"),
        _ => bail!("{wrong} things are wrong with the program"),
    }
}
