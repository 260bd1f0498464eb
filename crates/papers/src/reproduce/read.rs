//! Reads tables from files, the built-in ones and any others in the same format.

use std::path::Path;
use std::str::FromStr;

use strum::VariantNames;

use super::table::{Contestant, Drawing, Figure, Printed, Quantity, Reduction, Row, Table, Test};
use tictune_core::input::{self, InputError, TomlFile, read_text, unknown, unknown_name};
use tictune_core::stats::Tally;

/// The game of tables that name none; four of the five documents are about it.
const DEFAULT_GAME: &str = "uttt";

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
    const KEYS: [&str; 18] = [
        "document",
        "table",
        "game",
        "title",
        "games",
        "openings",
        "schedule",
        "rules",
        "replay_ties",
        "test",
        "best",
        "rows",
        "players",
        "reductions",
        "positions_per_second",
        "choices",
        "figure",
        "drawn",
    ];
    const ROW_KEYS: [&str; 10] = [
        "value",
        "a",
        "b",
        "agents",
        "printed",
        "games",
        "test",
        "handicap",
        "milliseconds",
        "claim",
    ];
    let document = TomlFile::parse(text, path)?;
    let root = document.root(&KEYS)?;
    let games = root.whole("games", 1)?.ok_or_else(|| root.error("games", "missing"))?;
    let rows = root.tables("rows", &ROW_KEYS)?;
    let mut rows = rows.iter().map(|row| read_row(row, games)).collect::<Result<Vec<_>, _>>()?;
    let players = root.tables("players", &["name", "agent", "score", "milliseconds"])?;
    let players = players.iter().map(read_player).collect::<Result<Vec<_>, _>>()?;
    check_players(&players).map_err(|message| root.error("players", message))?;
    if rows.is_empty() == players.is_empty() {
        let message = "write [[rows]] of matches, or the [[players]] of a round robin";
        return Err(root.error("rows", message));
    }
    rows.extend(round_robin(&players));
    let best = root.string("best")?.map(String::from);
    if let Some(best) = &best
        && !rows.iter().any(|row| row.value.as_ref() == Some(best))
    {
        return Err(root.error("best", "is the value of no row"));
    }
    let name = required(&root, "table")?;
    // Results are saved under this name.
    if !name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
        || name.starts_with('.')
        || name.is_empty()
    {
        return Err(root.error("table", "a name has letters, digits, - _ and ., as in 4.5"));
    }
    let reductions = root.tables("reductions", &["name", "quantity", "pairs", "printed"])?;
    let reductions = reductions.iter().map(|table| read_reduction(table, &players));
    let reductions = reductions.collect::<Result<Vec<_>, _>>()?;
    let figure = root.table("figure", &["x", "y", "logarithmic"])?;
    let figure = figure.as_ref().map(|table| read_figure(table, &rows)).transpose()?;
    Ok(Table {
        file: path.map(Into::into),
        document: required(&root, "document")?,
        name,
        game: root.string("game")?.unwrap_or(DEFAULT_GAME).into(),
        title: required(&root, "title")?,
        games,
        openings: required(&root, "openings")?,
        schedule: required(&root, "schedule")?,
        rules: root.string("rules")?.unwrap_or_default().into(),
        replay_ties: root.boolean("replay_ties")?.unwrap_or(false),
        test: test(&root)?.unwrap_or_default(),
        folder: path.and_then(Path::parent).unwrap_or(Path::new("")).into(),
        rows,
        best,
        players,
        reductions,
        positions_per_second: root.positive("positions_per_second")?,
        choices: root.strings("choices")?.unwrap_or_default().into_iter().map(Into::into).collect(),
        figure,
        drawn: read_drawn(&root)?,
    })
}

fn read_row(table: &input::Table<'_, '_>, games: u64) -> Result<Row, InputError> {
    let agents = table.strings("agents")?.ok_or_else(|| table.error("agents", "missing"))?;
    let agents: [&str; 2] =
        agents.try_into().map_err(|_| table.error("agents", "expected two agents"))?;
    let own_games = table.whole("games", 1)?;
    let claim = table.string("claim")?.map(str::parse).transpose();
    let claim = claim.map_err(|_| table.error("claim", "expected a, b or none"))?;
    let printed = table.table("printed", &["a_wins", "b_wins", "ties", "score"])?;
    Ok(Row {
        line: table.error_here("").line,
        value: table.string("value")?.map(String::from),
        names: [required(table, "a")?, required(table, "b")?],
        agents: agents.map(String::from),
        printed: printed.map(|p| read_printed(&p, own_games.unwrap_or(games))).transpose()?,
        games: own_games,
        test: test(table)?,
        handicap: two_numbers(table, "handicap")?,
        milliseconds: two_numbers(table, "milliseconds")?,
        claim,
        players: None,
    })
}

/// A number of A and one of B, both above 0.
fn two_numbers(table: &input::Table<'_, '_>, key: &str) -> Result<Option<[f64; 2]>, InputError> {
    const EXPECTED: &str = "two numbers above 0";
    let number = |value| input::number(value).filter(|number| *number > 0.0);
    let both = table.array(key, EXPECTED, number)?.map(TryInto::try_into).transpose();
    both.map_err(|_| table.error(key, format!("expected {EXPECTED}")))
}

fn read_printed(table: &input::Table<'_, '_>, games: u64) -> Result<Printed, InputError> {
    if let Some(score) = share(table, "score")? {
        if let Some(key) = ["a_wins", "b_wins", "ties"].into_iter().find(|key| table.has(key)) {
            return Err(table.misplaced(key, "write counts or a score, not both"));
        }
        return Ok(Printed::Score { score, games });
    }
    let count = |key: &str| table.whole(key, 0)?.ok_or_else(|| table.error(key, "missing"));
    let tally = Tally { wins: count("a_wins")?, draws: count("ties")?, losses: count("b_wins")? };
    Ok(Printed::Counts(tally))
}

fn read_player(table: &input::Table<'_, '_>) -> Result<Contestant, InputError> {
    Ok(Contestant {
        name: required(table, "name")?,
        agent: required(table, "agent")?,
        score: share(table, "score")?,
        milliseconds: table.positive("milliseconds")?,
    })
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
    let row = |pair: [usize; 2]| Row {
        line: None,
        value: None,
        names: pair.map(|player| players[player].name.clone()),
        agents: pair.map(|player| players[player].agent.clone()),
        printed: None,
        games: None,
        test: None,
        handicap: None,
        milliseconds: None,
        claim: None,
        players: Some(pair),
    };
    pairs.filter(|[a, b]| a != b).map(row).collect()
}

fn read_reduction(
    table: &input::Table<'_, '_>,
    players: &[Contestant],
) -> Result<Reduction, InputError> {
    let known = |name: &str| {
        let names: Vec<&str> = players.iter().map(|player| player.name.as_str()).collect();
        if names.contains(&name) { Ok(()) } else { Err(unknown("player", name, &names)) }
    };
    let expected = "pairs as in [\"NORMAL > REDUCED\"]";
    let pairs = table.strings("pairs")?.ok_or_else(|| table.error("pairs", "missing"))?;
    let pairs = pairs.into_iter().map(|pair| {
        let (normal, reduced) =
            pair.split_once(" > ").ok_or_else(|| table.error_about("pairs", pair, expected))?;
        for name in [normal, reduced] {
            known(name).map_err(|message| table.error_about("pairs", pair, message))?;
        }
        Ok([normal.to_string(), reduced.to_string()])
    });
    Ok(Reduction {
        name: required(table, "name")?,
        quantity: quantity(table, "quantity")?,
        pairs: pairs.collect::<Result<Vec<_>, InputError>>()?,
        printed: table.number("printed")?,
    })
}

fn read_figure(table: &input::Table<'_, '_>, rows: &[Row]) -> Result<Figure, InputError> {
    let figure = Figure {
        x: required(table, "x")?,
        y: quantity(table, "y")?,
        logarithmic: table.boolean("logarithmic")?.unwrap_or(false),
    };
    // This is checked before the first game, not after all games when the figure is drawn.
    let least = if figure.x_is_logarithmic() { f64::MIN_POSITIVE } else { f64::MIN };
    let can_be_drawn = |row: &Row| {
        let value = row.value.as_ref().and_then(|value| value.parse::<f64>().ok());
        value.is_some_and(|value| value.is_finite() && value >= least)
    };
    if let Some(index) = rows.iter().position(|row| !can_be_drawn(row)) {
        let above = if figure.x_is_logarithmic() { " above 0" } else { "" };
        let message =
            format!("row {} has no value that is a number{above} and can be drawn", index + 1);
        return Err(table.error("x", message));
    }
    Ok(figure)
}

fn read_drawn(table: &input::Table<'_, '_>) -> Result<Vec<Drawing>, InputError> {
    let names = table.strings("drawn")?.unwrap_or_default();
    let find = |name: &str| {
        let error = || table.error_about("drawn", name, unknown_name::<Drawing>("drawing", name));
        name.parse().map_err(|_| error())
    };
    names.into_iter().map(find).collect()
}

fn quantity(table: &input::Table<'_, '_>, key: &str) -> Result<Quantity, InputError> {
    named(table, key)?.ok_or_else(|| table.error(key, "missing"))
}

fn test(table: &input::Table<'_, '_>) -> Result<Option<Test>, InputError> {
    named(table, "test")
}

/// Reads a name of a variant of an enum.
fn named<T: FromStr + VariantNames>(
    table: &input::Table<'_, '_>,
    key: &str,
) -> Result<Option<T>, InputError> {
    let names = || format!("expected one of {}", T::VARIANTS.join(", "));
    let value = table.string(key)?.map(str::parse).transpose();
    value.map_err(|_| table.error(key, names()))
}

fn share(table: &input::Table<'_, '_>, key: &str) -> Result<Option<f64>, InputError> {
    let share = table.number(key)?;
    if share.is_some_and(|share| !(0.0..=1.0).contains(&share)) {
        return Err(table.error(key, "expected a share from 0 to 1"));
    }
    Ok(share)
}

fn required(table: &input::Table<'_, '_>, key: &str) -> Result<String, InputError> {
    Ok(table.string(key)?.ok_or_else(|| table.error(key, "missing"))?.to_string())
}

#[cfg(test)]
mod tests {
    use super::super::table::Winner;
    use super::*;

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
            ("claim = \"a\"", "claim = \"x\"", "rows[1].claim: expected a, b or none"),
            ("a_wins = 41057", "a_wins = -1", "rows[1].printed.a_wins: expected a whole number"),
            ("games = 100000", "", "games: missing"),
            ("claim = \"a\"", "handicap = [1]", "rows[1].handicap: expected two numbers above 0"),
            ("claim = \"a\"", "handicap = [1, 0]", "rows[1].handicap"),
            ("schedule = \"first\"", "schedule = \"first\"\nbest = \"3\"", "best: is the value of"),
            ("table = \"1.1\"", "table = \"../1.1\"", "table: a name has letters"),
            (
                "title =",
                "test = \"t\"\ntitle =",
                "test: expected one of one-sided, two-sided, chi-squared",
            ),
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
            (good.replace("a_wins", "score = 0.5, a_wins"), "a_wins: write counts or a score"),
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
