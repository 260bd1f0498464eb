//! Tests of the agents that search.

use std::sync::atomic::AtomicBool;

use crate::BuiltInKinds;
use crate::agent::{Agent, Agents, Choice, Failure, Lateness, Turn, Value};
use crate::game::Position;
use crate::games::uttt::{Rules, Uttt, UtttMove};
use crate::search::Stop;

/// How a search fails that was stopped.
const STOPPED: Failure = Failure::Timeout { attempts: 1, later: Lateness::Unknown };

/// Twelve plies in, with much to choose.
fn position() -> Uttt {
    let mut position = Uttt::start(Rules::default());
    for index in [40, 3, 7, 1, 5, 2, 6, 4, 0, 3, 7, 2] {
        let count = position.legal_move_count();
        position.play_unchecked(position.nth_legal_move(index % count));
    }
    position
}

fn agent(text: &str) -> Box<dyn Agent<Uttt>> {
    Agents::<Uttt>::of::<BuiltInKinds>().ready(text).unwrap().spawn(1)
}

fn choice_and_line(text: &str, position: &Uttt) -> (Choice<UtttMove>, Vec<UtttMove>) {
    let (mut agent, turn) = (agent(text), Turn::new(position));
    let choice = agent.choose(&turn).unwrap();
    let line = agent.expected_line(&turn, &choice);
    assert_eq!(line[0], choice.mv, "{text}");
    (choice, line)
}

fn weights(value: Option<Value>) -> f64 {
    match value {
        Some(Value::Weights(value)) => value,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_move_of_a_line_keeps_the_value_of_the_search() {
    for kind in ["minimax", "plain"] {
        let of_depth = |depth| format!("{kind}:depth={depth},weights=liang-default");
        let mut position = position();
        let (choice, line) = choice_and_line(&of_depth(4), &position);
        assert_eq!(line.len(), 4);
        let mut value = weights(choice.value);
        for (mv, depth) in line.into_iter().zip([3, 2, 1]) {
            position.play(mv).unwrap();
            value = -value;
            let (after, _) = choice_and_line(&of_depth(depth), &position);
            assert_eq!(weights(after.value), value);
        }
    }
}

#[test]
fn all_searches_expect_legal_lines_and_asking_changes_nothing() {
    for text in [
        "greedy:weights=liang-default",
        "iterative:nodes=20000,weights=liang-default",
        "iterative:nodes=5000,weights=liang-default,table=1",
        "remembering:nodes=5000,weights=liang-default",
        "plain:nodes=20000,weights=liang-default",
        "pvs:nodes=3000,weights=tictune-patterns",
        "mcts:iterations=3000",
        "mcts:iterations=3000,threads=2,parallel=root",
        "minimax:depth=3,weights=liang-default,first_move=centre,mix=liang-simple,mix_share=0.5",
    ] {
        let [mut asked, mut silent] = [agent(text), agent(text)];
        let mut position = position();
        for _ in 0..3 {
            let turn = Turn::new(&position);
            let choice = asked.choose(&turn).unwrap();
            let line = asked.expected_line(&turn, &choice);
            assert_eq!(silent.choose(&turn).unwrap(), choice, "{text}");
            let least = if text.starts_with("greedy") { 1 } else { 2 };
            assert!(line.len() >= least && line[0] == choice.mv, "{text}: {line:?}");
            let mut later = position;
            line.into_iter().for_each(|mv| later.play(mv).unwrap());
            position.play(choice.mv).unwrap();
        }
    }
}

#[test]
fn searches_that_are_stopped_end_without_a_move_or_with_the_best_so_far() {
    let (position, flag) = (position(), AtomicBool::new(true));
    let turn = Turn { stop: Stop::when(&flag), ..Turn::new(&position) };
    for text in [
        "minimax:depth=30,weights=liang-default",
        "minimax:depth=30,weights=liang-default,prune=stepwise",
        "plain:depth=30,weights=liang-default,alpha_beta=true",
        "plain:depth=30,weights=liang-default",
        "selective:depth=30,weights=liang-default,quiescence=9",
        "selective:depth=30,weights=liang-default,order=liang-simple",
        "expectimax:depth=30,weights=liang-default",
        "iterative:nodes=9000000000,first_depth=30,weights=liang-default",
    ] {
        let stopped = agent(text).choose(&turn);
        assert_eq!(stopped, Err(STOPPED), "{text}");
    }
    for text in [
        "minimax:depth=1,weights=liang-default",
        "iterative:nodes=9000000000,weights=liang-default",
        "pvs:nodes=9000000000,weights=tictune-patterns",
        "mcts:iterations=9000000000",
        "mcts:iterations=9000000000,threads=2",
    ] {
        let choice = agent(text).choose(&turn).unwrap();
        assert!(position.is_legal(choice.mv), "{text}");
        assert_eq!(agent(text).expected_line(&turn, &choice)[0], choice.mv, "{text}");
    }
}

#[test]
fn a_move_without_a_choice_is_expected_alone() {
    // The last board has one cell left.
    let position =
        Uttt::from_notation("xxxoo1oo1/9/9/oo1xxx3/9/oo7/6xx1/6oox/6xxo x 2,2", Rules::default());
    let (choice, line) = choice_and_line("mcts:iterations=100", &position.unwrap());
    assert_eq!((choice.iterations, line.len()), (0, 1));
}
