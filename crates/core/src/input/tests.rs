use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::*;

fn parse<'t>(text: &'t str) -> TomlFile<'t> {
    TomlFile::parse(text, Some(Path::new("x.toml"))).unwrap()
}

#[test]
fn errors_name_file_line_key_and_what_was_expected() {
    let document = parse("a = 1\n\n[cmaes]\npopulation = \"many\"\nsigma = nan\n");
    let root = document.root(&["a", "cmaes"]).unwrap();
    let cmaes = root.table("cmaes", &["population", "sigma"]).unwrap().unwrap();
    assert_eq!(
        cmaes.whole("population", 2).unwrap_err().to_string(),
        "x.toml:4: cmaes.population: expected a whole number of at least 2, found the string \"many\""
    );
    assert_eq!(
        cmaes.number("sigma").unwrap_err().to_string(),
        "x.toml:5: cmaes.sigma: expected a finite number, found nan"
    );
    assert_eq!(root.whole("b", 1), Ok(None));
}

#[test]
fn unknown_keys_are_answered_with_the_nearest() {
    let document = parse("\npopulaton = 1");
    let error = document.root(&["population", "sigma"]).unwrap_err().to_string();
    assert_eq!(
        error,
        "x.toml:2: unknown key \"populaton\"; did you mean \"population\"? the keys here are: population, sigma"
    );
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

fn marked(error: &InputError) -> String {
    shown(error).1
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
const KEYS: [&str; 6] = ["seed", "opponents", "agent", "spread", "prose", "cmaes"];

#[test]
fn a_caret_is_under_the_value_or_the_key_at_fault() {
    let document = parse(CONFIG);
    let root = document.root(&KEYS).unwrap();
    assert_eq!(marked(&root.string("seed").unwrap_err()), "1");
    assert_eq!(marked(&root.error("seed", "is too small")), "1");
    assert_eq!(marked(&root.misplaced("seed", "leave it out")), "seed");
    assert_eq!(marked(&root.string("opponents").unwrap_err()), "[\"a\", \"b\"]");
    assert_eq!(marked(&root.error_about("opponents", "b", "is nobody")), "\"b\"");
    assert_eq!(marked(&root.error_about("opponents", "c", "is nobody")), "[\"a\", \"b\"]");
    assert_eq!(marked(&root.error_about("agent", "dpeth", "is unknown")), "dpeth");
    let unknown = document.root(&KEYS[1..]).unwrap_err();
    assert_eq!((unknown.line, marked(&unknown).as_str()), (Some(1), "seed"));
    let cmaes = root.table("cmaes", &["sigma", "hold", "inner"]).unwrap().unwrap();
    let error = cmaes.string("sigma").unwrap_err();
    assert_eq!(error.snippet().unwrap(), "   |\n13 | sigma = -1\n   |         ^^");
    let error = cmaes.read::<Keys>().unwrap_err();
    assert_eq!(marked(&error), "nan");
    assert!(error.message.ends_with("a table of finite numbers, found nan for centre"), "{error}");
    assert_eq!(marked(&cmaes.error_about("hold", "side", "is held already")), "side");
}

#[test]
fn what_is_missing_is_shown_by_the_header_of_its_table() {
    let document = parse(CONFIG);
    let root = document.root(&KEYS).unwrap();
    let cmaes = root.table("cmaes", &["sigma", "hold", "inner"]).unwrap().unwrap();
    let missing = cmaes.error("population", "missing");
    assert_eq!((missing.line, shown(&missing)), (Some(12), ("[cmaes]".into(), "[cmaes]".into())));
    assert_eq!(marked(&cmaes.error_here("is too much")), "[cmaes]");
    assert_eq!(marked(&cmaes.error("inner", "leave it out")), "[cmaes.inner]");
    assert_eq!(marked(&cmaes.misplaced("inner", "leave it out")), "inner");
    let hold = cmaes.table("hold", &["side", "centre"]).unwrap().unwrap();
    assert_eq!(marked(&hold.error("edge", "missing")), "{ side = 1, centre = nan }");
    // The outermost table has no header: its first key shows where others go.
    let missing = root.error("games", "missing");
    assert_eq!(missing.line, Some(1));
    assert_eq!(missing.snippet().unwrap(), "  |\n1 | seed = 1\n  |");
    let document = parse("");
    let missing = document.root(&KEYS).unwrap().error("games", "missing");
    assert_eq!(missing.to_string(), "x.toml:1: games: missing");
    assert_eq!(missing.snippet(), None);
}

#[test]
fn of_values_of_several_lines_the_item_at_fault_or_the_first_line_is_shown() {
    let document = parse(CONFIG);
    let root = document.root(&KEYS).unwrap();
    let item = root.read::<Lists>().unwrap_err();
    assert_eq!(
        item.to_string(),
        "x.toml:6: spread: expected a list of whole numbers from 1 to 9, found the string \"two\" as item 2"
    );
    assert_eq!(shown(&item), ("    \"two\",".into(), "\"two\"".into()));
    let list = root.string("spread").unwrap_err();
    assert_eq!(list.to_string(), "x.toml:4: spread: expected a string, found an array");
    assert_eq!(shown(&list), ("spread = [".into(), "[".into()));
    let text = root.number("prose").unwrap_err();
    assert_eq!((text.line, marked(&text).as_str()), (Some(8), "\"\"\""));
}

#[test]
fn errors_of_a_text_are_marked_where_it_stands_in_the_document() {
    let document = parse(CONFIG);
    let root = document.root(&KEYS).unwrap();
    let text = "minimax:dpeth=3";
    let inner = InputError::new("unknown key").marking(text, 8..13);
    assert_eq!(inner.snippet().unwrap(), " |\n | minimax:dpeth=3\n |         ^^^^^");
    assert_eq!(marked(&root.error_in("agent", &inner)), "dpeth");
    let elsewhere = InputError::in_file(Path::new("w.toml"), "wrong").marking(text, 8..13);
    assert_eq!(marked(&root.error_in("agent", &elsewhere)), "\"minimax:dpeth=3\"");
}

#[test]
fn broken_toml_is_shown_where_it_breaks() {
    let broken = |text| TomlFile::parse(text, Some(Path::new("x.toml"))).unwrap_err();
    let error = broken("a = 1\nb = = 2");
    assert_eq!((error.line, shown(&error)), (Some(2), ("b = = 2".into(), "=".into())));
    let twice = broken("a = 1\na = 2");
    assert_eq!(marked(&twice), "a");
    assert!(twice.to_string().contains("duplicate"), "{twice}");
    for cut in ["a = \"x", "a = [1,\n", "[a", "a ="] {
        assert!(broken(cut).snippet().unwrap().contains('^'), "{cut}");
    }
}

#[test]
fn lines_of_any_kind_are_shown() {
    let error = |text: &str| {
        let document = parse(text);
        document.root(&["name", "size"]).unwrap().table("size", &[]).unwrap_err()
    };
    let crlf = error("name = \"x\"\r\nsize = 3\r\n");
    assert_eq!((crlf.line, shown(&crlf)), (Some(2), ("size = 3".into(), "3".into())));
    let tabs = error("\tsize\t= 3");
    assert_eq!(shown(&tabs), ("    size    = 3".into(), "3".into()));
    let umlauts = error("name = \"Käse, Größe\"\nsize = \"ä\" # öä");
    assert_eq!(shown(&umlauts), ("size = \"ä\" # öä".into(), "\"ä\"".into()));
    // Wide characters take two columns.
    let wide = InputError::new("x").marking("日本 = 3", 9..10);
    assert_eq!(wide.snippet().unwrap(), " |\n | 日本 = 3\n |        ^");
    let long = error(&format!("size = 3 # {}", "x".repeat(500)));
    assert_eq!(marked(&long), "3");
    let width = long.snippet().unwrap().lines().map(|line| line.chars().count()).max();
    assert!(width < Some(120), "{width:?}");
    let escape = InputError::new("x").marking("\u{1b}[31mred", 0..1);
    assert!(!escape.snippet().unwrap().contains('\u{1b}'));
    assert!(escape.styled_snippet().unwrap().contains('\u{1b}'));
}

#[test]
fn lines_of_which_no_part_is_known_are_shown_whole() {
    let error = InputError::in_line(Path::new("x.csv"), 2, "a,b\n1,2\n", "is no row");
    assert_eq!(error.to_string(), "x.csv:2: is no row");
    assert_eq!(error.snippet().unwrap(), "  |\n2 | 1,2\n  |");
    assert_eq!(InputError::in_line(Path::new("x.csv"), 9, "a,b\n", "is no row").snippet(), None);
}

proptest! {
    #[test]
    fn any_part_of_any_text_is_shown(text in "(?s).{0,60}", start in 0..200_usize, length in 0..200_usize) {
        let error = InputError::new("x").marking(&text, start..start + length);
        prop_assert!(error.snippet().unwrap().contains('^'));
        let line = InputError::in_line(Path::new("x"), start, &text, "x");
        prop_assert_eq!(line.snippet().is_some(), start.saturating_sub(1) < text.lines().count());
    }
}
