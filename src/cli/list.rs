//! `tictune list`: what can be named in configs and on the command line.

use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};

use super::Session;
use crate::agent::Known;
use crate::game::GameInfo;
use crate::report::{CellAlignment, Width, table};
use crate::weights::{Weights, find_game};

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// What to list [default: everything]
    #[arg(value_enum)]
    what: Option<ListTopic>,
    /// Only what belongs to this game
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ListTopic {
    /// The games and the variants of their rules
    Games,
    /// The evaluations of the games
    Evaluations,
    /// The built-in weights
    Weights,
    /// The kinds of agents
    Agents,
    /// The keys of agents
    Keys,
}

pub(super) fn run(args: &ListArgs, session: &Session) -> anyhow::Result<()> {
    let known = session.known();
    let games = match &args.game {
        Some(name) => vec![find_game(&known.games, name)?],
        None => known.games.clone(),
    };
    let (mut object, mut texts) = (Map::new(), Vec::new());
    for listed in ListTopic::value_variants() {
        if args.what.is_none_or(|what| what == *listed) {
            let (rows, text) = listed.rows(session.width(), &games, known)?;
            let name = listed.to_possible_value().map(|value| value.get_name().to_string());
            object.insert(name.unwrap_or_default(), rows);
            texts.push(text);
        }
    }
    session.print_result(args.json, &object, |_| texts.join("\n"))
}

impl ListTopic {
    /// The list as JSON, and as text.
    fn rows(
        self,
        width: Width,
        games: &[&'static GameInfo],
        known: &Known,
    ) -> anyhow::Result<(Value, String)> {
        let (rows, title, keys): (Vec<Value>, _, &[&'static str]) = match self {
            Self::Games => {
                let rows = games.iter().map(|game| game_row(game)).collect();
                (rows, "Games", &["game", "rules", "strongest"])
            }
            Self::Evaluations => {
                let rows = games.iter().flat_map(|game| evaluations_of(game)).collect();
                (rows, "Evaluations", &["evaluation", "game", "weights", "description"])
            }
            Self::Weights => {
                let rows = games.iter().flat_map(|game| weights_of(game)).collect();
                (rows, "Built-in weights", &["weights", "game", "evaluation", "source"])
            }
            Self::Agents => {
                let mut text = "Agents, written KIND[:KEY=VALUE,...]\n".to_string();
                let mut rows = Vec::new();
                for kind in &known.kinds {
                    let (name, purpose, keys) = (kind.name, &kind.purpose, kind.key_names());
                    rows.push(json!({ "kind": name, "purpose": purpose, "keys": keys }));
                    let keys = if keys.is_empty() { "none".into() } else { keys.join(", ") };
                    text += &format!("  {name}: {purpose}\n    keys: {keys}\n");
                }
                return Ok((rows.into(), text));
            }
            Self::Keys => {
                let keys = known.key_help();
                let lines: String = keys.iter().map(|key| format!("  {}\n", key.line())).collect();
                return Ok((serde_json::to_value(keys)?, format!("Keys of agents\n{lines}")));
            }
        };
        let head = |key: &&'static str| match *key {
            "rules" => "rules, the default first",
            "strongest" => "plays best",
            "description" => "what it counts",
            key => key,
        };
        let heads: Vec<&str> = keys.iter().map(head).collect();
        let cells = |row: &Value| keys.iter().map(|key| cell(&row[key])).collect();
        let table = table(width, CellAlignment::Left, &heads, rows.iter().map(cells));
        Ok((rows.into(), format!("{title}\n{table}")))
    }
}

fn cell(value: &Value) -> String {
    match value {
        Value::Array(parts) if parts.is_empty() => "-".into(),
        Value::Array(parts) => parts.iter().map(cell).collect::<Vec<_>>().join(", "),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

fn game_row(game: &GameInfo) -> Value {
    let rules = game.rule_keys.iter().map(|key| format!("{}={}", key.name, key.values));
    json!({
        "game": game.name,
        "rules": rules.collect::<Vec<_>>(),
        "strongest": game.strongest,
        "evaluations": game.layouts.len(),
        "weights": game.vectors.len(),
    })
}

fn evaluations_of(game: &'static GameInfo) -> impl Iterator<Item = Value> {
    game.layouts.iter().map(|layout| {
        let (name, description, weights) = (layout.name, layout.description, layout.len());
        json!({ "game": game.name, "evaluation": name, "weights": weights, "description": description })
    })
}

fn weights_of(game: &'static GameInfo) -> impl Iterator<Item = Value> {
    game.vectors.iter().filter_map(move |vector| {
        let weights = Weights::built_in(game, vector.name)?;
        let source = weights.provenance.get("source").and_then(toml::Value::as_str);
        let (source, evaluation) = (source.unwrap_or_default(), weights.layout().name);
        Some(json!({ "game": game.name, "weights": vector.name, "evaluation": evaluation, "source": source }))
    })
}
