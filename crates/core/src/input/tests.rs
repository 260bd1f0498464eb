use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::*;

fn parse(text: &str) -> Result<TomlFile<'_>, InputError> {
    TomlFile::parse(text, Some(Path::new("x.toml")))
}

/// The line that a snippet shows, without its number, and what is marked in it; both after checks of its form.
fn shown(error: &InputError) -> (String, String) {
    let snippet = error.snippet().unwrap_or_else(|| panic!("nothing is shown of {error}"));
    let lines: Vec<&str> = snippet.lines().collect();
    let [empty, source, carets] = lines[..] else { panic!("{snippet}") };
    assert_eq!(empty.trim(), "|", "{snippet}");
    let (number, source) = source.split_once('|').unwrap();
    assert_eq!(number.trim().parse().ok(), error.line, "{snippet}");
    let (_, carets) = carets.split_once('|').unwrap();
    let source: Vec<char> = source.chars().skip(1).collect();
    let marked = carets.chars().skip(1).enumerate().filter(|(_, sign)| *sign == '^');
    let marked = marked.filter_map(|(column, _)| source.get(column)).collect();
    (source.iter().collect(), marked)
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only errors matter here")]
struct Keys {
    sigma: Value,
    hold: BTreeMap<String, f64>,
    inner: Option<Value>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only errors matter here")]
struct Lists {
    seed: Value,
    opponents: Vec<String>,
    agent: String,
    #[schemars(inner(range(min = 1, max = 9)))]
    spread: Vec<u32>,
    prose: String,
    cmaes: Value,
}

const CONFIG: &str = r#"seed = 1
opponents = ["a", "b"]
agent = "minimax:dpeth=3"
spread = [
    1,
    "two",
]
prose = """
one
two"""

[cmaes]
sigma = -1
hold = { side = 1, centre = nan }

[cmaes.inner]
x = 1
"#;

#[test]
fn errors_name_file_line_and_key_with_a_caret_under_what_is_at_fault() {
    let document = parse(CONFIG).unwrap();
    let root = document.root();
    let cmaes = root.inner("cmaes").unwrap();
    let hold = cmaes.inner("hold").unwrap();
    let text = "minimax:dpeth=3";
    let in_text = InputError::new("is unknown").marking(text, 8..13);
    let elsewhere = InputError::in_file(Path::new("w.toml"), "x").marking(text, 8..13);
    for (error, message, marked) in [
        (root.string("seed").unwrap_err(), "1: seed: expected a string, found 1", "1"),
        (root.misplaced("seed", "leave it out"), "1: seed: leave it out", "seed"),
        (root.string("opponents").unwrap_err(), "2: opponents: ", "[\"a\", \"b\"]"),
        (root.error_about("opponents", "c", "is nobody"), "2: opponents: ", "[\"a\", \"b\"]"),
        (root.error_about("agent", "dpeth", "is unknown"), "3: agent: is unknown", "dpeth"),
        (root.error_in("agent", &in_text), "3: agent: is unknown", "dpeth"),
        (root.error_in("agent", &elsewhere), "3: agent: w.toml: x", "\"minimax:dpeth=3\""),
        // Of values of several lines the item at fault or the first line is shown.
        (
            root.read::<Lists>().unwrap_err(),
            "6: spread: expected a list of whole numbers from 1 to 9, found the string \"two\" as item 2",
            "\"two\"",
        ),
        (root.string("spread").unwrap_err(), "4: spread: expected a string, found an array", "["),
        (root.error("prose", "is long"), "8: prose: is long", "\"\"\""),
        (
            cmaes.read::<Keys>().unwrap_err(),
            "14: cmaes.hold: expected a table of finite numbers, found nan for centre",
            "nan",
        ),
        (cmaes.error_about("hold", "side", "is held"), "14: cmaes.hold: is held", "side"),
        // What is missing is shown by the header of its table.
        (cmaes.error("population", "missing"), "12: cmaes.population: missing", "[cmaes]"),
        (cmaes.error("inner", "leave it out"), "16: cmaes.inner: ", "[cmaes.inner]"),
        (hold.error("edge", "missing"), "14: cmaes.hold.edge: ", "{ side = 1, centre = nan }"),
    ] {
        assert!(error.to_string().starts_with(&format!("x.toml:{message}")), "{error}");
        assert_eq!(shown(&error).1, marked, "{error}");
    }
    // The outermost table has no header: its first key shows where others go.
    let missing = root.error("games", "missing");
    assert_eq!(
        (missing.line, missing.snippet().unwrap()),
        (Some(1), "  |\n1 | seed = 1\n  |".into())
    );
    let missing = parse("").unwrap().root().error("games", "missing");
    assert_eq!(missing.to_string(), "x.toml:1: games: missing");
    assert_eq!(missing.snippet(), None);
}

#[test]
fn broken_toml_is_shown_where_it_breaks() {
    let error = parse("a = 1\nb = = 2").unwrap_err();
    assert_eq!((error.line, shown(&error)), (Some(2), ("b = = 2".into(), "=".into())));
    let twice = parse("a = 1\na = 2").unwrap_err();
    assert!(shown(&twice).1 == "a" && twice.to_string().contains("duplicate"), "{twice}");
    for cut in ["a = \"x", "a = [1,\n", "[a", "a ="] {
        assert!(parse(cut).unwrap_err().snippet().unwrap().contains('^'), "{cut}");
    }
}

#[test]
fn lines_of_any_kind_are_shown() {
    let error = |text: &str| parse(text).unwrap().root().string("size").unwrap_err();
    for (text, line, marked) in [
        ("name = \"x\"\r\nsize = 3\r\n", "size = 3", "3"),
        ("\tsize\t= 3", "    size    = 3", "3"),
        ("name = \"Käse, Größe\"\nsize = 7 # öä", "size = 7 # öä", "7"),
    ] {
        assert_eq!(shown(&error(text)), (line.into(), marked.into()));
    }
    assert_eq!(few(&["a", "b", "c", "d"], 2), "a, b and 2 more");
    let wide = InputError::new("x").marking("日本 = 3", 9..10);
    assert_eq!(wide.snippet().unwrap(), " |\n | 日本 = 3\n |        ^");
    let long = error(&format!("size = 3 # {}", "x".repeat(500)));
    let width = long.snippet().unwrap().lines().map(|line| line.chars().count()).max();
    assert!(shown(&long).1 == "3" && width < Some(120), "{width:?}");
    let escape = InputError::new("x").marking("\u{1b}[31mred", 0..1);
    assert!(!escape.snippet().unwrap().contains('\u{1b}'));
    assert!(escape.styled_snippet().unwrap().contains('\u{1b}'));
}

proptest! {
    #[test]
    fn any_part_of_any_text_is_shown(text in "(?s).{0,60}", start in 0..200_usize, length in 0..200_usize) {
        let error = InputError::new("x").marking(&text, start..start + length);
        prop_assert!(error.snippet().unwrap().contains('^'));
        // Of a line of which no part is known, all is shown.
        let line = InputError::in_line(Path::new("x"), start, &text, "x");
        prop_assert_eq!(line.snippet().is_some(), start.saturating_sub(1) < text.lines().count());
    }
}
