//! A game as the page asks for it, statelessly: the position after some moves, an agent's reply, and what an agent thinks of
//! every move.

use serde::Serialize;

use super::adviser::Adviser;
use super::record::Record;
use super::view::{ChoiceView, PositionView};
use super::{PageAsk, PageRequest};
use crate::agent::{AgentSpec, Failure, Playable};
use crate::input::InputError;

/// What a page shows of a position.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PageAnswer {
    /// The position, after an agent's reply if one was asked for.
    #[serde(flatten)]
    pub position: PositionView,
    /// What the agent chose.
    pub choice: Option<ChoiceView>,
}

/// Answers a page, by rules that were read from its request.
pub(super) fn answer<P: Playable>(
    rules: P::Rules,
    request: &PageRequest<'_>,
) -> Result<PageAnswer, InputError> {
    let mut record = Record::<P>::start(rules, request.from)
        .map_err(|error| InputError::new(error.to_string()))?;
    for (number, text) in request.moves.iter().enumerate() {
        let wrong = |problem| InputError::new(format!("move {}: {problem}", number + 1));
        record.play_text(text).map_err(wrong)?;
    }
    let adviser = |agent: &AgentSpec| Adviser::<P>::new(agent.clone(), request.seed);
    let failed = |failure: Failure| InputError::new(format!("the agent: {failure}"));
    let mut choice = None;
    if record.position().outcome().is_none() {
        match &request.ask {
            PageAsk::Position => {}
            PageAsk::Move(agent) => {
                let advice = adviser(agent)?.advise(&record, request.stop).map_err(failed)?;
                record.play(advice.choice.mv);
                choice = Some(advice.view());
            }
            PageAsk::Hint(agent) => {
                let adviser = adviser(agent)?;
                let advice = adviser.advise(&record, request.stop).map_err(failed)?;
                let values = adviser.values(&record, request.stop)?;
                choice = Some(values.beside(advice.view()));
            }
        }
    }
    Ok(PageAnswer { position: record.view(), choice })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::games::{Qubic, Uttt};
    use crate::search::Stop;

    fn ask<P: Playable>(moves: &[&str], ask: PageAsk<'_>) -> Result<PageAnswer, InputError> {
        let moves: Vec<String> = moves.iter().map(|mv| (*mv).to_string()).collect();
        let request =
            PageRequest { rules: "", from: None, moves: &moves, ask, seed: 1, stop: Stop::NEVER };
        answer::<P>(P::Rules::default(), &request)
    }

    #[test]
    fn a_position_has_its_board_and_its_legal_moves() {
        let answer = ask::<Uttt>(&["4,4"], PageAsk::Position).unwrap();
        assert_eq!((answer.position.legal.len(), answer.position.to_move), (8, 'o'));
        let board = answer.position.board.unwrap();
        assert_eq!((board.columns, board.parts.len()), (3, 9));
        let centre = &board.parts[4].squares[4];
        assert_eq!((centre.mv.as_str(), centre.mark), ("4,4", Some('x')));
        let qubic = ask::<Qubic>(&["1,1,2"], PageAsk::Position).unwrap().position.board.unwrap();
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
