//! `tictune report`

use std::path::{Path, PathBuf};

use anyhow::{bail, ensure};
use clap::Args;

use super::run_folder::{no_run, not_of_a_run};
use super::{Session, print};
use crate::evolve::RunDir;
use crate::files::{
    FileError, NamedFile, TIME_TO_WRITE, create_folder, own_folder, remove_temporary,
    write_atomically,
};
use crate::input::InputError;
use crate::report::charts::{Plot, match_plots};
use crate::report::page;

#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// The folder of a run, finished or not, or of several to compare; with --svg also a file of `match --moves` or `match --games-csv`
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// The file to write [default: report.html in the folder of the run; compare.html here for several]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write each chart to this folder as a separate SVG file, and no report
    #[arg(long, value_name = "DIR", conflicts_with = "out")]
    svg: Option<PathBuf>,
}

pub(super) fn run(args: &ReportArgs, session: &Session) -> anyhow::Result<()> {
    if let (Some(folder), [file]) = (&args.svg, &args.runs[..])
        && file.is_file()
    {
        return write_charts(file, &match_plots(file)?, folder);
    }
    let dirs = args.runs.iter().map(|path| RunDir::new(path, session.known()));
    let dirs: Vec<RunDir> = dirs.collect();
    for dir in &dirs {
        ensure!(!dir.path().is_file() && dir.manifest()?.is_some(), no_run(dir.path()));
    }
    if let Some(folder) = &args.svg {
        return write_charts(&args.runs[0], &page::plots(&dirs)?, folder);
    }
    let of_several = (dirs.len() > 1).then(|| PathBuf::from("compare.html"));
    let out = args.out.clone().or(of_several);
    // Before the report is made.
    out.iter().try_for_each(|out| not_of_a_run("--out", out))?;
    let file = out.as_ref().map(|out| NamedFile::new("--out", out)).transpose()?;
    let text = match &dirs[..] {
        [run] => page::run_report(run)?,
        runs => page::compare_report(runs)?,
    };
    if let Some(file) = file {
        file.write(text.as_bytes())?;
    } else {
        dirs[0].remove_leftovers(TIME_TO_WRITE);
        dirs[0].write("report.html", text.as_bytes())?;
    }
    let path = out.unwrap_or_else(|| dirs[0].file("report.html"));
    print(&format!("report: {}\n", path.display()))
}

fn write_charts(input: &Path, plots: &[Plot], folder: &Path) -> anyhow::Result<()> {
    own_folder("--svg", folder)?;
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    for plot in plots {
        // What a page leaves out is left out here.
        let Ok(svg) = plot.svg() else { continue };
        let mut path = folder.join(file_name(plot) + ".svg");
        for number in 2.. {
            if files.iter().all(|(other, _)| *other != path) {
                break;
            }
            path = folder.join(format!("{}-{number}.svg", file_name(plot)));
        }
        files.push((path, svg));
    }
    if files.is_empty() {
        let message = "has no charts yet: there is no generation, move or game to draw";
        bail!(InputError::in_file(input, message));
    }
    create_folder(folder).map_err(FileError::writing(folder))?;
    remove_temporary(folder, TIME_TO_WRITE);
    for (path, svg) in &files {
        write_atomically(path, svg.as_bytes()).map_err(FileError::writing(path))?;
    }
    print(&files.iter().map(|(path, _)| format!("chart: {}\n", path.display())).collect::<String>())
}

/// The title of a chart in letters that every file system allows.
fn file_name(plot: &Plot) -> String {
    const LONGEST: usize = 80;
    let allowed = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let title = plot.title.to_lowercase();
    let name: String = title.chars().map(allowed).take(LONGEST).collect();
    if plot.small { format!("path-{name}") } else { name }
}
