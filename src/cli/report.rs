//! `tictune report`

use std::path::PathBuf;

use clap::Args;

use super::nearby::no_run;
use super::print;
use crate::evolve::RunDir;
use crate::files::NamedFile;
use crate::registry::Registry;
use crate::report::page;

#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// The folder of a run, finished or not
    run: PathBuf,
    /// The folder of a second run, to be compared with the first
    other: Option<PathBuf>,
    /// The file to write [default: report.html in the folder of the run; compare.html here for two]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(super) fn run(args: &ReportArgs, registry: &Registry) -> anyhow::Result<()> {
    let dirs: Vec<RunDir> = std::iter::once(&args.run)
        .chain(&args.other)
        .map(|path| RunDir::new(path, registry.known()))
        .collect();
    for dir in &dirs {
        if dir.path().is_file() || dir.manifest()?.is_none() {
            return Err(no_run(dir.path()).into());
        }
    }
    let out = match (&args.out, &dirs[..]) {
        (Some(out), _) => Some(out.clone()),
        (None, [_, _]) => Some(PathBuf::from("compare.html")),
        (None, _) => None,
    };
    let out = out.map(|out| NamedFile::new("--out", &out).map(|file| (file, out))).transpose()?;
    let text = match &dirs[..] {
        [a, b] => page::compare_report([a, b])?,
        runs => page::run_report(&runs[0])?,
    };
    let path = match out {
        Some((file, path)) => {
            file.write(text.as_bytes())?;
            path
        }
        None => {
            dirs[0].remove_old_leftovers();
            dirs[0].write("report.html", text.as_bytes())?;
            dirs[0].file("report.html")
        }
    };
    print(&format!("report: {}\n", path.display()))
}
