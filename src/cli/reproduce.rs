//! `tictune reproduce`

use std::fs::File;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use anyhow::{bail, ensure};
use clap::Args;
use minijinja::context;

use super::executor::ExecutorArgs;
use super::progress::GameBar;
use super::{Session, print, print_json, range};
use crate::agent::{Clock, Limit};
use crate::arena::ExecutorError;
use crate::evolve::RunError;
use crate::files::{
    FileError, TIME_TO_WRITE, create_folder, lock, own_folder, remove_temporary, write_atomically,
};
use crate::input::{InputError, Result, read_data};
use crate::papers::reproduce::{PaperTable, Reproduction, Sizes, TableReport, find};
use crate::report::charts::points_csv;
use crate::report::{
    Drawn, charts_of_row, charts_of_table, papers_page, reproduced_table, result_of, written,
};

#[derive(Debug, Args)]
pub(super) struct ReproduceArgs {
    /// Tables by name, such as 4.5, or files of the same form; with --report, the folder of --out or result files in it. Without any,
    /// the known tables are listed
    tables: Vec<String>,
    /// List the known tables
    #[arg(long, conflicts_with = "tables")]
    list: bool,
    /// Print a page (Markdown) of all rows of the results that --out wrote: --report DIR, or --report FILE...
    #[arg(long, requires = "tables", conflicts_with_all = ["list", "json", "out"])]
    report: bool,
    /// The number of games in each row [default: as printed]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,
    /// Iterations per move of Monte Carlo tree search, which Liang's thesis limits by time; 25,000 is what its author reports
    /// [default: 25000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    iterations: Option<u64>,
    /// Positions per move of iterative deepening, which Liang's thesis limits by time; the default reaches about as
    /// deep as its program did, which searched every root move with a full window (plain with alpha_beta=true)
    /// [default: 20000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Limit agents by time instead: Liang's by the clock of that thesis, those of other papers by the
    /// seconds that these print. Every time is multiplied by this number. Threads share the cores: give no
    /// more --threads than there are free cores
    #[arg(long, value_name = "S", conflicts_with_all = ["iterations", "nodes"])]
    time_scale: Option<f64>,
    /// The rows to play, counted from 1, as in 1,4-6 [default: all]
    #[arg(long, value_delimiter = ',', value_name = "R,...", value_parser = rows)]
    rows: Vec<RangeInclusive<usize>>,
    /// The seed of every row
    #[arg(long, default_value_t = 0, value_name = "S")]
    seed: u64,
    /// A folder for the results: one JSON file for each table, written after every row, and figures where the paper has some.
    /// Rows found there are not played again; rows that were played with other settings are not overwritten
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    players: ExecutorArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ReproduceArgs, session: &Session) -> anyhow::Result<()> {
    if args.list || args.tables.is_empty() {
        return list(session, args.json);
    }
    if args.report {
        return page(&args.tables, session);
    }
    let tables = args.tables.iter().map(|name| find(name)).collect::<Result<Vec<_>, _>>()?;
    let fits = args.rows.is_empty() || tables.len() == 1;
    ensure!(fits, InputError::new("--rows needs a single table"));
    note_without_effect(args, &tables, session);
    let sizes = sizes(args);
    // Held until the end: of two processes, the later one to write would undo the rows of the other. A folder that
    // cannot be written is found out before the first game, too.
    let _lock = args.out.as_deref().map(lock_folder).transpose()?;
    // All tables are checked before the first game of any.
    let mut all: Vec<(_, _, _, Option<PathBuf>)> = Vec::new();
    for (reference, table) in args.tables.iter().zip(&tables) {
        let name = &table.name;
        let file = args.out.as_ref().map(|folder| folder.join(format!("{name}.json")));
        if file.is_some() && all.iter().any(|(.., other)| *other == file) {
            bail!(InputError::new(format!("two tables {name} would be saved to one file")));
        }
        let there = file.as_deref().filter(|file| file.exists());
        let earlier =
            there.map(read_report).transpose()?.map_or_else(Vec::new, |report| report.rows);
        let game = session.find(Some(&table.game))?.known("reproduce", "moves")?;
        let reproduction = Reproduction::new(game, table, &sizes, &earlier);
        let reproduction = reproduction.map_err(|error| match &file {
            Some(file) if !earlier.is_empty() => InputError::in_file(file, error.to_string()),
            _ => error,
        })?;
        all.push((table, reproduction, command(args, reference, table), file));
    }
    let stop = session.stop_flag()?;
    let mut reports = Vec::new();
    for (table, mut reproduction, command, file) in all {
        let executor = args.players.open(session, session.find(Some(&table.game))?)?;
        let rows = reproduction.left();
        let bar = GameBar::new(session, rows.iter().map(|(_, games)| games).sum());
        let on_game = || bar.inc(1);
        for (row, _) in rows {
            let play = || reproduction.play(&*executor, row, &on_game, stop);
            let (played, trace) = session.interrupt.busy(play).map_err(|error| {
                bar.finish_and_clear();
                if matches!(error, ExecutorError::Stopped) && file.is_some() {
                    session.note("stopped; finished rows are saved. The same command continues");
                }
                RunError::from(error)
            })?;
            let result = result_of(&played.measured);
            let names = table.rows[row - 1].names().join(" : ");
            bar.suspend(|| session.inform(&format!("{} row {row}: {names} {result}", table.name)));
            if let Some(file) = &file {
                let report = reproduction.report(&command);
                save(file, &report)?;
                let played = report.rows.iter().find(|played| played.row == row);
                if let (Some(played), Some(trace)) = (played, trace) {
                    save_charts(file, charts_of_row(&report, played, &trace)?)?;
                }
            }
        }
        bar.finish_and_clear();
        let report = reproduction.report(&command);
        if let Some(file) = &file {
            // Also where all rows were found: the table may say more of them than it did.
            if !report.rows.is_empty() {
                save(file, &report)?;
            }
            save_charts(file, charts_of_table(&report)?)?;
        }
        if !args.json {
            print(&reproduced_table(session.width(), &report))?;
        }
        reports.push(report);
    }
    if args.json { print_json(&serde_json::json!({ "tables": reports })) } else { Ok(()) }
}

/// Makes the folder of the results and locks it against other processes.
fn lock_folder(folder: &Path) -> anyhow::Result<Option<File>> {
    own_folder("--out", folder)?;
    create_folder(folder).map_err(FileError::writing(folder))?;
    remove_temporary(folder, TIME_TO_WRITE);
    // Where folders cannot be opened there is no lock.
    let Ok(opened) = File::open(folder) else { return Ok(None) };
    let message = "another tictune writes its results here; wait for its end, or name another folder with --out";
    lock(&opened, folder, message)?;
    Ok(Some(opened))
}

fn rows(text: &str) -> Result<RangeInclusive<usize>, String> {
    range(text).ok_or_else(|| "expected a row or rows, counted from 1, as in 2 or 4-6".into())
}

/// Says which limits no agent of the tables has.
fn note_without_effect(args: &ReproduceArgs, tables: &[PaperTable], session: &Session) {
    let given = [
        ("--iterations", args.iterations.is_some(), "{monte_carlo}"),
        ("--nodes", args.nodes.is_some(), "{deepening}"),
        ("--time-scale", args.time_scale.is_some(), "{"),
    ];
    for (option, is_given, placeholder) in given {
        let mut agents = tables.iter().flat_map(|table| &table.rows).flat_map(|row| &row.agents);
        if is_given && !agents.any(|agent| agent.contains(placeholder)) {
            let tables: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
            session.note(&format!("note: {option} changes no agent of {}", tables.join(", ")));
        }
    }
}

impl ReproduceArgs {
    fn iterations(&self) -> u64 {
        self.iterations.unwrap_or(25_000)
    }

    fn nodes(&self) -> u64 {
        self.nodes.unwrap_or(20_000)
    }
}

fn sizes(args: &ReproduceArgs) -> Sizes {
    let [monte_carlo, deepening] = match args.time_scale {
        None => [Limit::Iterations(args.iterations()), Limit::Nodes(args.nodes())],
        Some(scale) => [Limit::Clock { clock: Clock::TheAiGames, scale }; 2],
    };
    let (games, seed, rows) =
        (args.games, args.seed, args.rows.iter().cloned().flatten().collect());
    Sizes { games, monte_carlo, deepening, time_scale: args.time_scale, seed, rows }
}

/// The command that measures all rows of a table in the same way, whatever the defaults are then.
fn command(args: &ReproduceArgs, reference: &str, table: &PaperTable) -> String {
    let limits = match args.time_scale {
        None => format!("--iterations {} --nodes {}", args.iterations(), args.nodes()),
        Some(scale) => format!("--time-scale {scale}"),
    };
    let games = match args.games {
        Some(games) => format!(" --games {games}"),
        // Rows may have numbers of games of their own.
        None if table.rows.iter().any(|row| row.games.is_some()) => String::new(),
        None => format!(" --games {}", table.games),
    };
    format!("tictune reproduce {reference}{games} {limits} --seed {}", args.seed)
}

pub(super) fn read_report(file: &Path) -> Result<TableReport> {
    serde_json::from_str(&read_data(file)?)
        .map_err(|error| InputError::in_file(file, format!("is not a report of a table: {error}")))
}

/// Prints the rows of result files, in the order of the built-in tables. Of a folder, they are those of all JSON files.
fn page(paths: &[String], session: &Session) -> anyhow::Result<()> {
    let mut files = Vec::new();
    for path in paths.iter().map(PathBuf::from) {
        if !path.is_dir() {
            files.push(path);
            continue;
        }
        let before = files.len();
        for entry in path.read_dir().map_err(FileError::reading(&path))? {
            let file = entry.map_err(FileError::reading(&path))?.path();
            files.extend((file.extension() == Some("json".as_ref())).then_some(file));
        }
        let none = || {
            let program = session.program();
            let message =
                format!("has no results; `{program} reproduce TABLE --out DIR` writes some");
            InputError::in_file(&path, message)
        };
        ensure!(files.len() > before, none());
    }
    let mut results = Vec::new();
    for file in &files {
        let report = read_report(file)?;
        let Ok(table) = find(&report.table) else {
            let (file, table) = (file.display(), &report.table);
            session.note(&format!("note: {file} is left out: {table} is not a table of a paper"));
            continue;
        };
        let known = report.rows.iter().all(|row| (1..=table.rows.len()).contains(&row.row));
        ensure!(known, InputError::in_file(file, "has rows that its table has not"));
        results.push((table, report));
    }
    let tables = PaperTable::built_in()?;
    results.sort_by_key(|(table, _)| tables.iter().position(|known| known.name == table.name));
    print(&papers_page(&results))
}

fn save(file: &Path, report: &TableReport) -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(report)? + "\n";
    Ok(write_atomically(file, text.as_bytes()).map_err(FileError::writing(file))?)
}

/// Writes charts, and what they draw as CSV, beside the file of a table.
fn save_charts(file: &Path, charts: Vec<Drawn>) -> anyhow::Result<()> {
    let stem = file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into());
    for Drawn { suffix, svg, lines } in charts {
        for (ending, text) in [("svg", svg.into_bytes()), ("csv", points_csv(&lines)?)] {
            let path = file.with_file_name(format!("{stem}-{suffix}.{ending}"));
            write_atomically(&path, &text).map_err(FileError::writing(&path))?;
        }
    }
    Ok(())
}

fn list(session: &Session, json: bool) -> anyhow::Result<()> {
    let tables = PaperTable::built_in()?;
    let entry = |table: &PaperTable| {
        let PaperTable { document, name, title, rows, games, seconds, .. } = table;
        let rows = rows.len();
        serde_json::json!({ "document": document, "table": name, "title": title, "rows": rows, "games": games, "seconds": seconds })
    };
    let tables: Vec<_> = tables.iter().map(entry).collect();
    session.print_result(json, &tables, |width| {
        written(width, include_str!("tables.txt.jinja"), context! { tables })
    })
}
