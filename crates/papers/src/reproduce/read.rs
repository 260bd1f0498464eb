//! Reads tables from files, the built-in ones and any others in the same format.

use std::path::Path;

use super::table::{Contestant, Figure, Printed, Reduction, Row, Table};
use tictune_core::input::{self, InputError, TomlFile, read_text, unknown};

macro_rules! built_in {
    ($($path:literal),* $(,)?) => {
        /// The tables that are compiled in, in the order of the documents.
        const BUILT_IN: &[&str] = &[$(include_str!(concat!("../../experiments/", $path, ".toml"))),*];
    };
}

built_in![
    "liang/tables/1.1",
    "liang/tables/2.8",
    "liang/tables/3.2",
    "liang/tables/3.3",
    "liang/tables/3.4",
    "liang/tables/4.3",
    "liang/tables/4.4",
    "liang/tables/4.5",
    "liang/tables/4.6",
    "liang/tables/4.7",
    "lifshitz/tables/search",
    "lifshitz/tables/heuristics",
    "lifshitz/tables/time",
    "lifshitz/tables/memory",
    "lifshitz/tables/learning",
    "lifshitz/tables/first-player",
    "lifshitz/tables/time-by-depth",
    "lifshitz/tables/time-by-turn",
    "lifshitz/tables/timed-against-depth-2",
    "lifshitz/tables/timed-against-depth-3",
    "lifshitz/tables/timed-against-timed",
    "sista/tables/4.1",
    "sista/tables/4.2",
    "sista/tables/4.3",
    "amar/tables/1",
    "papadam/tables/1",
    "papadam/tables/2",
    "papadam/tables/3",
    "papadam/tables/4",
];

impl Table {
    /// All built-in tables.
    ///
    /// # Errors
    /// If a built-in file is wrong; tests rule that out.
    pub fn built_in() -> Result<Vec<Self>, InputError> {
        BUILT_IN.iter().map(|text| read(text, None)).collect()
    }
}

/// Finds a table by its name, or reads a file in the same format.
///
/// # Errors
/// If `reference` is neither, or if the file is wrong.
pub fn find(reference: &str) -> Result<Table, InputError> {
    let tables = Table::built_in()?;
    if let Some(table) = tables.iter().find(|table| table.name == reference) {
        return Ok(table.clone());
    }
    if reference.ends_with(".toml") {
        let path = Path::new(reference);
        return read(&read_text(path)?, Some(path));
    }
    let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
    Err(InputError::new(unknown("table", reference, &names)))
}

/// Reads a table. Errors name `path`.
///
/// # Errors
/// If the text is not a table. The error gives the line and the key.
#[doc(hidden)]
pub fn read(text: &str, path: Option<&Path>) -> Result<Table, InputError> {
    let document = TomlFile::parse(text, path)?;
    let root = document.open_root();
    let mut table: Table = root.read()?;
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
        return Err(root.error("best", "is the value of no row"));
    }
    for (reduction, place) in table.reductions.iter().zip(root.inners("reductions")) {
        check_pairs(reduction, &table.players, &place)?;
    }
    if let (Some(figure), Some(place)) = (&table.figure, root.inner("figure")) {
        check_figure(figure, &table.rows).map_err(|message| place.error("x", message))?;
    }
    Ok(table)
}

/// Results and reductions identify players by name, so names must be unique.
fn check_players(players: &[Contestant]) -> Result<(), String> {
    let earlier = |index: usize| players[..index].iter().map(|player| &player.name);
    let twice = (0..players.len()).find(|&index| earlier(index).any(|n| *n == players[index].name));
    match (players, twice) {
        ([_], _) => Err("a round robin takes two players or more".into()),
        (_, Some(index)) => Err(format!("two are called {:?}", players[index].name)),
        _ => Ok(()),
    }
}

/// Every ordered pair of players. The first of a pair moves first if the schedule is `first`.
fn round_robin(players: &[Contestant]) -> Vec<Row> {
    let pairs = (0..players.len()).flat_map(|a| (0..players.len()).map(move |b| [a, b]));
    let row = |pair: [usize; 2]| {
        let [a, b] = pair.map(|player| players[player].name.clone());
        let agents = pair.map(|player| players[player].agent.clone());
        Row { a, b, agents, players: Some(pair), ..Row::default() }
    };
    pairs.filter(|[a, b]| a != b).map(row).collect()
}

fn check_pairs(
    reduction: &Reduction,
    players: &[Contestant],
    place: &input::Table<'_, '_>,
) -> Result<(), InputError> {
    let names: Vec<&str> = players.iter().map(|player| player.name.as_str()).collect();
    for pair in &reduction.pairs {
        let wrong = |message: &str| place.error_about("pairs", pair, message);
        let names_of_pair =
            pair.split_once(" > ").ok_or_else(|| wrong("pairs as in [\"NORMAL > REDUCED\"]"))?;
        for name in <[&str; 2]>::from(names_of_pair) {
            if !names.contains(&name) {
                return Err(wrong(&unknown("player", name, &names)));
            }
        }
    }
    Ok(())
}

/// Checks before the first game, not after all of them, that a figure can be drawn.
fn check_figure(figure: &Figure, rows: &[Row]) -> Result<(), String> {
    let least = if figure.x_is_logarithmic() { f64::MIN_POSITIVE } else { f64::MIN };
    let can_be_drawn = |row: &Row| {
        let value = row.value.as_ref().and_then(|value| value.parse::<f64>().ok());
        value.is_some_and(|value| value.is_finite() && value >= least)
    };
    rows.iter().position(|row| !can_be_drawn(row)).map_or(Ok(()), |index| {
        let above = if figure.x_is_logarithmic() { " above 0" } else { "" };
        Err(format!("row {} has no value that is a number{above} and can be drawn", index + 1))
    })
}

#[cfg(test)]
mod tests {
    use super::super::table::{Test, Winner};
    use super::*;
    use tictune_core::stats::Tally;

    #[test]
    fn built_in_tables_add_up_and_claim_what_their_counts_say() {
        let tables = Table::built_in().unwrap();
        assert_eq!(tables.len(), BUILT_IN.len());
        for table in tables {
            for (index, row) in table.rows.iter().enumerate() {
                let place = format!("table {}, row {}", table.name, index + 1);
                let Some(printed) = row.printed.map(|printed| printed.tally()) else {
                    assert_eq!(row.claim, None, "{place} claims what is not printed");
                    continue;
                };
                assert_eq!(printed.games(), row.games.unwrap_or(table.games), "{place}");
                let test = row.test.unwrap_or(table.test);
                match row.claim {
                    Some(claim) => assert_eq!(test.stronger(&printed), claim, "{place}"),
                    None => assert!(table.best.is_some(), "{place} claims nothing"),
                }
            }
        }
    }

    /// Scans of readings and budgets, which are kept apart from the tables.
    #[test]
    fn scans_are_tables_with_what_was_printed() {
        let experiments = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments");
        let mut rows = 0;
        for document in ["liang", "sista", "amar", "papadam"] {
            for entry in std::fs::read_dir(experiments.join(document).join("scans")).unwrap() {
                let path = entry.unwrap().path();
                let table = find(path.to_str().unwrap()).unwrap_or_else(|error| panic!("{error}"));
                for row in &table.rows {
                    let printed = row.printed.map(|printed| printed.tally());
                    let games = row.games.unwrap_or(table.games);
                    assert!(printed.is_none_or(|printed| printed.games() == games), "{path:?}");
                    let test = row.test.unwrap_or(table.test);
                    assert_eq!(
                        row.claim,
                        printed.map(|printed| test.stronger(&printed)),
                        "{path:?}"
                    );
                }
                rows += table.rows.len();
            }
        }
        assert!(rows > 50, "{rows}");
    }

    #[test]
    fn tables_of_other_conventions_read() {
        let text = BUILT_IN[0].replace(
            "title =",
            "test = \"two-sided\"\nreplay_ties = true\nrules = \"drawn_board=both\"\ntitle =",
        );
        let table = read(&text, Some(Path::new("folder/t.toml"))).unwrap();
        assert_eq!((table.test, table.replay_ties), (Test::TwoSided, true));
        assert_eq!(table.folder, Path::new("folder"));
        // Lifshitz: 43 wins, a draw and 56 losses are not significant; larger differences are.
        let stronger = |wins, losses| Test::TwoSided.stronger(&Tally { wins, draws: 1, losses });
        assert_eq!(stronger(43, 56), Winner::None);
        assert_eq!((stronger(30, 69), stronger(69, 30)), (Winner::B, Winner::A));
    }

    #[test]
    fn errors_name_line_and_key() {
        let good = BUILT_IN[0];
        for (from, to, expected) in [
            ("document =", "documents =", "unknown key \"documents\""),
            ("claim = \"a\"", "claim = \"x\"", "rows[1].claim: unknown claim \"x\""),
            ("a_wins = 41057", "a_wins = -1", "rows[1].printed.a_wins: expected a whole number"),
            ("games = 100000", "", "games: missing"),
            ("claim = \"a\"", "handicap = [1]", "rows[1].handicap: expected two numbers above 0"),
            ("claim = \"a\"", "handicap = [1, 0]", "rows[1].handicap"),
            ("schedule = \"first\"", "schedule = \"first\"\nbest = \"3\"", "best: is the value of"),
            ("table = \"1.1\"", "table = \"../1.1\"", "table: a name has letters"),
            ("title =", "test = \"t\"\ntitle =", "test: unknown test \"t\""),
        ] {
            let error = read(&good.replace(from, to), Some(Path::new("t.toml"))).unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
            assert!(error.to_string().starts_with("t.toml:"), "{error}");
        }
        let figure = "\n[figure]\nx = \"depth\"\ny = \"score\"\nlogarithmic = ";
        let head = &good[..good.find("[[rows]]").unwrap()];
        let player = "[[players]]\nname = \"a\"\nagent = \"random\"\n";
        let valued = good.replace("claim =", "value = \"0\"\nclaim =");
        for (text, expected) in [
            (
                good.replace("a_wins", "score = 0.5, a_wins"),
                "printed: write a_wins, b_wins and ties, or a score",
            ),
            (good.replace("table = \"1.1\"", "table = \"\""), "table: a name has letters"),
            (format!("{good}{figure}false"), "figure.x: row 1 has no value"),
            (
                format!("{valued}{figure}true"),
                "figure.x: row 1 has no value that is a number above",
            ),
            (format!("{head}{player}"), "players: a round robin takes two players"),
            (format!("{head}{player}{player}"), "players: two are called \"a\""),
        ] {
            let error = read(&text, Some(Path::new("t.toml"))).unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
        }
        assert!(read(&format!("{valued}{figure}false"), None).is_ok());
        assert!(find("4.55").unwrap_err().to_string().contains("did you mean \"4.5\"?"));
    }
}
