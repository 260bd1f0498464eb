//! A game as the page asks for it, statelessly: the position after some moves, an agent's reply, and what an agent thinks of
//! every move.

use std::fmt::Display;

use serde_json::{Value as Json, json};

use super::adviser::{Advice, Adviser, MoveValues, order};
use super::record::Record;
use super::{PageAsk, PageRequest};
use crate::agent::{AgentSpec, Agents, Failure, Value};
use crate::game::{Board, Game, Outcome, Player};
use crate::input::InputError;

/// Answers a page, by rules that were read from its request: the position, after an agent's reply if one was asked for, with
/// the moves from the start, the legal ones in the order of generation, and the squares where the game has a board; and what
/// the agent chose, if it was asked.
pub(super) fn answer<P: Game>(
    agents: &Agents<P>,
    rules: P::Rules,
    request: &PageRequest<'_>,
) -> Result<Json, InputError> {
    let mut record = Record::<P>::start(rules, request.from)
        .map_err(|error| InputError::new(error.to_string()))?;
    for (number, text) in request.moves.iter().enumerate() {
        let wrong = |problem| InputError::new(format!("move {}: {problem}", number + 1));
        record.play_text(text).map_err(wrong)?;
    }
    let adviser = |agent: &AgentSpec| Adviser::new(agents, agent.clone(), request.seed);
    let failed = |failure: Failure| InputError::new(format!("the agent: {failure}"));
    let mut choice = Json::Null;
    if record.position().outcome().is_none() {
        match &request.ask {
            PageAsk::Position => {}
            PageAsk::Move(agent) => {
                let advice = adviser(agent)?.advise(&record, request.stop).map_err(failed)?;
                record.play(advice.choice.mv);
                choice = choice_of(&advice, &MoveValues::default());
            }
            PageAsk::Hint(agent) => {
                let adviser = adviser(agent)?;
                let advice = adviser.advise(&record, request.stop).map_err(failed)?;
                let values = adviser.values(&record, request.stop)?;
                choice = choice_of(&advice, &values);
            }
        }
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

/// A board with its moves and players as text.
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

/// The move, what the agent thinks of the position in words, the moves that it expects, and what it thinks of each move, as far
/// as there was time: in how many milliseconds each was searched on its own, where time limits the agent.
fn choice_of<M: Display>(advice: &Advice<M>, values: &MoveValues<M>) -> Json {
    json!({
        "mv": advice.choice.mv.to_string(),
        "value": advice.choice.value.map(|value| value.to_string()),
        "line": texts(&advice.line),
        "seconds": advice.took.as_secs_f64(),
        "values": ranked(&values.values),
        "milliseconds_each": values.time_each.map(|time| time.as_millis() as u64),
    })
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::games::{Qubic, Uttt};
    use crate::search::Stop;

    fn ask<P: Game>(moves: &[&str], ask: PageAsk<'_>) -> Result<Json, InputError> {
        let moves: Vec<String> = moves.iter().map(|mv| (*mv).to_string()).collect();
        let request =
            PageRequest { rules: "", from: None, moves: &moves, ask, seed: 1, stop: Stop::NEVER };
        answer(&Agents::<P>::default(), P::Rules::default(), &request)
    }

    #[test]
    fn a_position_has_its_board_and_its_legal_moves() {
        let answer = ask::<Uttt>(&["4,4"], PageAsk::Position).unwrap();
        assert_eq!(
            (answer["legal"].as_array().unwrap().len(), &answer["to_move"]),
            (8, &json!("o"))
        );
        let board = &answer["board"];
        assert_eq!(board["columns"], 3);
        let parts = board["parts"].as_array().unwrap();
        assert_eq!((parts.len(), &parts[0]["name"]), (9, &json!("board 0,0")));
        assert_eq!(parts[4]["squares"][4], json!({ "mv": "4,4", "mark": "x" }));
        let qubic = ask::<Qubic>(&["1,1,2"], PageAsk::Position).unwrap()["board"].clone();
        let layers = qubic["parts"].as_array().unwrap();
        let squares = layers[0]["squares"].as_array().unwrap();
        assert_eq!((layers.len(), squares.len()), (4, 16));
        assert_eq!((&squares[1]["mark"], &squares[0]["mark"]), (&json!("x"), &json!(null)));
    }

    #[test]
    fn moves_that_cannot_be_are_refused_by_their_number() {
        for (moves, expected) in [(["4,4", "0,0"], "move 2"), (["x", "y"], "move 1")] {
            let error = ask::<Uttt>(&moves, PageAsk::Position).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn an_agent_replies_and_values_every_move_as_its_search_does() {
        let agent = Agents::<Uttt>::default().parse("minimax:depth=3", Path::new("")).unwrap();
        let reply = ask::<Uttt>(&["4,4"], PageAsk::Move(&agent)).unwrap();
        assert_eq!((reply["moves"].as_array().unwrap().len(), &reply["to_move"]), (2, &json!("x")));
        let hint = ask::<Uttt>(&["4,4"], PageAsk::Hint(&agent)).unwrap();
        let choice = &hint["choice"];
        let values = choice["values"].as_array().unwrap();
        assert_eq!((hint["moves"].as_array().unwrap().len(), values.len()), (1, 8));
        let of_choice = values.iter().find(|value| value["mv"] == choice["mv"]).unwrap();
        assert_eq!(
            of_choice["value"], choice["value"],
            "the best move is worth what the search says"
        );
        assert_eq!(of_choice["rank"], 10);
        assert!(choice["line"].as_array().unwrap().len() > 1 && choice["line"][0] == choice["mv"]);
    }
}
