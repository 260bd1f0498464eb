//! `tictune worker` and `tictune workers`

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::executor::{SecretArgs, notes, read_key};
use super::{print_json, print_report, stop_flag};
use crate::agent::Known;
use crate::arena::Executor;
use crate::cluster::{Allowed, Games, WorkerSettings, WorkerStatus, look_around, work};
use crate::evolve::RunError;
use crate::input::InputError;
use crate::registry::Registry;
use crate::report;

#[derive(Debug, Args)]
pub(super) struct WorkerArgs {
    /// The NATS server: nats://HOST:PORT, or tls://HOST:PORT
    server: String,
    /// The number of games that are played at a time [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// A program that drivers may let this worker start: the command, as in external:cmd="..."
    #[arg(long, value_name = "COMMAND")]
    allow_program: Vec<String>,
    /// A variable that drivers may set in the environment of these programs
    #[arg(long, value_name = "NAME")]
    allow_env: Vec<String>,
    /// A file with the key that drivers and workers share: parts without it are refused. `openssl rand -hex 32` makes one
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    #[command(flatten)]
    secrets: SecretArgs,
}

/// The games of a registry.
struct KnownGames<'r>(&'r Registry);

impl Games for KnownGames<'_> {
    fn known(&self) -> &Known {
        self.0.known()
    }

    fn executor(&self, game: &str) -> Result<Box<dyn Executor>, InputError> {
        Ok(self.0.find(Some(game))?.threads())
    }
}

pub(super) fn run(args: &WorkerArgs, registry: &Registry) -> anyhow::Result<()> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let settings = WorkerSettings {
        threads: args.threads.map_or(cores, usize::from),
        allowed: Allowed {
            programs: args.allow_program.clone(),
            variables: args.allow_env.clone(),
        },
        key: read_key(args.key.as_deref())?,
    };
    let (server, stop) = (args.secrets.server(&args.server)?, stop_flag()?);
    work(&server, &KnownGames(registry), &settings, &notes(), stop).map_err(anyhow::Error::from)?;
    Err(RunError::Interrupted.into())
}

#[derive(Debug, Args)]
pub(super) struct WorkersArgs {
    /// The NATS server: nats://HOST:PORT, or tls://HOST:PORT
    server: String,
    /// Print one JSON array
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    secrets: SecretArgs,
}

/// How long to listen. Workers say something every second.
const LISTEN: Duration = Duration::from_millis(1500);

pub(super) fn run_list(args: &WorkersArgs) -> anyhow::Result<()> {
    let server = args.secrets.server(&args.server)?;
    let workers = look_around(&server, &notes(), LISTEN)?;
    if args.json { print_json(&workers) } else { print_report(|| Ok(table(&workers))) }
}

/// The workers as a table.
fn table(workers: &[WorkerStatus]) -> String {
    if workers.is_empty() {
        return "no workers\n".into();
    }
    let row = |status: &WorkerStatus| {
        let WorkerStatus { worker, threads, games_per_second, parts, games, .. } = status;
        let speed = format!("{games_per_second:.1}");
        vec![worker.clone(), threads.to_string(), speed, parts.to_string(), games.to_string()]
    };
    let heads = ["worker", "threads", "games/s", "parts in hand", "games"];
    let table = report::table(&heads, workers.iter().map(row));
    let threads: u32 = workers.iter().map(|worker| worker.threads).sum();
    let speed: f64 = workers.iter().map(|worker| worker.games_per_second).sum();
    let count = workers.len();
    let noun = if count == 1 { "worker" } else { "workers" };
    format!("{table}{count} {noun}, {threads} threads, {speed:.1} games/s\n")
}
