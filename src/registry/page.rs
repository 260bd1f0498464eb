//! A game as the page asks for it, statelessly: the position after some moves, an agent's reply, and what an agent thinks of
//! every move.

use serde::Serialize;
use serde_json::json;

use super::adviser::{Advice, Adviser, MoveValues, order};
use super::record::Record;
use super::{PageAsk, PageRequest};
use crate::agent::{AgentSpec, Agents, Failure, Value};
use crate::game::{Board, Game, Outcome, Player};
use crate::input::InputError;

/// What a page shows of a position.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PageAnswer {
    /// The position, after an agent's reply if one was asked for.
    #[serde(flatten)]
    position: PositionView,
    choice: Option<ChoiceView>,
}

/// A position and how it came about.
#[derive(Clone, Debug, Serialize)]
struct PositionView {
    moves: Vec<String>,
    /// The legal moves, in the order of generation.
    legal: Vec<String>,
    /// The mark of the side to move.
    to_move: char,
    /// `x` or `o` if that side has won, `draw`, or nothing while the game goes on.
    outcome: Option<String>,
    /// The squares, where the game has a board.
    board: Option<serde_json::Value>,
    /// The position as text, with the last move marked.
    drawing: String,
    notation: String,
}

#[derive(Clone, Debug, Serialize)]
struct ChoiceView {
    mv: String,
    /// What it thinks of the position, in words.
    value: Option<String>,
    /// The moves that it expects, the chosen one first.
    line: Vec<String>,
    seconds: f64,
    /// What it thinks of each move, as far as there was time.
    values: Vec<MoveValue>,
    /// The milliseconds in which each of these moves was searched on its own, where time limits the agent: its choice was
    /// searched to another depth.
    milliseconds_each: Option<u64>,
}

/// What an agent thinks of a move.
#[derive(Clone, Debug, Serialize)]
struct MoveValue {
    mv: String,
    /// In words, from the view of the side that moves.
    value: String,
    /// Where it stands among the moves: 0 is the worst, 10 the best.
    rank: u32,
}

/// Answers a page, by rules that were read from its request.
pub(super) fn answer<P: Game>(
    agents: &Agents<P>,
    rules: P::Rules,
    request: &PageRequest<'_>,
) -> Result<PageAnswer, InputError> {
    let mut record = Record::<P>::start(rules, request.from)
        .map_err(|error| InputError::new(error.to_string()))?;
    for (number, text) in request.moves.iter().enumerate() {
        let wrong = |problem| InputError::new(format!("move {}: {problem}", number + 1));
        record.play_text(text).map_err(wrong)?;
    }
    let adviser = |agent: &AgentSpec| Adviser::new(agents, agent.clone(), request.seed);
    let failed = |failure: Failure| InputError::new(format!("the agent: {failure}"));
    let mut choice = None;
    if record.position().outcome().is_none() {
        match &request.ask {
            PageAsk::Position => {}
            PageAsk::Move(agent) => {
                let advice = adviser(agent)?.advise(&record, request.stop).map_err(failed)?;
                record.play(advice.choice.mv);
                choice = Some(ChoiceView::of(&advice, &MoveValues::default()));
            }
            PageAsk::Hint(agent) => {
                let adviser = adviser(agent)?;
                let advice = adviser.advise(&record, request.stop).map_err(failed)?;
                let values = adviser.values(&record, request.stop)?;
                choice = Some(ChoiceView::of(&advice, &values));
            }
        }
    }
    Ok(PageAnswer { position: PositionView::of(&record), choice })
}

impl PositionView {
    fn of<P: Game>(record: &Record<P>) -> Self {
        let position = record.position();
        Self {
            moves: record.moves().map(|mv| mv.to_string()).collect(),
            legal: position.legal_moves().map(|mv| mv.to_string()).collect(),
            to_move: position.side_to_move().mark(),
            outcome: position.outcome().map(|outcome| match outcome {
                Outcome::Win(winner) => winner.mark().to_string(),
                Outcome::Draw => "draw".into(),
            }),
            board: position.board().map(squares),
            drawing: record.drawing(),
            notation: position.notation(),
        }
    }
}

/// A board with its moves and players as text.
fn squares<M: ToString>(board: Board<M>) -> serde_json::Value {
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

impl ChoiceView {
    fn of<M: ToString>(advice: &Advice<M>, values: &MoveValues<M>) -> Self {
        Self {
            mv: advice.choice.mv.to_string(),
            value: advice.choice.value.map(|value| value.to_string()),
            line: advice.line.iter().map(ToString::to_string).collect(),
            seconds: advice.took.as_secs_f64(),
            values: ranked(&values.values),
            milliseconds_each: values.time_each.map(|time| time.as_millis() as u64),
        }
    }
}

/// The values, and where each stands among the others.
fn ranked<M: ToString>(values: &[(M, Value)]) -> Vec<MoveValue> {
    let mut sorted: Vec<f64> = values.iter().map(|(_, value)| order(*value)).collect();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    let rank = |value: f64| {
        let below = sorted.partition_point(|other| *other < value);
        if sorted.len() < 2 { 5 } else { (10 * below / (sorted.len() - 1)) as u32 }
    };
    let answer = |(mv, value): &(M, Value)| MoveValue {
        mv: mv.to_string(),
        value: value.to_string(),
        rank: rank(order(*value)),
    };
    values.iter().map(answer).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::games::{Qubic, Uttt};
    use crate::search::Stop;

    fn ask<P: Game>(moves: &[&str], ask: PageAsk<'_>) -> Result<PageAnswer, InputError> {
        let moves: Vec<String> = moves.iter().map(|mv| (*mv).to_string()).collect();
        let request =
            PageRequest { rules: "", from: None, moves: &moves, ask, seed: 1, stop: Stop::NEVER };
        answer(&Agents::<P>::default(), P::Rules::default(), &request)
    }

    #[test]
    fn a_position_has_its_board_and_its_legal_moves() {
        let answer = ask::<Uttt>(&["4,4"], PageAsk::Position).unwrap();
        assert_eq!((answer.position.legal.len(), answer.position.to_move), (8, 'o'));
        let board = answer.position.board.unwrap();
        assert_eq!(board["columns"], 3);
        let parts = board["parts"].as_array().unwrap();
        assert_eq!((parts.len(), &parts[0]["name"]), (9, &json!("board 0,0")));
        assert_eq!(parts[4]["squares"][4], json!({ "mv": "4,4", "mark": "x" }));
        let qubic = ask::<Qubic>(&["1,1,2"], PageAsk::Position).unwrap().position.board.unwrap();
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
        assert_eq!((reply.position.moves.len(), reply.position.to_move), (2, 'x'));
        let hint = ask::<Uttt>(&["4,4"], PageAsk::Hint(&agent)).unwrap();
        let choice = hint.choice.unwrap();
        assert_eq!((hint.position.moves.len(), choice.values.len()), (1, 8));
        let of_choice = choice.values.iter().find(|value| value.mv == choice.mv).unwrap();
        assert_eq!(
            Some(&of_choice.value),
            choice.value.as_ref(),
            "the best move is worth what the search says"
        );
        assert_eq!(of_choice.rank, 10);
        assert!(choice.line.len() > 1 && choice.line[0] == choice.mv);
    }
}
