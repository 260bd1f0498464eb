//! Who plays the games: threads of this process, or workers on other machines.

use clap::Args;

use super::ThreadArgs;
#[cfg(feature = "cluster")]
use super::note;
use crate::arena::Executor;
#[cfg(feature = "cluster")]
use crate::cluster::{Cluster, Key, Notes, Secrets, Server, Trust};
use crate::input::InputError;
#[cfg(feature = "cluster")]
use crate::programs::running::{NATS_PASSWORD, NATS_TOKEN, NATS_USER};
use crate::registry::AnyGame;

/// Who plays the games.
#[derive(Debug, Args)]
pub(super) struct ExecutorArgs {
    #[command(flatten)]
    threads: ThreadArgs,
    /// Let the workers of a NATS server play: nats://HOST:PORT (see `tictune worker`) [default: threads of this process]
    #[arg(long, value_name = "URL", hide = cfg!(not(feature = "cluster")))]
    executor: Option<String>,
    /// A file with the key that this command shares with its workers: results without it are refused. `openssl rand -hex 32`
    /// makes one
    #[cfg(feature = "cluster")]
    #[arg(long, value_name = "FILE")]
    key: Option<std::path::PathBuf>,
    /// The share of the workers' parts that are played again here to check them, at least one of each worker; 0: none
    #[cfg(feature = "cluster")]
    #[arg(long, value_name = "SHARE", default_value_t = 0.01, value_parser = share)]
    recheck: f64,
    #[cfg(feature = "cluster")]
    #[command(flatten)]
    secrets: SecretArgs,
}

impl ExecutorArgs {
    /// Runs a closure on a pool of the threads.
    pub(super) fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> anyhow::Result<R> {
        self.threads.install(work)
    }

    /// The threads of this process.
    pub(super) const fn threads(&self) -> &ThreadArgs {
        &self.threads
    }

    /// Whether the games are played on this machine.
    pub(super) const fn is_here(&self) -> bool {
        self.executor.is_none()
    }

    /// What plays the games of a game.
    pub(super) fn open<'g>(&self, game: &'g dyn AnyGame) -> anyhow::Result<Box<dyn Executor + 'g>> {
        match &self.executor {
            None => Ok(game.threads()),
            Some(address) => self.remote(address, game),
        }
    }

    #[cfg(feature = "cluster")]
    fn remote<'g>(
        &self,
        address: &str,
        game: &'g dyn AnyGame,
    ) -> anyhow::Result<Box<dyn Executor + 'g>> {
        let server = self.secrets.server(address)?;
        let trust = Trust { key: read_key(self.key.as_deref())?, recheck: self.recheck };
        Ok(Box::new(Cluster::new(server, trust, notes(), game.threads())))
    }

    #[cfg(not(feature = "cluster"))]
    fn remote<'g>(&self, _: &str, _: &'g dyn AnyGame) -> anyhow::Result<Box<dyn Executor + 'g>> {
        Err(InputError::new(format!("--executor: {}", super::WITHOUT_CLUSTER)).into())
    }
}

/// How to get into a NATS server.
#[cfg(feature = "cluster")]
#[derive(Args)]
pub(super) struct SecretArgs {
    /// The file of credentials for the NATS server, or of the seed of an nkey
    #[arg(long, value_name = "FILE")]
    nats_credentials: Option<std::path::PathBuf>,
    /// The certificate of the authority that signed the NATS server's, if the system does not know it. With this or a
    /// certificate, nothing but TLS is used
    #[arg(long, value_name = "FILE")]
    nats_authority: Option<std::path::PathBuf>,
    /// The certificate by which the NATS server knows this program
    #[arg(long, value_name = "FILE", requires = "nats_key")]
    nats_certificate: Option<std::path::PathBuf>,
    /// The key of this certificate
    #[arg(long, value_name = "FILE", requires = "nats_certificate")]
    nats_key: Option<std::path::PathBuf>,
}

#[cfg(feature = "cluster")]
impl std::fmt::Debug for SecretArgs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecretArgs")
    }
}

#[cfg(feature = "cluster")]
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
#[cfg(feature = "cluster")]
pub(super) fn read_key(path: Option<&std::path::Path>) -> Result<Option<Key>, InputError> {
    let Some(path) = path else { return Ok(None) };
    let (key, warning) = Key::read(path)?;
    warning.iter().for_each(|text| note(text));
    Ok(Some(key))
}

/// A share from 0 to 1.
#[cfg(feature = "cluster")]
fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a number from 0 to 1".into())
}

/// Notes about the server go to standard error.
#[cfg(feature = "cluster")]
pub(super) fn notes() -> Notes {
    std::sync::Arc::new(|text: &str| note(text))
}
