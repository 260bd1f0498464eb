//! `tictune list`: what can be named in configs and on the command line.

use clap::{Args, ValueEnum};
use minijinja::context;
use serde_json::{Map, Value, json};

use super::Session;
use crate::agent::{KeyHelp, KindInfo};
use crate::game::GameInfo;
use crate::report::written;
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
    let keys = known.key_help();
    let rows = |topic: &ListTopic| -> anyhow::Result<Value> {
        Ok(match topic {
            ListTopic::Games => games.iter().map(|game| game_row(game)).collect(),
            ListTopic::Evaluations => games.iter().flat_map(|game| evaluations_of(game)).collect(),
            ListTopic::Weights => games.iter().flat_map(|game| weights_of(game)).collect(),
            ListTopic::Agents => known.kinds.iter().map(|kind| kind_row(kind)).collect(),
            ListTopic::Keys => serde_json::to_value(&keys)?,
        })
    };
    let mut object = Map::new();
    for topic in ListTopic::value_variants() {
        if args.what.is_none_or(|what| what == *topic) {
            let name = topic.to_possible_value().map(|value| value.get_name().to_string());
            object.insert(name.unwrap_or_default(), rows(topic)?);
        }
    }
    session.print_result(args.json, &object, |width| {
        let key_lines: Vec<String> = keys.iter().map(KeyHelp::line).collect();
        let values = context! { key_lines, ..minijinja::Value::from_serialize(&object) };
        written(width, include_str!("list.txt.jinja"), values)
    })
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

fn kind_row(kind: &KindInfo) -> Value {
    json!({ "kind": kind.name, "purpose": kind.purpose, "keys": kind.key_names() })
}
