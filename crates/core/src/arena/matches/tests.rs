use std::path::Path;

use super::*;
use crate::agent::{AgentFactory, Agents, Choice, Failure, Turn, spawn};
use crate::arena::{MoveCost, Schedule, play_task};
use crate::game::{Outcome, Position};
use crate::search::Stop;
use crate::testing::toy::{Toy, ToyRules};

fn factory(text: &str) -> AgentFactory<Toy> {
    Agents::<Toy>::default().ready(text).unwrap()
}

fn settings(games: u64, schedule: Schedule) -> MatchSettings {
    MatchSettings { games, seed: 0, schedule, replay_ties: false }
}

fn play_with(
    a: &AgentFactory<Toy>,
    b: &AgentFactory<Toy>,
    openings: &str,
    settings: &MatchSettings,
) -> Result<MatchResult, ExecutorError> {
    let openings = Openings::parse::<Toy>(openings, ToyRules::default(), Path::new(""))?;
    let contest = Contest { a, b, rules: ToyRules::default(), openings: &openings };
    play_match_with(&contest, settings, Detail::Moves, &|| true)
}

fn play(a: &str, b: &str, openings: &str, settings: &MatchSettings) -> MatchResult {
    play_with(&factory(a), &factory(b), openings, settings).unwrap()
}

#[test]
fn an_agents_own_seed_goes_before_the_matchs_and_replayed_ties_leave_no_draw() {
    let run = |seed| {
        let settings = MatchSettings { seed, ..settings(20, Schedule::First) };
        let games = play("random:seed=1", "random:seed=2", "none", &settings).games;
        games.into_iter().map(|game| game.played.moves).collect::<Vec<_>>()
    };
    assert_eq!(run(1), run(2));
    let replay = MatchSettings { replay_ties: true, ..settings(100, Schedule::Coin) };
    assert_eq!(play("random", "random", "none", &replay).summary.tally.draws, 0);
}

#[test]
fn an_illegal_move_loses_the_game_and_is_counted() {
    let stubborn = |_: &Turn<'_, Toy>| Ok(Choice::free(Toy::CENTRE));
    let (a, b) = (AgentFactory::new("stubborn", spawn(move |_| stubborn)), factory("reflex"));
    let result = play_with(&a, &b, "none", &settings(10, Schedule::First)).unwrap();
    assert_eq!((result.summary.tally.losses, result.summary.errors), (10, [10, 0]));
    assert_eq!(result.forfeits.len(), 10);
    let failure = Failure::IllegalMove("12".into());
    assert_eq!(result.forfeits[3].failure, failure);
    // The forfeited move is not among the moves.
    let trace = &result.games[0];
    assert_eq!((trace.played.moves.len(), trace.played.costs.len(), trace.half_points), (2, 2, 0));
    assert_eq!(trace.failure, Some(failure));
}

#[test]
fn a_panic_in_a_game_is_an_error_that_names_the_game() {
    let broken = |turn: &Turn<'_, Toy>| {
        assert!(turn.position.ply() < 3, "no fourth move");
        Ok(Choice::free(turn.position.nth_legal_move(0)))
    };
    let (a, b) = (AgentFactory::new("broken", spawn(move |_| broken)), factory("random"));
    let contest = Contest { a: &a, b: &b, rules: ToyRules::default(), openings: &Openings::Centre };
    let task = settings(10, Schedule::First).schedule.task(5, 0, 0, 10);
    let error = play_task(&contest, &task, &|| true, Stop::NEVER).unwrap_err();
    assert!(matches!(error, ExecutorError::Panicked(_)), "{error}");
    let text = error.to_string();
    for expected in [
        "panicked: no fourth move, in the game of seed ",
        &format!("{} from the opening \"...../...../...../...../.....\", after", task.seed),
        "after the moves \"12 ",
        "between broken (A) and random (B), where A moves first",
    ] {
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn a_trace_replays_its_game() {
    let (a, b) = ("minimax:depth=2,weights=toy-lines", "mcts:iterations=30");
    for (schedule, replay_ties, openings, opening) in
        [(Schedule::Paired, false, "random:4", 4), (Schedule::Coin, true, "none", 0)]
    {
        let result = play(a, b, openings, &MatchSettings { replay_ties, ..settings(12, schedule) });
        let mut tally = Tally::default();
        for trace in &result.games {
            assert_eq!(trace.opening_plies(), opening);
            let mut position =
                Toy::from_notation(&trace.played.start, ToyRules::default()).unwrap();
            for (number, mv) in trace.played.moves.iter().enumerate() {
                if let Some(place) = number.checked_sub(opening) {
                    let MoveCost { ply, player, legal_moves, .. } = trace.played.costs[place];
                    let expected = (position.ply(), position.side_to_move());
                    assert_eq!((ply, player), expected);
                    assert_eq!(legal_moves as usize, position.legal_move_count());
                }
                position.play(Toy::parse_move(mv).unwrap()).unwrap();
            }
            match position.outcome().unwrap() {
                Outcome::Draw => tally.draws += 1,
                Outcome::Win(winner) if trace.is_a(winner) => tally.wins += 1,
                Outcome::Win(_) => tally.losses += 1,
            }
        }
        assert_eq!(tally, result.summary.tally);
    }
}
