//! `tictune report`

use std::path::PathBuf;

use clap::Args;

use super::print;
use crate::evolve::RunDir;
use crate::input::InputError;
use crate::registry::Registry;
use crate::report::html;

#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// The folder of a run, finished or not
    run: PathBuf,
}

pub(super) fn run(args: &ReportArgs, registry: &Registry) -> anyhow::Result<()> {
    let dir = RunDir::new(&args.run, registry.known());
    if dir.manifest()?.is_none() {
        let message = "holds no run: there is no manifest.json";
        return Err(InputError::in_file(&args.run, message).into());
    }
    dir.remove_old_leftovers();
    let text = html::run_report(&dir)?;
    dir.write("report.html", text.as_bytes())?;
    print(&format!("report: {}\n", dir.file("report.html").display()))
}
