//! Tables as data.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::SIGNIFICANCE;
use crate::input::{self, Document, InputError, read_text, unknown};
use crate::stats::{Tally, p_value, p_value_two_sided};

/// A printed table of matches.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The document that printed it.
    pub document: String,
    /// Its name there.
    pub name: String,
    /// Its title there.
    pub title: String,
    /// Games of each row, as printed.
    pub games: u64,
    /// Where its games started, in the words of openings.
    pub openings: String,
    /// Who moved first when.
    pub schedule: String,
    /// Variants of the rules, in their text form.
    pub rules: String,
    /// Whether drawn games are played again until they are decided.
    pub replay_ties: bool,
    /// The test behind its p-values and conclusions.
    pub test: Test,
    /// The folder that weight files and openings of its rows are relative to.
    pub folder: PathBuf,
    /// Its rows.
    pub rows: Vec<Row>,
    /// The `value` of the row in which A did best, where the document concludes that from the table.
    pub best: Option<String>,
}

/// A match of a table. Printed results are from A's view.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What a sweep varies.
    pub value: Option<String>,
    /// A and B as printed.
    pub names: [String; 2],
    /// Their specs. `{monte_carlo}` and `{deepening}` stand for limits: see [`super::Sizes`].
    pub agents: [String; 2],
    /// The printed results.
    pub printed: Tally,
    /// What the document concludes from the row.
    pub claim: Option<Claim>,
}

/// What a document says of two agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Winner {
    /// A is the stronger.
    A,
    /// B is the stronger.
    B,
    /// Neither is shown to be.
    None,
}

/// The claim of a row.
pub type Claim = Winner;

impl fmt::Display for Winner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::A => "A1 is stronger",
            Self::B => "A2 is stronger",
            Self::None => "no difference shown",
        })
    }
}

/// The test of one agent being stronger than the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Test {
    /// Liang's, of B's wins: below 5 % B is the stronger, above 95 % A. See [`p_value`].
    #[default]
    OneSided,
    /// Lifshitz's: below 5 % the one who scored more. See [`p_value_two_sided`].
    TwoSided,
}

impl Test {
    /// Its p-value for a tally from A's view.
    #[must_use]
    pub fn p_value(self, tally: &Tally) -> Option<f64> {
        match self {
            Self::OneSided => p_value(&tally.reversed()),
            Self::TwoSided => p_value_two_sided(tally),
        }
    }

    /// Who it shows to be stronger.
    #[must_use]
    pub fn stronger(self, tally: &Tally) -> Winner {
        match (self, self.p_value(tally)) {
            (Self::OneSided, Some(p)) if p < SIGNIFICANCE => Winner::B,
            (Self::OneSided, Some(p)) if p > 1.0 - SIGNIFICANCE => Winner::A,
            (Self::TwoSided, Some(p)) if p < SIGNIFICANCE => {
                if tally.score() > 0.5 {
                    Winner::A
                } else {
                    Winner::B
                }
            }
            _ => Winner::None,
        }
    }
}

/// The tables that are compiled in, in the order of the documents.
const BUILT_IN: [&str; 10] = [
    include_str!("../../experiments/liang/tables/1.1.toml"),
    include_str!("../../experiments/liang/tables/2.8.toml"),
    include_str!("../../experiments/liang/tables/3.2.toml"),
    include_str!("../../experiments/liang/tables/3.3.toml"),
    include_str!("../../experiments/liang/tables/3.4.toml"),
    include_str!("../../experiments/liang/tables/4.3.toml"),
    include_str!("../../experiments/liang/tables/4.4.toml"),
    include_str!("../../experiments/liang/tables/4.5.toml"),
    include_str!("../../experiments/liang/tables/4.6.toml"),
    include_str!("../../experiments/liang/tables/4.7.toml"),
];

impl Table {
    /// Every built-in table.
    ///
    /// # Errors
    /// A built-in file that is wrong, which tests rule out.
    pub fn built_in() -> Result<Vec<Self>, InputError> {
        BUILT_IN.iter().map(|text| read(text, None)).collect()
    }
}

/// Finds a table by its name, or reads a file of the same form.
///
/// # Errors
/// Neither; or a file that is wrong, with its line.
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

/// Reads a table; `path` is the name that errors give.
///
/// # Errors
/// Anything that is no table, with its line and key.
pub fn read(text: &str, path: Option<&Path>) -> Result<Table, InputError> {
    const KEYS: [&str; 11] = [
        "document",
        "table",
        "title",
        "games",
        "openings",
        "schedule",
        "rules",
        "replay_ties",
        "test",
        "best",
        "rows",
    ];
    const ROW_KEYS: [&str; 6] = ["value", "a", "b", "agents", "printed", "claim"];
    let document = Document::parse(text, path)?;
    let root = document.root(&KEYS)?;
    let rows = root.tables("rows", &ROW_KEYS)?;
    let rows = rows.iter().map(read_row).collect::<Result<Vec<_>, _>>()?;
    if rows.is_empty() {
        return Err(root.error("rows", "missing; write at least one [[rows]]"));
    }
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
    {
        return Err(root.error("table", "a name has letters, digits, - _ and ., as in 4.5"));
    }
    let test = match root.string("test")? {
        None | Some("one-sided") => Test::OneSided,
        Some("two-sided") => Test::TwoSided,
        Some(_) => return Err(root.error("test", "expected one-sided or two-sided")),
    };
    Ok(Table {
        document: required(&root, "document")?,
        name,
        title: required(&root, "title")?,
        games: root.whole("games", 1)?.ok_or_else(|| root.error("games", "missing"))?,
        openings: required(&root, "openings")?,
        schedule: required(&root, "schedule")?,
        rules: root.string("rules")?.unwrap_or_default().into(),
        replay_ties: root.boolean("replay_ties")?.unwrap_or(false),
        test,
        folder: path.and_then(Path::parent).unwrap_or(Path::new("")).into(),
        rows,
        best,
    })
}

fn read_row(table: &input::Table<'_, '_>) -> Result<Row, InputError> {
    let agents = table.strings("agents")?.ok_or_else(|| table.error("agents", "missing"))?;
    let agents: [&str; 2] =
        agents.try_into().map_err(|_| table.error("agents", "expected two agents"))?;
    let printed = table
        .table("printed", &["a_wins", "b_wins", "ties"])?
        .ok_or_else(|| table.error("printed", "missing"))?;
    let count = |key: &str| printed.whole(key, 0)?.ok_or_else(|| printed.error(key, "missing"));
    let claim = match table.string("claim")? {
        None => None,
        Some("a") => Some(Winner::A),
        Some("b") => Some(Winner::B),
        Some("none") => Some(Winner::None),
        Some(_) => return Err(table.error("claim", "expected a, b or none")),
    };
    Ok(Row {
        value: table.string("value")?.map(String::from),
        names: [required(table, "a")?, required(table, "b")?],
        agents: agents.map(String::from),
        printed: Tally { wins: count("a_wins")?, draws: count("ties")?, losses: count("b_wins")? },
        claim,
    })
}

fn required(table: &input::Table<'_, '_>, key: &str) -> Result<String, InputError> {
    Ok(table.string(key)?.ok_or_else(|| table.error(key, "missing"))?.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_tables_add_up_and_claim_what_their_counts_say() {
        let tables = Table::built_in().unwrap();
        assert_eq!(tables.len(), BUILT_IN.len());
        for table in tables {
            for (index, row) in table.rows.iter().enumerate() {
                let place = format!("table {}, row {}", table.name, index + 1);
                assert_eq!(row.printed.games(), table.games, "{place}");
                match row.claim {
                    Some(claim) => assert_eq!(table.test.stronger(&row.printed), claim, "{place}"),
                    None => assert!(table.best.is_some(), "{place} claims nothing"),
                }
            }
        }
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
        // Lifshitz: 43 wins, a draw and 56 losses show nothing; more do.
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
            ("schedule = \"first\"", "schedule = \"first\"\nbest = \"3\"", "best: is the value of"),
            ("table = \"1.1\"", "table = \"../1.1\"", "table: a name has letters"),
            ("title =", "test = \"t\"\ntitle =", "test: expected one-sided or two-sided"),
        ] {
            let error = read(&good.replace(from, to), Some(Path::new("t.toml"))).unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
            assert!(error.to_string().starts_with("t.toml:"), "{error}");
        }
        assert!(find("4.55").unwrap_err().to_string().contains("did you mean \"4.5\"?"));
    }
}
