//! Reads tables from files, the built-in ones and any others in the same format.

use std::collections::HashSet;
use std::path::Path;

use super::table::{Contestant, Figure, PaperTable, Printed, Quantity, Row};
use tictune_core::input::{InputError, Result, TomlFile, read_text, unknown};

macro_rules! built_in {
    ($($document:literal: $($name:literal)*;)*) => {
        /// The tables that are compiled in, in the order of the papers.
        const BUILT_IN: &[&str] = &[$($(
            include_str!(concat!("../../experiments/", $document, "/tables/", $name, ".toml")),
        )*)*];
    };
}

built_in! {
    "liang": "1.1" "2.8" "3.2" "3.3" "3.4" "4.3" "4.4" "4.5" "4.6" "4.7";
    "lifshitz": "search" "heuristics" "time" "memory" "learning" "first-player" "time-by-depth" "time-by-turn"
        "timed-against-depth-2" "timed-against-depth-3" "timed-against-timed";
    "sista": "4.1" "4.2" "4.3";
    "amar": "1";
    "papadam": "1" "2" "3" "4";
}

impl PaperTable {
    /// All built-in tables.
    ///
    /// # Errors
    /// If a built-in file is wrong; tests rule that out.
    pub fn built_in() -> Result<Vec<Self>> {
        BUILT_IN.iter().map(|text| read(text, None)).collect()
    }
}

/// Finds a table by its name, or reads a file in the same format.
///
/// # Errors
/// If `reference` is neither, or if the file is wrong.
pub fn find(reference: &str) -> Result<PaperTable> {
    let tables = PaperTable::built_in()?;
    if let Some(table) = tables.iter().find(|table| table.name == reference) {
        return Ok(table.clone());
    }
    if reference.ends_with(".toml") {
        let path = Path::new(reference);
        return read(&read_text(path)?, Some(path));
    }
    let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
    // As people say it: "table 4.5", "liang-4.5".
    let said = |name: &&str| {
        reference.strip_suffix(*name).is_some_and(|before| before.ends_with([' ', '-']))
    };
    if let Some(name) = names.iter().copied().find(said) {
        return Err(InputError::new(format!(
            "unknown table \"{reference}\"; did you mean \"{name}\"?"
        )));
    }
    Err(InputError::new(unknown("table", reference, &names)))
}

/// Reads a table. Errors name `path`.
///
/// # Errors
/// If the text is not a table. The error gives the line and the key.
#[doc(hidden)]
pub fn read(text: &str, path: Option<&Path>) -> Result<PaperTable> {
    let document = TomlFile::parse(text, path)?;
    let root = document.root();
    let mut table: PaperTable = root.read()?;
    table.file = path.map(Into::into);
    table.folder = path.and_then(Path::parent).unwrap_or(Path::new("")).into();
    let name = &table.name;
    if !name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
        || name.starts_with('.')
        || name.is_empty()
    {
        return Err(root.error("table", "a name has letters, digits, - _ and ., as in 4.5"));
    }
    check_players(&table.players).map_err(|message| root.error("players", message))?;
    if table.rows.is_empty() == table.players.is_empty() {
        let message = "write [[rows]] of matches, or the [[players]] of a round robin";
        return Err(root.error("rows", message));
    }
    for (row, place) in table.rows.iter_mut().zip(root.inners("rows")) {
        row.line = place.error_here("").line;
        if let Some(Printed::Score { games, .. }) = &mut row.printed {
            *games = row.games.unwrap_or(table.games);
        }
    }
    table.rows.extend(round_robin(&table.players));
    let is_value = |best: &String| table.rows.iter().any(|row| row.value.as_ref() == Some(best));
    if !table.best.iter().all(is_value) {
        return Err(root.error("best", "no row has this value"));
    }
    let names: Vec<&str> = table.players.iter().map(|player| player.name.as_str()).collect();
    for (reduction, place) in table.reductions.iter().zip(root.inners("reductions")) {
        for pair in &reduction.pairs {
            let wrong = |message: &str| place.error_about("pairs", pair, message);
            let expected = "expected pairs as in [\"NORMAL > REDUCED\"]";
            let both: [&str; 2] = pair.split_once(" > ").ok_or_else(|| wrong(expected))?.into();
            if let Some(name) = both.iter().find(|name| !names.contains(name)) {
                return Err(wrong(&unknown("player", name, &names)));
            }
        }
    }
    if let (Some(figure), Some(place)) = (&table.figure, root.inner("figure")) {
        check_figure(figure, &table.rows).map_err(|message| place.error("x", message))?;
    }
    let is_ours = || PaperTable::built_in().map(|all| all.iter().any(|x| x.name == table.name));
    if path.is_some() && !BUILT_IN.contains(&text) && is_ours()? {
        let message =
            "a table of the papers has this name, and this file differs from it: change the name";
        return Err(root.error("table", message));
    }
    Ok(table)
}

/// Results and reductions identify players by name, so names must be unique.
fn check_players(players: &[Contestant]) -> Result<(), String> {
    if players.len() == 1 {
        return Err("a round robin takes two players or more".into());
    }
    let mut names = HashSet::new();
    let twice = players.iter().find(|player| !names.insert(&player.name));
    twice.map_or(Ok(()), |player| Err(format!("two are called {:?}", player.name)))
}

/// Every ordered pair of players. The first of a pair moves first if the schedule is `first`.
fn round_robin(players: &[Contestant]) -> Vec<Row> {
    let numbers = 0..players.len();
    let pairs = numbers.clone().flat_map(|a| numbers.clone().map(move |b| [a, b]));
    let row = |pair: [usize; 2]| {
        let [a, b] = pair.map(|player| players[player].name.clone());
        let agents = pair.map(|player| players[player].agent.clone());
        Row { a, b, agents, players: Some(pair), ..Row::default() }
    };
    pairs.filter(|[a, b]| a != b).map(row).collect()
}

/// Checks before the first game, not after all of them, that a figure can be drawn.
fn check_figure(figure: &Figure, rows: &[Row]) -> Result<(), String> {
    let above_zero = figure.logarithmic && figure.y == Quantity::Score;
    let can_be_drawn = |row: &Row| {
        let value = row.value.as_deref().and_then(|value| value.parse::<f64>().ok());
        value.is_some_and(|value| value.is_finite() && (value > 0.0 || !above_zero))
    };
    let wrong = |row| Err(format!("row {} has no number as its value that can be drawn", row + 1));
    rows.iter().position(|row| !can_be_drawn(row)).map_or(Ok(()), wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tictune_core::testing::check_mistakes;

    /// Beside the built-in tables there are scans of readings and budgets.
    #[test]
    fn tables_add_up_and_claim_what_their_counts_say() {
        let mut tables = PaperTable::built_in().unwrap();
        let experiments = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments");
        for document in ["liang", "sista", "amar", "papadam"] {
            for scan in std::fs::read_dir(experiments.join(document).join("scans")).unwrap() {
                tables.push(find(scan.unwrap().path().to_str().unwrap()).unwrap());
            }
        }
        let mut rows_of_scans = 0;
        for table in tables {
            for (index, row) in table.rows.iter().enumerate() {
                let place = format!("table {}, row {}", table.name, index + 1);
                let printed = row.printed.map(|printed| printed.tally());
                let games = row.games.unwrap_or(table.games);
                assert!(printed.is_none_or(|printed| printed.games() == games), "{place}");
                let test = row.test.unwrap_or(table.test);
                let claim = printed.map(|printed| test.stronger(&printed));
                let is_sweep = table.best.is_some() && row.claim.is_none();
                assert!(
                    printed.is_none() || row.claim == claim || is_sweep,
                    "{place} claims {:?}",
                    row.claim
                );
            }
            rows_of_scans += if table.file.is_some() { table.rows.len() } else { 0 };
        }
        assert!(rows_of_scans > 50, "{rows_of_scans}");
    }

    #[test]
    fn errors_name_line_and_key() {
        let read = |text: &str| read(text, Some(Path::new("t.toml"))).map_err(|e| e.to_string());
        check_mistakes(include_str!("../mistakes.txt"), "table", BUILT_IN[0], read);
    }
}
