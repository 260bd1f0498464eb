//! A game as a page shows it: the position after some moves, an agent's reply, and what an agent thinks of every move.

use std::time::{Duration, Instant};

use serde::Serialize;

use super::{PageAsk, PageRequest};
use crate::agent::{AgentKind, AgentSpec, Failure, Limit, Playable, Turn, Value};
use crate::game::{Board, Outcome, Player};
use crate::input::InputError;
use crate::seed::mix;

/// How long all moves together are thought about for their values.
const TIME_FOR_VALUES: Duration = Duration::from_secs(3);

/// What a page shows of a position.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PageAnswer {
    /// The moves from the start, an agent's reply included.
    pub moves: Vec<String>,
    /// The legal moves, in the order of generation.
    pub legal: Vec<String>,
    /// The mark of the side to move.
    pub to_move: char,
    /// `x` or `o` if that side has won, `draw`, or nothing while the game goes on.
    pub outcome: Option<String>,
    /// The squares, where the game has a board.
    pub board: Option<BoardAnswer>,
    /// The position as text.
    pub drawing: String,
    /// The position in one line.
    pub notation: String,
    /// What the agent chose.
    pub choice: Option<ChoiceAnswer>,
}

/// A board without the type of its moves.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct BoardAnswer {
    columns: usize,
    parts: Vec<PartAnswer>,
}

#[derive(Clone, Debug, Serialize)]
struct PartAnswer {
    name: String,
    columns: usize,
    owner: Option<char>,
    squares: Vec<SquareAnswer>,
}

#[derive(Clone, Debug, Serialize)]
struct SquareAnswer {
    mv: String,
    mark: Option<char>,
}

/// An agent's choice.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ChoiceAnswer {
    /// The move.
    pub mv: String,
    /// What it thinks of the position, in words.
    pub value: Option<String>,
    /// The moves that it expects, the chosen one first.
    pub line: Vec<String>,
    /// How long it took.
    pub seconds: f64,
    /// What it thinks of each move, as far as there was time.
    pub values: Vec<MoveValue>,
}

/// What an agent thinks of a move.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct MoveValue {
    /// The move.
    pub mv: String,
    /// In words, from the view of the side that moves.
    pub value: String,
    /// Where it stands among the moves: 0 is the worst, 10 the best.
    pub rank: u32,
}

/// Answers a page.
pub(super) fn answer<P: Playable>(request: &PageRequest<'_>) -> Result<PageAnswer, InputError> {
    let rules = super::entry::rules_of::<P>(request.rules)?;
    let mut position = match request.from {
        None => P::start(rules),
        Some(text) => {
            P::from_notation(text, rules).map_err(|error| InputError::new(error.to_string()))?
        }
    };
    let mut moves = Vec::new();
    for (number, text) in request.moves.iter().enumerate() {
        let wrong = |problem: String| InputError::new(format!("move {}: {problem}", number + 1));
        let mv = P::parse_move(text).map_err(|error| wrong(error.to_string()))?;
        position.play(mv).map_err(|error| wrong(error.to_string()))?;
        moves.push(mv);
    }
    let mut choice = None;
    if position.outcome().is_none() {
        match &request.ask {
            PageAsk::Position => {}
            PageAsk::Move(agent) => {
                let (answer, mv) = think(agent, &position, moves.last().copied(), request.seed)?;
                position.play_unchecked(mv);
                moves.push(mv);
                choice = Some(answer);
            }
            PageAsk::Hint(agent) => {
                let (answer, _) = think(agent, &position, moves.last().copied(), request.seed)?;
                let values = values_of_moves(agent, &position, request.seed)?;
                choice = Some(ChoiceAnswer { values, ..answer });
            }
        }
    }
    Ok(PageAnswer {
        moves: moves.iter().map(ToString::to_string).collect(),
        legal: position.legal_moves().map(|mv| mv.to_string()).collect(),
        to_move: position.side_to_move().mark(),
        outcome: position.outcome().map(|outcome| match outcome {
            Outcome::Win(winner) => winner.mark().to_string(),
            Outcome::Draw => "draw".into(),
        }),
        board: position.board().map(board_answer),
        drawing: position.to_string(),
        notation: position.notation(),
        choice,
    })
}

fn board_answer<M: ToString>(board: Board<M>) -> BoardAnswer {
    let parts = board.parts.into_iter().map(|part| PartAnswer {
        name: part.name,
        columns: part.columns,
        owner: part.owner.map(Player::mark),
        squares: part
            .squares
            .into_iter()
            .map(|square| SquareAnswer {
                mv: square.mv.to_string(),
                mark: square.mark.map(Player::mark),
            })
            .collect(),
    });
    BoardAnswer { columns: board.columns, parts: parts.collect() }
}

/// Lets an agent choose a move.
fn think<P: Playable>(
    spec: &AgentSpec,
    position: &P,
    last_move: Option<P::Move>,
    seed: u64,
) -> Result<(ChoiceAnswer, P::Move), InputError> {
    let factory = spec.prepare::<P>()?;
    let seed = mix(factory.own_seed().unwrap_or(seed), u64::from(position.ply()));
    let mut agent = factory.spawn(seed);
    let turn = Turn { last_move, ..Turn::new(position) };
    let started = Instant::now();
    let choice = agent.choose(&turn).and_then(|choice| match position.is_legal(choice.mv) {
        true => Ok(choice),
        false => Err(Failure::IllegalMove(choice.mv.to_string())),
    });
    let choice = choice.map_err(|failure| InputError::new(format!("the agent: {failure}")))?;
    let seconds = started.elapsed().as_secs_f64();
    let line = agent.expected_line(&turn, &choice);
    let answer = ChoiceAnswer {
        mv: choice.mv.to_string(),
        value: choice.value.map(|value| value.to_string()),
        line: line.iter().map(ToString::to_string).collect(),
        seconds,
        values: Vec::new(),
    };
    Ok((answer, choice.mv))
}

/// What an agent thinks of each legal move: its value of the position after it, one ply less deep where it has a depth,
/// within a share of [`TIME_FOR_VALUES`] where it has a limit. Moves for which there is no time are left out.
fn values_of_moves<P: Playable>(
    spec: &AgentSpec,
    position: &P,
    seed: u64,
) -> Result<Vec<MoveValue>, InputError> {
    let count = position.legal_move_count().max(1) as u32;
    let mut after = spec.clone();
    if let Some(Some(depth)) = after.kind.fixed_depth_mut() {
        if *depth < 2 {
            return Ok(Vec::new());
        }
        *depth -= 1;
    }
    if let AgentKind::Pvs(settings) = &mut after.kind {
        // Each move has an agent of its own.
        settings.table = Some(1);
    }
    if let Some(limit) = after.kind.limit_mut() {
        *limit = Some(Limit::Time((TIME_FOR_VALUES / count).max(Duration::from_millis(1))));
    }
    let factory = after.prepare::<P>()?;
    let started = Instant::now();
    let mut values: Vec<(P::Move, Value)> = Vec::new();
    for mv in position.legal_moves() {
        if started.elapsed() > TIME_FOR_VALUES {
            break;
        }
        let next = position.after(mv);
        let value = match next.outcome() {
            Some(Outcome::Win(winner)) if winner == position.side_to_move() => {
                Some(Value::Weights(f64::INFINITY))
            }
            Some(Outcome::Win(_)) => Some(Value::Weights(f64::NEG_INFINITY)),
            Some(Outcome::Draw) => Some(Value::Weights(0.0)),
            None => {
                let mut agent = factory.spawn(mix(seed, u64::from(next.ply())));
                let choice = agent.choose(&Turn { last_move: Some(mv), ..Turn::new(&next) });
                choice.ok().and_then(|choice| choice.value).map(for_the_other_side)
            }
        };
        values.extend(value.map(|value| (mv, value)));
    }
    Ok(ranked(&values))
}

/// A value from the view of the other side.
const fn for_the_other_side(value: Value) -> Value {
    match value {
        Value::Weights(value) => Value::Weights(-value),
        Value::Share(share) => Value::Share(1.0 - share),
        Value::Centipawns(value) => Value::Centipawns(-value),
    }
}

/// A number that orders values of one agent. Games that end at once are beyond all shares.
const fn order(value: Value) -> f64 {
    match value {
        Value::Weights(value) | Value::Centipawns(value) => value,
        Value::Share(share) => share,
    }
}

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

    fn ask<P: Playable>(moves: &[&str], ask: PageAsk<'_>) -> Result<PageAnswer, InputError> {
        let moves: Vec<String> = moves.iter().map(|mv| (*mv).to_string()).collect();
        answer::<P>(&PageRequest { rules: "", from: None, moves: &moves, ask, seed: 1 })
    }

    #[test]
    fn a_position_has_its_board_and_its_legal_moves() {
        let answer = ask::<Uttt>(&["4,4"], PageAsk::Position).unwrap();
        assert_eq!((answer.legal.len(), answer.to_move), (8, 'o'));
        let board = answer.board.unwrap();
        assert_eq!((board.columns, board.parts.len()), (3, 9));
        let centre = &board.parts[4].squares[4];
        assert_eq!((centre.mv.as_str(), centre.mark), ("4,4", Some('x')));
        let qubic = ask::<Qubic>(&["1,1,2"], PageAsk::Position).unwrap().board.unwrap();
        assert_eq!((qubic.parts.len(), qubic.parts[0].squares.len()), (4, 16));
        assert_eq!(
            (qubic.parts[0].squares[1].mark, qubic.parts[0].squares[0].mark),
            (Some('x'), None)
        );
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
        let agent = AgentSpec::parse::<Uttt>("minimax:depth=3", Path::new("")).unwrap();
        let reply = ask::<Uttt>(&["4,4"], PageAsk::Move(&agent)).unwrap();
        assert_eq!((reply.moves.len(), reply.to_move), (2, 'x'));
        let hint = ask::<Uttt>(&["4,4"], PageAsk::Hint(&agent)).unwrap();
        let choice = hint.choice.unwrap();
        assert_eq!((hint.moves.len(), choice.values.len()), (1, 8));
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
