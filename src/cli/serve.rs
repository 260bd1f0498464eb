//! `tictune serve`

use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;

use super::nearby::run_meant;
use super::{Session, print};
use crate::input::InputError;
use crate::serve::{Site, is_local};
use crate::weights::Weights;

#[derive(Debug, Args)]
pub(super) struct ServeArgs {
    /// Folders of runs, or runs [default: runs]
    #[arg(value_name = "RUNS")]
    runs: Vec<PathBuf>,
    /// The port; 0 for any that is free
    #[arg(long, default_value_t = 8017, value_name = "N")]
    port: u16,
    /// The address to listen at. With any but a loopback address, all who reach this machine can read the runs and play
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
        let near = run_meant(missing);
        let message = format!(
            "is no folder{near}{} name a run, or a folder of runs",
            if near.is_empty() { ":" } else { "" }
        );
        return Err(InputError::in_file(missing, message).into());
    }
    let read =
        |name: &String| Weights::find_of_any_game(name, &session.known().games, Path::new(""));
    let weights = args.weights.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let listener = TcpListener::bind((args.host, args.port)).with_context(|| {
        format!("{}:{} cannot be listened at; --port N names another port", args.host, args.port)
    })?;
    let address = listener.local_addr()?;
    let site = Site::new(&session.registry, &folders, weights, address);
    session.stop_flag()?;
    print(&format!("http://{address}/\n"))?;
    let runs = site.count_runs();
    let missing = match folders.iter().find(|folder| !folder.is_dir()) {
        Some(folder) => format!(" (there is no folder {} yet)", folder.display()),
        None => String::new(),
    };
    let plural = if runs == 1 { "" } else { "s" };
    session.note(&format!("{runs} run{plural} now{missing}; Ctrl-C ends the page"));
    if !is_local(address.ip()) {
        session.note(
            "warning: everybody who reaches this machine can read these runs, and use its cores to play",
        );
    }
    // Nothing is kept here that could be lost.
    session.interrupt.waiting(|| 0, || site.answer_all(&listener));
    Ok(())
}
