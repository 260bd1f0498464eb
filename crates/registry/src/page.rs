//! A game as the page asks for it, statelessly: the position after some moves, an agent's reply, and what an agent thinks of
//! every move.

use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::Result;
use super::adviser::{Adviser, MoveValues, order};
use super::record::GameSoFar;
use tictune_core::agent::{AgentSpec, Agents, Failure, Value};
use tictune_core::game::{Board, Game, Outcome, Player};
use tictune_core::input::InputError;
use tictune_core::search::Stop;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    pub game: String,
    #[serde(default)]
    pub rules: String,
    /// The position to start from, in notation, if it is not the start of the game.
    #[serde(default)]
    pub from: Option<String>,
    pub moves: Vec<String>,
    pub ask: Ask,
    #[serde(default)]
    pub agent: String,
    #[serde(default)]
    pub weights: String,
    #[serde(default)]
    pub seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ask {
    /// Nothing beside the position itself.
    Position,
    /// The agent's move, which is played.
    Move,
    /// The agent's move, the line that it expects, and its values of all moves; nothing is played.
    Hint,
}

/// Answers a page, by rules that were read from its question: the position, after an agent's reply if one was asked for, with
/// the moves from the start, the legal ones in the order of generation, and the squares where the game has a board; and what
/// the agent chose, if it was asked.
pub(super) fn answer<P: Game>(
    agents: &Agents<P>,
    rules: P::Rules,
    question: &Question,
    agent: Option<AgentSpec>,
    stop: Stop<'_>,
) -> Result<Json> {
    let from = question.from.as_deref().filter(|from| !from.is_empty());
    let mut record =
        GameSoFar::<P>::start(rules, from).map_err(|error| InputError::new(error.to_string()))?;
    for (number, text) in (1..).zip(&question.moves) {
        let wrong = |problem| InputError::new(format!("move {number}: {problem}"));
        record.play_text(text).map_err(wrong)?;
    }
    let mut choice = Json::Null;
    if let (Some(agent), None) = (agent, record.position().outcome()) {
        let adviser = Adviser::new(agents, agent, question.seed)?;
        let failed = |failure: Failure| InputError::new(format!("the agent: {failure}"));
        let (chosen, took) = adviser.advise(&record, stop).map_err(failed)?;
        let (mut values, mut time_each) = MoveValues::default();
        if question.ask == Ask::Hint {
            (values, time_each) = adviser.values(&record, stop)?;
        } else {
            record.play(chosen.mv);
        }
        choice = json!({
            "mv": chosen.mv.to_string(),
            "value": chosen.value.map(|value| value.to_string()),
            "line": texts(&chosen.line),
            "seconds": took.as_secs_f64(),
            "values": ranked(&values),
            // Each move was searched on its own.
            "milliseconds_each": time_each.map(|time| time.as_millis() as u64),
        });
    }
    let position = record.position();
    Ok(json!({
        "moves": texts(record.moves()),
        "legal": texts(position.legal_moves()),
        "to_move": position.side_to_move().mark(),
        "outcome": position.outcome().map(|outcome| match outcome {
            Outcome::Win(winner) => winner.mark().to_string(),
            Outcome::Draw => "draw".into(),
        }),
        "board": position.board().map(squares),
        "drawing": record.drawing(),
        "notation": position.notation(),
        "choice": choice,
    }))
}

fn texts(moves: impl IntoIterator<Item: ToString>) -> Vec<String> {
    moves.into_iter().map(|mv| mv.to_string()).collect()
}

fn squares<M: ToString>(board: Board<M>) -> Json {
    let parts = board.parts.into_iter().map(|part| {
        let squares = part.squares.into_iter().map(
            |square| json!({ "mv": square.mv.to_string(), "mark": square.mark.map(Player::mark) }),
        );
        json!({
            "name": part.name,
            "columns": part.columns,
            "owner": part.owner.map(Player::mark),
            "squares": squares.collect::<Vec<_>>(),
        })
    });
    json!({ "columns": board.columns, "parts": parts.collect::<Vec<_>>() })
}

/// The values in words, and where each stands among the others: 0 is the worst, 10 the best.
fn ranked<M: ToString>(values: &[(M, Value)]) -> Vec<Json> {
    let mut sorted: Vec<f64> = values.iter().map(|(_, value)| order(*value)).collect();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    let rank = |value: f64| {
        let below = sorted.partition_point(|other| *other < value);
        if sorted.len() < 2 { 5 } else { 10 * below / (sorted.len() - 1) }
    };
    let answer = |(mv, value): &(M, Value)| json!({ "mv": mv.to_string(), "value": value.to_string(), "rank": rank(order(*value)) });
    values.iter().map(answer).collect()
}
