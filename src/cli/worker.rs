//! `tictune worker` and `tictune workers`

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use minijinja::context;

use super::Session;
use crate::cluster::{
    Allowed, Games, Key, Notes, Secrets, Server, WorkerSettings, look_around, work,
};
use crate::evolve::RunError;
use crate::input::{InputError, Result};
use crate::programs::running::{NATS_PASSWORD, NATS_TOKEN, NATS_USER};
use crate::report::written;

#[derive(Debug, Args)]
pub(super) struct WorkerArgs {
    /// The NATS server: nats://HOST:PORT, or tls://HOST:PORT
    server: String,
    /// The number of games played at the same time [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// A program that drivers may let this worker start: the command, as in external:cmd="..."
    #[arg(long, value_name = "COMMAND")]
    allow_program: Vec<String>,
    /// An environment variable that drivers may set for these programs
    #[arg(long, value_name = "NAME")]
    allow_env: Vec<String>,
    /// A file with the key that drivers and workers share: parts without it are refused. `openssl rand -hex 32` makes one
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    #[command(flatten)]
    secrets: SecretArgs,
}

pub(super) fn run(args: &WorkerArgs, session: &Session) -> anyhow::Result<()> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let settings = WorkerSettings {
        threads: args.threads.map_or(cores, usize::from),
        allowed: Allowed {
            programs: args.allow_program.clone(),
            variables: args.allow_env.clone(),
        },
        key: read_key(session, args.key.as_deref())?,
    };
    let (server, stop) = (args.secrets.server(&args.server)?, session.stop_flag()?);
    let executor = |game: &str| Ok(session.find(Some(game))?.threads(None));
    let games = Games { known: session.known(), executor: &executor };
    work(&server, &games, &settings, &notes(session), stop).map_err(anyhow::Error::from)?;
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

pub(super) fn run_list(args: &WorkersArgs, session: &Session) -> anyhow::Result<()> {
    let server = args.secrets.server(&args.server)?;
    // Workers say something every second.
    let workers = look_around(&server, &notes(session), Duration::from_millis(1500))?;
    session.print_result(args.json, &workers, |width| {
        written(width, include_str!("workers.txt.jinja"), context! { workers })
    })
}

/// How to get into a NATS server.
#[derive(Debug, Args)]
pub(super) struct SecretArgs {
    /// A credentials file for the NATS server, or a file with the seed of an nkey
    #[arg(long, value_name = "FILE")]
    nats_credentials: Option<PathBuf>,
    /// The certificate of the authority that signed the NATS server's, if the system does not know it. With this or a
    /// certificate, nothing but TLS is used
    #[arg(long, value_name = "FILE")]
    nats_authority: Option<PathBuf>,
    /// The certificate that this program shows to the NATS server
    #[arg(long, value_name = "FILE", requires = "nats_key")]
    nats_certificate: Option<PathBuf>,
    /// The key of this certificate
    #[arg(long, value_name = "FILE", requires = "nats_certificate")]
    nats_key: Option<PathBuf>,
}

impl SecretArgs {
    /// The server at an address. User name, password and token come from the environment, where other users of the
    /// machine do not see them.
    pub(super) fn server(&self, address: &str) -> anyhow::Result<Server> {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let (user, password) = (variable(NATS_USER), variable(NATS_PASSWORD));
        if user.is_none() && password.is_some() {
            let message = format!("the variable {NATS_PASSWORD} is set, and {NATS_USER} is not");
            return Err(InputError::new(message).into());
        }
        let secrets = Secrets {
            user: user.map(|user| (user, password.unwrap_or_default())),
            token: variable(NATS_TOKEN),
            credentials: self.nats_credentials.clone(),
            authority: self.nats_authority.clone(),
            certificate: self.nats_certificate.clone().zip(self.nats_key.clone()),
        };
        Ok(Server::new(address, secrets)?)
    }
}

/// Reads a key, and warns where others may read it, too.
pub(super) fn read_key(session: &Session, path: Option<&Path>) -> Result<Option<Key>> {
    let Some(path) = path else { return Ok(None) };
    let (key, warning) = Key::read(path)?;
    warning.iter().for_each(|text| session.note(text));
    Ok(Some(key))
}

pub(super) fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a number from 0 to 1".into())
}

pub(super) fn notes(session: &Session) -> Notes {
    let verbosity = session.verbosity;
    Arc::new(move |text: &str| verbosity.note(text))
}
