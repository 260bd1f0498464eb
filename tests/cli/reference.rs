//! The pages of `docs/reference`: commands as their help has them, and the keys of configs and agents as the program checks
//! them. `UPDATE=1 cargo test --test cli reference::` writes them anew.
#![cfg(unix)]

use std::fmt::Write as _;

use serde_json::Value;

use crate::common::Folder;

/// Compares a page with what the program says, or writes it.
fn check(name: &str, text: &str) {
    let path = format!("{}/docs/reference/{name}.md", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let page = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(page == text, "{path} is stale: UPDATE=1 cargo test --test cli reference::");
}

#[test]
fn commands_are_those_of_the_help() {
    let folder = Folder::new();
    let help = folder.said("--help");
    let listed = help.split_once("Commands:\n").unwrap().1.split_once("\n\n").unwrap().0;
    let names = listed.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let names: Vec<&str> = names.filter(|name| !["", "help"].contains(name)).collect();
    assert!(names.len() > 20 && help.contains("Exit status: 0 on success; 1 after a failure"));
    let mut page = "# Every command\n\nWhat `tictune COMMAND --help` prints. [Commands at hand](../commands.md) \
         explains those that have no page of their own.\n\n"
        .to_owned();
    let links = names.iter().map(|name| format!("[`{name}`](#{name})"));
    page += &links.collect::<Vec<_>>().join(" ");
    let (_, logging) = help.split_once("\nLogging:\n").unwrap();
    let logging = logging.trim_end();
    let _ = write!(page, "\n\nAll of them take these options:\n\n```text\n{logging}\n```\n");
    for name in names {
        let help = folder.said(&format!("{name} --help"));
        let (help, _) = help.split_once("\nLogging:\n").unwrap();
        assert!(help.starts_with("Example"), "{help}");
        let (examples, rest) = help.split_once("\n\n").unwrap();
        let (about, usage) = rest.split_once("\nUsage: ").unwrap();
        let _ = write!(page, "\n## {name}\n\n{about}\n");
        for line in examples.lines().skip(1) {
            let _ = match line.strip_prefix("  tictune ") {
                Some(command) => write!(page, "- `tictune {command}`"),
                None => writeln!(page, ": {}", line.trim()),
            };
        }
        let usage = usage.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
        let _ = write!(page, "\n```text\nUsage: {}\n```\n", usage.trim_end());
    }
    check("commands", &page);
}

#[test]
fn keys_of_configs_are_those_of_the_schema() {
    let mut page = "# Every key of a config\n\nThe keys of an evolution's config, as `tictune schema` describes them. \
         [Configs](../configs.md) explains what they do together. [`documented.toml`](../../experiments/documented.toml) \
         is a config that has all of them, to copy from. A `[budget]` decides most of what is left out.\n"
        .to_owned();
    add_table(&mut page, "Top level", &Folder::new().json("schema")["properties"]);
    check("configs", &page);
}

/// A section on the keys of a table of a config, and on the tables in it.
fn add_table(page: &mut String, heading: &str, keys: &Value) {
    let _ =
        write!(page, "\n## {heading}\n\n| key | takes | default | meaning |\n|---|---|---|---|\n");
    let mut tables = Vec::new();
    for (key, schema) in keys.as_object().unwrap() {
        let is_list = schema["items"].get("properties").is_some();
        let inner = if is_list { &schema["items"] } else { schema };
        if inner.get("properties").is_some() {
            tables.push((key, is_list, inner));
        } else {
            add_row(page, key, &takes(schema), &schema["default"], &schema["description"]);
        }
    }
    for (key, is_list, table) in tables {
        let path = match heading.strip_prefix("`[") {
            Some(outer) => format!("{}.{key}", outer.trim_matches(['[', ']', '`'])),
            None => key.clone(),
        };
        let heading = if is_list { format!("`[[{path}]]`") } else { format!("`[{path}]`") };
        add_table(page, &heading, &table["properties"]);
    }
}

fn add_row(page: &mut String, key: &str, takes: &str, default: &Value, help: &Value) {
    let default = match default {
        Value::Null => String::new(),
        Value::String(text) => format!("`{text}`"),
        value => format!("`{value}`"),
    };
    let cells =
        [takes, &default, text(help)].map(|cell| cell.replace('\n', " ").replace('|', "\\|"));
    let _ = writeln!(page, "| `{key}` | {} |", cells.join(" | "));
}

/// What a key takes: the schema's own words, or its type and range.
fn takes(schema: &Value) -> String {
    if let Some(words) = schema["x-takes"].as_str() {
        return words.to_owned();
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        let choice = |one: &Value| {
            let help = text(&one["description"]);
            format!("`{}`: {}", text(&one["const"]), help.trim_end_matches('.'))
        };
        return choices.iter().map(choice).collect::<Vec<_>>().join("; ");
    }
    let range = match (&schema["minimum"], &schema["maximum"], &schema["exclusiveMinimum"]) {
        (Value::Null, _, Value::Null) => String::new(),
        (Value::Null, _, above) => format!(" above {above}"),
        (low, Value::Null, _) => format!(" from {low}"),
        (low, high, _) => format!(" from {low} to {high}"),
    };
    match schema["type"].as_str().unwrap() {
        "integer" => format!("whole number{range}"),
        "array" => format!("list: {}", takes(&schema["items"])),
        "boolean" => "`true`, `false`".to_owned(),
        "object" => "table".to_owned(),
        "string" => "text".to_owned(),
        name => format!("{name}{range}"),
    }
}

#[test]
fn keys_of_agents_are_those_of_the_list() {
    let list = Folder::new().json("list --json");
    let mut page = "# Every key of an agent\n\nThe kinds of agents and their keys, as `tictune list` prints them. \
         [Agents](../agents.md) explains them. `[[parameters]]` of a config can evolve the keys marked *evolves*.\n\n\
         | kind | | keys |\n|---|---|---|\n"
        .to_owned();
    for agent in list["agents"].as_array().unwrap() {
        let _ = writeln!(
            page,
            "| `{}` | {} | {} |",
            text(&agent["kind"]),
            text(&agent["purpose"]),
            names(&agent["keys"])
        );
    }
    page += "\n| key | takes | default | meaning |\n|---|---|---|---|\n";
    for key in list["keys"].as_array().unwrap() {
        let evolves = if key["evolves"] == true { "; *evolves*" } else { "" };
        let takes = format!("{}{evolves}", text(&key["takes"]));
        add_row(&mut page, text(&key["key"]), &takes, &key["default"], &key["help"]);
    }
    check("agents", &page);
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn names(list: &Value) -> String {
    list.as_array()
        .unwrap()
        .iter()
        .map(|name| format!("`{}`", text(name)))
        .collect::<Vec<_>>()
        .join(" ")
}
