//! `tictune list`: what can be named in configs and on the command line.

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::{print_json, print_report};
use crate::agent::{KeyHelp, KindHelp};
use crate::game::GameInfo;
use crate::registry::Registry;
use crate::report::text_table;
use crate::weights::{builtin, find_game};

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// What to list [default: everything]
    #[arg(value_enum)]
    what: Option<Listed>,
    /// Only what belongs to a game
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Listed {
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

/// Everything that is listed; what was not asked for is left out.
#[derive(Debug, Default, Serialize)]
struct Lists {
    #[serde(skip_serializing_if = "Option::is_none")]
    games: Option<Vec<GameRow>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evaluations: Option<Vec<EvaluationRow>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weights: Option<Vec<WeightsRow>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agents: Option<Vec<KindHelp>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    keys: Option<Vec<KeyHelp>>,
}

#[derive(Debug, Serialize)]
struct GameRow {
    game: &'static str,
    /// The keys of its rules with their values, the default first.
    rules: Vec<String>,
    /// The agent that plays where none is named.
    strongest: &'static str,
    evaluations: usize,
    weights: usize,
}

#[derive(Debug, Serialize)]
struct EvaluationRow {
    game: &'static str,
    evaluation: &'static str,
    /// How many weights it has.
    weights: usize,
    description: &'static str,
}

#[derive(Debug, Serialize)]
struct WeightsRow {
    game: &'static str,
    weights: &'static str,
    evaluation: &'static str,
    source: String,
}

pub(super) fn run(args: &ListArgs, registry: &Registry) -> anyhow::Result<()> {
    let (known, kinds) = (&registry.known().games, &registry.known().kinds);
    let games = match &args.game {
        Some(name) => vec![find_game(known, name)?],
        None => known.clone(),
    };
    let wanted = |listed| args.what.is_none_or(|what| what == listed);
    let lists = Lists {
        games: wanted(Listed::Games).then(|| games.iter().map(|game| game_row(game)).collect()),
        evaluations: wanted(Listed::Evaluations)
            .then(|| games.iter().flat_map(|game| evaluations_of(game)).collect()),
        weights: wanted(Listed::Weights)
            .then(|| games.iter().flat_map(|game| weights_of(game)).collect()),
        agents: wanted(Listed::Agents).then(|| kinds.kind_help()),
        keys: wanted(Listed::Keys).then(|| kinds.key_help()),
    };
    if args.json { print_json(&lists) } else { print_report(|| Ok(lists.in_words())) }
}

fn game_row(game: &GameInfo) -> GameRow {
    let rules = game.rule_keys.iter().map(|key| format!("{}={}", key.name, key.values));
    GameRow {
        game: game.name,
        rules: rules.collect(),
        strongest: game.strongest,
        evaluations: game.layouts.len(),
        weights: game.vectors.len(),
    }
}

fn evaluations_of(game: &'static GameInfo) -> impl Iterator<Item = EvaluationRow> {
    game.layouts.iter().map(|layout| EvaluationRow {
        game: game.name,
        evaluation: layout.name,
        weights: layout.len(),
        description: layout.description,
    })
}

fn weights_of(game: &'static GameInfo) -> impl Iterator<Item = WeightsRow> {
    game.vectors.iter().filter_map(move |vector| {
        let weights = builtin::find(game, vector.name)?;
        let source = weights.provenance.get("source").and_then(toml::Value::as_str);
        Some(WeightsRow {
            game: game.name,
            weights: vector.name,
            evaluation: weights.layout().name,
            source: source.unwrap_or_default().into(),
        })
    })
}

impl Lists {
    /// A table for each list.
    fn in_words(&self) -> String {
        let games = self.games.iter().map(|rows| {
            let row = |row: &GameRow| {
                let rules = if row.rules.is_empty() { "-".into() } else { row.rules.join(", ") };
                vec![row.game.into(), rules, row.strongest.into()]
            };
            let heads = ["game", "rules, the default first", "plays best"];
            format!("Games\n{}", text_table(&heads, rows.iter().map(row)))
        });
        let evaluations = self.evaluations.iter().map(|rows| {
            let row = |row: &EvaluationRow| {
                vec![
                    row.evaluation.into(),
                    row.game.into(),
                    row.weights.to_string(),
                    row.description.into(),
                ]
            };
            let heads = ["evaluation", "game", "weights", "what it counts"];
            format!("Evaluations\n{}", text_table(&heads, rows.iter().map(row)))
        });
        let weights = self.weights.iter().map(|rows| {
            let row = |row: &WeightsRow| {
                vec![row.weights.into(), row.game.into(), row.evaluation.into(), row.source.clone()]
            };
            let heads = ["weights", "game", "evaluation", "source"];
            format!("Built-in weights\n{}", text_table(&heads, rows.iter().map(row)))
        });
        let agents = self.agents.iter().map(|rows| {
            let row = |row: &KindHelp| {
                let KindHelp { kind, purpose, keys } = row;
                let keys = if keys.is_empty() { "none".into() } else { keys.join(", ") };
                format!("  {kind}: {purpose}\n    keys: {keys}\n")
            };
            let rows: String = rows.iter().map(row).collect();
            format!("Agents, written KIND[:KEY=VALUE,...]\n{rows}")
        });
        let keys = self.keys.iter().map(|rows| {
            let rows: String = rows.iter().map(|key| format!("  {}\n", key.line())).collect();
            format!("Keys of agents\n{rows}")
        });
        let parts = games.chain(evaluations).chain(weights).chain(agents).chain(keys);
        parts.collect::<Vec<_>>().join("\n")
    }
}
