//! Tests of the agents that search, and of those that do not play as their kind does, now and then.

use std::sync::atomic::AtomicBool;

use tictune_core::agent::{Agent, Agents, Failure, Lateness, Turn};
use tictune_core::game::{Game, Position};
use tictune_core::search::Stop;
use tictune_games::uttt::{Rules, Uttt};
use tictune_registry::BuiltInKinds;

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

#[test]
fn expected_lines_are_legal() {
    for text in [
        "pvs:nodes=3000,weights=tictune-patterns",
        "mcts:iterations=3000",
        "mcts:iterations=3000,threads=2,parallel=root",
    ] {
        let (mut agent, mut position) = (agent(text), position());
        for _ in 0..3 {
            let choice = agent.choose(&Turn::new(&position)).unwrap();
            assert!(choice.line.len() >= 2 && choice.line[0] == choice.mv, "{text}: {choice:?}");
            let mut later = position;
            choice.line.iter().for_each(|&mv| later.play(mv).unwrap());
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
    }
}

#[test]
fn a_move_without_a_choice_is_expected_alone() {
    // The last board has one cell left.
    let position =
        Uttt::from_notation("xxxoo1oo1/9/9/oo1xxx3/9/oo7/6xx1/6oox/6xxo x 2,2", Rules::default());
    let choice = agent("mcts:iterations=100").choose(&Turn::new(&position.unwrap())).unwrap();
    assert_eq!((choice.iterations, choice.line), (0, vec![choice.mv]));
}

/// In which share of many games the first move is the centre.
fn share_of_first_moves(spec: &str, games: u64) -> f64 {
    let factory = Agents::<Uttt>::of::<BuiltInKinds>().ready(spec).unwrap();
    let start = Uttt::start(Rules::default());
    let centre = Uttt::centre_move().unwrap();
    let is_centre =
        |seed: &u64| factory.spawn(*seed).choose(&Turn::new(&start)).unwrap().mv == centre;
    (0..games).filter(is_centre).count() as f64 / games as f64
}

#[test]
fn an_agent_jumps_as_often_as_it_should() {
    // Without a jump it opens with the centre; a jump hits the centre once in 81.
    let share = share_of_first_moves("greedy:weights=liang-default,first_move=centre,jump=5", 4000);
    let expected = 4.0 / 9.0 + 5.0 / 9.0 / 81.0;
    assert!((share - expected).abs() < 0.03, "{share} for {expected}");
    let always = share_of_first_moves("greedy:weights=liang-default,first_move=centre,jump=9", 300);
    assert!(always < 0.05, "{always}");
}

#[test]
fn an_agent_takes_the_other_evaluation_as_often_as_it_should() {
    // One ply deep, heur3 opens with the centre; connecting sees 81 equal moves.
    let of = |share| {
        share_of_first_moves(
            &format!("greedy:weights=liang-connecting,mix=lifshitz-heur3,mix_share={share}"),
            3000,
        )
    };
    let (none, all, third) = (of(0.0), of(1.0), of(0.3));
    assert!(none < 0.05, "{none}");
    assert_eq!(all, 1.0);
    assert!((third - (0.3 + 0.7 * none)).abs() < 0.04, "{third}");
}
