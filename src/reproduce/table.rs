//! Tables as data.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::input::{self, Document, InputError, read_text, unknown};
use crate::stats::Tally;

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
    const KEYS: [&str; 9] =
        ["document", "table", "title", "games", "openings", "schedule", "rules", "best", "rows"];
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
    Ok(Table {
        document: required(&root, "document")?,
        name: required(&root, "table")?,
        title: required(&root, "title")?,
        games: root.whole("games", 1)?.ok_or_else(|| root.error("games", "missing"))?,
        openings: required(&root, "openings")?,
        schedule: required(&root, "schedule")?,
        rules: root.string("rules")?.unwrap_or_default().into(),
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
    use super::super::play::stronger;
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
                    Some(claim) => assert_eq!(stronger(&row.printed), claim, "{place}"),
                    None => assert!(table.best.is_some(), "{place} claims nothing"),
                }
            }
        }
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
        ] {
            let error = read(&good.replace(from, to), Some(Path::new("t.toml"))).unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
            assert!(error.to_string().starts_with("t.toml:"), "{error}");
        }
        assert!(find("4.55").unwrap_err().to_string().contains("did you mean \"4.5\"?"));
    }
}
