//! `tictune doctor`

use std::path::Path;
use std::sync::atomic::Ordering;

use anyhow::{bail, ensure};
use clap::Args;
use serde::Serialize;

use super::check::check;
use super::check::timed::in_time;
use super::{GameArgs, Session, ThreadArgs, print, print_json, quoted};
use crate::agent::AgentSpec;
use crate::config::{self, Config, Overrides};
use crate::evolve::{Parameter, Plan, RunError};
use crate::input::{InputError, Result};
use crate::programs::doctor::{Finding, Grade};
use crate::programs::{RunnerSettings, runner};
use crate::registry::AnyGame;

#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    /// The program as an agent, external:cmd=...,protocol=... or runner:cmd=..., or @FILE for a file that holds one such line;
    /// or the config of an evolution (FILE.toml), whose programs are tried, and whose time is then estimated
    #[arg(value_name = "PROGRAM|CONFIG")]
    subject: String,
    #[command(flatten)]
    game: GameArgs,
    #[command(flatten)]
    threads: ThreadArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Examined {
    agent: String,
    healthy: bool,
    findings: Vec<Finding>,
}

pub(super) fn run(args: &DoctorArgs, session: &Session) -> anyhow::Result<()> {
    if args.subject.ends_with(".toml") {
        return try_config(args, session);
    }
    let (game, rules) = args.game.find(session)?;
    let agent = AgentSpec::parse_in(&args.subject, session.scope(game.info()))?;
    let examined = examine(session, &agent, game, &rules, &[], args.json)?;
    if args.json {
        print_json(&examined)?;
    }
    fail_if_wrong(&[examined])
}

/// Tries the programs of a config, and estimates the time of its run if all of them play.
fn try_config(args: &DoctorArgs, session: &Session) -> anyhow::Result<()> {
    let path = Path::new(&args.subject);
    if !args.game.is_empty() {
        let message = "names the game and its rules; leave --game and --rules out";
        bail!(InputError::in_file(path, message));
    }
    let text = config::read(path)?;
    let config = Config::parse(&text, path)?;
    let plan = config.plan(Overrides::default(), session.known())?;
    let programs = plan.programs_at_the_start()?;
    if programs.is_empty() {
        let (program, file) = (session.program(), quoted(path));
        let message = format!(
            "does not start a program that could be tested: `{program} evolve {file} --check` prints its plan and its time"
        );
        bail!(InputError::in_file(path, message));
    }
    let game = session.find(Some(&plan.game))?;
    let mut examined = Vec::new();
    for agent in &programs {
        if !args.json {
            print(&format!("{}\n", agent.short()))?;
        }
        let changed = numbers_changed(&plan, agent)?;
        examined.push(examine(session, agent, game, &plan.rules, &changed, args.json)?);
    }
    if args.json {
        let healthy = examined.iter().all(|program| program.healthy);
        print_json(&serde_json::json!({ "healthy": healthy, "programs": examined }))?;
    }
    fail_if_wrong(&examined)?;
    game.check_ranges(&plan)?;
    if !args.json {
        session.inform("measuring how long a game takes ...");
        print("\n")?;
        let config = (&config, Overrides::default());
        let plan = in_time(session, game, plan, config, None, Some(&args.threads))?;
        check(session, game, &plan, &args.threads, true)?;
    }
    Ok(())
}

/// A number that is evolved, and a runner's agents that differ in it alone: it is at either end of its range.
type AtBothEnds = (String, [RunnerSettings; 2]);

/// The start of a plan with each of its numbers changed, if the agent is the runner of the plan.
fn numbers_changed(plan: &Plan, agent: &AgentSpec) -> Result<Vec<AtBothEnds>> {
    let with = |key: &str, value| {
        let changed = agent.with_number(key, value)?;
        Ok(changed.settings::<RunnerSettings>().cloned().unwrap_or_default())
    };
    let of_runner = plan.space.parameters.iter().filter(|_| agent.is::<RunnerSettings>());
    let changed = of_runner.map(|Parameter { key, low, high, .. }| {
        Ok((key.clone(), [with(key, *low)?, with(key, *high)?]))
    });
    changed.collect()
}

/// Goes through a conversation with a program, and prints what it sees unless `quiet`.
fn examine(
    session: &Session,
    agent: &AgentSpec,
    game: &dyn AnyGame,
    rules: &str,
    changed: &[AtBothEnds],
    quiet: bool,
) -> anyhow::Result<Examined> {
    // An interruption ends the program.
    let stop = session.stop_flag()?;
    let (mut findings, mut failed) = (Vec::new(), None);
    let mut say = |finding| {
        // Both games may show the same.
        if findings.contains(&finding) {
            return;
        }
        if !quiet && failed.is_none() {
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
    match (agent.settings(), agent.settings()) {
        (Some(program), _) => game.known("doctor", "moves")?.doctor(program, rules, &mut say)?,
        (_, Some(program)) => {
            let mut is_well = true;
            runner::doctor::examine(program, stop, &mut |finding| {
                is_well &= finding.grade != Grade::Wrong;
                say(finding);
            });
            if is_well && !changed.is_empty() {
                runner::doctor::examine_numbers(program, changed, stop, &mut say);
            }
            ensure!(!stop.load(Ordering::Relaxed), RunError::Interrupted);
        }
        _ => bail!(InputError::new(format!(
            "expected a program, as in external:cmd=\"./bot\",protocol=codingame or runner:cmd=\"./play\", or a config; \
             found {}",
            agent.kind_name()
        ))),
    }
    if let Some(error) = failed {
        return Err(error);
    }
    let healthy = findings.iter().all(|finding| finding.grade != Grade::Wrong);
    Ok(Examined { agent: agent.to_string(), healthy, findings })
}

fn fail_if_wrong(examined: &[Examined]) -> anyhow::Result<()> {
    let all = examined.iter().flat_map(|program| &program.findings);
    match all.filter(|finding| finding.grade == Grade::Wrong).count() {
        0 => Ok(()),
        1 => bail!("one thing is wrong with the program"),
        wrong => bail!("{wrong} things are wrong with the program"),
    }
}
