//! Who plays the games: threads of this process, or workers on other machines.

use std::sync::Arc;

use clap::Args;

use super::progress::RunProgress;
#[cfg(feature = "cluster")]
use super::worker::{SecretArgs, notes, read_key, share};
use super::{Session, ThreadArgs};
use crate::arena::{CountForfeits, Executor};
#[cfg(feature = "cluster")]
use crate::cluster::{Cluster, Trust};
use crate::evolve::MatchContext;
#[cfg(not(feature = "cluster"))]
use crate::input::InputError;
use crate::registry::AnyGame;

#[derive(Debug, Args)]
pub(super) struct ExecutorArgs {
    #[command(flatten)]
    pub(super) threads: ThreadArgs,
    /// Let the workers of a NATS server play: nats://HOST:PORT (see `tictune worker`) [default: threads of this process]
    #[arg(long, value_name = "URL", hide = cfg!(not(feature = "cluster")))]
    executor: Option<String>,
    /// A file with the key that this command shares with its workers: results without it are refused. `openssl rand -hex 32`
    /// makes one
    #[cfg(feature = "cluster")]
    #[arg(long, value_name = "FILE")]
    key: Option<std::path::PathBuf>,
    /// The share of the workers' parts that are played again here to check them, at least one of each worker; 0 for none
    #[cfg(feature = "cluster")]
    #[arg(long, value_name = "SHARE", default_value_t = 0.01, value_parser = share)]
    recheck: f64,
    #[cfg(feature = "cluster")]
    #[command(flatten)]
    secrets: SecretArgs,
}

impl ExecutorArgs {
    pub(super) const fn is_here(&self) -> bool {
        self.executor.is_none()
    }

    #[cfg_attr(not(feature = "cluster"), expect(unused_variables))]
    pub(super) fn open<'g>(
        &self,
        session: &Session,
        game: &'g dyn AnyGame,
    ) -> anyhow::Result<Box<dyn Executor + 'g>> {
        let threads = game.threads(Some(Arc::new(self.threads.pool()?)));
        match &self.executor {
            None => Ok(threads),
            #[cfg(feature = "cluster")]
            Some(address) => {
                let (server, key) =
                    (self.secrets.server(address)?, read_key(session, self.key.as_deref())?);
                let trust = Trust { key, recheck: self.recheck };
                Ok(Box::new(Cluster::new(server, trust, notes(session), threads)))
            }
            #[cfg(not(feature = "cluster"))]
            Some(_) => {
                let message = format!("--executor: {}", super::WITHOUT_CLUSTER);
                Err(InputError::new(message).into())
            }
        }
    }

    /// Plays the matches of a verdict: shows their progress, and says how many games were forfeited.
    pub(super) fn play_matches<R: Send>(
        &self,
        session: &Session,
        game: &dyn AnyGame,
        rules: &str,
        play: impl FnOnce(&MatchContext<'_>) -> R + Send,
    ) -> anyhow::Result<R> {
        let (stop, progress) = (session.stop_flag()?, RunProgress::of_matches(session));
        let (players, game) = (self.open(session, game)?, game.info().name);
        let executor = CountForfeits::new(&*players);
        let context = MatchContext { executor: &executor, game, rules, observer: &progress, stop };
        let played = session.interrupt.busy(|| play(&context));
        progress.finish();
        executor.in_words().iter().for_each(|forfeits| session.note(forfeits));
        Ok(played)
    }
}
