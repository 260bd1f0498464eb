//! `tictune figure`

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::note;
use crate::files::NamedFile;
use crate::input::InputError;
use crate::report::figures::{
    Axis, Frame, POINT_COLUMNS, Reference, Series, cumulative_rates, points_csv, time_by_turn,
    times_of_moves,
};
use crate::report::moves::{read_moves, read_results};

#[derive(Debug, Args)]
pub(super) struct FigureArgs {
    /// What to draw
    kind: FigureKind,
    /// A file that `match --moves` wrote; for convergence, one that `match --games-csv` wrote
    input: PathBuf,
    /// The SVG file to write; its points are written to a CSV file of the same name
    #[arg(long, value_name = "FILE.svg")]
    out: PathBuf,
    /// The title of the figure [default: what it shows]
    #[arg(long)]
    title: Option<String>,
    /// The names of the agents in the legend
    #[arg(long, num_args = 2, value_names = ["A", "B"], default_values = ["A", "B"])]
    names: Vec<String>,
    /// Show times on a logarithmic axis
    #[arg(long)]
    log: bool,
    /// Draw a dashed horizontal line at this value of the y axis, such as a time limit or 50 %
    #[arg(long, value_name = "Y", allow_negative_numbers = true)]
    reference: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FigureKind {
    /// The mean time of each move number
    TimeByTurn,
    /// The time of every move by its number in the game, with the mean
    Scatter,
    /// The shares of games won and drawn, as more games are played
    Convergence,
}

pub(super) fn run(args: &FigureArgs) -> anyhow::Result<()> {
    if args.out.extension().is_none_or(|extension| extension != "svg") {
        return Err(InputError::new("--out: expected a file name that ends in .svg").into());
    }
    if args.log && args.kind == FigureKind::Convergence {
        return Err(InputError::new("--log: a convergence plot has no time axis").into());
    }
    if args.kind == FigureKind::Scatter && args.reference.is_some() {
        return Err(InputError::new(
            "--reference: a scatter plot takes none; it draws the mean times",
        )
        .into());
    }
    let names = [args.names[0].as_str(), args.names[1].as_str()];
    let (title, series) = read(args.kind, &args.input, names)?;
    let points = args.out.with_extension("csv");
    let files =
        NamedFile::several([("--out", &*args.out), ("the CSV file of the points,", &*points)])?;
    if points.exists() && !is_points_csv(&points) {
        let message = format!(
            "the CSV file of the points, {}: is there and holds something else; choose another name for --out",
            points.display()
        );
        return Err(InputError::new(message).into());
    }
    let milliseconds = "milliseconds";
    let (x, y) = match args.kind {
        FigureKind::Convergence => ("games", Axis::linear("percent of games")),
        _ if args.log => (MOVES, Axis::logarithmic(milliseconds)),
        _ => (MOVES, Axis::linear(milliseconds)),
    };
    let title = args.title.as_deref().unwrap_or(title);
    let frame = Frame { title, x: Axis::linear(x), y };
    let reference = args.reference.map(|y| Reference { name: format!("reference at {y}"), y });
    let svg = match args.kind {
        FigureKind::Scatter => frame.scatter(&series),
        _ => frame.lines(&series, reference.as_ref()),
    };
    let svg = svg.map_err(|error| InputError::in_file(&args.input, error.to_string()))?;
    for (file, bytes) in files.iter().zip([svg.as_bytes(), &points_csv(&series)?]) {
        file.write(bytes)?;
    }
    note(&format!("{}, its points in {}", args.out.display(), points.display()));
    Ok(())
}

const MOVES: &str = "number of the move, of both players";

/// The title and the series of a figure.
fn read(
    kind: FigureKind,
    input: &Path,
    names: [&str; 2],
) -> Result<(&'static str, Vec<Series>), InputError> {
    Ok(match kind {
        FigureKind::TimeByTurn => {
            ("mean time of a move", time_by_turn(&read_moves(input)?, names).into())
        }
        FigureKind::Scatter => {
            ("time of each move", times_of_moves(&read_moves(input)?, names).into())
        }
        FigureKind::Convergence => {
            ("results as games are played", cumulative_rates(&read_results(input)?, names).into())
        }
    })
}

/// Whether a file is one of points, which may be replaced, or what is no regular file.
fn is_points_csv(path: &Path) -> bool {
    let mut start = String::new();
    let head = POINT_COLUMNS.join(",");
    let mut read = || File::open(path)?.take(head.len() as u64).read_to_string(&mut start);
    !path.is_file() || read().is_ok() && start == head
}
