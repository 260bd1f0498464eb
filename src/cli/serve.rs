//! `tictune serve`

use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;

use super::run_folder::{near, not_there};
use super::{Session, print};
use crate::input::InputError;
use crate::report::counted;
use crate::serve::Site;
use crate::weights::number_namesakes;

#[derive(Debug, Args)]
pub(super) struct ServeArgs {
    /// Folders of runs, or runs [default: runs]
    #[arg(value_name = "RUNS")]
    runs: Vec<PathBuf>,
    /// The port; 0 for any that is free
    #[arg(long, default_value_t = 8017, value_name = "N")]
    port: u16,
    /// The address to listen on. Unless it is a loopback address, anyone who can reach this machine can read the runs and play
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
    /// Weight files to play with, beside the built-in ones and those of the runs
    #[arg(long, value_name = "FILE")]
    weights: Vec<String>,
}

pub(super) fn run(args: &ServeArgs, session: &Session) -> anyhow::Result<()> {
    let folders = match args.runs.is_empty() {
        true => vec![PathBuf::from("runs")],
        false => args.runs.clone(),
    };
    if let Some(missing) = args.runs.iter().find(|folder| !folder.is_dir()) {
        let message =
            not_there("is not a folder", near(missing), "name a run, or a folder of runs");
        bail!(InputError::in_file(missing, message));
    }
    let weights = args.weights.iter().map(|name| session.weights(name));
    let mut weights = weights.collect::<Result<Vec<_>, _>>()?;
    number_namesakes(&mut weights);
    let listener = TcpListener::bind((args.host, args.port)).with_context(|| {
        format!("cannot listen on {}:{}; choose another port with --port N", args.host, args.port)
    })?;
    let address = listener.local_addr()?;
    let site = Site::new(&session.registry, session.program(), &folders, weights, address);
    session.stop_flag()?;
    print(&format!("http://{address}/\n"))?;
    let runs = counted(site.runs().len(), "run");
    let missing = folders.iter().find(|folder| !folder.is_dir());
    let missing = missing.map_or_else(String::new, |folder| {
        format!(" (the folder {} does not exist yet)", folder.display())
    });
    session.note(&format!("{runs} now{missing}; Ctrl-C stops the server"));
    if !address.ip().is_loopback() {
        session.note(
            "warning: anyone who can reach this machine can read these runs, and use its cores to play",
        );
    }
    // Nothing is kept here that could be lost.
    session.interrupt.waiting(|| 0, || site.answer_all(&listener));
    Ok(())
}
