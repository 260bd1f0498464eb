//! What the page is told of a game.

use std::path::Path;

use serde_json::{Value as Json, json};
use tictune::agent::AgentSpec;
use tictune::search::Stop;
use tictune_registry::{Ask, Question};

fn ask(game: &str, moves: &[&str], ask: Ask, agent: Option<&str>) -> Json {
    let question = json!({ "game": "", "moves": moves, "ask": "position", "seed": 1 });
    let question = Question { ask, ..serde_json::from_value(question).unwrap() };
    let registry = tictune_built_in::registry();
    let game = registry.find(Some(game)).unwrap();
    let scope = registry.known().scope(game.info(), Path::new(""));
    let agent = agent
        .map(|agent| AgentSpec::parse_in(agent, scope).unwrap().complete(game.info()).unwrap());
    game.known("", "").unwrap().position(&question, agent, Stop::NEVER).unwrap()
}

#[test]
fn a_position_has_its_board_and_its_legal_moves() {
    let answer = ask("uttt", &["4,4"], Ask::Position, None);
    assert_eq!((answer["legal"].as_array().unwrap().len(), &answer["to_move"]), (8, &json!("o")));
    let board = &answer["board"];
    assert_eq!(board["columns"], 3);
    let parts = board["parts"].as_array().unwrap();
    assert_eq!((parts.len(), &parts[0]["name"]), (9, &json!("board 0,0")));
    assert_eq!(parts[4]["squares"][4], json!({ "mv": "4,4", "mark": "x" }));
    let qubic = ask("qubic", &["1,1,2"], Ask::Position, None)["board"].clone();
    let layers = qubic["parts"].as_array().unwrap();
    let squares = layers[0]["squares"].as_array().unwrap();
    assert_eq!((layers.len(), squares.len()), (4, 16));
    assert_eq!((&squares[1]["mark"], &squares[0]["mark"]), (&json!("x"), &json!(null)));
}

#[test]
fn an_agent_replies_and_values_every_move_as_its_search_does() {
    let agent = Some("minimax:depth=3");
    let reply = ask("uttt", &["4,4"], Ask::Move, agent);
    assert_eq!((reply["moves"].as_array().unwrap().len(), &reply["to_move"]), (2, &json!("x")));
    let hint = ask("uttt", &["4,4"], Ask::Hint, agent);
    let choice = &hint["choice"];
    let values = choice["values"].as_array().unwrap();
    assert_eq!((hint["moves"].as_array().unwrap().len(), values.len()), (1, 8));
    let of_choice = values.iter().find(|value| value["mv"] == choice["mv"]).unwrap();
    assert_eq!(of_choice["value"], choice["value"], "the best move is worth what the search says");
    assert_eq!(of_choice["rank"], 10);
}
